import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { Outage, type StatusLogger } from '../health/outage.ts';

const PAUSE_MS = 2_000;
/** Tanks of one transaction. Their rows in fleet_tanks are locked meanwhile. */
const BATCH_TANKS = 100;

/**
 * Records the ends of acknowledgements and mutes that have come. Reads and mails do not wait for it: the same views tell them.
 * Returns the number of tanks.
 */
export async function recordEnds(db: Db): Promise<number> {
  for (let total = 0; ; ) {
    const { rows } = await db.query<{ ended: number }>(
      `select end_handling(array(select tank_no from tanks_to_end order by tank_no limit ${BATCH_TANKS})) as ended`,
    );
    const { ended } = onlyRow(rows);
    total += ended;
    if (ended < BATCH_TANKS) return total;
  }
}

/** Records ends every 2 seconds. */
export class HandlingWatch {
  readonly #closed = new AbortController();
  readonly #running: Promise<void>;

  constructor(pool: Pool, logger: StatusLogger) {
    this.#running = this.#run(pool, new Outage(logger, 'recording ends of acknowledgements and mutes'));
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #run(pool: Pool, outage: Outage): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      try {
        await recordEnds(pool);
        outage.worked();
      } catch (error) {
        outage.failed(error);
      }
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }
}
