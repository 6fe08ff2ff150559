import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { databaseUrl } from '../../engines/logins.ts';
import { startNats } from '../../engines/nats.ts';
import { findBinFolder, type PrivatePostgres, startPostgres } from '../../engines/postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's address on the server that all tests share. */
    serverUrl: string;
    templateDatabase: string;
    /** Whether the server ends with the run, and with it all its databases. */
    isPrivateServer: boolean;
    /** Of the nats-server that all tests share, each with a stream of its own. */
    natsUrl: string;
  }
}

/**
 * Once per run: a real PostgreSQL, of our own unless TEST_DATABASE_URL names one, with a migrated template that each
 * test file copies (some 70 ms instead of a migration); and a real nats-server.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  const postgres: PrivatePostgres | undefined = given === undefined ? await startPostgres() : undefined;
  const serverUrl = given ?? postgres?.url ?? '';
  // psql and pg_dump of the server's version, also in the processes that run the tests.
  process.env['PATH'] = `${postgres?.binFolder ?? (await findBinFolder())}:${process.env['PATH']}`;
  const compiled = await mkdtemp(join(tmpdir(), 'tankwatch-compiled-'));
  process.env['NODE_COMPILE_CACHE'] = compiled;
  const templateDatabase = `tw_template_${process.pid}`;

  const root = openPool({ url: serverUrl, applicationName: 'tests' });
  await root.query(`create database ${templateDatabase}`);
  const template = openPool({ url: databaseUrl(serverUrl, templateDatabase), applicationName: 'tests' });
  await migrate(template);
  await template.end();
  project.provide('serverUrl', serverUrl);
  project.provide('templateDatabase', templateDatabase);
  project.provide('isPrivateServer', postgres !== undefined);
  const nats = await startNats();
  project.provide('natsUrl', nats.url);

  return async () => {
    if (postgres === undefined) await root.query(`drop database if exists ${templateDatabase} with (force)`);
    await root.end();
    await postgres?.stop();
    await nats.stop();
    await rm(compiled, { recursive: true, force: true });
  };
}
