import { dryRunNo } from '../db/insert_row.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import { uuid7 } from '../values/uuid7.ts';

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

/**
 * Changes the given fields of one row that is not deleted. Triggers write the audit entry. Only names in `columns`
 * become part of the statement.
 */
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
    [row.organizationNo, row.no, ...given.map((column) => parameterOf(values[column]))],
  );
}

/** Objects and arrays are values of JSON columns, which the driver needs as text. */
const parameterOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

/**
 * Inserts rows in the given order, each with a new id. In a dry run they have negative numbers, see
 * dryRunNo.
 */
export async function insertRows(
  tx: Tx,
  target: UpsertTarget,
  organizationNo: number,
  given: readonly object[],
  isDryRun: boolean,
): Promise<CatalogRef[]> {
  const { rows } = await tx.query<CatalogRef>(
    `${insertInto(target, isDryRun)} from (${target.select}) as given order by position returning no, id`,
    [organizationNo, JSON.stringify(given.map((row) => ({ id: uuid7(), ...row })))],
  );
  return rows;
}

const insertInto = ({ table, columns }: UpsertTarget, isDryRun: boolean): string =>
  isDryRun
    ? `insert into ${table} (no, ${columns}) overriding system value
       select coalesce((select min(no) from ${table} where no < 0), ${dryRunNo()}) - position, ${columns}`
    : `insert into ${table} (${columns}) select ${columns}`;

export interface UpsertCounts {
  created: number;
  updated: number;
  unchanged: number;
  /** The external keys of the customers that rows of tanks created. */
  newCustomers?: readonly string[];
  /** Levels of tanks that were stored beside the rows. */
  levels?: number;
}

/** What happened to the rows of a batch. */
export interface UpsertResult extends UpsertCounts {
  /** The positions in the batch of the rows that were created or updated, beginning with 0. */
  changed: { created: readonly number[]; updated: readonly number[] };
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
  /**
   * Selects these columns from the organization's number ($1) and a JSON array of rows ($2), and the position of each row in the array,
   * beginning with 1: a join may return the rows in another order.
   */
  select: string;
  /** How the record of an import names a row, and what it keeps of it. */
  recorded?: {
    object: 'customer' | 'tank';
    /** The columns that undoing an import restores. */
    columns: readonly string[];
    /** Columns that are recorded together if one of them changes, because a value of one is wrong beside another value of the others. */
    together: readonly (readonly string[])[];
    /** Columns of a new row that differ after any later change. */
    marks: readonly string[];
  };
}

/** The rows of one batch of an import. */
export interface UpsertBatch {
  /** The rows as JSON texts. */
  rowTexts: readonly string[];
  /** The columns of the file. Other columns do not change. */
  given: readonly string[];
  /** True if the caller rolls back. New rows then get negative numbers, which no sequence assigns. */
  isDryRun: boolean;
  /** The import that the changes are recorded for, so that it can be undone. */
  importNo?: number | undefined;
}

/**
 * Updates the rows that exist, and inserts the other rows. A row without a difference is not updated, so that importing
 * the same file twice changes nothing. `insert ... on conflict` would use up an internal number for each row of the
 * file, even for rows that exist, and a table has 40 million numbers. The caller has locked the organization, so no
 * other import can insert the same rows at the same time. It is one statement, because PostgreSQL checks the constraint
 * on devices at the end of a statement.
 */
export async function upsertRows(
  tx: Tx,
  target: UpsertTarget,
  organizationNo: number,
  { rowTexts, given, isDryRun, importNo }: UpsertBatch,
): Promise<UpsertResult> {
  const { table, key, select, alsoSet } = target;
  const recorded = importNo === undefined ? undefined : target.recorded;
  const of = (from: string): string => given.map((column) => `${from}.${column}`).join(', ');
  const areSame = (a: string, b: string): string =>
    key.map((column) => `${a}.${column} = ${b}.${column}`).join(' and ');
  const isSame = areSame('t', 'g');
  const insert = insertInto(target, isDryRun);
  const { rows } = await tx.query<{ created: number[]; updated: number[] }>(
    `with g as materialized (${select}),
     updated as (
       update ${table} t set ${[...given.map((column) => `${column} = g.${column}`), ...(alsoSet ? [alsoSet] : [])].join(', ')}
       from g where ${isSame} and (${of('t')}) is distinct from (${of('g')})
       returning t.no, g.position${recorded ? `, ${jsonOf('t', recorded.columns)} as content, ${jsonOf('t', recorded.marks)} as marks` : ''}
     ),
     inserted as (
       -- in the order of the file, whatever the plan: objects created at the same time are listed by number
       ${insert} from g where not exists (select from ${table} t where ${isSame}) order by position
       returning no, ${key.join(', ')}${recorded ? `, ${jsonOf(table, recorded.marks)} as marks` : ''}
     )${recorded ? recordChanges(target, recorded) : ''}
     select array(select i.position::int - 1 from inserted join g i on ${areSame('inserted', 'i')}) as created,
            array(select position::int - 1 from updated) as updated`,
    [organizationNo, `[${rowTexts.join(',')}]`, ...(recorded ? [importNo] : [])],
  );
  const changed = onlyRow(rows);
  const [created, updated] = [changed.created.length, changed.updated.length];
  return { created, updated, unchanged: rowTexts.length - created - updated, changed };
}

/** The columns of a row as a JSON object. */
export const jsonOf = (row: string, columns: readonly string[]): string =>
  `jsonb_build_object(${columns.map((column) => `'${column}', ${row}.${column}`).join(', ')})`;

/**
 * Records the changed fields of updated rows, and which rows are new. All parts of a statement see the rows as they
 * were before the statement. Several batches of one import can change the same customer: its record then becomes that
 * of all changes. The record is replaced, because the logins may not update it.
 */
function recordChanges(
  { table, key }: UpsertTarget,
  { object, columns, together }: NonNullable<UpsertTarget['recorded']>,
): string {
  const isSame = key.map((column) => `t.${column} = g.${column}`).join(' and ');
  const valuesOf = (row: string, group: readonly string[]): string =>
    `array[${group.map((column) => `${row}.content -> '${column}'`).join(', ')}]`;
  const differing = (of: string, other: string): string =>
    `coalesce((select jsonb_object_agg(f.key, f.value) from jsonb_each(${of}.content) f
       where f.value <> ${other}.content -> f.key ${together
         .map((group) => `or f.key = any ('{${group.join()}}') and ${valuesOf(of, group)} <> ${valuesOf(other, group)}`)
         .join(' ')}), '{}')`;
  return `, earlier as (
       select t.no, ${jsonOf('t', columns)} as content from ${table} t join g on ${isSame}
     ),
     replaced as (
       delete from imported_rows r using updated n
       where r.import_no = $3 and r.object = '${object}' and r.object_no = n.no returning r.object_no, r.before, r.after
     ),
     recorded as (
       insert into imported_rows (import_no, object, object_no, before, after)
       select $3::bigint, '${object}', n.no,
              case when r.before is not null or r.object_no is null then ${differing('o', 'n')} || coalesce(r.before, '{}') end,
              case when r.before is not null or r.object_no is null then coalesce(r.after, '{}') || ${differing('n', 'o')}
                else n.marks end
       from updated n join earlier o on o.no = n.no left join replaced r on r.object_no = n.no
       union all
       select $3::bigint, '${object}', no, null, marks from inserted
     )`;
}
