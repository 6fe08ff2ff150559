import type { ByteSource } from '../values/byte_source.ts';
import { type CsvRecord, UnclosedQuoteError } from '../values/csv_reader.ts';
import { columnAdvice } from '../values/heading_words.ts';
import { HeadingIndex, joinedCells, repeatedHeading } from '../values/headings.ts';
import { isObject, parseJson } from '../values/json.ts';
import { readTable, type TableOptions } from '../values/table_reader.ts';
import { decodeText } from '../values/text_encoding.ts';
import { LineSplitter } from '../values/text_lines.ts';
import { UserError } from '../values/user_error.ts';
import { type Measure, parseMeasure } from './reading.ts';

export const FILE_FORMATS = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export const READING_COLUMNS = ['tank_id', 'device_id', 'created_at', 'fill_percentage'] as const;
export type ReadingColumn = (typeof READING_COLUMNS)[number];

/** The names of columns in a file that does not use the standard names. */
export type ColumnNames = Readonly<Record<string, string>>;

/** A row of a file: its cells, or the problem that makes it unreadable, as in "The row <problem>." */
export type FileRow = {
  /** The line on which the row begins. */
  line: number;
  /** All cells of a row as they are in the file, or the text of a line of JSON. */
  source: readonly string[] | string;
  /** The measure. Only lines of JSON can have one. */
  measure?: Measure;
} & ({ cells: Readonly<Record<ReadingColumn, string>> } | { problem: string });

export interface ReadingFileOptions extends Omit<TableOptions, 'findColumns'> {
  names?: ColumnNames;
  /** The device of all readings, for a file that does not name devices. */
  device?: string | undefined;
  /** Called with the header of a table before its first row. */
  onHeader?: (cells: readonly string[]) => Promise<void> | void;
}

/** The longest line of JSON. In a longer one, a line break is missing. */
const MAX_LINE_CHARACTERS = 65_536;

/** Reads the rows of a file in chunks, so that a file of any size fits in memory. */
export function readRows(
  input: ByteSource,
  format: FileFormat,
  options: ReadingFileOptions = {},
): AsyncGenerator<FileRow[]> {
  return format === 'csv' ? tableRows(input, options) : ndjsonRows(input, options);
}

async function* tableRows(
  input: ByteSource,
  { names = {}, device, onHeader, ...table }: ReadingFileOptions,
): AsyncGenerator<FileRow[]> {
  let header: Header | undefined;
  const findColumns = (cells: readonly string[]): number[] | undefined => findReadingColumns(cells, names, device);
  try {
    for await (const records of readTable(input, { ...table, findColumns })) {
      const [first, ...rest] = records;
      if (header !== undefined || first === undefined) {
        yield records.map((record) => tableRow(record, header));
        continue;
      }
      header = readHeader(first.cells, names, device);
      await onHeader?.(first.cells);
      yield rest.map((record) => tableRow(record, header));
    }
  } catch (error) {
    if (!(error instanceof UnclosedQuoteError) || header === undefined) throw error;
    yield [{ line: error.line, source: [], problem: UNCLOSED_QUOTE }];
  }
  if (header === undefined)
    throw new UserError('the file is empty; a table must begin with a header that names its columns.');
}

const UNCLOSED_QUOTE =
  'has a quote that is not closed, so the rest of the file was not read; close the quote and import the file again';

interface Header {
  width: number;
  /** The indexes of the cells of each column; empty if the file does not have the column. */
  places: Places;
  device: string;
}

type Places = Readonly<Record<ReadingColumn, readonly number[]>>;

function findPlaces(texts: readonly string[], names: ColumnNames): Places {
  const headings = new HeadingIndex(texts);
  return byColumn((column) => headings.find(names[column] ?? column));
}

const DEVICE_OR_TANK = 'device_id or tank_id';

/** Finds the columns that the header lacks, by their names in the file. */
function findMissingColumns(places: Places, names: ColumnNames, device: string | undefined): string[] {
  const needed = READING_COLUMNS.filter((column) => !column.endsWith('_id') || names[column] !== undefined);
  const missing: string[] = needed
    .filter((column) => places[column].length === 0)
    .map((column) => names[column] ?? column);
  if (!namesTank(places) && device === undefined) missing.push(DEVICE_OR_TANK);
  return missing;
}

const namesTank = (places: Places): boolean => places.tank_id.length > 0 || places.device_id.length > 0;

