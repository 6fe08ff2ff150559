import type { QueryResultRow } from 'pg';
import type { StatusLogger } from '../health/outage.ts';
import type { PoolUse } from '../health/shared_metrics.ts';
import { MAX_WAIT_MS, type Sender } from '../values/fair_queue.ts';
import type { ConnectionOptions, Db } from './pool.ts';
import { RepeatedStatements } from './repeated_statements.ts';
import { INTERNAL_SENDER, type QueuedSender, SharedConnections, type Statement } from './shared_connections.ts';

export { DatabaseUnavailableError, type Statement } from './shared_connections.ts';

/** Runs one statement that reads, on the connections that requests share or, with `readsOf`, on other connections. */
export type Reads = Pick<Readers, 'query'>;

/** Returns Reads that run on a pool or in a transaction. */
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
 * The cost of the statements of one organization in progress, if other organizations are active: two connections for statements of up to 10
 * ms, one for longer ones. With two connections, one organization kept both CPUs of a small server busy.
 */
const SLOW_WORK_MS = 20;
/** These limits equal those of requests in progress. With a limit of 4, one sender got 0.54 to 0.65 of the throughput. */
const FAST_READS = { maxInProgress: 40, maxInProgressPerGroup: 32, maxInProgressPerMember: 32 };

/**
 * Runs reads on a few connections that all senders share fairly. A read is one statement. The sessions are read-only, so that a read
 * never waits for the lock of a row.
 *
 * Fast reads do not wait for a free connection: they are sent at once, behind the unfinished reads of a connection. This has 1.4 to 2
 * times the throughput of a pool. More than 8 connections were slower on a two-core database. Each slow read has its own connection.
 * A sender has at most two slow reads in progress, and an organization leaves one connection to other organizations.
 */
export class Readers {
  /** The connections that all senders share. */
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
      // A read uses one process of the server, even if the server has many CPUs.
      max_parallel_workers_per_gather: '0',
      // Groups of tanks on a map are hashed in this memory. Sorting a million rows by their texts would take four times as long.
      ...(areSlow ? { work_mem: '32MB' } : {}),
    };
    // An organization leaves one connection to others. While others read, its long statements use one connection.
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
   * Returns a view of these connections for one request of a sender: a verified key, or an address. A request whose reads wait for
   * too long is refused, unless it is a stream of many pages.
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
