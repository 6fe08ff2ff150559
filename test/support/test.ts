import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { test as base, inject, onTestFinished } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { createDatabase, onServer } from '../../engines/database.ts';
import { databaseUrl } from '../../engines/logins.ts';
import type { DatabaseRole } from '../../src/db/login_rights.ts';
import { openPool } from '../../src/db/pool.ts';
import { Readers } from '../../src/db/readers.ts';
import { type CallOptions, callApi, type Response } from './http.ts';
import { databasePrefix } from './stopwatch.ts';

/** The database of one test file, copied from the template, with a login and a pool for each role. */
export interface TestDatabase {
  name: string;
  /** Owns everything; tests use it to look at what no role may see. */
  owner: Pool;
  ownerUrl: string;
  urls: Record<DatabaseRole, string>;
  operator: Pool;
  gateway: Pool;
  writer: Pool;
  worker: Pool;
  api: Pool;
  manager: Pool;
}

/** The api role on a real socket. */
export interface TestApi {
  url: string;
  call(path: string, options?: CallOptions): Promise<Response>;
}

/** Whether a test of the current file has failed. */
let hasFailed = false;

export const test = base.extend<{
  $file: { serverUrl: string; database: TestDatabase; readers: Readers; api: TestApi };
  $test: { watchFailure: void };
}>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads what a fixture needs from this pattern
  serverUrl: [async ({}, use) => use(inject('serverUrl')), { scope: 'file' }],
  database: [
    async ({ serverUrl }, use) => {
      hasFailed = false; // the files of a worker share this module
      const database = await createTestDatabase(serverUrl);
      await use(database);
      await dropDatabase(serverUrl, database);
    },
    { scope: 'file' },
  ],
  readers: [
    async ({ database }, use) => {
      const readers = await Readers.open({ url: database.urls.api, applicationName: 'tests readers', connections: 2 });
      await use(readers);
      await readers.close();
    },
    { scope: 'file' },
  ],
  api: [
    async ({ database }, use) => {
      const running = await startApi(database.urls.api);
      await use({ url: running.url, call: (path, options) => callApi(running.url, path, options) });
      await running.close();
    },
    { scope: 'file' },
  ],
  watchFailure: [
    async ({ onTestFailed }, use) => {
      onTestFailed(() => {
        hasFailed = true;
      });
      await use();
    },
    { auto: true },
  ],
});

type UrlFixture = [(given: object, use: (url: string) => Promise<void>) => Promise<void>, { scope: 'file' }];
/** A server with the shipped settings, for tests in which doctor checks them. */
// oxlint-disable-next-line no-empty-pattern -- vitest reads what a fixture needs from this pattern
export const shippedServer: UrlFixture = [async ({}, use) => use(inject('shippedServerUrl')), { scope: 'file' }];

/** Waits for something to start, and closes it when the test ends. */
export async function untilTestEnds<Running extends { close(): unknown } | { stop(): unknown }>(
  starting: Promise<Running>,
): Promise<Running> {
  const running = await starting;
  onTestFinished(async () => void (await ('close' in running ? running.close() : running.stop())));
  return running;
}

async function createTestDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `${databasePrefix()}${randomBytes(6).toString('hex')}`;
  const database = await createDatabase(serverUrl, name, inject('templateDatabase'));
  const { urls } = database;
  const pool = (role: DatabaseRole): Pool =>
    openPool({ url: urls[role], applicationName: `tests ${role}`, maxConnections: 12 });
  return {
    ...database,
    name,
    operator: pool('operator'),
    gateway: pool('gateway'),
    writer: pool('writer'),
    worker: pool('worker'),
    api: pool('api'),
    manager: pool('manager'),
  };
}

/** The address of another database on the same server: empty, or with all migrations. It is dropped after the test. */
export async function givenOtherDatabase(
  { name, owner, ownerUrl }: TestDatabase,
  { isMigrated }: { isMigrated: boolean },
): Promise<string> {
  const other = `${name}_${randomBytes(3).toString('hex')}`;
  await owner.query(`create database ${other} ${isMigrated ? `template ${inject('templateDatabase')}` : ''}`);
  onTestFinished(async () => void (await owner.query(`drop database ${other} with (force)`)));
  return databaseUrl(ownerUrl, other);
}

/** The database of a failed test is kept, and its name printed. */
async function dropDatabase(serverUrl: string, { name, urls, owner, ...pools }: TestDatabase): Promise<void> {
  const { operator, gateway, writer, worker, api, manager } = pools;
  await Promise.all([operator, gateway, writer, worker, api, manager, owner].map((pool) => pool.end()));
  if (hasFailed) {
    console.error(`kept the database of a failed test: ${name}`);
    return;
  }
  // Before PostgreSQL drops a database, it writes all databases to disk, which takes half a second or more.
  if (inject('isPrivateServer')) return;
  await onServer(serverUrl, async (root) => {
    await root.query(`drop database ${name} with (force)`);
    for (const role of Object.keys(urls)) await root.query(`drop role ${name}_${role}`);
  });
}