/** Finds the cells of the columns that each reading needs; undefined if these cells are not the header of a file of readings. */
export function findReadingColumns(
  cells: readonly string[],
  names: ColumnNames = {},
  device?: string,
): number[] | undefined {
  const places = findPlaces(cells, names);
  if (findMissingColumns(places, names, device).length > 0) return undefined;
  return [...places.created_at, ...places.fill_percentage];
}

function readHeader(texts: readonly string[], names: ColumnNames, device: string | undefined): Header {
  const unknown = Object.keys(names).find((name) => !READING_COLUMNS.some((column) => column === name));
  if (unknown !== undefined)
    throw new UserError(`there is no column ${unknown} to map; the columns are ${READING_COLUMNS.join(', ')}.`);
  const places = findPlaces(texts, names);
  const missing = findMissingColumns(places, names, device);
  const hasTank = namesTank(places);
  if (missing.length > 0) {
    const shown = texts
      .map((text) => columnText(text))
      .join(', ')
      .slice(0, 500);
    throw new UserError(
      `the header has no ${missing.join(', no ')}; it has ${shown}. ` +
        'If a column has another name, pass it, such as --column created_at=Fecha.' +
        columnAdvice(texts, [...(hasTank ? [] : ['device_id']), ...missing]),
    );
  }
  if (device !== undefined && device !== '' && hasTank)
    throw new UserError('the file names the tank or device of each reading; leave out --device.');
  const headings = new HeadingIndex(texts);
  const repeated = READING_COLUMNS.find((column) => headings.isRepeated(names[column] ?? column));
  if (repeated !== undefined) throw new UserError(repeatedHeading(names[repeated] ?? repeated));
  return { width: texts.length, places, device: device ?? '' };
}

/** The name of a column on one line. */
const columnText = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

function tableRow({ line, cells, problem }: CsvRecord, header: Header | undefined): FileRow {
  const width = header?.width ?? 0;
  if (problem !== null) return { line, source: cells, problem };
  // A spreadsheet writes the empty cells to the right of a table too.
  const isTooLong = cells.slice(width).some((cell) => cell.trim() !== '');
  if (cells.length < width || isTooLong) {
    // Without this check, 45,5 without quotes would become 45.
    const counts = `has ${cells.length} cells and the header has ${width}`;
    return { line, source: cells, problem: `${counts}; put a cell that contains the delimiter in quotes` };
  }
  const cell = (column: ReadingColumn): string => joinedCells(cells, header?.places[column] ?? []).trim();
  return { line, source: cells, cells: withDevice(byColumn(cell), header?.device) };
}

async function* ndjsonRows(
  input: ByteSource,
  { names = {}, device, ...options }: ReadingFileOptions,
): AsyncGenerator<FileRow[]> {
  const lines = new LineSplitter();
  let line = 0;
  for await (const text of decodeText(input, options)) {
    const complete = lines.add(text);
    const firstLine = line + 1;
    yield complete.flatMap((lineText, index) => jsonRow(lineText, firstLine + index, names, device));
    line += complete.length;
    if (lines.rest.length > MAX_LINE_CHARACTERS) {
      const problem = 'is too long, so the rest of the file was not read; write one JSON object per line';
      yield [{ line: line + 1, source: '', problem }];
      return;
    }
  }
  yield jsonRow(lines.rest, line + 1, names, device);
}

/** Returns no row for a blank line. */
function jsonRow(text: string, line: number, names: ColumnNames, device: string | undefined): FileRow[] {
  if (text.trim() === '') return [];
  const value = parseJson(text);
  if (!isObject(value))
    return [{ line, source: text, problem: 'is not a JSON object; write one JSON object per line' }];
  const cells = byColumn((column) => cellText(value[names[column] ?? column]));
  const measure = parseMeasure(value);
  return [{ line, source: text, cells: withDevice(cells, device), ...(measure && { measure }) }];
}

/** The text that a CSV file would have, so that one parser handles both formats. */
function cellText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

const byColumn = <Value>(valueOf: (column: ReadingColumn) => Value): Record<ReadingColumn, Value> => ({
  tank_id: valueOf('tank_id'),
  device_id: valueOf('device_id'),
  created_at: valueOf('created_at'),
  fill_percentage: valueOf('fill_percentage'),
});

type ReadingCells = Readonly<Record<ReadingColumn, string>>;

const withDevice = (cells: ReadingCells, device = ''): ReadingCells =>
  device !== '' && cells.tank_id === '' && cells.device_id === '' ? { ...cells, device_id: device } : cells;
