import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { Pool } from 'pg';
import type { Db, Tx } from '../db/pool.ts';
import { errorCode } from '../values/error_code.ts';
import { UserError } from '../values/user_error.ts';
import { uuid7 } from '../values/uuid7.ts';
import { DuplicateRows } from './duplicate_rows.ts';
import type { Fields } from './fields.ts';
import type { UpsertCounts } from './upsert_rows.ts';

/** What can be imported from a file: customers or tanks. */
export interface ImportTarget {
  /** The columns that are read, and how each one's text becomes a value. */
  fields: Fields;
  requiredColumns: readonly string[];
  /** Groups of columns whose values must be unique within the file. */
  uniqueKeys: readonly (readonly string[])[];
  /** Checks rows against the database. Adds to each row's `errors`, and to its `values` what the upsert needs. */
  check(db: Db, organizationNo: number, rows: readonly ImportRow[]): Promise<void>;
  /** Upserts rows given as JSON texts. */
  upsert(tx: Tx, organizationNo: number, rows: readonly string[], given: readonly string[]): Promise<UpsertCounts>;
}

export interface ImportRow {
  line: number;
  values: Record<string, unknown>;
  errors: string[];
}

export interface ImportOptions {
  organizationNo: number;
  /** The file's name for a column of ours, where they differ. */
  columns: Readonly<Record<string, string>>;
  /** Runs a change in a transaction under the operator's name. A dry run rolls it back. */
  change<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  onBadRow(line: number, reasons: string[]): void;
  onProgress(phase: 'checked' | 'stored', rows: number): void;
}

export interface ImportResult extends UpsertCounts {
  read: number;
  bad: number;
  /** Columns of the file that were not read. */
  ignored: string[];
}

const BATCH_ROWS = 5_000;
const CSV = { bom: true, info: true, skip_empty_lines: true, relax_column_count: true } as const;

/**
 * Imports a CSV file with a header. The first pass checks all rows, reports every bad one and writes the good ones to a
 * temporary file. The second pass stores them in batches. Rows are not held in memory, except for the unique keys, some
 * 50 bytes each. An interrupted import can be run again: rows that are stored already stay as they are.
 */
export async function importFile(
  pool: Pool,
  source: Readable,
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportResult> {
  const spool = await openUnlinkedFile();
  try {
    const { columns, ...checked } = await checkRows(pool, source, target, options, spool);
    const given = columns.filter((column) => target.fields[column] !== undefined);
    const stored = await storeRows(spool, target, given, options);
    return { ...checked, ...stored };
  } finally {
    spool.output.destroy();
    await spool.input.close();
  }
}

/** A temporary file that is first written, then read. */
interface Spool {
  output: WriteStream;
  input: FileHandle;
}

/** The file is unlinked while open, so that personal data disappears with the process even after a crash. */
async function openUnlinkedFile(): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-import-'));
  const output = createWriteStream(join(folder, 'rows'));
  await once(output, 'open');
  // Awaiting `drain` or `finished` throws an error of the stream. Without a listener, one after the import failed would
  // end the process.
  output.on('error', () => {});
  const input = await open(join(folder, 'rows'));
  await rm(folder, { recursive: true });
  return { output, input };
}

interface Checked {
  read: number;
  bad: number;
  ignored: string[];
  columns: string[];
}

async function checkRows(
  pool: Pool,
  source: Readable,
  target: ImportTarget,
  options: ImportOptions,
  { output }: Spool,
): Promise<Checked> {
  const duplicates = new DuplicateRows(target.uniqueKeys);
  const result: Checked = { read: 0, bad: 0, ignored: [], columns: [] };
  let batch: ImportRow[] = [];

  const checkBatch = async (rows: readonly ImportRow[]): Promise<void> => {
    await target.check(
      pool,
      options.organizationNo,
      rows.filter((row) => row.errors.length === 0),
    );
    for (const row of rows) {
      if (row.errors.length === 0) row.errors.push(...duplicates.add(row.values));
      if (row.errors.length > 0) {
        result.bad++;
        options.onBadRow(row.line, row.errors);
      } else if (!output.write(`${JSON.stringify(Object.assign(row.values, { id: uuid7() }))}\n`)) {
        await once(output, 'drain');
      }
    }
    result.read += rows.length;
    options.onProgress('checked', result.read);
  };
  // The database checks one batch while the next is read.
  let checking = Promise.resolve();
  const finishBatch = async (): Promise<void> => {
    await checking;
    checking = checkBatch(batch);
    checking.catch(() => {}); // the error is thrown where it is awaited
    batch = [];
  };

  for await (const some of records(source)) {
    for (const { record, info } of some) {
      if (result.columns.length === 0) Object.assign(result, readHeader(record, target, options.columns));
      else batch.push(readRow(record, info.lines, result.columns, target));
      if (batch.length === BATCH_ROWS) await finishBatch();
    }
  }
  await finishBatch();
  await checking;
  if (result.columns.length === 0)
    throw new UserError('the file is empty; the first line must contain the column names.');
  output.end();
  await finished(output);
  return result;
}

