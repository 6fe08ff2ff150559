import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Db, Tx } from '../db/pool.ts';
import type { ByteSource } from '../values/byte_source.ts';
import type { Delimiter } from '../values/csv_reader.ts';
import { isObject } from '../values/json.ts';
import { describeRowError } from '../values/row_error.ts';
import { readTable, type TableOptions } from '../values/table_reader.ts';
import { amount } from '../values/text_format.ts';
import { readFileLines } from '../values/text_lines.ts';
import { UserError } from '../values/user_error.ts';
import { uuid7 } from '../values/uuid7.ts';
import { DuplicateRows } from './duplicate_rows.ts';
import { beginImport, continueImport, dropImport, type ImportedFile, type RecordedImport } from './import_record.ts';
import {
  type FileColumn,
  findTargetColumns,
  givenColumns,
  type ImportRow,
  type ImportTarget,
  type RowOptions,
  readHeader,
  readRow,
  type TableHeader,
} from './import_row.ts';
import { openSpool, type Spool } from './import_spool.ts';
import { lockOrganization, readUsualDecimal } from './organizations.ts';
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
  /** What is recorded about the import, so that it can be undone. Undefined if it is not recorded. */
  record?: Pick<ImportedFile, 'what' | 'fileName' | 'reading'>;
  /** The largest number of rows. */
  maxRows?: number;
  /** The largest number of bytes of all values together. */
  maxSpoolBytes?: number;
  /** How many rows a transaction stores. */
  batchRows?: number;
  /** Called between parts of the file, so that the process can do other work. */
  pause?(): Promise<unknown>;
  /** Called in the transaction that has stored a batch of rows. It can refuse the batch by throwing. */
  onStored?(tx: Tx, counts: UpsertCounts): Promise<void>;
  onHeader?(header: FileHeader): Promise<void> | void;
  onGoodRow?(row: ImportRow): void;
  onBadRow(row: ImportRow): Promise<void> | void;
  /** Called for a row with warnings. The row is imported. */
  onDoubtfulRow?(row: ImportRow): void;
  onProgress(phase: 'checked' | 'stored', rows: number): void;
}

export interface ImportResult extends UpsertCounts {
  read: number;
  bad: number;
  /** Columns of the file that were not read. */
  ignored: string[];
  /** The recorded import. Null if nothing was changed, in a dry run, and if it is not recorded. */
  importId: string | null;
  /** The first good rows, as they were understood. */
  firstRows: Record<string, unknown>[];
}

const BATCH_ROWS = 5_000;
const SHOWN_ROWS = 5;

/**
 * Imports a table with a header. The first pass checks all rows, reports every bad row and writes the good rows to a
 * temporary file. The second pass stores the good rows in batches. Rows are not held in memory, except for their unique
 * keys, about 50 bytes each. An interrupted import can be run again: rows that are already stored do not change.
 */
