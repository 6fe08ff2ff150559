import { Readable } from 'node:stream';
import { type NumberPiece, SortedNumbers } from '../../status/sorted_numbers.ts';
import { BYTE_ORDER_MARK, csvLine } from '../../values/csv.ts';
import { inSlices, type Sliced } from '../../values/slices.ts';
import type { OperationRequest, OperationResponse } from '../operation.ts';
import { ZONE_HEADER } from '../parameters.ts';
import { oneOf } from './filters.ts';

export interface CsvFile<Row> {
  name: string;
  header: readonly string[];
  /** Reads the page after a cursor. Returns its rows and the cursor of the next page, or null after the last page. */
  readPage: (after: string | undefined) => Promise<{ rows: readonly Row[]; next: string | null }>;
  cellsOf: (row: Row) => readonly unknown[];
  /** The time zone of the local times in the file, if it has any. Times with an offset are UTC in all files. */
  zone?: string;
}

/**
 * Rows per page. The database driver parses all rows of a result without a pause, and a tank takes about 0.09 ms from
 * its row to its line.
 */
export const CSV_PAGE_ROWS = 100;

export const csvParameters = {
  format: oneOf(
    ['spreadsheet', 'machine'],
    'spreadsheet, the default: the file begins with a byte order mark, and a text that a spreadsheet would run as a formula, such as a ' +
      'phone number with a plus, gets an apostrophe. machine: neither, for a program.',
  ),
};

/** Returns the function that writes a time in a zone as 2025-11-02 14:05. The Swedish format is ISO 8601. */
export function localTimeIn(zone: string): (at: string) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  return (at) => format.format(Date.parse(at));
}

type CsvRequest = Pick<
  OperationRequest<{ format?: 'spreadsheet' | 'machine' }>,
  'caller' | 'exports' | 'reauthorize' | 'parameters'
>;

/** Sends a file while its rows are read. The next page is read when the client has received the previous page. */
export const csvResponse = <Row>(request: CsvRequest, file: CsvFile<Row>): OperationResponse => ({
  body: Readable.from(pagesOf(request, file)),
  headers: {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${file.name}"`,
    'cache-control': 'no-store',
    ...(file.zone !== undefined && { [ZONE_HEADER]: file.zone }),
  },
});

/**
 * Pages of rows by their internal numbers. All numbers are found before the first row is read, so that each row is in
 * the file once, even if its position in the list changes meanwhile.
 */
export function pagesByNumber<Row>(
  findPiece: (after: number) => Promise<NumberPiece>,
  readRows: (numbers: readonly number[]) => Promise<readonly Row[]>,
): CsvFile<Row>['readPage'] {
  const numbers = new SortedNumbers();
  /**
   * The last number that was found, or null when all are found. Each piece is returned as a page without rows, so that
   * other exports can run in between.
   */
  let pieceAfter: number | null = -1;
  return async () => {
    if (pieceAfter !== null) {
      pieceAfter = numbers.add(await findPiece(pieceAfter));
      return { rows: [], next: 'numbers' };
    }
    const page = numbers.take(CSV_PAGE_ROWS);
    return { rows: await readRows(page), next: page.length < CSV_PAGE_ROWS ? null : 'rows' };
  };
}

/**
 * If the key is revoked during the export, the connection is closed in the middle of the file, so that the client sees
 * that it is incomplete.
 */
async function* pagesOf<Row>(
  { caller, exports, reauthorize, parameters: { format } }: CsvRequest,
  { header, readPage, cellsOf }: CsvFile<Row>,
): AsyncGenerator<string> {
  const isSpreadsheetSafe = format !== 'machine';
  yield (isSpreadsheetSafe ? BYTE_ORDER_MARK : '') + csvLine(header);
  let after: string | undefined;
  do {
    const { lines, next } = await exports.makePage(caller, async () => {
      await reauthorize();
      const page = await readPage(after);
      return { lines: await inSlices(linesOf(page.rows, cellsOf, isSpreadsheetSafe)), next: page.next };
    });
    if (lines !== '') yield lines;
    after = next ?? undefined;
  } while (after !== undefined);
}

function* linesOf<Row>(
  rows: readonly Row[],
  cellsOf: CsvFile<Row>['cellsOf'],
  isSpreadsheetSafe: boolean,
): Sliced<string> {
  let lines = '';
  for (const row of rows) {
    lines += csvLine(cellsOf(row), { isSpreadsheetSafe });
    yield;
  }
  return lines;
}
