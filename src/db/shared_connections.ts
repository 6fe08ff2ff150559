import { Socket } from 'node:net';
import { Client, DatabaseError } from 'pg';
import { Outage, type StatusLogger, silentLogger } from '../health/outage.ts';
import type { PoolUse } from '../health/shared_metrics.ts';
import { type Explanation, explainError, explanationOf } from '../values/explanation.ts';
import { FairQueue, type FairQueueLimits, type Sender, senderAlone } from '../values/fair_queue.ts';
import { explained } from './database_errors.ts';
import { CLIENT_MARGIN_MS, type ConnectionOptions, connectionConfig } from './pool.ts';

/** A statement. With a name it is prepared once per connection; without a name it is planned each time. */
export interface Statement {
  name?: string;
  text: string;
}

/** There is no usable connection to the database now. */
export class DatabaseUnavailableError extends Error {}

/** Too many statements of this sender wait for the database, or this statement has waited for too long. */
export class DatabaseBusyError extends Error {
  override readonly message = 'too many statements of this sender wait';
}

/** The sender of a statement, and the time until which it waits for the result (`performance.now()`). */
export interface QueuedSender {
  sender: Sender;
  untilMs: number;
}

/** The sender of statements that this process needs itself. */
export const INTERNAL_SENDER: QueuedSender = { sender: senderAlone(''), untilMs: Number.POSITIVE_INFINITY };

export interface SharedConnectionsOptions extends ConnectionOptions {
  connections: number;
  limits: Omit<FairQueueLimits, 'reservedPerGroup' | 'maxWaiting'>;
  logger?: StatusLogger | undefined;
}

interface Connection {
  client: Client;
  socket: Socket;
  unfinished: number;
  /** The names of the statements that were sent. */
  names: Set<string>;
  /** When the current statement began: at the end of the previous one or, on an idle connection, when it was sent. */
  beganAtMs: number;
}

/** The interval at which hanging connections are searched for. */
const WATCH_MS = 1_000;

/**
 * A few connections that many senders share fairly. Each statement is one transaction. A statement is sent without waiting for the
 * earlier ones of its connection (pipelining). The server ends a statement that takes too long, and runs the next ones. If the server
 * does not end it, the connection is closed.
 */
export class SharedConnections {
  readonly queue: FairQueue;
  readonly #options: SharedConnectionsOptions;
  readonly #outage: Outage;
  readonly #connections: (Connection | null)[];
  readonly #watch: NodeJS.Timeout;
  #closed = false;
  /** The reason why the last connection failed. */
  #explanation: Explanation | undefined;

  private constructor(options: SharedConnectionsOptions) {
    this.#options = options;
    this.#outage = new Outage(options.logger ?? silentLogger, 'connecting to the database');
    this.#connections = Array.from({ length: options.connections }, () => null);
    this.queue = new FairQueue({ ...options.limits, reservedPerGroup: 0, maxWaiting: Number.POSITIVE_INFINITY });
    this.#watch = setInterval(() => this.#closeHanging(), WATCH_MS).unref();
  }

