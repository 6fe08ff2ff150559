import type { QueryResultRow } from 'pg';
import type { StatusLogger } from '../health/outage.ts';
import type { PoolUse } from '../health/shared_metrics.ts';
import { MAX_WAIT_MS, type Sender } from '../values/fair_queue.ts';
import type { ConnectionOptions, Db } from './pool.ts';
import { RepeatedStatements } from './repeated_statements.ts';
import { INTERNAL_SENDER, type QueuedSender, SharedConnections, type Statement } from './shared_connections.ts';

export { DatabaseUnavailableError, type Statement } from './shared_connections.ts';

/** Runs one statement that reads, on the connections that requests share or, by `readsOf`, on others. */
export type Reads = Pick<Readers, 'query'>;

/** The statements of a pool or a transaction as reads. */
export const readsOf = (db: Db): Reads => ({
  query: async <Row extends object>({ text, name }: Statement, values: unknown[]): Promise<Row[]> =>
    (await db.query<Row & QueryResultRow>({ text, values, ...(name === undefined ? {} : { name }) })).rows,
});

export interface ReadersOptions extends ConnectionOptions {
  connections?: number;
  logger?: StatusLogger;
  /** True for reads that may take longer than a millisecond. */
  areSlow?: boolean;
}

/** A request runs up to 8 statements, and a console opens with about ten requests. */
const WAITING_PER_MEMBER = 256;
/**
 * The cost of the statements of one organization in progress, if other organizations are active: two connections for
 * statements of up to 10 ms, one for longer ones. With two connections, one organization kept both CPUs of a small
 * server busy.
 */
const SLOW_WORK_MS = 20;
/**
 * The same limits as those of requests in progress. With a limit of 4, one sender got 0.54 to 0.65 of the throughput.
 */
const FAST_READS = { maxInProgress: 40, maxInProgressPerGroup: 32, maxInProgressPerMember: 32 };

/**
 * Runs reads on a few connections that all senders share fairly. A read is one statement. The sessions are
 * read-only, so that no read can come to wait for a lock of a row.
 *
 * Fast reads are sent at once, behind the unfinished reads of the same connection, instead of waiting for a free one: 1.4 to
 * 2 times the throughput of a pool. More than 8 connections were slower on a two-core database. Slow reads have a connection
 * each. At most two of a sender are in progress, and an organization leaves one connection to the others.
 */
export class Readers {
  /** The connections, of all senders. */
  readonly connections: SharedConnections;
  readonly #sender: QueuedSender;
  readonly #repeated: RepeatedStatements;

  private constructor(connections: SharedConnections, sender: QueuedSender, repeated: RepeatedStatements) {
    this.connections = connections;
    this.#sender = sender;
    this.#repeated = repeated;
  }

  /** Returns even if the database is down. */
  static async open({ connections = 4, areSlow = false, ...options }: ReadersOptions): Promise<Readers> {
    const settings = {
      // With LIMIT as a parameter PostgreSQL plans every execution; a generic plan measured 1.3 to 2.2 times faster.
      plan_cache_mode: 'force_generic_plan',
      default_transaction_read_only: 'on',
      // A read uses one process of the server, however many CPUs it could use.
      max_parallel_workers_per_gather: '0',
      // The groups of a map need it: sorting a million rows by their texts takes four times as long as hashing them.
      ...(areSlow ? { work_mem: '32MB' } : {}),
    };
    // An organization leaves a connection to the others. While others read, its long statements get one connection.
    const slowReads = {
      maxInProgress: connections,
      maxInProgressPerGroup: Math.max(1, connections - 1),
      maxInProgressPerMember: 2,
      workMs: SLOW_WORK_MS,
    };
    const shared = await SharedConnections.open({
      ...options,
      settings,
      connections,
      limits: {
        ...(areSlow ? slowReads : FAST_READS),
        maxWaitingPerMember: WAITING_PER_MEMBER,
      },
    });
    // Delayed, because waiting statements may still have this name.
    const forgetLater = (name: string): void => void setTimeout(() => shared.forget(name), 3 * MAX_WAIT_MS).unref();
    return new Readers(shared, INTERNAL_SENDER, new RepeatedStatements(forgetLater));
  }

  /**
   * The same connections for one request of this sender: a verified key, or an address. A request whose reads have to wait
   * for too long is refused, unless it is a stream of many pages.
   */
  as(sender: Sender, { isStream }: { isStream: boolean } = { isStream: false }): Readers {
    const untilMs = isStream ? Number.POSITIVE_INFINITY : performance.now() + MAX_WAIT_MS;
    return new Readers(this.connections, { sender, untilMs }, this.#repeated);
  }

  query<Row extends object>(statement: Statement, values: unknown[]): Promise<Row[]> {
    const { text, name = this.#repeated.nameOf(text) } = statement;
    return this.connections.query<Row>(this.#sender, { text, ...(name === undefined ? {} : { name }) }, values);
  }

  use(): PoolUse {
    return this.connections.use();
  }

  close(): Promise<void> {
    return this.connections.close();
  }
}
