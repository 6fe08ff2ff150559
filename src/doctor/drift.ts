import { type Db, type Tx, transaction } from '../db/pool.ts';
import { type CheckContext, type CheckFinding, firstOfMany } from './finding.ts';

/** Rows that are derived from the catalog, and how to find and restore wrong ones. */
interface DerivedRows<Drift extends { no: number }> {
  /** The objects whose rows can be wrong. */
  what: 'tank' | 'customer' | 'organization';
  findDrift: (db: Db) => Promise<Drift[]>;
  sentence: (drift: Drift) => string;
  remedy: string;
  restore: (tx: Tx, nos: readonly number[]) => Promise<unknown>;
  /** The number of objects that are locked at a time while they are fixed. */
  batchSize?: number;
}

/** Finds the objects whose rows differ from the catalog, and restores them with `--fix`. */
export async function checkDrift<Drift extends { no: number }>(
  { pool, fix, progress }: CheckContext,
  { what, findDrift, sentence, remedy, restore, batchSize = 1_000 }: DerivedRows<Drift>,
): Promise<CheckFinding[]> {
  const found = await findDrift(pool);
  const [first] = found;
  if (first === undefined) return [];
  if (fix) {
    for (let start = 0; start < found.length; start += batchSize) {
      progress(`fixing ${what} ${start + 1} of ${found.length}`);
      const nos = found.slice(start, start + batchSize).map(({ no }) => no);
      await transaction(pool, (tx) => restore(tx, nos));
    }
  }
  const fixed = fix && (await findDrift(pool)).length === 0;
  return [{ problem: firstOfMany(sentence(first), found.length), remedy, fixed }];
}
