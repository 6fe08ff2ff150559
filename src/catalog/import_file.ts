import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Pool } from 'pg';
import type { Tx } from '../db/pool.ts';
import type { ByteSource } from '../values/byte_source.ts';
import type { Delimiter } from '../values/csv_reader.ts';
import { readTable, type TableOptions } from '../values/table_reader.ts';
import { readFileLines } from '../values/text_lines.ts';
import { UserError } from '../values/user_error.ts';
import { uuid7 } from '../values/uuid7.ts';
import { DuplicateRows } from './duplicate_rows.ts';
import {
  findTargetColumns,
  type ImportRow,
  type ImportTarget,
  type RowOptions,
  readHeader,
  readRow,
} from './import_row.ts';
import { readUsualDecimal } from './organizations.ts';
import type { UpsertCounts } from './upsert_rows.ts';

/** The header of a file, and how its cells are separated. */
export interface FileHeader {
  cells: readonly string[];
  delimiter: Delimiter;
}

export interface ImportOptions extends RowOptions {
  organizationNo: number;
  csv?: TableOptions;
  /** Runs a change in a transaction under the operator's name. A dry run must roll it back. */
  change<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  isDryRun?: boolean;
  onHeader?(header: FileHeader): Promise<void> | void;
  onBadRow(row: ImportRow): Promise<void> | void;
  /** A row with warnings, which is imported. */
  onDoubtfulRow?(row: ImportRow): void;
  onProgress(phase: 'checked' | 'stored', rows: number): void;
}

export interface ImportResult extends UpsertCounts {
  read: number;
  bad: number;
  /** Columns of the file that were not read. */
  ignored: string[];
  /** The first good rows, as they were understood. */
  firstRows: Record<string, unknown>[];
}

const BATCH_ROWS = 5_000;
const SHOWN_ROWS = 5;

/**
 * Imports a table with a header. The first pass checks all rows, reports every bad one and writes the good ones to a
 * temporary file. The second pass stores them in batches. Rows are not held in memory, except for the unique keys, some
 * 50 bytes each. An interrupted import can be run again: rows that are already stored do not change.
 */
export async function importFile(
  pool: Pool,
  source: ByteSource,
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportResult> {
  const usual = await readUsualDecimal(pool, options.organizationNo);
  const understood = { ...options, format: { usual, ...options.format } };
  const spool = await openUnlinkedFile();
  try {
    const { columns, ...checked } = await checkRows(pool, source, target, understood, spool);
    const given = columns.filter((column) => target.fields[column] !== undefined);
    const stored = await storeRows(spool, target, given, understood);
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

interface Checked extends Pick<ImportResult, 'read' | 'bad' | 'ignored' | 'firstRows'> {
  columns: string[];
}

async function checkRows(
  pool: Pool,
  source: ByteSource,
  target: ImportTarget,
  options: ImportOptions,
  { output }: Spool,
): Promise<Checked> {
  const duplicates = new DuplicateRows(target.uniqueKeys);
  const result: Checked = { read: 0, bad: 0, ignored: [], firstRows: [], columns: [] };
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
        await options.onBadRow(row);
        continue;
      }
      if (row.warnings !== undefined) options.onDoubtfulRow?.(row);
      if (result.firstRows.length < SHOWN_ROWS) result.firstRows.push(shownValues(row.values, result.columns));
      if (!output.write(`${JSON.stringify(Object.assign(row.values, { id: uuid7() }))}\n`)) {
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

  let delimiter: Delimiter = ',';
  const table: TableOptions = {
    ...options.csv,
    findColumns: (cells) => findTargetColumns(cells, target, options.columns),
    onDelimiter(found) {
      delimiter = found;
    },
  };
  for await (const records of readTable(source, table)) {
    for (const record of records) {
      if (result.columns.length === 0) {
        Object.assign(result, readHeader(record.cells, target, options));
        await options.onHeader?.({ cells: record.cells, delimiter });
      } else batch.push(readRow(record, result.columns, target, options));
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

/** The values of a row by our column names. */
export const shownValues = (
  values: Readonly<Record<string, unknown>>,
  columns: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(columns.filter((column) => column !== '').map((column) => [column, values[column]]));

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
    const batch = { rowTexts: rows, given, isDryRun: options.isDryRun ?? false };
    const counts = await options.change((tx) => target.upsert(tx, options.organizationNo, batch));
    total.created += counts.created;
    total.updated += counts.updated;
    total.unchanged += counts.unchanged;
    rows = [];
    options.onProgress('stored', total.created + total.updated + total.unchanged);
  };
  for await (const row of readFileLines(input)) {
    rows.push(row);
    if (rows.length === BATCH_ROWS) await storeBatch();
  }
  await storeBatch();
  return total;
}
