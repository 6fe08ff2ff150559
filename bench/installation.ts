import type { Pool } from 'pg';
import { createLogins, databaseUrl } from '../engines/logins.ts';
import { type PostgresOptions, type PrivatePostgres, startPostgres } from '../engines/postgres.ts';
import type { Operation } from '../src/api/operation.ts';
import { readParameters } from '../src/api/parameters.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import type { Readers } from '../src/db/readers.ts';
import type { Caller } from '../src/keys/key_verifier.ts';

/** A migrated database on a private PostgreSQL, with settings for benchmarks. */
export interface Installation {
  postgres: PrivatePostgres;
  /** Owns all tables, for creating data. */
  owner: Pool;
  apiUrl: string;
  workerUrl: string;
  writerUrl: string;
  stop(): Promise<void>;
}

const SETTINGS = { shared_buffers: '2GB', max_wal_size: '8GB', synchronous_commit: 'off' };

export async function startInstallation(
  settings: Readonly<Record<string, string>> = {},
  options: PostgresOptions = {},
): Promise<Installation> {
  const postgres = await startPostgres({ ...SETTINGS, ...settings }, options);
  const root = openPool({ url: postgres.url, applicationName: 'bench' });
  await root.query('create database bench');
  await root.end();
  const owner = openPool({ url: databaseUrl(postgres.url, 'bench'), applicationName: 'bench' });
  await migrate(owner);
  const { api, worker, writer } = await createLogins(owner, postgres.url, 'bench');
  return {
    postgres,
    owner,
    apiUrl: api,
    workerUrl: worker,
    writerUrl: writer,
    async stop() {
      await owner.end();
      await postgres.stop();
    },
  };
}

/** A caller that sees a whole organization. */
const wholeOrganization = (organizationNo: number): Caller => ({
  keyNo: 0,
  keyPrefix: 'a0bench00000',
  organizationNo,
  customerNo: null,
  scopes: ['read'],
  requestsPerSecond: 1_000_000,
  burst: 1_000_000,
  isSession: false,
});

/** A GET by the path of its operation, such as `/v1/tanks/:id?size=10`, with the id apart. */
export type Read = (pathAndQuery: string, id?: string) => Promise<Record<string, unknown>>;

/** Answers requests with the code that serves them, without HTTP. */
export const requester =
  (operations: readonly Operation[], readers: Readers, organizationNo: number): Read =>
  async (pathAndQuery, id = '') => {
    const [path = '', query = ''] = pathAndQuery.split('?');
    const operation = operations.find((known) => known.path === path);
    if (operation === undefined) throw new Error(`no operation has the path ${path}`);
    const given = new URLSearchParams(query);
    const parameters = readParameters(operation.parameters, given, undefined);
    const caller = wholeOrganization(organizationNo);
    const { body } = await operation.handle({
      readers,
      caller,
      id,
      parameters,
      path,
      given,
      reauthorize: async () => {},
    });
    return { ...body };
  };
