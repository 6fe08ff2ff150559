import { UserError } from '../values/user_error.ts';
import type { Db } from './pool.ts';

/** How many internal numbers a cell has for each table. 53 cells fit into an int4. */
const NUMBERS_PER_CELL = 40_000_000;

/**
 * Gives the identity columns of type int the number range of this cell, so that internal numbers stay unique across
 * cells and an organization can move to another cell with its rows as they are. Does nothing if the range is set
 * already. The range of a cell that has rows cannot change.
 */
export async function setNumberRange(db: Db, cellNumber: number): Promise<void> {
  const first = cellNumber * NUMBERS_PER_CELL + 1;
  const last = (cellNumber + 1) * NUMBERS_PER_CELL;
  for (const { table_name, min, is_used } of await readIdentityColumns(db)) {
    if (Number(min) === first) continue;
    if (is_used) {
      throw new UserError(
        `CELL_NUMBER is ${cellNumber}, but ${table_name} has numbers from ${min} on; the number of a cell cannot change.`,
      );
    }
    await db.query(
      `alter table ${table_name} alter column no set minvalue ${first} set maxvalue ${last} set start ${first} restart`,
    );
  }
}

async function readIdentityColumns(db: Db): Promise<{ table_name: string; min: string; is_used: boolean }[]> {
  const { rows } = await db.query<{ table_name: string; min: string; is_used: boolean }>(
    `select c.table_name, s.seqmin::text as min,
            pg_sequence_last_value(s.seqrelid) is not null as is_used
     from information_schema.columns c
     join pg_sequence s on s.seqrelid = pg_get_serial_sequence(c.table_name, 'no')::regclass
     where c.table_schema = 'public' and c.column_name = 'no' and c.is_identity = 'YES' and c.data_type = 'integer'
     order by c.table_name`,
  );
  return rows;
}
