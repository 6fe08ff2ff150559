import type { Db } from '../db/pool.ts';
import { startOfMonthMs } from '../telemetry/counter_buckets.ts';

/** Creates the partitions of the telemetry table that readings at these times need. */
export class MonthPartitions {
  readonly #existing = new Set<number>();

  async ensure(db: Db, timesMs: readonly number[]): Promise<void> {
    for (const month of new Set(timesMs.map(startOfMonthMs))) {
      if (this.#existing.has(month)) continue;
      await db.query('select ensure_telemetry_month($1)', [new Date(month).toISOString()]);
      this.#existing.add(month);
    }
  }
}
