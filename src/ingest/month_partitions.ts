import { DatabaseError, type Pool } from 'pg';
import type { Db } from '../db/pool.ts';
import { startOfMonthMs } from '../telemetry/counter_buckets.ts';

/** Creates the partitions of the telemetry table that readings at these times need. */
export class MonthPartitions {
  readonly #existing = new Set<number>();

  /**
   * Runs work that inserts readings at these times. The partitions are created before it, because creating one takes a
   * lock that a long transaction must not hold. If the partitions of a packed month are dropped meanwhile, they are
   * created again and the work is repeated.
   */
  async withPartitions<T>(pool: Pool, timesMs: readonly number[], work: () => Promise<T>): Promise<T> {
    await this.ensure(pool, timesMs);
    try {
      return await work();
    } catch (error) {
      if (!isMissingPartition(error)) throw error;
      this.#existing.clear();
      await this.ensure(pool, timesMs);
      return work();
    }
  }

  async ensure(db: Db, timesMs: readonly number[]): Promise<void> {
    for (const month of new Set(timesMs.map(startOfMonthMs))) {
      if (this.#existing.has(month)) continue;
      await db.query('select ensure_telemetry_month($1)', [new Date(month).toISOString()]);
      this.#existing.add(month);
    }
  }
}

/** PostgreSQL reports a row without a partition as a violated check (23514) that has no name. */
const isMissingPartition = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '23514' && error.constraint === undefined;
