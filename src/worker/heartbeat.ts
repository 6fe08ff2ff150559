import { Client } from 'pg';
import { type ConnectionOptions, connectionConfig } from '../db/pool.ts';
import type { Outage } from '../health/outage.ts';

/** The first half of the key of the advisory locks. The second half is the id of the worker pool. */
const LOCK_CLASS = 'tankwatch worker';
const CHECK_INTERVAL_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 3_000;
/**
 * A pool counts as dead after this time without its lock. After a failover all pools have lost their locks, and one may
 * reach the database later than another. A living pool takes its lock again within 14 s: it notices a connection that
 * hangs after 2 s + 5 s, waits 2 s, and connects within 5 s.
 */
const DEAD_AFTER_MS = 20_000;

/**
 * Detects dead workers and unlocks their jobs. A killed worker leaves its jobs locked, and graphile-worker unlocks them
 * only after four hours. Therefore each worker pool holds an advisory lock for as long as its process lives. Every two
 * seconds, each pool looks for jobs that are locked by a pool without an advisory lock, and unlocks those of dead pools.
 * It uses the connection of its own lock, so that a connection that hangs or leads to an old primary is replaced.
 */
export class Heartbeat {
  readonly #options: ConnectionOptions;
  readonly #workerPoolId: string;
  readonly #outage: Outage;
  /** Pools with locked jobs and without an advisory lock, and the time at which this connection first saw this. */
  readonly #missingSinceMs = new Map<string, number>();
  #client: Client | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(url: string, workerPoolId: string, outage: Outage) {
    this.#options = { url, applicationName: 'tankwatch worker heartbeat', statementTimeoutMs: STATEMENT_TIMEOUT_MS };
    this.#workerPoolId = workerPoolId;
    this.#outage = outage;
  }

  start(): void {
    const check = async (): Promise<void> => {
      try {
        await this.#unlockJobsOfDeadPools(this.#client ?? (await this.#takeLock()));
        this.#outage.worked();
      } catch (error) {
        if (!this.#isClosed) this.#outage.failed(error);
        await this.#disconnect();
      }
      if (!this.#isClosed) this.#timer = setTimeout(() => void check(), CHECK_INTERVAL_MS);
    };
    void check();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#disconnect();
  }

  /** The lock is shared, because the previous session of this pool may still exist in the server. */
  async #takeLock(): Promise<Client> {
    // Earlier observations may be from another server.
    this.#missingSinceMs.clear();
    const client = new Client(connectionConfig(this.#options));
    client.on('error', () => {});
    client.once('end', () => {
      if (this.#client === client) this.#client = null;
    });
    this.#client = client;
    await client.connect();
    await client.query('select pg_advisory_lock_shared(hashtext($1), hashtext($2))', [LOCK_CLASS, this.#workerPoolId]);
    return client;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  async #unlockJobsOfDeadPools(client: Client): Promise<void> {
    const missing = await poolsWithoutLock(client);
    const nowMs = performance.now();
    for (const pool of this.#missingSinceMs.keys()) if (!missing.includes(pool)) this.#missingSinceMs.delete(pool);
    for (const pool of missing) if (!this.#missingSinceMs.has(pool)) this.#missingSinceMs.set(pool, nowMs);
    const dead = missing.filter((pool) => nowMs - (this.#missingSinceMs.get(pool) ?? nowMs) >= DEAD_AFTER_MS);
    if (dead.length > 0) await client.query('select graphile_worker.force_unlock_workers($1::text[])', [dead]);
  }
}

/** graphile_worker.jobs and force_unlock_workers belong to the documented interface of graphile-worker. */
async function poolsWithoutLock(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ locked_by: string }>({
    name: 'pools_without_lock',
    text: `select distinct locked_by from graphile_worker.jobs
     where locked_by is not null and not exists (
       select from pg_locks
       where locktype = 'advisory' and granted and objsubid = 2
         and database = (select oid from pg_database where datname = current_database())
         and classid = (hashtext($1)::bigint & 4294967295)::oid
         and objid = (hashtext(locked_by)::bigint & 4294967295)::oid
     )`,
    values: [LOCK_CLASS],
  });
  return rows.map(({ locked_by }) => locked_by);
}
