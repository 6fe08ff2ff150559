import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Pool } from 'pg';
import { type PrivateDatabase, startDatabase } from '../engines/database.ts';
import { OpenExports } from '../src/api/open_exports.ts';
import type { Operation } from '../src/api/operation.ts';
import { parseParameters } from '../src/api/parameters.ts';
import { onlyRow } from '../src/db/only_row.ts';
import type { Readers } from '../src/db/readers.ts';
import type { Caller } from '../src/keys/key_verifier.ts';
import type { PostgresOptions } from '../src/setup/servers/postgres.ts';

const SETTINGS = { shared_buffers: '2GB', max_wal_size: '8GB', synchronous_commit: 'off' };

/** Starts a database with settings for benchmarks. */
export const startBenchDatabase = (
  settings: Readonly<Record<string, string>> = {},
  options: PostgresOptions = {},
): Promise<PrivateDatabase> => startDatabase({ ...SETTINGS, ...settings }, options);

/** Returns the disk space of a table with its indexes and TOAST, in bytes per row. */
export async function bytesPerRow(owner: Pool, table: string): Promise<number> {
  const { rows } = await owner.query<{ bytes: number }>(
    `select pg_total_relation_size('${table}')::float8 / greatest(count(*), 1) as bytes from ${table}`,
  );
  return onlyRow(rows).bytes;
}

/** A caller that sees a whole organization, or one customer of it. */
const callerOf = (organizationNo: number, customerNo: number | null): Caller => ({
  keyNo: 0,
  keyPrefix: 'a0bench00000',
  organizationNo,
  customerNo,
  scopes: ['read'],
  requestsPerSecond: 1_000_000,
  burst: 1_000_000,
  isSession: false,
  contactNo: null,
  roles: [],
});

/** Reads by the path of an operation, such as `/v1/tanks/:id?size=10`, and the id for it. */
export type Read = (pathAndQuery: string, id?: string) => Promise<Record<string, unknown>>;

/** Makes a function that calls operations as an HTTP request would, without HTTP. */
export const requester =
  (
    operations: readonly Operation[],
    readers: Readers,
    organizationNo: number,
    customerNo: number | null = null,
  ): Read =>
  async (pathAndQuery, id = '') => {
    const [path = '', query = ''] = pathAndQuery.split('?');
    const operation = operations.find((candidate) => candidate.path === path);
    if (operation === undefined) throw new Error(`no operation has the path ${path}`);
    const given = new URLSearchParams(query);
    const parameters = parseParameters(operation.parameters, given, undefined);
    const caller = callerOf(organizationNo, customerNo);
    const { body } = await operation.handle({
      readers,
      caller,
      id,
      parameters,
      path,
      given,
      reauthorize: async () => {},
      exports: new OpenExports(),
      followReadings: () => Promise.resolve('0'),
    });
    if (body instanceof Readable) await text(body);
    return { ...body };
  };
