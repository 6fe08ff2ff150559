import type { Pool } from 'pg';
import type { DatabaseRole } from '../src/db/login_rights.ts';
import { applyDatabaseGrants, migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import { type PostgresOptions, type PrivatePostgres, startPostgres } from '../src/setup/servers/postgres.ts';
import { createLogins, databaseUrl } from './logins.ts';

/** A migrated database with a login for each role. */
export interface Database {
  /** The login that owns all tables. It creates data and reads it. */
  owner: Pool;
  ownerUrl: string;
  urls: Readonly<Record<DatabaseRole, string>>;
}

/** The database with all migrations. Other databases of a test run are copies of it, because migrations take seconds. */
export const MIGRATED = 'tankwatch_migrated';

export async function createMigrated(serverUrl: string, name: string = MIGRATED): Promise<void> {
  await onServer(serverUrl, (root) => root.query(`create database ${name}`));
  await using pool = openPool({ url: databaseUrl(serverUrl, name), applicationName: name });
  await migrate(pool);
}

/**
 * Copies the database with all migrations, if the server has it. The logins are named after the database: the api role of the
 * database `fleet` is `fleet_api`.
 */
export async function createDatabase(serverUrl: string, name: string, migrated: string = MIGRATED): Promise<Database> {
  const isCopy = await onServer(serverUrl, async (root) => {
    const { rowCount } = await root.query('select from pg_database where datname = $1', [migrated]);
    await root.query(`create database ${name} ${rowCount === 1 ? `template ${migrated}` : ''}`);
    return rowCount === 1;
  });
  const ownerUrl = databaseUrl(serverUrl, name);
  const owner = openPool({ url: ownerUrl, applicationName: name });
  await (isCopy ? applyDatabaseGrants(owner) : migrate(owner));
  return { owner, ownerUrl, urls: await createLogins(owner, serverUrl, name) };
}

export async function onServer<Result>(url: string, work: (root: Pool) => Promise<Result>): Promise<Result> {
  await using root = openPool({ url, applicationName: 'server' });
  return await work(root);
}

/** It stops at the end of the block if it is declared with `await using`. */
export interface PrivateDatabase extends Database, AsyncDisposable {
  postgres: PrivatePostgres;
  stop: () => Promise<void>;
}

/** Starts a private PostgreSQL with the database `fleet`, without nats-server and roles. */
export async function startDatabase(
  settings: Readonly<Record<string, string>> = {},
  options: PostgresOptions = {},
): Promise<PrivateDatabase> {
  const postgres = await startPostgres(settings, { isFilled: true, ...options });
  const database = await createDatabase(postgres.url, 'fleet');
  return {
    ...database,
    postgres,
    async stop() {
      await database.owner.end();
      await postgres.stop();
    },
    [Symbol.asyncDispose](this: PrivateDatabase) {
      return this.stop();
    },
  };
}