export async function importFile(
  db: Db,
  source: ByteSource,
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportResult> {
  const usual = await readUsualDecimal(db, options.organizationNo);
  const understood = { ...options, format: { usual, ...options.format } };
  const spool = await openSpool();
  try {
    const { columns, ...checked } = await checkRows(db, source, target, understood, spool);
    const named = new Set([...columns.map(({ column }) => column), ...Object.keys(options.constants ?? {})]);
    const fields = [...named].filter((column) => target.fields[column] !== undefined);
    const stored = await storeRows(spool, target, fields, understood, checked);
    return { ...checked, ...stored };
  } finally {
    spool.output.destroy();
    await spool.input.close();
  }
}

interface Checked extends Pick<ImportResult, 'read' | 'bad' | 'ignored' | 'firstRows'> {
  columns: readonly FileColumn[];
}

async function checkRows(
  db: Db,
  source: ByteSource,
  target: ImportTarget,
  options: ImportOptions,
  { output }: Spool,
): Promise<Checked> {
  const duplicates = new DuplicateRows(target.uniqueKeys, target.repeated);
  const {
    batchRows = BATCH_ROWS,
    maxRows = Number.POSITIVE_INFINITY,
    maxSpoolBytes = Number.POSITIVE_INFINITY,
  } = options;
  const result: Checked = { read: 0, bad: 0, ignored: [], firstRows: [], columns: [] };
  let header: TableHeader | undefined;
  let batch: ImportRow[] = [];

  const checkBatch = async (rows: readonly ImportRow[]): Promise<void> => {
    await target.check(
      db,
      options.organizationNo,
      rows.filter((row) => row.errors.length === 0),
    );
    for (const row of rows) {
      if (row.errors.length === 0) row.errors.push(...duplicates.add(row.values, row.constants));
      if (row.errors.length > 0) {
        result.bad++;
        await options.onBadRow(row);
        continue;
      }
      if (row.warnings !== undefined) options.onDoubtfulRow?.(row);
      options.onGoodRow?.(row);
      if (result.firstRows.length < SHOWN_ROWS) result.firstRows.push(shownValues(row.values, result.columns));
      const constants = [...(row.constants ?? [])].join();
      const isDrained = output.write(`${constants} ${JSON.stringify(Object.assign(row.values, { id: uuid7() }))}\n`);
      if (output.bytesWritten + output.writableLength > maxSpoolBytes)
        throw new UserError('the values of the file are too long together; divide it into several files.');
      // Without this, `once` would wait forever for a stream that has already failed.
      if (output.errored !== null) throw output.errored;
      if (!isDrained) await once(output, 'drain');
    }
    result.read += rows.length;
    options.onProgress('checked', result.read);
  };
  // The database checks one batch while the next is read.
  let checking = Promise.resolve();
  const finishBatch = async (): Promise<void> => {
    await checking;
    checking = checkBatch(batch);
    checking.catch(() => {}); // `await checking` throws the error
    batch = [];
  };

  let delimiter: Delimiter = ',';
  const table: TableOptions = {
    ...options.csv,
    findColumns: (cells) => findTargetColumns(cells, target, options),
    onDelimiter(found) {
      delimiter = found;
    },
  };
  for await (const records of readTable(source, table)) {
    for (const record of records) {
      if (header === undefined) {
        header = readHeader(record.cells, target, options);
        Object.assign(result, { columns: header.columns, ignored: header.ignored });
        await options.onHeader?.({ cells: record.cells, delimiter });
      } else batch.push(readRow(record, header, target, options));
      if (batch.length === batchRows) await finishBatch();
    }
    if (result.read + batch.length > maxRows)
      throw new UserError(`the file has more than ${amount(maxRows, 'rows')}; divide it into several files.`);
    await options.pause?.();
  }
  await finishBatch();
  await checking;
  if (header === undefined) throw new UserError('the file is empty; the first line must contain the column names.');
  output.end();
  await finished(output);
  return result;
}

/** The values of a row by the names of our columns. */
export const shownValues = (
  values: Readonly<Record<string, unknown>>,
  columns: readonly FileColumn[],
): Record<string, unknown> => Object.fromEntries(columns.map(({ column }) => [column, values[column]]));

async function storeRows(
  { input }: Spool,
  target: ImportTarget,
  columns: readonly string[],
  options: ImportOptions,
  { read, bad }: Pick<Checked, 'read' | 'bad'>,
): Promise<UpsertCounts & Pick<ImportResult, 'importId'>> {
  const { organizationNo, isDryRun = false, batchRows = BATCH_ROWS } = options;
  const record = isDryRun || !options.record ? undefined : { ...options.record, rows: read, refused: bad };
  const total = { created: 0, updated: 0, unchanged: 0, levels: 0 };
  let recorded: RecordedImport | undefined;
  let isRecorded = record !== undefined;
  let lines: string[] = [];

  const upsertLines = async (tx: Tx, importNo: number | undefined): Promise<UpsertCounts> => {
    const counts = { created: 0, updated: 0, unchanged: 0, levels: 0 };
    const newCustomers: string[] = [];
    // Rows with the same constants are stored together.
    const groups = Map.groupBy(lines, (line) => line.slice(0, line.indexOf(' ')));
    for (const [constants, group] of groups) {
      const named = new Set(constants.split(','));
      const given = givenColumns(columns, named);
      const rowTexts = group.map((line) => line.slice(constants.length + 1));
      if (target.isCheckedAgain && !isDryRun) await checkAgain(tx, target, organizationNo, rowTexts, named);
      const ofGroup = await target.upsert(tx, organizationNo, { rowTexts, given, isDryRun, importNo });
      add(counts, ofGroup);
      newCustomers.push(...(ofGroup.newCustomers ?? []));
    }
    return { ...counts, newCustomers };
  };
  const storeBatch = async (): Promise<void> => {
    if (lines.length === 0) return;
    const counts = await options.change(async (tx) => {
      const current = recorded ?? (record && (await beginImport(tx, organizationNo, record)));
      const stored = await upsertLines(tx, isRecorded ? current?.no : undefined);
      await options.onStored?.(tx, stored);
      const isFirst = recorded === undefined;
      if (current && isFirst && stored.created + stored.updated === 0) await dropImport(tx, current);
      else if (current) {
        const unchanged = stored.unchanged + (isFirst ? total.unchanged : 0);
        isRecorded = (await continueImport(tx, current, { ...stored, unchanged })) && isRecorded;
        recorded = { ...current, changedRows: current.changedRows + stored.created + stored.updated };
      }
      return stored;
    });
    add(total, counts);
    lines = [];
    options.onProgress('stored', total.created + total.updated + total.unchanged);
  };
  for await (const line of readFileLines(input)) {
    lines.push(line);
    if (lines.length === batchRows) await storeBatch();
  }
  await storeBatch();
  return { ...total, importId: recorded?.id ?? null };
}

/** Refuses rows that another change has made wrong since the first pass, for example by replacing a device. */
async function checkAgain(
  tx: Tx,
  target: ImportTarget,
  organizationNo: number,
  rowTexts: readonly string[],
  constants: Set<string>,
): Promise<void> {
  await lockOrganization(tx, organizationNo);
  const rows = rowTexts.map((text): ImportRow => {
    const values: unknown = JSON.parse(text);
    return { line: 0, cells: [], values: isObject(values) ? { ...values } : {}, errors: [], constants };
  });
  await target.check(tx, organizationNo, rows);
  const [error] = rows.flatMap(({ errors }) => errors);
  if (error === undefined) return;
  throw new UserError(`the catalog was changed during the import: ${describeRowError(error)}.`, {
    advice: 'Import the file again. Rows that are stored already do not change.',
  });
}

function add(
  total: Required<Omit<UpsertCounts, 'newCustomers'>>,
  { created, updated, unchanged, levels = 0 }: UpsertCounts,
): void {
  total.created += created;
  total.updated += updated;
  total.unchanged += unchanged;
  total.levels += levels;
}
