import type { Db, Tx } from '../db/pool.ts';
import type { CsvRecord } from '../values/csv_reader.ts';
import { columnAdvice } from '../values/heading_words.ts';
import type { RowError } from '../values/row_error.ts';
import { columnName } from '../values/table_reader.ts';
import type { TextFormat } from '../values/text_format.ts';
import { UserError } from '../values/user_error.ts';
import type { Fields } from './fields.ts';
import type { UpsertBatch, UpsertCounts } from './upsert_rows.ts';

/** What can be imported from a file: customers or tanks. */
export interface ImportTarget {
  /** The columns that are read, and how each one's text becomes a value. */
  fields: Fields;
  requiredColumns: readonly string[];
  /** Groups of columns whose values must be unique within the file. */
  uniqueKeys: readonly (readonly string[])[];
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
}

/** How the rows of a file are understood. */
export interface RowOptions {
  /** The file's name for each of our columns, if it differs. */
  columns: Readonly<Record<string, string>>;
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
  { columns: renamed }: RowOptions,
): { columns: string[]; ignored: string[] } {
  const known = knownColumns(target);
  const unknown = Object.keys(renamed).find((column) => !known.includes(column));
  if (unknown !== undefined)
    throw new UserError(`there is no column ${unknown} to map; the columns are ${known.join(', ')}.`);
  const columns = ourNames(header, target, renamed);
  const shown = header
    .map((name) => name.trim().replaceAll(/\s+/g, ' '))
    .join(', ')
    .slice(0, 500);
  const missing = target.requiredColumns.filter((column) => !columns.includes(column));
  if (missing.length > 0 && header.length === 1 && /[,;\t]/.test(shown)) {
    throw new UserError(
      `the first line is one cell, ${shown}; remove the quotes around whole lines, or name the delimiter with --delimiter.`,
    );
  }
  if (missing.length > 0) {
    throw new UserError(
      `the file has no column ${missing.join(', ')}. Its columns are ${shown}. Map them with --column ours=theirs.` +
        columnAdvice(header, missing),
    );
  }
  const repeated = columns.find((column, at) => column !== '' && columns.indexOf(column) !== at);
  if (repeated !== undefined)
    throw new UserError(
      `the file has the column ${renamed[repeated] ?? repeated} twice; rename or delete one of them.`,
    );
  const isRemarkable = (name: string): boolean => name !== '' && !OWN_COLUMNS.has(columnName(name));
  return { columns, ignored: header.filter((name, at) => columns[at] === '' && isRemarkable(name.trim())) };
}

/** The columns that can be read from a file. */
export const knownColumns = ({ fields, requiredColumns }: ImportTarget): string[] => [
  ...new Set([...Object.keys(fields), ...requiredColumns]),
];

function ourNames(header: readonly string[], target: ImportTarget, renamed: RowOptions['columns']): string[] {
  const ourName = new Map(knownColumns(target).map((column) => [columnName(renamed[column] ?? column), column]));
  return header.map((name) => ourName.get(columnName(name)) ?? '');
}

/** The indexes of the required columns; undefined if these cells are not the header of a file of this target. */
export function findTargetColumns(
  cells: readonly string[],
  target: ImportTarget,
  renamed: RowOptions['columns'],
): number[] | undefined {
  const columns = ourNames(cells, target, renamed);
  const indexes = target.requiredColumns.map((column) => columns.indexOf(column));
  return indexes.includes(-1) ? undefined : indexes;
}

export function readRow(
  { line, cells, problem }: CsvRecord,
  columns: readonly string[],
  target: ImportTarget,
  { format, words }: RowOptions,
): ImportRow {
  const row: ImportRow = { line, cells, values: {}, errors: [] };
  // A spreadsheet writes the empty cells to the right of a table too.
  const isTooLong = cells.slice(columns.length).some((cell) => cell.trim() !== '');
  if (problem !== null) row.errors.push({ column: null, text: null, problem: `the row ${problem}` });
  else if (cells.length < columns.length || isTooLong) {
    const counts = `has ${cells.length} columns where the header has ${columns.length}`;
    row.errors.push({ column: null, text: null, problem: `the row ${counts}` });
  }
  if (row.errors.length > 0) return row;
  for (let at = 0; at < columns.length; at++) {
    const [column = '', cell = ''] = [columns[at], cells[at]];
    if (column === '') continue;
    const text = words?.get(column)?.get(columnName(cell)) ?? cell;
    const parsed = target.fields[column]?.(text, format) ?? { value: text.trim() };
    if ('reason' in parsed) row.errors.push({ ...parsed, column, text, problem: parsed.problem ?? parsed.reason });
    else if ((parsed.value === null || parsed.value === '') && target.requiredColumns.includes(column))
      row.errors.push({ column, text: null, problem: 'must not be empty' });
    else row.values[column] = parsed.value;
  }
  return row;
}
