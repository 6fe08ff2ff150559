import type { Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';

/** A customer or a tank: its internal number and its public id. */
export interface CatalogRef {
  no: number;
  id: string;
}

export interface Listing {
  /** At most this many, newest first. */
  limit: number;
  /** Only the object with this number. */
  no?: number;
}

/** Changes the given fields of one live row. Only names in `columns` become part of the statement. */
export async function updateRow(
  tx: Tx,
  table: 'customers' | 'tanks',
  row: { organizationNo: number; no: number },
  columns: readonly string[],
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const given = columns.filter((column) => values[column] !== undefined);
  if (given.length === 0) throw new UserError('no field to change was given.');
  await tx.query(
    `update ${table} set ${given.map((column, at) => `${column} = $${at + 3}`).join(', ')}
     where organization_no = $1 and no = $2 and deleted_at is null`,
    [row.organizationNo, row.no, ...given.map((column) => values[column])],
  );
}

export interface UpsertCounts {
  created: number;
  updated: number;
  unchanged: number;
}

/**
 * Inserts rows, each a JSON text, or updates the rows with the same `key`. Only the given columns change. A row without a
 * difference is not updated, so that importing the same file twice changes nothing.
 */
export async function upsertRows(
  tx: Tx,
  into: { table: 'customers' | 'tanks'; insert: string; key: string },
  organizationNo: number,
  rowTexts: readonly string[],
  given: readonly string[],
): Promise<UpsertCounts> {
  const of = (from: string): string => given.map((column) => `${from}.${column}`).join(', ');
  const { rows } = await tx.query<{ is_new: boolean }>(
    `${into.insert}
     on conflict (${into.key}) do update set ${given.map((column) => `${column} = excluded.${column}`).join(', ')}
     where (${of(into.table)}) is distinct from (${of('excluded')})
     returning xmax = 0 as is_new`,
    [organizationNo, `[${rowTexts.join(',')}]`],
  );
  const created = rows.filter((row) => row.is_new).length;
  return { created, updated: rows.length - created, unchanged: rowTexts.length - rows.length };
}