interface CsvRecord {
  record: string[];
  info: { lines: number };
}

/** The records of the file, several at a time. Throws a UserError for a file that is not CSV. */
async function* records(source: Readable): AsyncGenerator<CsvRecord[]> {
  const parser = source.pipe(parse(CSV));
  source.once('error', (error) => parser.destroy(error));
  try {
    let some: CsvRecord[] = [];
    // An asynchronous step per record would cost as much as parsing it, so all available records go together.
    for await (const first of parser as AsyncIterable<CsvRecord>) {
      some.push(first);
      for (let next: CsvRecord | null = parser.read(); next !== null; next = parser.read()) some.push(next);
      yield some;
      some = [];
    }
  } catch (error) {
    if (error instanceof CsvError) throw new UserError(`the file is not well-formed CSV: ${error.message}`);
    const code = errorCode(error) ?? '';
    if (/^E(NOENT|ISDIR|ACCES)$/.test(code)) {
      throw new UserError(`cannot read the file (${code}); check its name and your permissions.`);
    }
    throw error;
  }
}

/** Our names of the file's columns, in the file's order. Empty for a column that is not read. */
function readHeader(
  header: string[],
  target: ImportTarget,
  renamed: ImportOptions['columns'],
): Pick<Checked, 'columns' | 'ignored'> {
  const known = [...new Set([...Object.keys(target.fields), ...target.requiredColumns])];
  const ourName = new Map(known.map((column) => [renamed[column] ?? column, column]));
  const columns = header.map((name) => ourName.get(name.trim()) ?? '');
  const missing = target.requiredColumns.filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    throw new UserError(
      `the file has no column ${missing.join(', ')}. Its columns are ${header.join(', ')}. Map them with --column ours=theirs.`,
    );
  }
  return { columns, ignored: header.filter((_, at) => columns[at] === '') };
}

function readRow(record: string[], line: number, columns: readonly string[], target: ImportTarget): ImportRow {
  if (record.length !== columns.length) {
    return { line, values: {}, errors: [`has ${record.length} columns where the header has ${columns.length}`] };
  }
  const row: ImportRow = { line, values: {}, errors: [] };
  for (let at = 0; at < columns.length; at++) {
    const [column = '', text = ''] = [columns[at], record[at]];
    if (column === '') continue;
    const parsed = target.fields[column]?.(text) ?? { value: text.trim() };
    if ('reason' in parsed) row.errors.push(`${column} ${parsed.reason}`);
    else if ((parsed.value === null || parsed.value === '') && target.requiredColumns.includes(column))
      row.errors.push(`${column} must not be empty`);
    else row.values[column] = parsed.value;
  }
  return row;
}

async function storeRows(
  { input }: Spool,
  target: ImportTarget,
  given: readonly string[],
  options: ImportOptions,
): Promise<UpsertCounts> {
  const total: UpsertCounts = { created: 0, updated: 0, unchanged: 0 };
  let rows: string[] = [];
  const storeBatch = async (): Promise<void> => {
    if (rows.length === 0) return;
    const counts = await options.change((tx) => target.upsert(tx, options.organizationNo, rows, given));
    total.created += counts.created;
    total.updated += counts.updated;
    total.unchanged += counts.unchanged;
    rows = [];
    options.onProgress('stored', total.created + total.updated + total.unchanged);
  };
  for await (const row of input.readLines({ autoClose: false })) {
    rows.push(row);
    if (rows.length === BATCH_ROWS) await storeBatch();
  }
  await storeBatch();
  return total;
}

export const openFile = (path: string): Readable => (path === '-' ? process.stdin : createReadStream(path));
