import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { databaseUrl } from '../../engines/logins.ts';
import { listCustomersOperation } from '../../src/api/v1/customers.ts';
import { listTanksOperation } from '../../src/api/v1/tanks.ts';
import { listTelemetryOperation } from '../../src/api/v1/telemetry.ts';
import { openPool } from '../../src/db/pool.ts';
import { Readers } from '../../src/db/readers.ts';
import { Outage, silentLogger } from '../../src/health/outage.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { KeyVerifier } from '../../src/keys/key_verifier.ts';
import { startPostgres } from '../../src/setup/servers/postgres.ts';
import { tankwatch } from '../support/cli.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { askList, type Page } from '../support/lists.ts';
import { test } from '../support/test.ts';

const run = promisify(execFile);

test('a database restored from pg_dump on another server, as the guide says, has the same lists, and keys work', async ({
  database,
  readers,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo);
  const tank = await givenTank(database.operator, organizationNo, owner.no);
  const key = await givenKey(database.operator, { organizationNo });
  const at = (n: number): string => new Date(Date.UTC(2025, 0, 1) + n * 600_000).toISOString();
  await new BatchIngester(database.writer).ingestReadings(
    Array.from({ length: 4_500 }, (_, n) => ({ tankNo: tank.no, atMs: Date.parse(at(n)), fillPercentage: 50 })),
  );
  const lists = async (from: Readers): Promise<Page[]> => [
    await askList(from, listCustomersOperation, { organizationNo }, ''),
    await askList(from, listTanksOperation, { organizationNo }, ''),
    await askList(from, listTelemetryOperation, { organizationNo, id: tank.id }, 'page=300'),
  ];

  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-backup-'));
  const other = await startPostgres();
  const root = openPool({ url: other.url, applicationName: 'test' });
  await root.query(`create role tankwatch_owner login createrole password 'owner'`);
  await root.query('create database tankwatch owner tankwatch_owner');
  await root.end();
  const restoredUrl = databaseUrl(other.url, 'tankwatch', { user: 'tankwatch_owner', password: 'owner' });
  const environment = { MIGRATE_DATABASE_URL: restoredUrl };

  const dump = join(folder, 'tankwatch.dump');
  await run(join(other.binFolder, 'pg_dump'), ['--format=custom', `--file=${dump}`, database.ownerUrl]);
  expect((await tankwatch(['migrate'], environment)).code).toBe(0);
  await run('psql', [
    restoredUrl,
    '-qc',
    'drop schema public, graphile_worker, extensions cascade; create schema public',
  ]);
  await run(join(other.binFolder, 'pg_restore'), ['--no-owner', `--dbname=${restoredUrl}`, dump]);
  expect((await tankwatch(['migrate'], environment)).stdout).toContain('up to date already');

  const restored = await Readers.open({ url: restoredUrl, applicationName: 'test', connections: 1 });
  expect(await lists(restored)).toEqual(await lists(readers));
  const verifier = new KeyVerifier(restored, { outage: new Outage(silentLogger, 'following changes to keys') });
  await verifier.start();
  expect(await verifier.verify(key.text)).toMatchObject({ organizationNo });
  verifier.close();
  const restoredOwner = openPool({ url: restoredUrl, applicationName: 'test' });
  await restoredOwner.query(`create role tw_operator login password 'operator' in role tankwatch_operator`);
  await restoredOwner.end();
  const operatorUrl = databaseUrl(other.url, 'tankwatch', { user: 'tw_operator', password: 'operator' });
  const doctor = await tankwatch(['doctor'], { OPERATOR_DATABASE_URL: operatorUrl });
  // The only finding is that no worker is running yet.
  expect([doctor.code, doctor.stdout.match(/^(WRONG|warn ).*:/gm)]).toEqual([
    1,
    ['warn  worker: no worker is running:'],
  ]);
  await restored.close();
  await other.stop();
  await rm(folder, { recursive: true, force: true });
});
