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
  /** Undefined: what the headings suggest. */
  what?: ImportKind | undefined;
  /** Undefined: that of the last file with the same headings, or what the headings suggest. */
  mapping?: Mapping | undefined;
  /** Cells with another text, by line and our column. */
  corrections?: ReadonlyMap<number, Readonly<Record<string, string>>> | undefined;
  sheet?: string | undefined;
  decimal?: DecimalMark | undefined;
  /** Undefined: that of the dates of the file with one meaning, or of the country of the organization. */
  dateOrder?: DateOrder | undefined;
  /** How many refused rows the report has at most. */
  maxRefusedRows?: number | undefined;
}

interface UploadOptions {
  organizationNo: number;
  isDryRun: boolean;
  /** Runs a change in a transaction. A dry run is rolled back. */
  change: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  onStored(tx: Tx, what: ImportKind, counts: UpsertCounts): Promise<void>;
}

export interface RefusedRow {
  line: number;
  cells: readonly string[];
  errors: { field: string | null; code: RowErrorCode; detail: string; proposal: string | null }[];
}

/** How a file was understood, and what its rows do. */
interface UploadReport {
  what: ImportKind;
  /** The sheets of a workbook, the one that was read first. */
  sheets: readonly string[];
  columns: { heading: string; examples: string[]; field: string | null }[];
  /** Where each field comes from, as a mapping says it. */
  mapped_columns: { field: string; heading: string }[];
  constants: { field: string; value: string }[];
  /** When the file was imported whose mapping is used. Null: it is given, or suggested by the headings. */
  mapped_as_at: string | null;
  fields: { field: string; is_required: boolean; choices: readonly string[] }[];
  /** Fields that neither the file nor a constant gives. Then nothing is counted. */
  missing: string[];
  counts: (Pick<UpsertCounts, 'created' | 'updated' | 'unchanged'> & { rows: number; refused: number }) | null;
  /** Levels on dials that are stored, and when the first one was read. Null if the file has none. */
  levels: { stored: number; first_at: string | null } | null;
  /** The first rows that were not imported. */
  refused_rows: RefusedRow[];
  import: ListedImport | null;
}

export const MAX_UPLOAD_BYTES = 8 * 2 ** 20;
/** An import that can be undone. */
export const MAX_UPLOAD_ROWS = MAX_RECORDED_ROWS;
const SHOWN_REFUSED_ROWS = 100;
/** A person corrects some hundred rows in a spreadsheet. */
export const MAX_REFUSED_ROWS = 2_000;
const MAX_REFUSED_CHARACTERS = 4 * 2 ** 20;
const MAX_SHOWN_CELL = 200;
const ROWS_PER_TRANSACTION = 2_000;
const EXAMPLES = 2;
const MAX_COLUMNS = 200;
/** Of the values on their way to the database. Texts that many cells share are short in a workbook. */
const MAX_SPOOL_BYTES = 64 * 2 ** 20;

/**
 * Imports a file of a person, or tries it. The mapping is suggested from the headings unless it is given. Works in slices: other
 * requests of the same process are answered in between.
 */
export async function importUpload(db: Db, upload: Upload, options: UploadOptions): Promise<UploadReport> {
  try {
    return await readUpload(db, upload, options);
  } catch (error) {
    throw error instanceof UserError && !(error instanceof InvalidValuesError) ? invalidFile(error.message) : error;
  }
}

/** What is wrong with a file as a whole. */
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

/** The numbers of the file with one meaning show how the others are meant. */
function formatOf(rows: readonly (readonly string[])[], decimal: DecimalMark | undefined): TextFormat {
  const usual = usualDecimal(rows);
  return { decimal, ...(usual === undefined ? {} : { usual }) };
}

/** Times are those of the clock of the organization. Its country shows the order of dates if the file does not. */
async function formatOfTimes(db: Db, organizationNo: number, order: DateOrder | undefined): Promise<TextFormat> {
  const { timeZone, dateOrder } = await readDateHabits(db, organizationNo);
  return { timeZone, dateOrder: order ?? dateOrder };
}

/** The order of the dates of a column. All rows are read: in a list of the first days of months, one row may show it. */
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

/** The headings and the first rows. The header is the first row with three of our columns, or with all headings of the mapping. */
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
