import { Client, type Pool } from 'pg';
import { type ConnectionOptions, connectionConfig } from '../db/pool.ts';
import type { Outage } from '../health/outage.ts';

/** First half of the key of every worker's advisory lock. */
const LOCK_CLASS = 'tankwatch worker';
const SWEEP_MS = 2_000;

/**
 * Tells the living from the dead. A worker that is killed leaves its jobs locked, and the queue would give them back
 * after four hours. So each holds an advisory lock under its pool's name for as long as its process lives, and each
 * looks every two seconds for jobs locked by a pool without one, and gives them back.
 */
export class Heartbeat {
  readonly #options: ConnectionOptions;
  readonly #poolId: string;
  readonly #outage: Outage;
  #client: Client | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(url: string, poolId: string, outage: Outage) {
    // A machine that vanished without closing its connections is missed after half a minute, and not two hours.
    const settings = { tcp_keepalives_idle: '15', tcp_keepalives_interval: '5', tcp_keepalives_count: '3' };
    this.#options = { url, applicationName: 'tankwatch worker life line', settings };
    this.#poolId = poolId;
    this.#outage = outage;
  }

  start(pool: Pool): void {
    const beat = async (): Promise<void> => {
      try {
        await this.#hold();
        await releaseJobsOfTheDead(pool);
        this.#outage.worked();
      } catch (error) {
        if (!this.#isClosed) this.#outage.failed(error);
      }
      if (!this.#isClosed) this.#timer = setTimeout(() => void beat(), SWEEP_MS);
    };
    void beat();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }

  /** Takes the lock, or again where the connection was lost. */
  async #hold(): Promise<void> {
    if (this.#client !== null || this.#isClosed) return;
    const client = new Client(connectionConfig(this.#options));
    client.on('error', () => {});
    client.once('end', () => {
      this.#client = null;
    });
    await client.connect();
    await client.query('select pg_advisory_lock(hashtext($1), hashtext($2))', [LOCK_CLASS, this.#poolId]);
    this.#client = client;
  }
}

/** Two seconds of grace: a worker takes its first jobs at about the time it takes its lock. */
async function releaseJobsOfTheDead(pool: Pool): Promise<void> {
  await pool.query(
    `update graphile_worker._private_jobs set locked_at = null, locked_by = null
     where locked_at < now() - interval '2 seconds' and not exists (
       select from pg_locks
       where locktype = 'advisory' and granted and objsubid = 2
         and database = (select oid from pg_database where datname = current_database())
         and classid = (hashtext($1)::bigint & 4294967295)::oid
         and objid = (hashtext(locked_by)::bigint & 4294967295)::oid
     )`,
    [LOCK_CLASS],
  );
}
