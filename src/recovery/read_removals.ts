import type { Db } from '../db/pool.ts';
import { REMOVAL_COLUMNS, type Removal } from './removal.ts';

const PAGE_ROWS = 5_000;

/** The removals of the table since a time, oldest first, in pages. */
export async function* readRemovalPages(db: Db, sinceMs: number): AsyncGenerator<Removal[]> {
  let after = { at: Number.isFinite(sinceMs) ? new Date(sinceMs).toISOString() : '-infinity', id: NIL_UUID };
  for (;;) {
    const { rows } = await db.query<Removal>(
      `select ${REMOVAL_COLUMNS} from removals where (at, id) > ($1, $2) order by at, id limit $3`,
      [after.at, after.id, PAGE_ROWS],
    );
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = last;
  }
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';
