import type { Db, Tx } from '../db/pool.ts';
import type { CsvRecord } from '../values/csv_reader.ts';
import { columnAdvice } from '../values/heading_words.ts';
import { columnName, HeadingIndex, joinedCells, MAX_CELL_CHARACTERS, repeatedHeading } from '../values/headings.ts';
import type { RowError } from '../values/row_error.ts';
import type { TextFormat } from '../values/text_format.ts';
import { UserError } from '../values/user_error.ts';
import type { RepeatedColumns } from './duplicate_rows.ts';
import type { Fields } from './field.ts';
import type { UpsertBatch, UpsertCounts } from './upsert_rows.ts';

/** What can be imported from a file or a bulk: customers, tanks or delivery notes. */
export interface ImportTarget {
  /** The columns that are read, and how the text of each column becomes a value. */
  fields: Fields;
  requiredColumns: readonly string[];
  /** Groups of columns whose values must be unique within the file. */
  uniqueKeys: readonly (readonly string[])[];
  repeated?: RepeatedColumns;
  /** Checks rows against the database. Adds to the `errors` of each row, and to its `values` what the upsert needs. */
  check(db: Db, organizationNo: number, rows: readonly ImportRow[]): Promise<void>;
  /** True if a file is checked again while it is stored, because the rows depend on objects that others change. */
  isCheckedAgain?: boolean;
  upsert(tx: Tx, organizationNo: number, batch: UpsertBatch): Promise<UpsertCounts>;
}

export interface ImportRow {
  line: number;
  /** The cells as they are in the file. */
  cells: readonly string[];
  values: Record<string, unknown>;
  errors: RowError[];
  /** What a person should check. The row is still imported. */
  warnings?: RowError[];
  /** The columns whose values are constants, because the cell is empty or missing. */
  constants?: Set<string>;
}

