import type { Pool } from 'pg';
import { createLogins, databaseUrl } from '../engines/logins.ts';
import { type PrivatePostgres, startPostgres } from '../engines/postgres.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
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

export async function startInstallation(): Promise<Installation> {
  const postgres = await startPostgres({ shared_buffers: '2GB', max_wal_size: '8GB', synchronous_commit: 'off' });
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
export const wholeOrganization = (organizationNo: number): Caller => ({
  keyNo: 0,
  keyPrefix: 'a0bench00000',
  organizationNo,
  customerNo: null,
  scopes: ['read'],
  requestsPerSecond: 1_000_000,
  burst: 1_000_000,
  isSession: false,
});
