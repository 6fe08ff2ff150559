import type { Db } from './pool.ts';

export interface SequenceUse {
  /** The column that gets the numbers of the sequence, such as tanks.no. */
  name: string;
  /** The used share from 0 to 1. At 1, no row can be inserted. */
  used_share: number;
}

/** If a sequence has used this share or more, doctor reports a finding. */
export const MUCH_USED_SHARE = 0.5;

/** Reads the share of its internal numbers that each sequence has assigned, relative to the cell's range and the column's type. */
export async function readSequenceUse(db: Db): Promise<SequenceUse[]> {
  const { rows } = await db.query<SequenceUse>('select name, used_share from sequence_use()');
  return rows;
}