/** How the rows of a file are understood. */
export interface RowOptions {
  /** The file's name for each of our columns, if it differs. */
  columns: Readonly<Record<string, string>>;
  /** True if only the columns in `columns` are read. A column of the file that has our name is then ignored. */
  readsOnlyNamed?: boolean | undefined;
  /**
   * The value of a column if the file has no such column, or if the cell is empty. Only new objects get it: an object
   * that exists keeps its value, except for the unit of a capacity that the file gives.
   */
  constants?: Readonly<Record<string, string>> | undefined;
  /** Cells that a person has corrected, by line and column. */
  corrections?: ReadonlyMap<number, Readonly<Record<string, string>>> | undefined;
  format?: TextFormat;
  /** For each of our columns, the values that the file's words stand for. The words are in lower case. */
  words?: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** A number and the word after it, such as "500 gal". Undefined if the cell is something else. */
export function measureOf(cell: string): { digits: string; unit: string } | undefined {
  const [, digits, unit = ''] = /^(\d[\d.,'\s]*)(\p{L}*\.?)$/u.exec(cell.trim()) ?? [];
  return digits === undefined ? undefined : { digits: digits.trimEnd(), unit };
}

/** Columns of our own files that an import does not need: exports have an id, and a file of bad rows has a reason. */
const OWN_COLUMNS = new Set(['id', 'reason']);

/** One of our columns, and the positions of the cells of a row that have its text. */
export interface FileColumn {
  column: string;
  places: readonly number[];
}

/** The header of a file as it is understood. */
export interface TableHeader {
  columns: readonly FileColumn[];
  width: number;
  /** Whether a cell has the capacity and its unit, such as "500 gal". */
  hasMeasures: boolean;
  /** Headings that are not read. */
  ignored: string[];
}

export function readHeader(
  header: readonly string[],
  target: ImportTarget,
  options: Pick<RowOptions, 'columns' | 'readsOnlyNamed' | 'constants'>,
): TableHeader {
  const { columns: renamed, constants = {} } = options;
  const known = knownColumns(target);
  const unknown = Object.keys({ ...renamed, ...constants }).find((column) => !known.includes(column));
  if (unknown !== undefined)
    throw new UserError(`there is no column ${unknown} to map or set; the columns are ${known.join(', ')}.`);
  const columns = findColumns(header, known, options);
  const shown = header
    .map((name) => name.trim().replaceAll(/\s+/g, ' '))
    .join(', ')
    .slice(0, 500);
  const missing = missingColumns(columns, target, constants);
  if (missing.length > 0 && header.length === 1 && /[,;\t]/.test(shown)) {
    throw new UserError(`the first line is one cell, ${shown}; remove the quotes around whole lines.`, {
      advice: 'Or name the delimiter with --delimiter.',
    });
  }
  if (missing.length > 0) {
    throw new UserError(`the file has no column ${missing.join(', ')}. Its columns are ${shown}.`, {
      advice:
        'Map them with --column ours=theirs, or give them a value with --set column=value.' +
        columnAdvice(header, missing),
    });
  }
  const headings = new HeadingIndex(header);
  const repeated = columns.find(({ column }) => headings.isRepeated(renamed[column] ?? column))?.column;
  if (repeated !== undefined) throw new UserError(repeatedHeading(renamed[repeated] ?? repeated));
  const read = new Set(columns.flatMap(({ places }) => places));
  const isRemarkable = (name: string): boolean => name !== '' && !OWN_COLUMNS.has(columnName(name));
  const ignored = header.filter((name, at) => !read.has(at) && isRemarkable(name.trim()));
  const placesOf = (name: string): string => columns.find(({ column }) => column === name)?.places.join() ?? '';
  const hasMeasures = placesOf('capacity') !== '' && placesOf('capacity') === placesOf('capacity_unit');
  return { columns, width: header.length, hasMeasures, ignored };
}

/** The required columns that neither the file nor a constant gives. */
export const missingColumns = (
  columns: readonly Pick<FileColumn, 'column'>[],
  { requiredColumns }: ImportTarget,
  constants: RowOptions['constants'] = {},
): string[] => {
  const given = new Set(columns.map(({ column }) => column));
  // A level without its time cannot be stored.
  const forLevel = given.has('fill_percentage') ? ['measured_at'] : [];
  return [...requiredColumns, ...forLevel].filter((column) => !given.has(column) && constants[column] === undefined);
};

/**
 * The columns that a row changes if its object exists. A constant unit counts as given if the file gives the capacity.
 */
export const givenColumns = (columns: readonly string[], constants: ReadonlySet<string>): string[] =>
  columns.filter((column) => !constants.has(column) || (column === 'capacity_unit' && !constants.has('capacity')));

/** The columns that can be read from a file. */
export const knownColumns = ({ fields, requiredColumns }: ImportTarget): string[] => [
  ...new Set([...Object.keys(fields), ...requiredColumns]),
];

/** Our columns that the file has. Two of our columns may read the same column of the file. */
export function findColumns(
  header: readonly string[],
  known: readonly string[],
  {
    columns: renamed,
    readsOnlyNamed = false,
    constants = {},
  }: Pick<RowOptions, 'columns' | 'readsOnlyNamed' | 'constants'>,
): FileColumn[] {
  const read = readsOnlyNamed ? Object.keys(renamed) : known;
  const headings = new HeadingIndex(header);
  const find = (column: string): FileColumn => ({ column, places: headings.find(renamed[column] ?? column) });
  const named = read.filter((column) => renamed[column] !== undefined).map(find);
  // A column of the file that the mapping names for one of our columns is not read again because of its own name.
  const taken = new Set(named.flatMap(({ places }) => places));
  const own = read
    .filter((column) => renamed[column] === undefined)
    .map(find)
    .filter(({ places }) => !places.some((at) => taken.has(at)));
  const found = [...named, ...own].filter(({ places }) => places.length > 0);
  // A file of tanks may have a level without its time. The level is then read only if the mapping names it.
  const hasTime = found.some(({ column }) => column === 'measured_at') || constants['measured_at'] !== undefined;
  const isRead = ({ column }: FileColumn): boolean =>
    column !== 'fill_percentage' || hasTime || renamed[column] !== undefined || !known.includes('measured_at');
  return found.filter(isRead).toSorted((a, b) => (a.places[0] ?? 0) - (b.places[0] ?? 0));
}

/** The places of the required columns; undefined if these cells are not the header of a file of this target. */
export function findTargetColumns(
  cells: readonly string[],
  target: ImportTarget,
  options: Pick<RowOptions, 'columns' | 'readsOnlyNamed' | 'constants'>,
): number[] | undefined {
  const columns = findColumns(cells, knownColumns(target), options);
  if (missingColumns(columns, target, options.constants).length > 0) return undefined;
  return columns.filter(({ column }) => target.requiredColumns.includes(column)).flatMap(({ places }) => places);
}

export function readRow(
  { line, cells, problem }: CsvRecord,
  { columns, width, hasMeasures }: TableHeader,
  target: ImportTarget,
  options: RowOptions,
): ImportRow {
  const { constants, corrections } = options;
  const row: ImportRow = { line, cells, values: {}, errors: [] };
  // A spreadsheet may also write empty cells to the right of the table.
  const isTooLong = cells.slice(width).some((cell) => cell.trim() !== '');
  if (problem !== null) row.errors.push({ column: null, text: null, problem: `the row ${problem}`, code: 'malformed' });
  else if (cells.length < width || isTooLong) {
    const counts = `has ${cells.length} columns where the header has ${width}`;
    row.errors.push({ column: null, text: null, problem: `the row ${counts}`, code: 'malformed' });
  }
  if (row.errors.length > 0) return row;
  const corrected = corrections?.get(line);
  for (const { column, places } of columns) {
    const cell = joinedCells(cells, places);
    readCell(
      row,
      column,
      corrected?.[column] ?? (hasMeasures ? partOfMeasure(column, cell, target, options) : cell),
      target,
      options,
    );
  }
  for (const column in constants)
    if (!columns.some((one) => one.column === column))
      readCell(row, column, corrected?.[column] ?? '', target, options);
  return row;
}

/** The number or the unit of "500 gal". A cell such as "5OO" has no unit: it is a number with a typing mistake. */
function partOfMeasure(column: string, cell: string, { fields }: ImportTarget, { words }: RowOptions): string {
  if (column !== 'capacity' && column !== 'capacity_unit') return cell;
  const { digits, unit } = measureOf(cell) ?? { digits: cell, unit: '' };
  const isKnown = words?.get('capacity_unit')?.has(columnName(unit)) ?? false;
  const isMeasure = unit === '' || isKnown || 'value' in (fields['capacity_unit']?.(unit) ?? {});
  if (column === 'capacity_unit') return isMeasure ? unit : '';
  return isMeasure ? digits : cell;
}

function readCell(
  row: ImportRow,
  column: string,
  cell: string,
  { fields, requiredColumns }: ImportTarget,
  { constants, format, words }: RowOptions,
): void {
  const constant = cell.trim() === '' ? constants?.[column] : undefined;
  if ((constant ?? cell).length > MAX_CELL_CHARACTERS) {
    const problem = `must have at most ${MAX_CELL_CHARACTERS} characters`;
    row.errors.push({ column, text: null, problem, code: 'malformed' });
    return;
  }
  if (constant !== undefined) row.constants = (row.constants ?? new Set()).add(column);
  const text = constant ?? words?.get(column)?.get(columnName(cell)) ?? cell;
  const parsed = fields[column]?.(text, format) ?? { value: text.trim() };
  if ('reason' in parsed) row.errors.push({ ...parsed, column, text, problem: parsed.problem ?? parsed.reason });
  else if ((parsed.value === null || parsed.value === '') && requiredColumns.includes(column))
    row.errors.push({ column, text: null, problem: 'must not be empty', code: 'empty' });
  else row.values[column] = parsed.value;
}
