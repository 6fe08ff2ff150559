import { Client, type Pool } from 'pg';
import { type ConnectionOptions, connectionConfig } from '../db/pool.ts';
import type { Outage } from '../health/outage.ts';

/** First half of the key of the advisory locks. The second half is the id of the worker pool. */
const LOCK_CLASS = 'tankwatch worker';
const CHECK_INTERVAL_MS = 2_000;

/**
 * Detects dead workers and unlocks their jobs. A killed worker leaves its jobs locked, and graphile-worker unlocks them
 * only after four hours. Therefore each worker pool holds an advisory lock for as long as its process lives. Every two
 * seconds, each pool looks for jobs that are locked by a pool without an advisory lock, and unlocks them.
 */
export class Heartbeat {
  readonly #options: ConnectionOptions;
  readonly #workerPoolId: string;
  readonly #outage: Outage;
  #client: Client | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(url: string, workerPoolId: string, outage: Outage) {
    // With these settings PostgreSQL closes the connection of a vanished machine after 30 s; the default is two hours.
    const settings = { tcp_keepalives_idle: '15', tcp_keepalives_interval: '5', tcp_keepalives_count: '3' };
    this.#options = { url, applicationName: 'tankwatch worker heartbeat', settings };
    this.#workerPoolId = workerPoolId;
    this.#outage = outage;
  }

  start(pool: Pool): void {
    const check = async (): Promise<void> => {
      try {
        await this.#holdLock();
        await unlockJobsOfDeadWorkers(pool);
        this.#outage.worked();
      } catch (error) {
        if (!this.#isClosed) this.#outage.failed(error);
      }
      if (!this.#isClosed) this.#timer = setTimeout(() => void check(), CHECK_INTERVAL_MS);
    };
    void check();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }

  /** Takes the advisory lock, and takes it again after the connection was lost. */
  async #holdLock(): Promise<void> {
    if (this.#client !== null || this.#isClosed) return;
    const client = new Client(connectionConfig(this.#options));
    client.on('error', () => {});
    client.once('end', () => {
      this.#client = null;
    });
    await client.connect();
    await client.query('select pg_advisory_lock(hashtext($1), hashtext($2))', [LOCK_CLASS, this.#workerPoolId]);
    this.#client = client;
  }
}

/**
 * graphile_worker.jobs and force_unlock_workers belong to the documented interface of graphile-worker. Jobs locked less
 * than two seconds ago are skipped: a starting pool may lock its first jobs before it holds its advisory lock.
 */
async function unlockJobsOfDeadWorkers(pool: Pool): Promise<void> {
  await pool.query(
    `select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
     from graphile_worker.jobs
     where locked_at < now() - interval '2 seconds' and not exists (
       select from pg_locks
       where locktype = 'advisory' and granted and objsubid = 2
         and database = (select oid from pg_database where datname = current_database())
         and classid = (hashtext($1)::bigint & 4294967295)::oid
         and objid = (hashtext(locked_by)::bigint & 4294967295)::oid
     )
     having count(*) > 0`,
    [LOCK_CLASS],
  );
}
