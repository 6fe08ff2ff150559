import type { Db, Tx } from '../db/pool.ts';
import type { CsvRecord } from '../values/csv_reader.ts';
import { columnAdvice } from '../values/heading_words.ts';
import type { RowError } from '../values/row_error.ts';
import { columnName } from '../values/table_reader.ts';
import type { TextFormat } from '../values/text_format.ts';
import { UserError } from '../values/user_error.ts';
import type { RepeatedColumns } from './duplicate_rows.ts';
import type { Fields } from './fields.ts';
import type { UpsertBatch, UpsertCounts } from './upsert_rows.ts';

/** What can be imported from a file: customers or tanks. */
export interface ImportTarget {
  /** The columns that are read, and how each one's text becomes a value. */
  fields: Fields;
  requiredColumns: readonly string[];
  /** Groups of columns whose values must be unique within the file. */
  uniqueKeys: readonly (readonly string[])[];
  repeated?: RepeatedColumns;
  /** Checks rows against the database. Adds to each row's `errors`, and to its `values` what the upsert needs. */
  check(db: Db, organizationNo: number, rows: readonly ImportRow[]): Promise<void>;
  upsert(tx: Tx, organizationNo: number, batch: UpsertBatch): Promise<UpsertCounts>;
}

export interface ImportRow {
  line: number;
  /** The cells as they are in the file. */
  cells: readonly string[];
  values: Record<string, unknown>;
  errors: RowError[];
  /** What a person should look at. The row is imported all the same. */
  warnings?: RowError[];
  /** The columns whose values are constants, because the file has none. */
  constants?: Set<string>;
}