  /** Tries each connection once and returns even if the database is down. Lost connections are retried every second. */
  static async open(options: SharedConnectionsOptions): Promise<SharedConnections> {
    const shared = new SharedConnections(options);
    await Promise.all(shared.#connections.map((_, slot) => shared.#connect(slot)));
    return shared;
  }

  /** Runs a statement of a sender. It is refused if it cannot start within 10 s, or before `untilMs`. */
  query<Row extends object>(
    { sender, untilMs }: QueuedSender,
    { name, text }: Statement,
    values: unknown[],
  ): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): false => {
        reject(error);
        return false;
      };
      const begin = (hasWaitedTooLong: boolean): boolean => {
        if (hasWaitedTooLong || performance.now() > untilMs) return fail(new DatabaseBusyError());
        const connection = this.#leastBusy();
        if (connection === null)
          return fail(explainError(new DatabaseUnavailableError('no connection to the database'), this.#explanation));
        countStatement(connection);
        if (name !== undefined) connection.names.add(name);
        corkUntilNextTurn(connection.socket);
        // With a callback the driver creates no promise and no stack trace, which saves a tenth of the CPU of a statement.
        connection.client.query<Row>(
          { ...(name === undefined ? {} : { name }), text, values },
          (error: Error | null, result) => {
            const nowMs = performance.now();
            const tookMs = nowMs - connection.beganAtMs;
            connection.unfinished--;
            connection.beganAtMs = nowMs;
            this.queue.leave(sender, tookMs);
            if (error === null || error === undefined) resolve(result.rows);
            else if (isLostConnection(error))
              reject(
                new DatabaseUnavailableError('the connection was lost', { cause: explained(error, this.#options) }),
              );
            else reject(explained(error, this.#options));
          },
        );
        return true;
      };
      if (!this.queue.enter(sender, begin)) fail(new DatabaseBusyError());
    });
  }

  /** Frees the plans of a name that no statement uses. The name must not be used again, because the driver assumes that it is prepared. */
  forget(name: string): void {
    if (this.#closed) return;
    for (const connection of this.#connections) {
      if (!connection?.names.delete(name)) continue;
      countStatement(connection);
      // An error means that the name was never prepared, because the time limit ended its first statement.
      connection.client.query(`deallocate ${connection.client.escapeIdentifier(name)}`, () => {
        connection.unfinished--;
        connection.beganAtMs = performance.now();
      });
    }
  }

  use(): PoolUse {
    const open = this.#connections.filter((connection) => connection !== null);
    const inUse = open.filter(({ unfinished }) => unfinished > 0).length;
    return { inUse, idle: open.length - inUse, waiting: this.queue.waiting + this.queue.inProgress - inUse };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    const open = this.#connections.filter((connection) => connection !== null);
    await Promise.all(open.map(({ client }) => client.end()));
  }

  /** Returns the connection with the fewest unfinished statements, so that a slow statement delays few others. */
  #leastBusy(): Connection | null {
    let best: Connection | null = null;
    for (const connection of this.#connections) {
      if (connection && (best === null || connection.unfinished < best.unfinished)) best = connection;
    }
    return best;
  }

  /** Closes hanging connections. Timers of the driver would also count the time that a statement waits for others. */
  #closeHanging(): void {
    const { statementTimeoutMs } = this.#options;
    if (statementTimeoutMs === undefined) return;
    const oldestMs = performance.now() - statementTimeoutMs - CLIENT_MARGIN_MS;
    for (const connection of this.#connections)
      if (connection && connection.unfinished > 0 && connection.beganAtMs < oldestMs)
        connection.socket.destroy(new Error('the database does not answer'));
  }

  async #connect(slot: number): Promise<void> {
    if (this.#closed) return;
    const socket = new Socket();
    const { query_timeout: _, ...config } = connectionConfig(this.#options);
    const client = new Client({ ...config, pipeline: true, stream: () => socket });
    let lost = false;
    const reconnectLater = (error?: Error): void => {
      if (lost || this.#closed) return;
      lost = true;
      this.#connections[slot] = null;
      const reason = explained(error ?? new Error('Connection terminated'), this.#options);
      this.#explanation = explanationOf(reason);
      this.#outage.failed(reason);
      setTimeout(() => void this.#connect(slot), 1_000).unref();
    };
    client.on('error', reconnectLater);
    client.on('end', () => reconnectLater());
    try {
      await client.connect();
      if (!lost) this.#connections[slot] = { client, socket, unfinished: 0, names: new Set(), beganAtMs: 0 };
      if (this.#connections.every((connection) => connection !== null)) this.#outage.worked();
    } catch (error) {
      reconnectLater(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function countStatement(connection: Connection): void {
  if (connection.unfinished === 0) connection.beganAtMs = performance.now();
  connection.unfinished++;
}

/**
 * Collects writes until the end of this turn of the event loop. Requests arrive in bursts, and one write for all their
 * statements saves a system call per statement.
 */
function corkUntilNextTurn(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}

/** Errors of the connection have no SQLSTATE. */
function isLostConnection(error: unknown): boolean {
  return !(error instanceof DatabaseError) || error.code === undefined || isServerFailure(error.code);
}

/** Returns true if the server cannot serve any statement now: 57P is its shutdown, 53 insufficient resources, 08 the connection. */
export const isServerFailure = (sqlState: string): boolean => /^(57P|53|08)/.test(sqlState);
