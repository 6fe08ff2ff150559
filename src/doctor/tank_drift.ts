import { type Db, type Tx, transaction } from '../db/pool.ts';
import { type CheckContext, type CheckFinding, firstOfMany } from './finding.ts';

/** Rows of tanks that are derived from the catalog, and how to find and restore wrong ones. */
export interface DerivedRows<Drift extends { tank_no: number }> {
  findDrift: (db: Db) => Promise<Drift[]>;
  sentence: (drift: Drift) => string;
  remedy: string;
  restore: (tx: Tx, tankNos: readonly number[]) => Promise<void>;
}

/** The number of tanks that are locked at a time while they are fixed. */
const BATCH_TANKS = 1_000;

/** Finds the tanks whose rows differ from the catalog, and restores them with `--fix`. */
export async function checkTankDrift<Drift extends { tank_no: number }>(
  { pool, fix, progress }: CheckContext,
  { findDrift, sentence, remedy, restore }: DerivedRows<Drift>,
): Promise<CheckFinding[]> {
  const found = await findDrift(pool);
  const [first] = found;
  if (first === undefined) return [];
  if (fix) {
    for (let start = 0; start < found.length; start += BATCH_TANKS) {
      progress(`fixing tank ${start + 1} of ${found.length}`);
      const tankNos = found.slice(start, start + BATCH_TANKS).map((drift) => drift.tank_no);
      await transaction(pool, (tx) => restore(tx, tankNos));
    }
  }
  const fixed = fix && (await findDrift(pool)).length === 0;
  return [{ problem: firstOfMany(sentence(first), found.length), remedy, fixed }];
}
