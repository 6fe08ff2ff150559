import type { QueryResultRow } from 'pg';
import type { Db } from './pool.ts';
import type { Readers } from './readers.ts';

/** Runs one statement that reads: in a transaction, with a pool, or on the connections that requests share. */
export type ReadRows = <Row extends QueryResultRow>(text: string, values: unknown[]) => Promise<Row[]>;

export const rowsOf =
  (db: Db): ReadRows =>
  async (text, values) =>
    (await db.query(text, values)).rows;

export const sharedRowsOf =
  (readers: Readers): ReadRows =>
  (text, values) =>
    readers.query({ text }, values);
