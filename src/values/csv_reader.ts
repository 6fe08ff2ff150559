import type { ByteSource } from './byte_source.ts';
import { type DecodeOptions, decodeText } from './text_encoding.ts';
import { UserError } from './user_error.ts';

export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t' } as const;
export type Delimiter = (typeof DELIMITERS)[keyof typeof DELIMITERS];

export interface CsvOptions extends DecodeOptions {
  /** Without it, the delimiter is detected from the first lines. */
  delimiter?: Delimiter | undefined;
  /** Called with the delimiter before the first record. */
  onDelimiter?: (delimiter: Delimiter) => void;
}

/** A row of a file. */
export interface CsvRecord {
  /** The line on which the row begins. */
  line: number;
  cells: readonly string[];
  /** The problem of the row as the end of the sentence "The row <problem>"; null if the row is well-formed. */
  problem: string | null;
}

/** The rest of the file cannot be read, because it is unknown where its rows begin. */
export class UnclosedQuoteError extends UserError {
  readonly line: number;

  constructor(line: number) {
    super(`the file is not well-formed CSV: a quote in line ${line} is not closed.`);
    this.line = line;
  }
}

/** The rows of imported files have some hundred characters. A row above this limit lacks a quote or a line break. */
const MAX_ROW_CHARACTERS = 65_536;

/** The largest number of columns of a spreadsheet. */
const MAX_CELLS = 16_384;

/** The delimiter and the line ends are detected from this many characters. A title above a table is shorter. */
const HEAD_CHARACTERS = 16_384;

/**
 * Reads the rows of a CSV file, several at a time, in any encoding, with any delimiter and any line ends. The first row is
 * the header. Empty lines, and rows whose cells are all empty, are skipped. Cells are exactly as in the file; a quote
 * inside a cell that does not begin with one is an ordinary character.
 *
 * This is not a library, because an import continues after a row with a bad quote and writes the unchanged cells to a file. The
 * reader reads more than a million rows of readings a second.
 */
export async function* readCsv(source: ByteSource, options: CsvOptions = {}): AsyncGenerator<CsvRecord[]> {
  let splitter: RecordSplitter | undefined;
  let waiting = '';
  for await (const text of decodeText(source, options)) {
    if (splitter !== undefined) {
      yield splitter.split(text, false);
      continue;
    }
    waiting += text;
    if (waiting.length < HEAD_CHARACTERS) continue;
    splitter = startSplitter(waiting, options);
    yield splitter.split(waiting, false);
    waiting = '';
  }
  splitter ??= startSplitter(waiting, options);
  yield splitter.split(waiting, false); // also the rows before a quote that is not closed
  yield splitter.split('', true);
}

function startSplitter(text: string, { delimiter, onDelimiter }: CsvOptions): RecordSplitter {
  const lineEnd = text.includes('\n') ? '\n' : '\r';
  const chosen = delimiter ?? detectDelimiter(text, lineEnd);
  onDelimiter?.(chosen);
  return new RecordSplitter(chosen, lineEnd);
}

/** A first line such as `sep=;`, which makes Excel use this delimiter in every country. */
const SEPARATOR_LINE = /^"?sep=([,;\t])"?\r?$/i;

/**
 * Returns the delimiter with which the most lines have the same number of cells, two or more. A title above the table has no
 * delimiters or other ones. The comma is the last candidate, because it is also a decimal mark.
 */
function detectDelimiter(text: string, lineEnd: string): Delimiter {
  const candidates: readonly Delimiter[] = ['\t', ';', ','];
  const firstLine = text.split(lineEnd).find((line) => line.trim() !== '') ?? '';
  const named = candidates.find((candidate) => candidate === SEPARATOR_LINE.exec(firstLine)?.[1]);
  if (named !== undefined) return named;
  const outside = text.replaceAll(/"(?:[^"]|"")*"/g, '').split(lineEnd);
  const lines = outside.length > 2 ? outside.slice(0, -1) : outside; // the last one may be cut
  const shapes = candidates.map((candidate) => commonShape(lines.map((line) => line.split(candidate).length)));
  const [best] = shapes.toSorted((a, b) => b.lines - a.lines || b.cells - a.cells);
  return candidates[shapes.findIndex((shape) => shape === best)] ?? ',';
}

/** Finds the most frequent number of cells of two or more, and the number of lines that have it. */
function commonShape(cellCounts: readonly number[]): { cells: number; lines: number } {
  const lines = new Map<number, number>();
  for (const cells of cellCounts) if (cells > 1) lines.set(cells, (lines.get(cells) ?? 0) + 1);
  let common = { cells: 1, lines: 0 };
  for (const [cells, count] of lines) if (count > common.lines) common = { cells, lines: count };
  return common;
}

