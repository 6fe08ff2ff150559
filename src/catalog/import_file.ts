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
import type { Fields } from './fields.ts';
import { Repetitions } from './repetitions.ts';
import type { UpsertCounts } from './upsert_rows.ts';

/** What can be imported from a file: customers or tanks. */
export interface ImportTarget {
  /** Every column that is read, by its own name, and how its text becomes a value. */
  fields: Fields;
  needed: readonly string[];
  /** Columns of which no two rows may say the same. */
  unique: readonly (readonly string[])[];
  /** Judges a batch against the database: what is wrong goes to each row's `wrong`, what it needs into its `values`. */
  check(db: Db, organizationNo: number, rows: readonly ImportRow[]): Promise<void>;
  /** Upserts rows given as JSON texts. */
  upsert(tx: Tx, organizationNo: number, rows: readonly string[], given: readonly string[]): Promise<UpsertCounts>;
}

export interface ImportRow {
  line: number;
  values: Record<string, unknown>;
  wrong: string[];
}

export interface ImportOptions {
  organizationNo: number;
  /** The file's own name for a column of ours. */
  columns: Readonly<Record<string, string>>;
  /** Runs a change under the operator's name; in a dry run it is rolled back. */
  change<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  onBadRow(line: number, reasons: string[]): void;
  onProgress(phase: 'checked' | 'stored', rows: number): void;
}

export interface ImportResult extends UpsertCounts {
  read: number;
  bad: number;
  /** Columns of the file that nothing was done with. */
  ignored: string[];
}

const BATCH_ROWS = 5_000;
const CSV = { bom: true, info: true, skip_empty_lines: true, relax_column_count: true } as const;

/**
 * Reads a CSV with a header. First everything is checked and every bad row reported; the good ones go, ready to be
 * stored, to a temporary file. Then they are stored in batches. Memory stays the same however long the file is, but
 * for eight bytes or so per row to find repetitions. Broken off, it can be run again: what is in already is left alone.
 */
export async function importFile(
  pool: Pool,
  source: Readable,
  kind: ImportTarget,
  options: ImportOptions,
): Promise<ImportResult> {
  const spool = await openNamelessFile();
  try {
    const { columns, ...checked } = await checkRows(pool, source, kind, options, spool);
    const given = columns.filter((column) => kind.fields[column] !== undefined);
    const stored = await storeRows(spool, kind, given, options);
    return { ...checked, ...stored };
  } finally {
    spool.output.destroy();
    await spool.input.close();
  }
}

/** A temporary file to write, then to read. */
interface Spool {
  output: WriteStream;
  input: FileHandle;
}

/** It has no name any more, so that people's data is gone with the process, however that ends. */
async function openNamelessFile(): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-import-'));
  const output = createWriteStream(join(folder, 'rows'));
  await once(output, 'open');
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
  kind: ImportTarget,
  options: ImportOptions,
  { output }: Spool,
): Promise<Checked> {
  const repetitions = new Repetitions(kind.unique);
  const result: Checked = { read: 0, bad: 0, ignored: [], columns: [] };
  let batch: ImportRow[] = [];

  const judge = async (rows: readonly ImportRow[]): Promise<void> => {
    await kind.check(
      pool,
      options.organizationNo,
      rows.filter((row) => row.wrong.length === 0),
    );
    for (const row of rows) {
      if (row.wrong.length === 0) row.wrong.push(...repetitions.of(row.values));
      if (row.wrong.length > 0) {
        result.bad++;
        options.onBadRow(row.line, row.wrong);
      } else if (!output.write(`${JSON.stringify(Object.assign(row.values, { id: uuid7() }))}\n`)) {
        await once(output, 'drain');
      }
    }
    result.read += rows.length;
    options.onProgress('checked', result.read);
  };
  // One batch is judged, by the database, while the next is read.
  let judging = Promise.resolve();
  const finishBatch = async (): Promise<void> => {
    await judging;
    judging = judge(batch);
    judging.catch(() => {}); // it is awaited, but later
    batch = [];
  };

  for await (const some of records(source)) {
    for (const { record, info } of some) {
      if (result.columns.length === 0) Object.assign(result, readHeader(record, kind, options.columns));
      else batch.push(readRow(record, info.lines, result.columns, kind));
      if (batch.length === BATCH_ROWS) await finishBatch();
    }
  }
  await finishBatch();
  await judging;
  if (result.columns.length === 0) throw new UserError('the file is empty; its first line must name the columns.');
  output.end();
  await finished(output);
  return result;
}

interface CsvRecord {
  record: string[];
  info: { lines: number };
}

/** The file's records as they come, some at a time. A file that is no CSV is refused as a whole. */
async function* records(source: Readable): AsyncGenerator<CsvRecord[]> {
  const parser = source.pipe(parse(CSV));
  source.once('error', (error) => parser.destroy(error));
  try {
    let some: CsvRecord[] = [];
    // One step of an asynchronous loop per record would cost as much as parsing it, so those at hand go together.
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
      throw new UserError(`the file cannot be read (${code}); check its name and your rights.`);
    }
    throw error;
  }
}

/** Our names for the file's columns, in their order; an empty one for a column that is not read. */
function readHeader(
  header: string[],
  kind: ImportTarget,
  renamed: ImportOptions['columns'],
): Pick<Checked, 'columns' | 'ignored'> {
  const known = [...new Set([...Object.keys(kind.fields), ...kind.needed])];
  const ourName = new Map(known.map((column) => [renamed[column] ?? column, column]));
  const columns = header.map((name) => ourName.get(name.trim()) ?? '');
  const missing = kind.needed.filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    throw new UserError(
      `the file lacks ${missing.join(', ')}; it has ${header.join(', ')}. Say which is which with --column ours=theirs.`,
    );
  }
  return { columns, ignored: header.filter((_, at) => columns[at] === '') };
}

function readRow(record: string[], line: number, columns: readonly string[], kind: ImportTarget): ImportRow {
  if (record.length !== columns.length) {
    return { line, values: {}, wrong: [`has ${record.length} columns where the header has ${columns.length}`] };
  }
  const row: ImportRow = { line, values: {}, wrong: [] };
  for (let at = 0; at < columns.length; at++) {
    const [column = '', text = ''] = [columns[at], record[at]];
    if (column === '') continue;
    const parsed = kind.fields[column]?.(text) ?? { value: text.trim() };
    if ('reason' in parsed) row.wrong.push(`${column} ${parsed.reason}`);
    else if ((parsed.value === null || parsed.value === '') && kind.needed.includes(column))
      row.wrong.push(`${column} must not be empty`);
    else row.values[column] = parsed.value;
  }
  return row;
}

async function storeRows(
  { input }: Spool,
  kind: ImportTarget,
  given: readonly string[],
  options: ImportOptions,
): Promise<UpsertCounts> {
  const total: UpsertCounts = { created: 0, updated: 0, unchanged: 0 };
  let rows: string[] = [];
  const storeBatch = async (): Promise<void> => {
    if (rows.length === 0) return;
    const counts = await options.change((tx) => kind.upsert(tx, options.organizationNo, rows, given));
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
