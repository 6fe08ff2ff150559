import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createMigrated, MIGRATED, onServer } from '../../engines/database.ts';
import { scramVerifier } from '../../engines/logins.ts';
import { startNats } from '../../src/setup/servers/nats.ts';
import { createPostgresTemplate, findBinFolder, startPostgres } from '../../src/setup/servers/postgres.ts';
import { buildConsole } from './build_console.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's address on the server that all tests share. It does not wait for the disk: its data is not kept. */
    serverUrl: string;
    /** A superuser's address on a server with the shipped settings, for tests in which doctor checks them. */
    shippedServerUrl: string;
    templateDatabase: string;
    /** True if the server and all its databases end with the run. */
    isPrivateServer: boolean;
    /** The address of the nats-server that all tests share, each with a stream of its own. */
    natsUrl: string;
  }
}

const SETTINGS = {
  max_connections: '500',
  // By default, autovacuum visits each of some 300 databases once a minute, and they live for less than that.
  autovacuum_naptime: '10min',
  wal_compression: 'lz4', // a copied database is all in the WAL, and zstd takes more CPU time
};

/**
 * Starts once per run: a real PostgreSQL, of our own unless TEST_DATABASE_URL names one, with a migrated template that each
 * test file copies (some 70 ms instead of a migration); a real nats-server; and the built console.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Whatever was started is stopped again if the next step fails.
  await using starting = new AsyncDisposableStack();
  const building = buildConsole();
  building.catch(() => {}); // awaited below
  const pgTemplate = await mkdtemp(join(tmpdir(), 'tankwatch-pg-template-'));
  starting.defer(() => rm(pgTemplate, { recursive: true, force: true }));
  await createPostgresTemplate(pgTemplate, async (url) => {
    await createMigrated(url);
    await onServer(url, (root) => root.query(`alter role postgres password '${scramVerifier(new URL(url).password)}'`));
  });
  const given = process.env['TEST_DATABASE_URL'];
  const servers = await Promise.all(
    given === undefined
      ? [{ ...SETTINGS, fsync: 'off' }, SETTINGS].map((settings) => startPostgres(settings, { isFilled: true }))
      : [],
  );
  starting.defer(async () => void (await Promise.all(servers.map((server) => server.stop()))));
  const [postgres, shipped = postgres] = servers;
  // psql and pg_dump of the server's version, also in the processes that run the tests.
  process.env['PATH'] = `${postgres?.binFolder ?? (await findBinFolder())}:${process.env['PATH']}`;
  const compiled = await mkdtemp(join(tmpdir(), 'tankwatch-compiled-'));
  // A process that has just ended may still have written to it.
  starting.defer(() => rm(compiled, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }));
  process.env['NODE_COMPILE_CACHE'] = compiled;
  const templateDatabase = given === undefined ? MIGRATED : `tw_template_${process.pid}`;
  if (given !== undefined) {
    await createMigrated(given, templateDatabase);
    starting.defer(async () => {
      await onServer(given, (root) => root.query(`drop database ${templateDatabase} with (force)`));
    });
  }
  const nats = starting.adopt(await startNats({ syncInterval: '2m' }), (server) => server.stop());
  await building;
  project.provide('serverUrl', given ?? postgres?.url ?? '');
  project.provide('shippedServerUrl', given ?? shipped?.url ?? '');
  project.provide('templateDatabase', templateDatabase);
  project.provide('isPrivateServer', postgres !== undefined);
  project.provide('natsUrl', nats.url);
  const started = starting.move();
  return () => started.disposeAsync();
}
