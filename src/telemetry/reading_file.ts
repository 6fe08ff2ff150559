import { parse } from 'csv-parse';
import { isObject, parseJson } from '../values/json.ts';
import { UserError } from '../values/user_error.ts';

export const FILE_FORMATS = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export const READING_COLUMNS = ['tank_id', 'device_id', 'created_at', 'fill_percentage'] as const;
export type ReadingColumn = (typeof READING_COLUMNS)[number];

/** What a file calls our columns, where it does not use our names. */
export type ColumnNames = Partial<Readonly<Record<ReadingColumn, string>>>;

/** A row of a file with what is written in it, or with what keeps it from being read at all. */
export type FileRow = { line: number } & ({ cells: Readonly<Record<ReadingColumn, string>> } | { wrong: string });

/** Readings have some 70 bytes. Where a row goes on for longer than this, a quote or a line's end is missing. */
const MAX_ROW_BYTES = 65_536;

/** The rows of a file, some at a time and never the whole file, each with its line (for CSV, the one it ends on). */
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
    // A row with a stray quote or a cell too many is one bad row; it must not end the import.
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
    // Gathered here instead of being read from the parser: a stream that fails forgets the rows it had parsed before.
    on_record: (texts, { lines }) => {
      records.push({ line: lines, texts });
      lastLine = lines;
      return null;
    },
  });
  parser.on('error', () => {}); // the callbacks below are given it too
  const parsed = (): CsvRecord[] => {
    const taken = records;
    records = [];
    return taken;
  };

  let header: Header | undefined;
  const asRows = (taken: readonly CsvRecord[]): FileRow[] => {
    const [first, ...rest] = taken;
    if (header !== undefined || first === undefined) return taken.map((record) => csvRow(record, header));
    header = readHeader(first.texts, names);
    return rest.map((record) => csvRow(record, header));
  };

  for await (const chunk of input) {
    const failure = await new Promise<unknown>((resolve) => parser.write(chunk, resolve));
    yield asRows(parsed());
    if (failure) {
      yield [endlessRow(lastLine)];
      return;
    }
  }
  const failure = await new Promise<unknown>((resolve) => parser.end(resolve));
  yield asRows(parsed());
  if (failure) yield [endlessRow(lastLine)];
  else if (header === undefined)
    throw new UserError('the file is empty; a CSV file begins with the names of its columns.');
}

const endlessRow = (lastLine: number): FileRow => ({
  line: lastLine + 1,
  wrong: 'a quote opens here and is not closed, so nothing from here on was read; repair it and import the file again',
});

interface Header {
  width: number;
  /** Where each column stands; -1 where the file does not have it. */
  at: Readonly<Record<ReadingColumn, number>>;
}

function readHeader(texts: readonly string[], names: ColumnNames): Header {
  const columns = texts.map((text) => text.trim());
  const place = (column: ReadingColumn): number => columns.indexOf(names[column] ?? column);
  const at = {
    tank_id: place('tank_id'),
    device_id: place('device_id'),
    created_at: place('created_at'),
    fill_percentage: place('fill_percentage'),
  };
  const needed = READING_COLUMNS.filter((column) => !column.endsWith('_id') || names[column] !== undefined);
  const missing: string[] = needed.filter((column) => at[column] < 0).map((column) => names[column] ?? column);
  if (at.tank_id < 0 && at.device_id < 0) missing.push('device_id or tank_id');
  if (missing.length > 0) {
    throw new UserError(
      `the header has no ${missing.join(', no ')}; it has ${columns.join(', ').slice(0, 500)}. ` +
        'Name the right ones, such as --column created_at=Zeit.',
    );
  }
  return { width: columns.length, at };
}

function csvRow({ line, texts }: CsvRecord, header: Header | undefined): FileRow {
  if (texts.length !== header?.width) {
    // Half a number is a number too: 45,5 without quotes must not become 45.
    return {
      line,
      wrong: `has ${texts.length} cells where the header has ${header?.width}; quote a cell with a comma`,
    };
  }
  const cell = (column: ReadingColumn): string => texts[header.at[column]]?.trim() ?? '';
  return { line, cells: cellsBy(cell) };
}

/** Not node:readline, which also ends a line at U+2028: JSON may hold that inside a text. */
async function* ndjsonRows(input: AsyncIterable<Uint8Array>, names: ColumnNames): AsyncGenerator<FileRow[]> {
  const decoder = new TextDecoder();
  let rest = '';
  let line = 0;
  for await (const chunk of input) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = texts.pop() ?? '';
    yield texts.flatMap((text) => jsonRow(text, ++line, names));
    if (rest.length > MAX_ROW_BYTES) {
      const wrong = 'does not end, so nothing from here on was read; write one JSON object per line';
      yield [{ line: line + 1, wrong }];
      return;
    }
  }
  yield jsonRow(rest + decoder.decode(), line + 1, names);
}

/** No row where the line is blank. */
function jsonRow(text: string, line: number, names: ColumnNames): FileRow[] {
  if (text.trim() === '') return [];
  const given = parseJson(text);
  if (!isObject(given)) return [{ line, wrong: 'is not a JSON object; write one per line' }];
  return [{ line, cells: cellsBy((column) => asText(given[names[column] ?? column])) }];
}

/** What a CSV file would have in its place: one parser then judges both. */
function asText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

const cellsBy = (cell: (column: ReadingColumn) => string): Record<ReadingColumn, string> => ({
  tank_id: cell('tank_id'),
  device_id: cell('device_id'),
  created_at: cell('created_at'),
  fill_percentage: cell('fill_percentage'),
});
