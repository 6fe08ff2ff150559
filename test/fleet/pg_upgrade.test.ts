import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { createLogins } from '../../engines/logins.ts';
import { readEventFeed } from '../../src/api/fleet/events.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';
import { Readers } from '../../src/db/readers.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { type PrivatePostgres, serverUser, startPostgres } from '../../src/setup/servers/postgres.ts';
import { givenTanked, lowFillOf, record } from '../support/events.ts';
import { type TestDatabase, test } from '../support/test.ts';

const run = promisify(execFile);
const PASSWORD = 'upgraded';

/** Starts a server that keeps its data when it stops. */
async function startKept(folder: string, name: string): Promise<PrivatePostgres> {
  const kept = { dataFolder: join(folder, name), port: await freePort(), password: PASSWORD };
  return startPostgres({ restore_command: 'false' }, { kept });
}

/** Restarts the server as a restore or a promotion does: on the next timeline. */
async function beginNextTimeline(server: PrivatePostgres): Promise<void> {
  await server.kill();
  await writeFile(join(server.dataFolder, 'data/recovery.signal'), '');
  await server.restart();
  await withOwner(server, async ({ owner }) => {
    const isInRecovery = async () => (await owner.query('select pg_is_in_recovery() as is_on')).rows[0]?.is_on;
    await expect.poll(isInRecovery).toBe(false);
  });
}

async function withOwner<T>({ url }: PrivatePostgres, work: (database: TestDatabase) => Promise<T>): Promise<T> {
  const owner = openPool({ url, applicationName: 'test' });
  try {
    return await work({ owner, operator: owner, writer: owner } as unknown as TestDatabase);
  } finally {
    await owner.end();
  }
}

const timelineOf = (server: PrivatePostgres): Promise<string> =>
  withOwner(server, async ({ owner }) => {
    const { rows } = await owner.query<{ name: string }>('select pg_walfile_name(pg_current_wal_lsn()) as name');
    return rows[0]?.name.slice(0, 8) ?? '';
  });

/** The times of the events after a position, and the position after them. */
async function readFeed(url: string, organizationNo: number, after: string | undefined) {
  const readers = await Readers.open({ url, applicationName: 'test', connections: 1 });
  try {
    const { events, next } = await readEventFeed(
      readers,
      { organizationNo, customerNo: null },
      { type: null, after, size: 50 },
    );
    return { times: events.map(({ occurred_at }) => occurred_at), next: next ?? undefined };
  } finally {
    await readers.close();
  }
}

test('after pg_upgrade of a server that was promoted twice, readers of the event feed get new events', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-upgrade-'));
  const user = await serverUser();
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const old = await startKept(folder, 'old');
  const upgraded = await startKept(folder, 'upgraded');
  onTestFinished(async () => {
    await Promise.all([old.stop(), upgraded.stop()]);
    await rm(folder, { recursive: true, force: true });
  });
  const fleet = await withOwner(old, async (database) => {
    await migrate(database.owner);
    await createLogins(database.owner, old.url, 'postgres');
    return givenTanked(database);
  });
  const [first, second, third] = [lowFillOf(fleet), lowFillOf(fleet), lowFillOf(fleet)];
  await withOwner(old, (database) => record(database, first));
  await beginNextTimeline(old);
  await beginNextTimeline(old);
  await withOwner(old, (database) => record(database, second));
  const { organizationNo } = fleet;
  const before = await readFeed(old.url, organizationNo, undefined);
  expect(before.times).toEqual([first.occurredAt, second.occurredAt]);
  expect(await timelineOf(old)).toBe('00000003');

  await Promise.all([old.stop(), upgraded.stop()]);
  const ports = ['--old-port', String(await freePort()), '--new-port', String(await freePort())];
  const folders = ['--old-datadir', join(folder, 'old/data'), '--new-datadir', join(folder, 'upgraded/data')];
  const programs = ['--old-bindir', old.binFolder, '--new-bindir', old.binFolder, '--username', 'postgres'];
  await run(join(old.binFolder, 'pg_upgrade'), [...programs, ...folders, ...ports], {
    ...user,
    cwd: folder,
    env: { ...process.env, PGPASSWORD: PASSWORD },
  });
  await upgraded.restart();
  expect(await timelineOf(upgraded)).toBe('00000001');
  // Before a new event is recorded, a new reader gets all stored events.
  expect((await readFeed(upgraded.url, organizationNo, undefined)).times).toEqual(before.times);
  await withOwner(upgraded, (database) => record(database, third));
  expect((await readFeed(upgraded.url, organizationNo, before.next)).times).toEqual([third.occurredAt]);
  const all = [first.occurredAt, second.occurredAt, third.occurredAt];
  expect((await readFeed(upgraded.url, organizationNo, undefined)).times).toEqual(all);
});
