import { parse } from 'csv-parse';
import { isObject, parseJson } from '../values/json.ts';
import { UserError } from '../values/user_error.ts';

export const FILE_FORMATS = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export const READING_COLUMNS = ['tank_id', 'device_id', 'created_at', 'fill_percentage'] as const;
export type ReadingColumn = (typeof READING_COLUMNS)[number];

/** The names of columns in a file that does not use the standard names. */
export type ColumnNames = Partial<Readonly<Record<ReadingColumn, string>>>;

/** A row of a file: its cells, or the problem that makes it unreadable, as in "The row <problem>." */
export type FileRow = { line: number } & ({ cells: Readonly<Record<ReadingColumn, string>> } | { problem: string });

/** A reading takes about 70 bytes. In a longer row, a closing quote or a line break is missing. */
const MAX_ROW_BYTES = 65_536;

/** Reads the rows of a file in chunks, so that a file of any size fits in memory. A CSV row has the line it ends on. */
export function readRows(
  input: AsyncIterable<Uint8Array>,
  format: FileFormat,
  names: ColumnNames,
): AsyncGenerator<FileRow[]> {
  return format === 'csv' ? csvRows(input, names) : ndjsonRows(input, names);
}

interface CsvRecord {
  line: number;
  texts: string[];
}

async function* csvRows(input: AsyncIterable<Uint8Array>, names: ColumnNames): AsyncGenerator<FileRow[]> {
  let records: CsvRecord[] = [];
  let lastLine = 0;
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n'],
    skip_empty_lines: true,
    // A row with a misplaced quote or an extra cell is one bad row and must not stop the import.
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
    // Collected here because a parser stream that fails drops the rows it parsed before the failure.
    on_record: (texts, { lines }) => {
      records.push({ line: lines, texts });
      lastLine = lines;
      return null;
    },
  });
  parser.on('error', () => {}); // the callbacks below receive the error too
  const parsedRecords = (): CsvRecord[] => {
    const parsed = records;
    records = [];
    return parsed;
  };

  let header: Header | undefined;
  const toRows = (parsed: readonly CsvRecord[]): FileRow[] => {
    const [first, ...rest] = parsed;
    if (header !== undefined || first === undefined) return parsed.map((record) => csvRow(record, header));
    header = readHeader(first.texts, names);
    return rest.map((record) => csvRow(record, header));
  };

  for await (const chunk of input) {
    const failure = await new Promise<unknown>((resolve) => parser.write(chunk, resolve));
    yield toRows(parsedRecords());
    if (failure) {
      yield [unclosedQuoteRow(lastLine)];
      return;
    }
  }
  const failure = await new Promise<unknown>((resolve) => parser.end(resolve));
  yield toRows(parsedRecords());
  if (failure) yield [unclosedQuoteRow(lastLine)];
  else if (header === undefined)
    throw new UserError('the file is empty; a CSV file must begin with a header that names its columns.');
}

const unclosedQuoteRow = (lastLine: number): FileRow => ({
  line: lastLine + 1,
  problem:
    'has a quote that is not closed, so the rest of the file was not read; close the quote and import the file again',
});

interface Header {
  width: number;
  /** Index of each column; -1 if the file does not have it. */
  indexes: Readonly<Record<ReadingColumn, number>>;
}

function readHeader(texts: readonly string[], names: ColumnNames): Header {
  const columns = texts.map((text) => text.trim());
  const indexOf = (column: ReadingColumn): number => columns.indexOf(names[column] ?? column);
  const indexes = {
    tank_id: indexOf('tank_id'),
    device_id: indexOf('device_id'),
    created_at: indexOf('created_at'),
    fill_percentage: indexOf('fill_percentage'),
  };
  const needed = READING_COLUMNS.filter((column) => !column.endsWith('_id') || names[column] !== undefined);
  const missing: string[] = needed.filter((column) => indexes[column] < 0).map((column) => names[column] ?? column);
  if (indexes.tank_id < 0 && indexes.device_id < 0) missing.push('device_id or tank_id');
  if (missing.length > 0) {
    throw new UserError(
      `the header has no ${missing.join(', no ')}; it has ${columns.join(', ').slice(0, 500)}. ` +
        'If a column has another name, pass it, such as --column created_at=Zeit.',
    );
  }
  return { width: columns.length, indexes };
}

function csvRow({ line, texts }: CsvRecord, header: Header | undefined): FileRow {
  if (texts.length !== header?.width) {
    // Without this check, 45,5 without quotes would become 45.
    return {
      line,
      problem: `has ${texts.length} cells and the header has ${header?.width}; put a cell that contains a comma in quotes`,
    };
  }
  const cell = (column: ReadingColumn): string => texts[header.indexes[column]]?.trim() ?? '';
  return { line, cells: cellsFrom(cell) };
}

/** Does not use node:readline, which also splits at U+2028: a JSON string may contain that character. */
async function* ndjsonRows(input: AsyncIterable<Uint8Array>, names: ColumnNames): AsyncGenerator<FileRow[]> {
  const decoder = new TextDecoder();
  let rest = '';
  let line = 0;
  for await (const chunk of input) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = texts.pop() ?? '';
    yield texts.flatMap((text) => jsonRow(text, ++line, names));
    if (rest.length > MAX_ROW_BYTES) {
      const problem = 'is too long, so the rest of the file was not read; write one JSON object per line';
      yield [{ line: line + 1, problem }];
      return;
    }
  }
  yield jsonRow(rest + decoder.decode(), line + 1, names);
}

/** Returns no row for a blank line. */
function jsonRow(text: string, line: number, names: ColumnNames): FileRow[] {
  if (text.trim() === '') return [];
  const value = parseJson(text);
  if (!isObject(value)) return [{ line, problem: 'is not a JSON object; write one JSON object per line' }];
  return [{ line, cells: cellsFrom((column) => cellText(value[names[column] ?? column])) }];
}

/** The text that a CSV file would have, so that one parser handles both formats. */
function cellText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

const cellsFrom = (cell: (column: ReadingColumn) => string): Record<ReadingColumn, string> => ({
  tank_id: cell('tank_id'),
  device_id: cell('device_id'),
  created_at: cell('created_at'),
  fill_percentage: cell('fill_percentage'),
});
