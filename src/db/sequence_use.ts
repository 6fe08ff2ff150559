import type { Db } from './pool.ts';

export interface SequenceUse {
  /** The column that gets its numbers, such as tanks.no. */
  name: string;
  /** From 0 to 1. At 1, no row can be inserted any more. */
  used_share: number;
}

/** From this share on, somebody should look after it. */
export const MUCH_USED_SHARE = 0.5;

/** Which share of its internal numbers each sequence has given out, of the cell's range and of the column's type. */
export async function readSequenceUse(db: Db): Promise<SequenceUse[]> {
  const { rows } = await db.query<SequenceUse>('select name, used_share from sequence_use()');
  return rows;
}
