import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';

/** A customer or a tank: its internal number and its public id. */
export interface CatalogRef {
  no: number;
  id: string;
}

export interface Listing {
  /** The largest number of rows, newest first. */
  limit: number;
  /** Lists only the object with this number. */
  no?: number;
}

/** The values that an object does not have yet. */
export const differences = (object: object, values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([field, value]) => Reflect.get(object, field) !== value));

/** Changes the given fields of one live row. Only names in `columns` become part of the statement. */
export async function updateRow(
  tx: Tx,
  table: 'customers' | 'tanks',
  row: { organizationNo: number; no: number },
  columns: readonly string[],
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const given = columns.filter((column) => values[column] !== undefined);
  if (given.length === 0) return;
  await tx.query(
    `update ${table} set ${given.map((column, at) => `${column} = $${at + 3}`).join(', ')}
     where organization_no = $1 and no = $2 and deleted_at is null`,
    [row.organizationNo, row.no, ...given.map((column) => values[column])],
  );
}

/**
 * Inserts rows (a JSON text) in the given order. In a dry run, which the caller rolls back, they have negative numbers,
 * which no sequence assigns, because a number of a sequence cannot be returned.
 */
export async function insertRows(
  tx: Tx,
  target: UpsertTarget,
  organizationNo: number,
  rowsText: string,
  isDryRun: boolean,
): Promise<CatalogRef[]> {
  const { rows } = await tx.query<CatalogRef>(
    `${insertInto(target, isDryRun)} from (${target.select}) as given returning no, id`,
    [organizationNo, rowsText],
  );
  return rows;
}

const insertInto = ({ table, columns }: UpsertTarget, isDryRun: boolean): string =>
  isDryRun
    ? `insert into ${table} (no, ${columns}) overriding system value
       select coalesce((select min(no) from ${table} where no < 0), 0) - row_number() over (), ${columns}`
    : `insert into ${table} (${columns}) select ${columns}`;

export interface UpsertCounts {
  created: number;
  updated: number;
  unchanged: number;
}

/** A table whose rows are imported. */
export interface UpsertTarget {
  table: 'customers' | 'tanks' | 'delivery_notes';
  /** The columns of the file that identify a row. */
  key: readonly string[];
  /** All columns of a new row. */
  columns: string;
  /** Assignments of a changed row `t`, beside those of the given columns of the new row `g`. */
  alsoSet?: string;
  /** Selects these columns from the organization's number ($1) and a JSON array of rows ($2). */
  select: string;
}

/** The rows of one batch of an import. */
export interface UpsertBatch {
  /** The rows as JSON texts. */
  rowTexts: readonly string[];
  /** The columns of the file. Other columns do not change. */
  given: readonly string[];
  /** True if the caller rolls back. New rows then get negative numbers, which no sequence assigns. */
  isDryRun: boolean;
}

/**
 * Updates the rows that exist, and inserts those that do not. A row without a difference is not updated, so that
 * importing the same file twice changes nothing. `insert ... on conflict` would take an internal number for each row of
 * the file, also for those that exist, and a table has 40 million. The caller has locked the organization, so no other
 * import of it can insert the same rows at the same time. One statement, because the constraint on devices is checked
 * at its end.
 */
export async function upsertRows(
  tx: Tx,
  target: UpsertTarget,
  organizationNo: number,
  { rowTexts, given, isDryRun }: UpsertBatch,
): Promise<UpsertCounts> {
  const { table, key, select, alsoSet } = target;
  const of = (from: string): string => given.map((column) => `${from}.${column}`).join(', ');
  const isSame = key.map((column) => `t.${column} = g.${column}`).join(' and ');
  const insert = insertInto(target, isDryRun);
  const { rows } = await tx.query<{ created: number; updated: number }>(
    `with g as materialized (select rows.*, row_number() over () as position from (${select}) as rows),
     updated as (
       update ${table} t set ${[...given.map((column) => `${column} = g.${column}`), ...(alsoSet ? [alsoSet] : [])].join(', ')}
       from g where ${isSame} and (${of('t')}) is distinct from (${of('g')})
       returning 1
     ),
     inserted as (
       -- in the order of the file, in every plan: objects of one time are listed in the order of their numbers
       ${insert} from g where not exists (select from ${table} t where ${isSame}) order by position
       returning 1
     )
     select (select count(*) from inserted) as created, (select count(*) from updated) as updated`,
    [organizationNo, `[${rowTexts.join(',')}]`],
  );
  const { created, updated } = onlyRow(rows);
  return { created, updated, unchanged: rowTexts.length - created - updated };
}