class RecordSplitter {
  readonly #delimiter: Delimiter;
  readonly #lineEnd: '\n' | '\r';
  #rest = '';
  #line = 1;
  #isFirst = true;

  constructor(delimiter: Delimiter, lineEnd: '\n' | '\r') {
    this.#delimiter = delimiter;
    this.#lineEnd = lineEnd;
  }

  /** Returns the complete rows. An incomplete row waits for more text. */
  split(text: string, isEnd: boolean): CsvRecord[] {
    const all = this.#rest + text;
    const records: CsvRecord[] = [];
    let start = 0;
    while (start < all.length) {
      const lineEnd = all.indexOf(this.#lineEnd, start);
      const end = lineEnd < 0 ? all.length : lineEnd;
      const line = all.slice(start, end);
      const isComplete = lineEnd >= 0 || isEnd;
      const row = line.includes('"')
        ? this.#parseQuoted(all, start, isEnd)
        : isComplete && { cells: withoutCr(line).split(this.#delimiter), next: end + 1, problem: null };
      if (row === undefined || row === false) break;
      const isSkipped = row.cells.every((cell) => cell.trim() === '') || (this.#isFirst && SEPARATOR_LINE.test(line));
      if (!isSkipped) records.push({ line: this.#line, ...limitCells(row) });
      this.#isFirst &&= isSkipped;
      this.#line += line.includes('"') ? this.#countLines(all, start, row.next) : 1;
      start = row.next;
    }
    this.#rest = all.slice(start);
    if (this.#rest.length > MAX_ROW_CHARACTERS || (isEnd && this.#rest !== '')) {
      if (this.#rest.includes('"')) throw new UnclosedQuoteError(this.#line);
      throw new UserError(`line ${this.#line} has more than ${MAX_ROW_CHARACTERS} characters; is this a CSV file?`);
    }
    return records;
  }

  #countLines(all: string, start: number, next: number): number {
    return Math.max(1, all.slice(start, next).split(this.#lineEnd).length - 1);
  }

  /** Parses a row with quotes that begins at `start`. Returns undefined if the end of the row has not been read yet. */
  #parseQuoted(
    all: string,
    start: number,
    isEnd: boolean,
  ): { cells: string[]; next: number; problem: string | null } | undefined {
    const cells: string[] = [];
    let problem: string | null = null;
    let at = start;
    for (;;) {
      const cell = this.#parseCell(all, at);
      if (cell === undefined) return undefined;
      problem ??= cell.problem;
      cells.push(cell.text);
      if (all[cell.end] === this.#delimiter) {
        at = cell.end + 1;
        continue;
      }
      // The text ends here. If the file does not, more of this row may follow.
      if (cell.end >= all.length && !isEnd) return undefined;
      return { cells, next: cell.end + 1, problem };
    }
  }

  #parseCell(all: string, start: number): { text: string; end: number; problem: string | null } | undefined {
    let quote = start;
    while (all[quote] === ' ') quote++;
    if (all[quote] !== '"') {
      const end = this.#endOfCell(all, start);
      return { text: withoutCr(all.slice(start, end)), end, problem: null };
    }
    let close = all.indexOf('"', quote + 1);
    while (close >= 0 && all[close + 1] === '"') close = all.indexOf('"', close + 2);
    if (close < 0) return undefined;
    const text = all.slice(quote + 1, close).replaceAll('""', '"');
    const end = this.#endOfCell(all, close + 1);
    const after = all.slice(close + 1, end);
    if (after.trim() === '') return { text, end, problem: null };
    const problem = 'has text after a closing quote; write a quote inside a quoted cell twice';
    return { text: withoutCr(all.slice(start, end)), end, problem };
  }

  /** Reads each character once. `indexOf` would read to the end of the line for every cell. */
  #endOfCell(all: string, from: number): number {
    let at = from;
    while (at < all.length && all[at] !== this.#delimiter && all[at] !== this.#lineEnd) at++;
    return at;
  }
}

const limitCells = ({ cells, problem }: Omit<CsvRecord, 'line'>): Omit<CsvRecord, 'line'> =>
  cells.length <= MAX_CELLS
    ? { cells, problem }
    : { cells: cells.slice(0, MAX_CELLS), problem: `has more than ${MAX_CELLS} cells` };

const withoutCr = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);
