import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished } from 'vitest';
import { databaseUrl } from '../../engines/logins.ts';
import { MIGRATIONS_FOLDER, migrate, migrationState, readMigrations } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';
import { givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { test } from '../support/test.ts';

test('two processes that migrate an empty database at once both succeed, and apply each file once', async ({
  database,
}) => {
  await database.owner.query(`create database ${database.name}_fresh`);
  const url = databaseUrl(database.ownerUrl, `${database.name}_fresh`);
  const pools = [openPool({ url, applicationName: 'one' }), openPool({ url, applicationName: 'two' })];
  const applied: string[] = [];
  await Promise.all(pools.map((pool) => migrate(pool, { onApplied: (name) => applied.push(name) })));
  const files = await readMigrations();
  expect(applied.toSorted()).toEqual(files.map((file) => file.name));
  await Promise.all(pools.map((pool) => pool.end()));
  await database.owner.query(`drop database ${database.name}_fresh with (force)`);
});

test('a second run changes nothing, and an applied file that was edited is refused', async ({ database }) => {
  const files = await readMigrations();
  expect((await migrationState(database.owner, files)).pending).toEqual([]);
  const edited = files.map((file, index) => (index === 1 ? Object.assign({}, file, { sha256: 'other' }) : file));
  await expect(migrationState(database.owner, edited)).rejects.toThrow(
    /0002_catalog.sql was changed after it was applied/,
  );
});

test('each cell has its own range of internal numbers, which cannot change once it is used', async ({ database }) => {
  await database.owner.query(`create database ${database.name}_cell`);
  const url = databaseUrl(database.ownerUrl, `${database.name}_cell`);
  const pool = openPool({ url, applicationName: 'cell 7' });
  await migrate(pool, { cellNumber: 7 });
  await migrate(pool, { cellNumber: 8 });
  await migrate(pool, { cellNumber: 7 });
  const organizationNo = await givenOrganization(pool);
  const owner = await givenCustomer(pool, organizationNo);
  const tank = await givenTank(pool, organizationNo, owner.no);
  expect([organizationNo, owner.no, tank.no]).toEqual([280_000_001, 280_000_001, 280_000_001]);
  await migrate(pool, { cellNumber: 7 });
  await expect(migrate(pool, { cellNumber: 8 })).rejects.toThrow('the number of a cell cannot change');
  await pool.end();
  await database.owner.query(`drop database ${database.name}_cell with (force)`);
});

test('a migration that does not get its lock is repeated, and readers pass in between', async ({ database }) => {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  await writeFile(join(folder, '9000_held.sql'), 'alter table held add column m int;');
  const { owner } = database;
  await owner.query('create table held (n int)');
  const dump = await owner.connect();
  await dump.query('begin');
  await dump.query('select from held');
  let retries = 0;
  const pool = openPool({ url: database.ownerUrl, applicationName: 'held' });
  const migrating = migrate(pool, { folder: pathToFileURL(`${folder}/`), onRetry: () => retries++ });
  await expect.poll(() => retries, { timeout: 20_000 }).toBeGreaterThan(1);
  await owner.query('select from held'); // while the table is held
  await dump.query('commit');
  dump.release();
  await migrating;
  await owner.query('select m from held');
  await pool.end();
  await owner.query(`delete from schema_migrations where name like '9000%'`);
});

describe('a migration without a transaction', () => {
  /** The migrations of this release and one more. */
  async function folderWith(name: string, sql: string): Promise<URL> {
    const folder = await mkdtemp(join(tmpdir(), 'tankwatch-migrations-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
    await writeFile(join(folder, name), sql);
    return pathToFileURL(`${folder}/`);
  }
  const isValid = 'select indexrelid::regclass::text as name, indisvalid from pg_index where indrelid = $1::regclass';

  test('builds its indexes while readers and writers work, and two processes take turns', async ({ database }) => {
    const { owner, name } = database;
    await owner.query('create table turns (n int); insert into turns select generate_series(1, 1000)');
    const folder = await folderWith(
      '9001_turns.sql',
      '-- without transaction\n-- A comment; with a semicolon.\ncreate index concurrently turns_n on turns (n);\n',
    );
    const pools = ['one', 'two'].map((applicationName) => openPool({ url: database.ownerUrl, applicationName }));
    const writer = await owner.connect();
    await writer.query('begin');
    await writer.query('insert into turns values (0)');
    const applied: string[] = [];
    const migrating = Promise.all(
      pools.map((pool) => migrate(pool, { folder, onApplied: (one) => applied.push(one) })),
    );
    // It waits for the writer, who does not wait for it.
    const waits = `select count(*)::int as n from pg_stat_activity where datname = $1 and query like 'create index concurrently%' and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await owner.query(waits, [name])).rows, { timeout: 20_000 }).toEqual([{ n: 1 }]);
    await writer.query('insert into turns values (1)');
    await writer.query('commit');
    writer.release();
    await migrating;
    expect(applied).toEqual(['9001_turns.sql']);
    expect((await owner.query(isValid, ['turns'])).rows).toEqual([{ name: 'turns_n', indisvalid: true }]);
    await Promise.all(pools.map((pool) => pool.end()));
  });

  test('is repeated after a crash: an index that was left incomplete is dropped and built again', async ({
    database,
  }) => {
    const { owner, name } = database;
    await owner.query('create table crash (n int, m int); insert into crash values (1, 1), (2, 1)');
    const folder = await folderWith(
      '9002_crash.sql',
      '-- without transaction\ncreate index concurrently crash_n on crash (n);\ncreate unique index concurrently crash_m on crash (m);',
    );
    const migrateOnce = async (): Promise<void> => {
      const pool = openPool({ url: database.ownerUrl, applicationName: 'crash' });
      try {
        await migrate(pool, { folder });
      } finally {
        await pool.end();
      }
    };
    // The second index fails, because two rows have the same value.
    await expect(migrateOnce()).rejects.toThrow('could not create unique index');
    expect((await owner.query(`${isValid} order by 1`, ['crash'])).rows).toEqual([
      { name: 'crash_m', indisvalid: false },
      { name: 'crash_n', indisvalid: true },
    ]);
    await owner.query('update crash set m = n');
    // Killed while it waits for an older transaction.
    const reader = await owner.connect();
    await reader.query('begin isolation level repeatable read');
    await reader.query('select from crash');
    const killed = expect(migrateOnce()).rejects.toThrow(/terminat/);
    const kill = `select count(pg_terminate_backend(pid))::int as n from pg_stat_activity where datname = $1 and application_name = 'crash' and query like '%index concurrently%' and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await owner.query(kill, [name])).rows, { timeout: 20_000 }).toEqual([{ n: 1 }]);
    await killed;
    await reader.query('commit');
    reader.release();

    await migrateOnce();
    expect((await owner.query(`${isValid} order by 1`, ['crash'])).rows).toEqual([
      { name: 'crash_m', indisvalid: true },
      { name: 'crash_n', indisvalid: true },
    ]);
    expect((await migrationState(owner, await readMigrations(folder))).pending).toEqual([]);
  });

  test('may contain nothing that a repetition would do twice', async ({ database }) => {
    const folder = await folderWith(
      '9003_other.sql',
      '-- without transaction\nupdate tanks set capacity = capacity * 2;',
    );
    await expect(migrate(database.owner, { folder })).rejects.toThrow(
      'may only contain "create index concurrently NAME" and "drop index concurrently NAME", not: update tanks',
    );
  });
});
