import { Readable } from 'node:stream';
import type { OperationResponse } from '../operation.ts';

/** A file that is sent while its lines are read. */
export const csvResponse = (fileName: string, lines: AsyncIterable<string>): OperationResponse => ({
  body: Readable.from(lines),
  headers: {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName}"`,
    'cache-control': 'no-store',
  },
});
