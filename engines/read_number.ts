import { onlyRow } from '../src/db/only_row.ts';
import type { Db } from '../src/db/pool.ts';

/** Returns the number that a statement selects as `n`, such as a count. */
export async function readNumber(db: Db, text: string, values: unknown[] = []): Promise<number> {
  const { rows } = await db.query<{ n: number }>(text, values);
  return onlyRow(rows).n;
}
