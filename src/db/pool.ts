import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClientConfig,
  type CustomTypesConfig,
  Pool,
  type PoolClient,
  type PoolConfig,
  types as pgTypes,
} from 'pg';
import { type DatabaseAddress, explained } from './database_errors.ts';

/** Runs statements: a pool, or the connection of a transaction. */
export type Db = Pick<Pool, 'query'>;
/** A connection inside a transaction. A function that takes a Tx never gets the pool. */
export type Tx = PoolClient;

/**
 * The conversions of PostgreSQL values. Times become ISO text without using Date, with which a page of 100 takes 1.7 times the CPU
 * time. Counts and sums become numbers.
 */
const parsers = new Map<number, (text: string) => unknown>([
  [pgTypes.builtins.TIMESTAMPTZ, isoTime],
  [pgTypes.builtins.INT8, Number],
]);

const types: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (format === 'binary' ? undefined : parsers.get(oid)) ?? pgTypes.getTypeParser(oid, format),
};

/** Converts PostgreSQL's `2025-08-13 16:38:55.4+00` to `2025-08-13T16:38:55.400Z`. The session's time zone is UTC. */
function isoTime(text: string): string {
  if (!text.endsWith('+00')) return text; // infinity or a year BC; /v1 never shows these
  const seconds = `${text.slice(0, 10)}T${text.slice(11, 19)}`;
  return `${seconds}.${text.slice(20, -3).padEnd(3, '0')}Z`;
}

export interface ConnectionOptions extends DatabaseAddress {
  /** The server cancels a statement that runs longer. */
  statementTimeoutMs?: number;
  /** The server ends a session whose transaction waits longer for its client: the client hangs or has vanished. */
  idleInTransactionTimeoutMs?: number;
  settings?: Readonly<Record<string, string>>;
}

/**
 * Settings with which the server detects that the host of a client has vanished: probes on an idle connection, a limit for
 * unacknowledged data, and a check of the connection while a statement runs. The locks of the client are then released after 25 s;
 * with the defaults, after two hours.
 */
const DETECT_LOST_CLIENT = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '20000',
  client_connection_check_interval: '5000',
};
/** The client's timeout is longer than the server's by this time, because the error of the server is more precise. */
export const CLIENT_MARGIN_MS = 2_000;

export function connectionConfig(options: ConnectionOptions): ClientConfig {
  const { statementTimeoutMs, idleInTransactionTimeoutMs } = options;
  // JIT compilation of a statement over a hundred partitions takes seconds, and the statement itself milliseconds.
  const settings = { timezone: 'UTC', jit: 'off', ...DETECT_LOST_CLIENT, ...options.settings };
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    statement_timeout: statementTimeoutMs ?? false,
    // The server's limit does not help if the server or the network hangs.
    ...(statementTimeoutMs === undefined ? {} : { query_timeout: statementTimeoutMs + CLIENT_MARGIN_MS }),
    ...(idleInTransactionTimeoutMs === undefined
      ? {}
      : { idle_in_transaction_session_timeout: idleInTransactionTimeoutMs }),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types,
  };
}

/** Connections that are idle for this time are closed. Work that runs every 10 or 30 s finds its connection open, with its plans. */
export const IDLE_TIMEOUT_MS = 60_000;

/** The pool ends at the end of the block if it is declared with `await using`. */
export function openPool(options: ConnectionOptions & { maxConnections?: number }): Pool & AsyncDisposable {
  const limits = { max: options.maxConnections ?? 4, idleTimeoutMillis: IDLE_TIMEOUT_MS };
  const pool = new ExplainingPool({ ...connectionConfig(options), ...limits }, options);
  // A connection that is lost while idle is replaced at the next use. Without a listener its error would end the process.
  pool.on('error', () => {});
  // A connection can also be lost between two statements of a caller. The next statement then fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

type OnConnected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** A pool that adds explanations to its errors: see explanation.ts. */
class ExplainingPool extends Pool {
  readonly #address: DatabaseAddress;

  constructor(config: PoolConfig, address: DatabaseAddress) {
    super(config);
    this.#address = address;
    // The driver gives a statement the same error that its connection emits.
    this.on('connect', (client) => {
      const connection: unknown = Reflect.get(client, 'connection');
      if (connection instanceof EventEmitter)
        connection.on('errorMessage', (error: unknown) => void explained(error, address));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  override connect(): Promise<PoolClient>;
  override connect(onConnected: OnConnected): void;
  override connect(onConnected?: OnConnected): Promise<PoolClient> | undefined {
    if (onConnected === undefined) {
      return super.connect().catch((error: unknown) => {
        throw explained(error, this.#address);
      });
    }
    // The driver connects with a callback for a statement without a transaction.
    super.connect((error, client, done) => onConnected(error && explained(error, this.#address), client, done));
    return undefined;
  }
}

const CLOSE_TIMEOUT_MS = 3_000;

/** Closes the connections, and waits at most 3 s for connections that hang. */
export async function closePool(pool: Pool): Promise<void> {
  await Promise.race([pool.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
}

/** Writes an array of numbers or times for PostgreSQL with a fifth of the CPU time of the driver, which quotes every value. */
export const arrayLiteral = (values: readonly (number | string)[]): string => `{${values.join()}}`;

/** Writes an array of texts that contain no quotes and no backslashes. */
export const textArrayLiteral = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => (value === null ? 'null' : `"${value}"`)).join()}}`;

/** Runs the work in a transaction and commits. Rolls back if it throws. */
export function transaction<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(pool, work, 'commit');
}

/** Runs the work in a transaction and rolls back, for a dry run. */
export function rolledBack<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(pool, work, 'rollback');
}

/**
 * The locks of the transactions in progress, with the value that taking a lock returned. PostgreSQL releases them at the end of the
 * transaction. Changes use no savepoints, because the rollback to a savepoint would release locks earlier.
 */
const locks = new WeakMap<Tx, Map<string, string>>();

/**
 * Takes a lock that lasts until the transaction ends. Each function of a change takes the locks that it needs, even if its caller
 * has them: only the first call sends a statement.
 */
export async function lockOnce(tx: Tx, name: string, take: () => Promise<string>): Promise<string> {
  const held = locks.get(tx);
  const result = held?.get(name) ?? (await take());
  held?.set(name, result);
  return result;
}

async function inTransaction<T>(pool: Pool, work: (tx: Tx) => Promise<T>, end: 'commit' | 'rollback'): Promise<T> {
  const tx = await pool.connect();
  let isBroken = false;
  // The pool listens only to idle connections. Without this listener, losing this one would end the process.
  const onLost = (): void => {
    isBroken = true;
  };
  tx.on('error', onLost);
  try {
    await tx.query('begin');
    locks.set(tx, new Map());
    const result = await work(tx);
    await tx.query(end);
    return result;
  } catch (error) {
    // A connection that did not answer is closed: a rollback would wait behind the same statement.
    if (isNoAnswer(error)) isBroken = true;
    else {
      await tx.query('rollback').catch(() => {
        isBroken = true;
      });
    }
    throw error;
  } finally {
    locks.delete(tx);
    tx.off('error', onLost);
    tx.release(isBroken);
  }
}

/** Returns true for the driver's error about a statement without a response in time. That error has no code. */
const isNoAnswer = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';
