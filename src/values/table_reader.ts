import { type ByteSource, peekSource } from './byte_source.ts';
import { type CsvOptions, type CsvRecord, readCsv } from './csv_reader.ts';
import type { DecimalMark } from './decimal.ts';
import { columnName } from './headings.ts';
import { amount } from './text_format.ts';
import { UserError } from './user_error.ts';
import { type Sheet, Workbook } from './xlsx/workbook.ts';

export interface TableOptions extends CsvOptions {
  /** The sheet of a workbook. The default is the first visible sheet. */
  sheet?: string | undefined;
  /** The decimal mark with which numbers of a workbook are written, so that they agree with its texts. */
  decimal?: DecimalMark | undefined;
  /** The largest size of a part of a workbook after it is unpacked. */
  maxPartBytes?: number | undefined;
  /** Called with the names of the sheets of a workbook. The first name is the sheet that is read. */
  onSheets?: (names: readonly string[]) => void;
  /** The indexes of the needed columns, if these cells are the header; undefined if they are not. */
  findColumns?: ((cells: readonly string[]) => readonly number[] | undefined) | undefined;
}

/** The header lies within this many rows. */
const HEADER_ROWS = 50;
/** The words at the start of a row with a sum or a mean. */
const TOTAL = /^((sub|grand |gran )?total(es)?|sum|suma|summe|gesamt|average|mean|promedio|media|mittelwert)\b/i;

/**
 * Reads the rows of a CSV file or of a sheet of a workbook (.xlsx), several at a time. The first row is the header. Rows above it,
 * such as a title, and rows with totals are skipped.
 */
export async function* readTable(source: ByteSource, options: TableOptions = {}): AsyncGenerator<CsvRecord[]> {
  const { findColumns, onNote } = options;
  const head: CsvRecord[] = [];
  const totals: number[] = [];
  let header: TableHeader | undefined;
  let failure: unknown;
  const rows = (await readRecords(source, options))[Symbol.asyncIterator]();
  const withoutTotals = (records: readonly CsvRecord[], { needed }: TableHeader): CsvRecord[] =>
    records.filter((record) => {
      if (!isTotal(record, needed)) return true;
      totals.push(record.line);
      return false;
    });
  for (;;) {
    // A quote that is not closed ends the reading. The rows before it are still returned.
    const next = await rows.next().catch((error: unknown) => {
      failure = error;
      return { done: true as const, value: undefined };
    });
    if (header !== undefined && next.done !== true) {
      yield withoutTotals(next.value, header);
      continue;
    }
    for (const record of next.value ?? []) head.push(record); // a file may be one chunk, too long for a list of arguments
    if (header === undefined && (next.done === true || head.length >= HEADER_ROWS)) {
      header = findHeader(head.slice(0, HEADER_ROWS), findColumns);
      const [first] = header.rows;
      if (header.skipped > 0 && first !== undefined)
        onNote?.(`the table begins in line ${first.line}; the lines above it were left out.`);
      yield [
        ...header.rows.slice(0, 1),
        ...withoutTotals([...header.rows.slice(1), ...head.slice(HEADER_ROWS)], header),
      ];
    }
    if (next.done === true) break;
  }
  if (failure !== undefined) throw failure;
  if (totals.length > 0) onNote?.(`left out ${amount(totals.length, 'rows')} with totals, first in line ${totals[0]}.`);
}

/** Returns true for a workbook or another ZIP file. */
export const isZip = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, 4)).toString('latin1') === 'PK\x03\x04';

async function readRecords(source: ByteSource, options: TableOptions): Promise<AsyncIterable<CsvRecord[]>> {
  const { head, chunks } = await peekSource(source, 4);
  if (!isZip(head)) return readCsv({ ...source, chunks }, options);
  const workbook = await Workbook.open(chunks(), options.maxPartBytes);
  options.onDelimiter?.(',');
  const sheet = chooseSheet(workbook, options);
  const others = workbook.sheets.filter((other) => other !== sheet && !other.isHidden);
  options.onSheets?.([sheet, ...others].map(({ name }) => name));
  return padded(workbook.rows(sheet, options.decimal));
}

