import type { StatusLogger } from '../health/outage.ts';
import type { PoolUse } from '../health/shared_metrics.ts';
import type { Sender } from '../values/fair_queue.ts';
import type { ConnectionOptions } from './pool.ts';
import { INTERNAL_SENDER, type QueuedSender, SharedConnections, type Statement } from './shared_connections.ts';

const CONNECTIONS = 3;
const LOCK_TIMEOUT_MS = 2_000;

/**
 * Runs the writes of the api that give access: links of mails and drivers, sign-in, sessions, the use of keys. Changes over /manage/v1 use
 * ManageTransactions. A write may wait for a row that an import has locked. Therefore these writes have their own connections, a sender has
 * one statement in progress, an organization leaves one connection free, and no statement waits longer than 2 s for a lock.
 */
export class AccessWriters {
  readonly #connections: SharedConnections;
  readonly #sender: QueuedSender;

  private constructor(connections: SharedConnections, sender: QueuedSender) {
    this.#connections = connections;
    this.#sender = sender;
  }

  /** Returns even if the database is down. */
  static async open(options: ConnectionOptions & { logger?: StatusLogger }): Promise<AccessWriters> {
    const shared = await SharedConnections.open({
      ...options,
      settings: { lock_timeout: String(LOCK_TIMEOUT_MS) },
      connections: CONNECTIONS,
      limits: {
        maxInProgress: CONNECTIONS,
        maxInProgressPerGroup: CONNECTIONS - 1,
        maxInProgressPerMember: 1,
        maxWaitingPerMember: 64,
      },
    });
    return new AccessWriters(shared, INTERNAL_SENDER);
  }

  /** Returns a view of these connections that sends the statements of one sender: a verified key, an organization or an address. */
  as(sender: Sender): AccessWriters {
    return new AccessWriters(this.#connections, { ...INTERNAL_SENDER, sender });
  }

  query<Row extends object>(statement: Statement, values: unknown[]): Promise<Row[]> {
    return this.#connections.query<Row>(this.#sender, statement, values);
  }

  use(): PoolUse {
    return this.#connections.use();
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}
