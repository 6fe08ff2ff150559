import { setTimeout as sleep } from 'node:timers/promises';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { errorCode } from '../values/error_code.ts';

/** The share of the database that packing may use. */
export interface PackingBudget {
  /** The number of tanks per transaction. Their new readings wait until it ends. */
  tanks: number;
  /** The share of the time in which a transaction runs. Packing sleeps in the rest. */
  share: number;
  /** Packing ends after this time. The next run continues. */
  maxMs: number;
}

/** Ten tanks take about 10 ms. With 50, every batch of readings of a small fleet waited, and ingest lost a third of its rate. */
export const BACKGROUND_BUDGET: PackingBudget = { tanks: 10, share: 0.25, maxMs: 8 * 60_000 };
/** The budget of a command that an operator waits for. */
export const FULL_BUDGET: PackingBudget = { tanks: 50, share: 1, maxMs: Number.POSITIVE_INFINITY };

export interface PackingResult {
  packed: number;
  /** Months of tanks that stay plain for now, because a writer has locked the tank, or because its counter is wrong. */
  left: number;
}

interface PackedBatch {
  /** The month that was packed last; null if no month is left. */
  month: string | null;
  last_tank_no: number;
  looked_at: number;
  packed: number;
}

/** Packs the months that are no longer hot, tank by tank, oldest month first. With `month`, packs only this month. */
export async function packMonths(
  db: Db,
  { tanks, share, maxMs }: PackingBudget,
  { month, signal }: { month?: string; signal?: AbortSignal } = {},
): Promise<PackingResult> {
  const result = { packed: 0, left: 0 };
  const startedMs = performance.now();
  const isOver = () => signal?.aborted === true || performance.now() - startedMs >= maxMs;
  let after = { month: month ?? '-infinity', tankNo: 0 };
  while (!isOver()) {
    const batchMs = performance.now();
    const { rows } = await db.query<PackedBatch>('select * from pack_telemetry($1, $2, $3)', [
      after.month,
      after.tankNo,
      tanks,
    ]);
    const batch = onlyRow(rows);
    if (batch.month === null || (month !== undefined && batch.month !== month)) break;
    result.packed += batch.packed;
    result.left += batch.looked_at - batch.packed;
    after = { month: batch.month, tankNo: batch.last_tank_no };
    await sleep((performance.now() - batchMs) * (1 / share - 1));
  }
  return result;
}

/** Drops the partitions of completely packed months, and of packed years that are empty. Returns the number of these months. */
export async function dropPackedPartitions(db: Db): Promise<number> {
  let months = 0;
  try {
    for (;;) {
      const { rows } = await db.query<{ month: string | null }>('select drop_packed_partitions() as month');
      if (onlyRow(rows).month === null) break;
      months++;
    }
    await db.query('select drop_empty_packed_years()');
  } catch (error) {
    // 55P03: a long transaction, such as a backup, reads telemetry. The next run tries again.
    if (errorCode(error) !== '55P03') throw error;
  }
  return months;
}

/** Makes a month plain again, and keeps it plain until it is packed by command. Returns the number of unpacked tanks. */
export async function unpackMonth(db: Db, month: string): Promise<number> {
  await db.query('select ensure_telemetry_month($1)', [month]);
  let unpacked = 0;
  let afterNo = 0;
  for (;;) {
    const { rows } = await db.query<{ last_no: number | null; tanks: number }>(
      'select last_tank_no as last_no, unpacked as tanks from unpack_telemetry($1, $2, $3)',
      [month, afterNo, FULL_BUDGET.tanks],
    );
    const { last_no, tanks } = onlyRow(rows);
    if (last_no === null) return unpacked;
    unpacked += tanks;
    afterNo = last_no;
  }
}

/** Allows packing of a month that was unpacked by command. */
export async function allowPacking(db: Db, month: string): Promise<void> {
  await db.query('update packed_months set is_kept_plain = false where month = $1', [month]);
}