/** How the rows of a file are understood. */
export interface RowOptions {
  /** The file's name for each of our columns, if it differs. */
  columns: Readonly<Record<string, string>>;
  /** True if a column is only read if it is in `columns`, even if the file has one with our name. */
  readsOnlyNamed?: boolean | undefined;
  /**
   * The value of a column where the file has none: it has no such column, or the cell is empty. It is for new objects: one that
   * exists keeps its value, except for the unit of a capacity.
   */
  constants?: Readonly<Record<string, string>> | undefined;
  /** Cells that a person has corrected, by line and column. */
  corrections?: ReadonlyMap<number, Readonly<Record<string, string>>> | undefined;
  format?: TextFormat;
  /** For each of our columns, the values that the file's words stand for. The words are in lower case. */
  words?: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Columns of our own files that an import does not need: exports have an id, and a file of bad rows has a reason. */
const OWN_COLUMNS = new Set(['id', 'reason']);

/** Our names of the file's columns, in the file's order. Empty for a column that is not read. */
export function readHeader(
  header: readonly string[],
  target: ImportTarget,
  options: Pick<RowOptions, 'columns' | 'readsOnlyNamed' | 'constants'>,
): { columns: string[]; ignored: string[] } {
  const { columns: renamed, constants = {} } = options;
  const known = knownColumns(target);
  const unknown = Object.keys({ ...renamed, ...constants }).find((column) => !known.includes(column));
  if (unknown !== undefined)
    throw new UserError(`there is no column ${unknown} to map or set; the columns are ${known.join(', ')}.`);
  const columns = ourNames(header, target, options);
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
  const repeated = columns.find((column, at) => column !== '' && columns.indexOf(column) !== at);
  if (repeated !== undefined)
    throw new UserError(
      `the file has the column ${renamed[repeated] ?? repeated} twice; rename or delete one of them.`,
    );
  const isRemarkable = (name: string): boolean => name !== '' && !OWN_COLUMNS.has(columnName(name));
  return { columns, ignored: header.filter((name, at) => columns[at] === '' && isRemarkable(name.trim())) };
}

/** The required columns that neither the file nor a constant gives. */
export const missingColumns = (
  columns: readonly string[],
  { requiredColumns }: ImportTarget,
  constants: RowOptions['constants'] = {},
): string[] => requiredColumns.filter((column) => !columns.includes(column) && constants[column] === undefined);

/** The columns that a row changes if its object exists. The unit belongs to the number of the file. */
export const givenColumns = (columns: readonly string[], constants: ReadonlySet<string>): string[] =>
  columns.filter((column) => !constants.has(column) || (column === 'capacity_unit' && !constants.has('capacity')));

/** The columns that can be read from a file. */
export const knownColumns = ({ fields, requiredColumns }: ImportTarget): string[] => [
  ...new Set([...Object.keys(fields), ...requiredColumns]),
];

function ourNames(
  header: readonly string[],
  target: ImportTarget,
  { columns: renamed, readsOnlyNamed = false }: Pick<RowOptions, 'columns' | 'readsOnlyNamed'>,
): string[] {
  const read = readsOnlyNamed ? Object.keys(renamed) : knownColumns(target);
  const ourName = new Map(read.map((column) => [columnName(renamed[column] ?? column), column]));
  return header.map((name) => ourName.get(columnName(name)) ?? '');
}

/** The indexes of the required columns; undefined if these cells are not the header of a file of this target. */
export function findTargetColumns(
  cells: readonly string[],
  target: ImportTarget,
  options: Pick<RowOptions, 'columns' | 'readsOnlyNamed' | 'constants'>,
): number[] | undefined {
  const columns = ourNames(cells, target, options);
  if (missingColumns(columns, target, options.constants).length > 0) return undefined;
  return target.requiredColumns.map((column) => columns.indexOf(column)).filter((at) => at >= 0);
}

export function readRow(
  { line, cells, problem }: CsvRecord,
  columns: readonly string[],
  target: ImportTarget,
  options: RowOptions,
): ImportRow {
  const { constants, corrections } = options;
  const row: ImportRow = { line, cells, values: {}, errors: [] };
  // A spreadsheet writes the empty cells to the right of a table too.
  const isTooLong = cells.slice(columns.length).some((cell) => cell.trim() !== '');
  if (problem !== null) row.errors.push({ column: null, text: null, problem: `the row ${problem}`, code: 'malformed' });
  else if (cells.length < columns.length || isTooLong) {
    const counts = `has ${cells.length} columns where the header has ${columns.length}`;
    row.errors.push({ column: null, text: null, problem: `the row ${counts}`, code: 'malformed' });
  }
  if (row.errors.length > 0) return row;
  const corrected = corrections?.get(line);
  for (let at = 0; at < columns.length; at++) {
    const [column = '', cell = ''] = [columns[at], cells[at]];
    if (column !== '') readCell(row, column, corrected?.[column] ?? cell, target, options);
  }
  for (const column in constants)
    if (!columns.includes(column)) readCell(row, column, corrected?.[column] ?? '', target, options);
  return row;
}

/** No field has longer values. A long text would cost much to parse. */
const MAX_CELL_CHARACTERS = 1_000;

function readCell(
  row: ImportRow,
  column: string,
  cell: string,
  { fields, requiredColumns }: ImportTarget,
  { constants, format, words }: RowOptions,
): void {
  if (cell.length > MAX_CELL_CHARACTERS) {
    const problem = `must have at most ${MAX_CELL_CHARACTERS} characters`;
    row.errors.push({ column, text: null, problem, code: 'malformed' });
    return;
  }
  const constant = cell.trim() === '' ? constants?.[column] : undefined;
  if (constant !== undefined) row.constants = (row.constants ?? new Set()).add(column);
  const text = constant ?? words?.get(column)?.get(columnName(cell)) ?? cell;
  const parsed = fields[column]?.(text, format) ?? { value: text.trim() };
  if ('reason' in parsed) row.errors.push({ ...parsed, column, text, problem: parsed.problem ?? parsed.reason });
  else if ((parsed.value === null || parsed.value === '') && requiredColumns.includes(column))
    row.errors.push({ column, text: null, problem: 'must not be empty', code: 'empty' });
  else row.values[column] = parsed.value;
}
