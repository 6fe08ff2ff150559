import { UserError } from '../values/user_error.ts';
import type { Db } from './pool.ts';

/**
 * The number of internal numbers that a cell has for each table, by the type of the column. The range of an int4 has room for 53
 * cells; with bigint, 90 cells have room below 2^53, the limit of exact whole numbers in JavaScript and JSON.
 */
const NUMBERS_PER_CELL = { integer: 40_000_000, bigint: 100_000_000_000_000 };

interface IdentityColumn {
  table_name: string;
  sequence: string;
  data_type: keyof typeof NUMBERS_PER_CELL;
  min: number;
  max: number;
  /** The last number that was assigned; null if there is none yet. */
  last_value: number | null;
}

/**
 * Gives the identity columns the number range of this cell, so that internal numbers stay unique across cells and an organization can move
 * to another cell with its rows as they are. Does nothing if the range is set already. The range of a cell that has rows cannot change.
 */
export async function setNumberRange(db: Db, cellNumber: number): Promise<void> {
  const columns = await readIdentityColumns(db);
  const changes = columns.map((column) => rangeChange(column, cellNumber)).filter((change) => change !== undefined);
  // Only the sequence is altered: altering the table would lock out readers, altering the sequence delays only inserts.
  for (const { sequence, options } of changes) await db.query(`alter sequence ${sequence} ${options}`);
}

function rangeChange(column: IdentityColumn, cellNumber: number): { sequence: string; options: string } | undefined {
  const { table_name, sequence, data_type, min, max, last_value } = column;
  const first = cellNumber * NUMBERS_PER_CELL[data_type] + 1;
  const last = (cellNumber + 1) * NUMBERS_PER_CELL[data_type];
  if (min === first && max === last) return undefined;
  const options = `minvalue ${first} maxvalue ${last} start ${first}`;
  // Release 0.2.0 assigned numbers of type bigint from 1 in every cell. They stay, and the next ones are in the range.
  if (last_value === null || (data_type === 'bigint' && last_value < first))
    return { sequence, options: `${options} restart` };
  if (last_value >= first && last_value <= last) return { sequence, options };
  // Release 0.2.0 set no upper bound for cell 0. A sequence that is already past the bound stays as it is.
  if (min === first) return undefined;
  throw new UserError(
    `CELL_NUMBER is ${cellNumber}, but ${table_name} has numbers from ${min} on; the number of a cell cannot change.`,
  );
}

async function readIdentityColumns(db: Db): Promise<IdentityColumn[]> {
  // Read as double precision: all values are below 2^53, except the default end of a bigint, which need not be exact.
  const { rows } = await db.query<IdentityColumn>(
    `select c.table_name, s.seqrelid::regclass::text as sequence, c.data_type,
            s.seqmin::float8 as min, s.seqmax::float8 as max, pg_sequence_last_value(s.seqrelid)::float8 as last_value
     from information_schema.columns c
     join pg_sequence s on s.seqrelid = pg_get_serial_sequence(c.table_name, 'no')::regclass
     where c.table_schema = 'public' and c.column_name = 'no' and c.is_identity = 'YES'
     order by c.table_name`,
  );
  return rows;
}
