import type { Db, Tx } from '../db/pool.ts';
import { type ByteSource, inChunks } from '../values/byte_source.ts';
import { InvalidValuesError } from '../values/change_refusal.ts';
import type { DecimalMark } from '../values/decimal.ts';
import { onlyOrder, orderOfDate } from '../values/file_dates.ts';
import { distinctHeadings, HeadingIndex, together } from '../values/headings.ts';
import { ROW_ERROR_CODES, type RowError, type RowErrorCode } from '../values/row_error.ts';
import { slicePauses } from '../values/slices.ts';
import { readTable, type TableOptions } from '../values/table_reader.ts';
import type { DateOrder, TextFormat } from '../values/text_format.ts';
import { UserError } from '../values/user_error.ts';
import { SERVER_PART_BYTES } from '../values/xlsx/limits.ts';
import { importFile } from './import_file.ts';
import {
  findEarlierReading,
  headingsKey,
  type ImportKind,
  type ListedImport,
  listImports,
  MAX_RECORDED_ROWS,
  type Mapping,
} from './import_record.ts';
import { findTargetColumns, type ImportRow, type ImportTarget, missingColumns } from './import_row.ts';
import { readDateHabits } from './organizations.ts';
import { proposeValue } from './propose_value.ts';
import {
  IMPORT_TARGETS,
  mappableColumns,
  SAMPLE_ROWS,
  suggestKind,
  suggestMapping,
  usualDecimal,
} from './suggest_mapping.ts';
import type { UpsertCounts } from './upsert_rows.ts';

/** A file that a person sent, and how it is read. */
export interface Upload {
  bytes: Uint8Array;
  fileName: string;
  /** If undefined, the kind of the last file with the same headings, or the kind that the headings suggest. */
  what?: ImportKind | undefined;
  /** If undefined, the mapping of the last file with the same headings, or the mapping that the headings suggest. */
  mapping?: Mapping | undefined;
  /** The texts that replace cells of the file, by line and by the name of our column. */
  corrections?: ReadonlyMap<number, Readonly<Record<string, string>>> | undefined;
  sheet?: string | undefined;
  decimal?: DecimalMark | undefined;
  /**
   * If undefined, the order that unambiguous dates of the file show, or the usual order in the organization's country.
   */
  dateOrder?: DateOrder | undefined;
  /** The largest number of refused rows in the report. */
  maxRefusedRows?: number | undefined;
}

interface UploadOptions {
  organizationNo: number;
  isDryRun: boolean;
  /** Runs a change in a transaction. In a dry run, the caller rolls the transaction back. */
  change: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  onStored(tx: Tx, what: ImportKind, counts: UpsertCounts): Promise<void>;
}

export interface RefusedRow {
  line: number;
  cells: readonly string[];
  errors: { field: string | null; code: RowErrorCode; detail: string; proposal: string | null }[];
}

/** How a file was understood, and what its rows changed or would change. */
interface UploadReport {
  what: ImportKind;
  /** The sheets of a workbook. The first one is the sheet that was read. */
  sheets: readonly string[];
  columns: { heading: string; examples: string[]; field: string | null }[];
  /** The heading of the column that each field is read from. */
  mapped_columns: { field: string; heading: string }[];
  constants: { field: string; value: string }[];
  /**
   * The time of the earlier import whose mapping is used. Null if the mapping is given, or suggested by the headings.
   */
  mapped_as_at: string | null;
  fields: { field: string; is_required: boolean; choices: readonly string[] }[];
  /** Required fields that neither the file nor a constant gives. If there are any, `counts` is null. */
  missing: string[];
  counts: (Pick<UpsertCounts, 'created' | 'updated' | 'unchanged'> & { rows: number; refused: number }) | null;
  /** How many levels are stored, and when the first one was read on its dial. Null if the file has no levels. */
  levels: { stored: number; first_at: string | null } | null;
  /** The first rows that were not imported. */
  refused_rows: RefusedRow[];
  import: ListedImport | null;
}

export const MAX_UPLOAD_BYTES = 8 * 2 ** 20;
/** An upload can have as many rows as an import that can be undone. */
export const MAX_UPLOAD_ROWS = MAX_RECORDED_ROWS;
const SHOWN_REFUSED_ROWS = 100;
/** The largest `maxRefusedRows`. A person corrects some hundred rows in a spreadsheet. */
export const MAX_REFUSED_ROWS = 2_000;
const MAX_REFUSED_CHARACTERS = 4 * 2 ** 20;
const MAX_SHOWN_CELL = 200;
const ROWS_PER_TRANSACTION = 2_000;
const EXAMPLES = 2;
const MAX_COLUMNS = 200;
/**
 * The limit of all values of a file. A workbook stores a text that many cells share once, so the values can be larger.
 */
