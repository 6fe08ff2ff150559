import type { Pool } from 'pg';
import type { DatabaseRole } from '../src/db/login_rights.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import { type PostgresOptions, type PrivatePostgres, startPostgres } from '../src/setup/servers/postgres.ts';
import { createLogins, databaseUrl } from './logins.ts';

/** A migrated database with a login for each role. */
export interface Database {
  /** Owns all tables, for creating data and for looking at it. */
  owner: Pool;
  ownerUrl: string;
  urls: Readonly<Record<DatabaseRole, string>>;
}

/** The logins are named after the database: the api role of the database `fleet` is `fleet_api`. */
export async function createDatabase(serverUrl: string, name: string): Promise<Database> {
  const root = openPool({ url: serverUrl, applicationName: name });
  await root.query(`create database ${name}`);
  await root.end();
  const ownerUrl = databaseUrl(serverUrl, name);
  const owner = openPool({ url: ownerUrl, applicationName: name });
  await migrate(owner);
  return { owner, ownerUrl, urls: await createLogins(owner, serverUrl, name) };
}

export interface PrivateDatabase extends Database {
  postgres: PrivatePostgres;
  stop(): Promise<void>;
}

/** The database `fleet` on a PostgreSQL of its own, for what needs neither nats-server nor roles as processes. */
export async function startDatabase(
  settings: Readonly<Record<string, string>> = {},
  options: PostgresOptions = {},
): Promise<PrivateDatabase> {
  const postgres = await startPostgres(settings, options);
  const database = await createDatabase(postgres.url, 'fleet');
  return {
    ...database,
    postgres,
    async stop() {
      await database.owner.end();
      await postgres.stop();
    },
  };
}
