import { hash } from 'node:crypto';
import { contactIdSql } from '../db/contact_of_actor.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { columnName } from '../values/headings.ts';
import { uuid7 } from '../values/uuid7.ts';
import type { UpsertCounts } from './upsert_rows.ts';

/** The objects that a file can have rows of. */
export const IMPORT_KINDS = ['customers', 'tanks'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** An import can be undone for this time. After it, the recorded previous values are deleted. */
export const UNDO_DAYS = 7;
/** The list of imports goes back this far. */
export const LISTED_DAYS = 90;
/** An import that changes more rows cannot be undone: its record would have about 300 bytes per row. */
export const MAX_RECORDED_ROWS = 50_000;
/** The largest number of imports of an organization that can be undone. The records of older imports are deleted. */
const MAX_RECORDED_IMPORTS = 20;
const MAX_FILE_NAME = 200;

export interface ImportedFile {
  what: ImportKind;
  fileName: string;
  /** The number of rows of the file. */
  rows: number;
  refused: number;
  /** How the file was read, for the next file with the same headings. */
  reading?: { headings: string; mapping: Mapping } | undefined;
}

/** Where the values of our columns come from. */
export interface Mapping {
  /** The file's name of each of our columns. */
  columns: Record<string, string>;
  /** The value of each of our columns where the file has none. */
  constants: Record<string, string>;
}

/** A hash of the headings of a file, regardless of upper and lower case. */
export const headingsKey = (headings: readonly string[]): string =>
  hash('sha256', JSON.stringify(headings.map(columnName)), 'base64url');

export interface EarlierReading {
  what: ImportKind;
  mapping: Mapping;
  at: string;
}

/** How the last file with the same headings was read. An import that was undone does not count. */
export async function findEarlierReading(
  db: Db,
  organizationNo: number,
  { headings, what }: { headings: readonly string[]; what: ImportKind | undefined },
): Promise<EarlierReading | undefined> {
  const { rows } = await db.query<EarlierReading>(
    `select what, mapping, created_at as at from imports
     where organization_no = $1 and headings = $2 and ($3::text is null or what = $3) and undone_at is null
     order by no desc limit 1`,
    [organizationNo, headingsKey(headings), what ?? null],
  );
  return rows[0];
}

/** An import whose changes are recorded. */
export interface RecordedImport {
  no: number;
  id: string;
  /** Created and updated rows so far. */
  changedRows: number;
}

export async function beginImport(
  tx: Tx,
  organizationNo: number,
  { what, fileName, rows: rowsRead, refused, reading }: ImportedFile,
): Promise<RecordedImport> {
  const id = uuid7();
  const { rows } = await tx.query<{ no: number }>(
    `insert into imports (id, organization_no, what, file_name, rows_read, refused, headings, mapping)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning no`,
    [
      id,
      organizationNo,
      what,
      fileName.slice(0, MAX_FILE_NAME) || '-',
      rowsRead,
      refused,
      reading?.headings ?? null,
      reading === undefined ? null : JSON.stringify(reading.mapping),
    ],
  );
  const { rows: old } = await tx.query<{ no: number }>(
    'select no from imports where organization_no = $1 and is_recorded order by no desc offset $2',
    [organizationNo, MAX_RECORDED_IMPORTS],
  );
  await forgetRows(
    tx,
    old.map(({ no }) => no),
  );
  return { no: onlyRow(rows).no, id, changedRows: 0 };
}

/** Adds the counts of a batch. Returns false if the import has too many rows to be undone. */
export async function continueImport(
  tx: Tx,
  { no, changedRows }: RecordedImport,
  { created, updated, unchanged }: UpsertCounts,
): Promise<boolean> {
  await tx.query(
    'update imports set created = created + $2, updated = updated + $3, unchanged = unchanged + $4 where no = $1',
    [no, created, updated, unchanged],
  );
  const isRecorded = changedRows + created + updated <= MAX_RECORDED_ROWS;
  if (!isRecorded) await forgetRows(tx, [no]);
  return isRecorded;
}

/** Deletes the record of an import that changed nothing, so that it is not listed. */
export const dropImport = async (tx: Tx, { no }: RecordedImport): Promise<void> =>
  void (await tx.query('delete from imports where no = $1', [no]));

async function forgetRows(tx: Tx, importNos: readonly number[]): Promise<void> {
  if (importNos.length === 0) return;
  await tx.query('delete from imported_rows where import_no = any ($1)', [importNos]);
  await tx.query('update imports set is_recorded = false where no = any ($1)', [importNos]);
}

/** An import as /manage/v1 returns it. */
export interface ListedImport {
  id: string;
  object: 'import';
  what: ImportKind;
  file_name: string;
  created_at: string;
  actor: string;
  /** The name of the person who made the import. Null if a key or an operator made it. */
  name: string | null;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
  /** Null if the import cannot be undone. */
  undo_until: string | null;
  undone_at: string | null;
}

/** The imports of an organization, newest first. */
export async function listImports(
  db: Db,
  organizationNo: number,
  { limit, id }: { limit: number; id?: string },
): Promise<ListedImport[]> {
  const { rows } = await db.query<ListedImport>(
    `select i.id, 'import' as object, i.what, i.file_name, i.created_at, i.created_by as actor,
            coalesce(c.name, c.email) as name, i.rows_read as rows, i.created, i.updated, i.unchanged, i.refused,
            case when i.is_recorded and i.undone_at is null and i.created_at > now() - make_interval(days => $2)
              then i.created_at + make_interval(days => $2) end as undo_until,
            i.undone_at
     from imports i
     left join contacts c on c.organization_no = $1
       and c.id = ${contactIdSql('i.created_by')}
     where i.organization_no = $1 and ($4::uuid is null or i.id = $4)
     order by i.no desc limit $3`,
    [organizationNo, UNDO_DAYS, limit, id ?? null],
  );
  return rows;
}