const MAX_SPOOL_BYTES = 64 * 2 ** 20;

/**
 * Imports a file that a person sent, or tries the import in a dry run. Works in slices, so that the process can serve
 * other requests in between.
 */
export async function importUpload(db: Db, upload: Upload, options: UploadOptions): Promise<UploadReport> {
  try {
    return await readUpload(db, upload, options);
  } catch (error) {
    throw error instanceof UserError && !(error instanceof InvalidValuesError) ? invalidFile(error.message) : error;
  }
}

/** The error of a file that cannot be imported as a whole. */
const invalidFile = (message: string): InvalidValuesError =>
  new InvalidValuesError([{ field: 'file', reason: message.replace(/\.$/, '') }]);

async function readUpload(db: Db, upload: Upload, options: UploadOptions): Promise<UploadReport> {
  const { sheet, decimal, dateOrder, corrections, fileName, maxRefusedRows = SHOWN_REFUSED_ROWS } = upload;
  let refusedCharacters = 0;
  let firstAt: string | null = null;
  const source = inChunks(upload.bytes, fileName);
  const table: TableOptions = { sheet, decimal, maxPartBytes: SERVER_PART_BYTES };
  const { sheets, header, rows } = await readBeginning(source, table, upload);
  const earlier =
    upload.mapping === undefined
      ? await findEarlierReading(db, options.organizationNo, { headings: header, what: upload.what })
      : undefined;
  const what = upload.what ?? earlier?.what ?? suggestKind(header);
  const target = IMPORT_TARGETS[what];
  const mapping = upload.mapping ?? earlier?.mapping ?? suggestMapping(header, target, rows);
  const { columns, constants } = mapping;
  const fields = mappableColumns(target);
  const unknown = [...Object.keys(columns), ...Object.keys(constants)].find((column) => !fields.includes(column));
  if (unknown !== undefined) throw new UserError(`the mapping has no column ${unknown}`);
  const headings = new HeadingIndex(header);
  const names = distinctHeadings(header);
  const mapped = Object.entries(columns)
    .map(([column, theirs]) => ({ column, places: headings.find(theirs) }))
    .filter(({ places }) => places.length > 0);
  const report: UploadReport = {
    what,
    sheets,
    columns: names.map((heading, at) => ({
      heading,
      examples: rows.slice(0, EXAMPLES).map((cells) => (cells[at] ?? '').slice(0, MAX_SHOWN_CELL)),
      field: mapped.find(({ places }) => places.includes(at))?.column ?? null,
    })),
    mapped_columns: mapped.map(({ column, places }) => ({
      field: column,
      heading: together(places.map((at) => names[at] ?? '')),
    })),
    constants: Object.entries(constants).map(([field, value]) => ({ field, value })),
    mapped_as_at: earlier?.at ?? null,
    fields: fields.map((field) => ({
      field,
      is_required: target.requiredColumns.includes(field),
      choices: target.fields[field]?.choices ?? [],
    })),
    missing: missingColumns(mapped, target, constants),
    counts: null,
    levels: null,
    refused_rows: [],
    import: null,
  };
  if (report.missing.length > 0 && options.isDryRun) return report;
  if (report.missing.length > 0)
    throw new UserError(`the file has no column, and the mapping no constant, for ${report.missing.join(', ')}`);
  const pause = slicePauses();
  const named = { columns, readsOnlyNamed: true, constants };
  const hasLevels = columns['fill_percentage'] !== undefined;
  const [place] = mapped.find(({ column }) => column === 'measured_at')?.places ?? [];
  const findOrder = async (): Promise<DateOrder | undefined> => {
    const findColumns = (cells: readonly string[]): number[] | undefined => findTargetColumns(cells, target, named);
    return dateOrder ?? (await provenOrder(readTable(source, { ...table, findColumns }), place, pause));
  };
  const times = hasLevels ? await formatOfTimes(db, options.organizationNo, await findOrder()) : {};
  const { importId, ...result } = await importFile(db, source, target, {
    ...options,
    ...named,
    corrections,
    csv: table,
    format: { ...times, ...formatOf(rows, decimal) },
    record: { what, fileName, reading: { headings: headingsKey(header), mapping } },
    maxRows: MAX_UPLOAD_ROWS,
    maxSpoolBytes: MAX_SPOOL_BYTES,
    batchRows: ROWS_PER_TRANSACTION,
    pause,
    onStored: (tx, counts) => options.onStored(tx, what, counts),
    onGoodRow({ values: { fill_percentage: level, measured_at: at } }) {
      if (typeof level === 'number' && typeof at === 'string') firstAt ??= at;
    },
    onBadRow(row) {
      if (report.refused_rows.length >= maxRefusedRows || refusedCharacters > MAX_REFUSED_CHARACTERS) return;
      const refused = refusedRow(row, target, decimal);
      report.refused_rows.push(refused);
      for (const cell of refused.cells) refusedCharacters += cell.length;
    },
    onProgress: () => {},
  });
  const { created, updated, unchanged, read, bad, levels = 0 } = result;
  const [listed] = importId === null ? [] : await listImports(db, options.organizationNo, { limit: 1, id: importId });
  return {
    ...report,
    counts: { created, updated, unchanged, rows: read, refused: bad },
    levels: hasLevels ? { stored: levels, first_at: firstAt } : null,
    import: listed ?? null,
  };
}