function chooseSheet({ sheets }: Workbook, { sheet, onNote }: TableOptions): Sheet {
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const names = (visible.length === 0 ? sheets : visible).map(({ name }) => name).join(', ');
  if (sheet !== undefined) {
    const found = sheets.find(({ name }) => columnName(name) === columnName(sheet));
    if (found === undefined) throw new UserError(`the workbook has no sheet ${sheet}; its sheets are ${names}.`);
    return found;
  }
  const chosen = visible[0] ?? sheets[0];
  if (chosen === undefined) throw new UserError('the workbook has no sheet.');
  if (visible.length > 1) onNote?.(`the sheet ${chosen.name} is read; choose another of ${names} with --sheet.`);
  return chosen;
}

/** Adds empty cells at the end of short rows, which a workbook does not store. */
async function* padded(batches: AsyncIterable<CsvRecord[]>): AsyncGenerator<CsvRecord[]> {
  let width = 0;
  for await (const records of batches) {
    for (const { cells } of records) width = Math.max(width, cells.length);
    const empty = (count: number): string[] => Array.from({ length: count }, () => '');
    yield records.map((record) => ({ ...record, cells: [...record.cells, ...empty(width - record.cells.length)] }));
  }
}

interface TableHeader {
  /** The header, and the rows after it. */
  rows: readonly CsvRecord[];
  /** The number of rows above the header. */
  skipped: number;
  needed: readonly number[];
}

/** Finds the first row that has the needed columns, alone or with the row above it: a merged heading has two rows. */
function findHeader(rows: readonly CsvRecord[], findColumns: TableOptions['findColumns']): TableHeader {
  for (const [index, row] of rows.entries()) {
    for (const cells of [row.cells, withHeadingAbove(row, rows[index - 1])]) {
      const needed = findColumns?.(cells);
      if (needed !== undefined) return { rows: [{ ...row, cells }, ...rows.slice(index + 1)], skipped: index, needed };
    }
  }
  const skipped = findColumns === undefined ? 0 : likelyHeader(rows);
  const header = rows[skipped];
  if (header === undefined || skipped === 0) return { rows, skipped: 0, needed: [] };
  const cells = withHeadingAbove(header, rows[skipped - 1]);
  return { rows: [{ ...header, cells }, ...rows.slice(skipped + 1)], skipped, needed: [] };
}

const withHeadingAbove = ({ cells }: CsvRecord, above: CsvRecord | undefined): readonly string[] =>
  cells.map((cell, index) => (cell.trim() === '' ? (above?.cells[index] ?? '') : cell));

/** Finds the row that is most likely the header, for a message about its columns: the row above the first row with values. */
function likelyHeader(rows: readonly CsvRecord[]): number {
  const filled = rows.map(({ cells }) => cells.filter((cell) => cell.trim() !== ''));
  const width = mostFrequent(filled.map((cells) => cells.length).filter((length) => length > 1));
  const isValues = (cells: readonly string[]): boolean => cells.some((cell) => !/^\s*\p{L}/u.test(cell));
  const values = filled.findIndex((cells) => cells.length >= width && isValues(cells));
  if (values > 0) return (filled[values - 1]?.length ?? 0) > 1 ? values - 1 : values;
  return Math.max(0, values === 0 ? 0 : filled.findIndex((cells) => cells.length >= width));
}

function mostFrequent(numbers: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

const isTotal = ({ cells }: CsvRecord, needed: readonly number[]): boolean =>
  needed.some((index) => (cells[index] ?? '').trim() === '') &&
  TOTAL.test(cells.find((cell) => cell.trim() !== '')?.trim() ?? '');