/** How the file writes numbers: its unambiguous numbers show the decimal mark. */
function formatOf(rows: readonly (readonly string[])[], decimal: DecimalMark | undefined): TextFormat {
  const usual = usualDecimal(rows);
  return { decimal, ...(usual === undefined ? {} : { usual }) };
}

/** How the file writes times: in the time zone of the organization, with `order` or the usual order of its country. */
async function formatOfTimes(db: Db, organizationNo: number, order: DateOrder | undefined): Promise<TextFormat> {
  const { timeZone, dateOrder } = await readDateHabits(db, organizationNo);
  return { timeZone, dateOrder: order ?? dateOrder };
}

/**
 * The order of day and month in a column of dates. All rows are read, because only one unambiguous date, such as
 * 31/12/2025, may show it.
 */
async function provenOrder(
  table: ReturnType<typeof readTable>,
  place: number | undefined,
  pause: () => Promise<unknown>,
): Promise<DateOrder | undefined> {
  const orders = new Set<DateOrder | undefined>();
  for await (const records of table) {
    for (const { cells } of records) orders.add(orderOfDate(cells[place ?? -1] ?? ''));
    await pause();
  }
  return onlyOrder(orders);
}

interface Beginning {
  sheets: readonly string[];
  header: readonly string[];
  rows: (readonly string[])[];
}

/**
 * Reads the header and the first rows. The header is the first row with all headings of the mapping. Without a mapping,
 * it is the first row whose cells suggest at least three of our columns.
 */
async function readBeginning(source: ByteSource, table: TableOptions, { what, mapping }: Upload): Promise<Beginning> {
  const beginning: Beginning = { sheets: [], header: [], rows: [] };
  const findColumns = (cells: readonly string[]): number[] | undefined => {
    if (cells.length > MAX_COLUMNS)
      throw new UserError(`the file has ${cells.length} columns, and at most ${MAX_COLUMNS} are read.`);
    if (mapping !== undefined) {
      const headings = new HeadingIndex(cells);
      const places = Object.values(mapping.columns).map((heading) => headings.find(heading));
      return places.length === 0 || places.some((found) => found.length === 0) ? undefined : places.flat();
    }
    const target = IMPORT_TARGETS[what ?? suggestKind(cells)];
    const { columns } = suggestMapping(cells, target);
    return Object.keys(columns).length >= 3 ? [] : undefined;
  };
  const onSheets = (names: readonly string[]): void => {
    beginning.sheets = names;
  };
  for await (const records of readTable(source, { ...table, findColumns, onSheets })) {
    for (const { cells } of records) {
      if (beginning.header.length === 0) beginning.header = cells.map((cell) => cell.trim().replaceAll(/\s+/g, ' '));
      else if (beginning.rows.length < SAMPLE_ROWS) beginning.rows.push(cells);
    }
    if (beginning.rows.length === SAMPLE_ROWS) break;
  }
  if (beginning.header.length === 0) throw new UserError('the file is empty; its first row must have the headings.');
  return beginning;
}

const refusedRow = ({ line, cells, errors }: ImportRow, target: ImportTarget, decimal?: DecimalMark): RefusedRow => ({
  line,
  cells: cells.slice(0, MAX_COLUMNS).map((cell) => cell.slice(0, MAX_SHOWN_CELL)),
  errors: errors.map(({ column, text, problem, code = ROW_ERROR_CODES[0] }: RowError) => {
    const field = column === null ? undefined : target.fields[column];
    const proposal =
      field === undefined || text === null || code !== 'invalid' ? null : proposeValue(field, text, { decimal });
    return { field: column, code, detail: problem, proposal };
  }),
});
