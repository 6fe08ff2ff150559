import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pool } from 'pg';
import { describe, expect, onTestFinished } from 'vitest';
import { MIGRATIONS_FOLDER, migrate, migrationState, readFunctions, readMigrations } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';
import { givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { givenFolder } from '../support/folder.ts';
import { givenOtherDatabase, type TestDatabase, test } from '../support/test.ts';

/** Nothing calls `record_driver_entry` since 0.4.0. `packed_checksum` is two functions with different arguments. */
const WITHOUT_FILE = new Set<string | undefined>(['record_driver_entry', 'packed_checksum']);

test('two processes that migrate an empty database at once both succeed, and apply each file once', async ({
  database,
}) => {
  const url = await givenOtherDatabase(database, { isMigrated: false });
  const pools = [openPool({ url, applicationName: 'one' }), openPool({ url, applicationName: 'two' })];
  const applied: string[] = [];
  await Promise.all(pools.map((pool) => migrate(pool, { onApplied: (name) => applied.push(name) })));
  const files = await readMigrations();
  expect(applied.toSorted()).toEqual(files.map((file) => file.name));
  await Promise.all(pools.map((pool) => pool.end()));
});

test('after a migration no file is pending, and an applied file that was edited is refused', async ({ database }) => {
  const files = await readMigrations();
  expect((await migrationState(database.owner, files)).pending).toEqual([]);
  const edited = files.map((file, index) => (index === 1 ? Object.assign({}, file, { sha256: 'other' }) : file));
  await expect(migrationState(database.owner, edited)).rejects.toThrow(
    /0002_catalog.sql was changed after it was applied/,
  );
});

test('each run of migrate applies the current text of every changed function, unless a newer release has migrated', async ({
  database,
}) => {
  const definitions = (await readMigrations()).flatMap(({ sql }) =>
    [...sql.matchAll(/^create (?:or replace )?function (\w+)/gm)].map(([, name]) => name),
  );
  const changed = definitions.filter((name, index) => definitions.indexOf(name) !== index);
  const { rows } = await database.owner.query<{ name: string; text: string }>(
    `select proname as name, prosrc as text from pg_proc where pronamespace = 'public'::regnamespace`,
  );
  const texts = new Map(rows.map(({ name, text }) => [name, text]));
  const files = await readFunctions();
  expect(files.map(({ name }) => name)).toEqual(
    expect.arrayContaining(changed.filter((name) => !WITHOUT_FILE.has(name)).map((name) => `${name}.sql`)),
  );
  for (const { name, sql } of files)
    expect([name, sql]).toEqual([name, expect.stringContaining(`$$${texts.get(name.replace('.sql', ''))}$$`)]);

  const textOf = async (): Promise<string> =>
    (await database.owner.query<{ text: string }>(`select prosrc as text from pg_proc where proname = 'fold_text'`))
      .rows[0]?.text ?? '';
  const current = await textOf();
  await database.owner.query(
    `create or replace function fold_text(given text) returns text immutable language sql as 'select given'`,
  );
  await database.owner.query(`insert into schema_migrations (name, sha256) values ('9999_newer.sql', '')`);
  const pool = openPool({ url: database.ownerUrl, applicationName: 'functions' });
  await migrate(pool);
  expect(await textOf()).toBe('select given');
  await database.owner.query(`delete from schema_migrations where name = '9999_newer.sql'`);
  await migrate(pool);
  expect(await textOf()).toBe(current);
  await pool.end();
});

test('each cell has its own range of internal numbers, which cannot change once it is used', async ({ database }) => {
  const pool = await givenEmptyDatabase(database);
  await migrate(pool, { cellNumber: 8 });
  await migrate(pool, { cellNumber: 7 });
  const organizationNo = await givenOrganization(pool);
  const owner = await givenCustomer(pool, organizationNo);
  const tank = await givenTank(pool, organizationNo, owner.no);
  expect([organizationNo, owner.no, tank.no]).toEqual([280_000_001, 280_000_001, 280_000_001]);
  await migrate(pool, { cellNumber: 7 });
  await expect(migrate(pool, { cellNumber: 8 })).rejects.toThrow('the number of a cell cannot change');
});

/** A migrated database without rows. It belongs to cell 0 until it is migrated with another number. */
async function givenEmptyDatabase(database: TestDatabase): Promise<Pool> {
  const pool = openPool({ url: await givenOtherDatabase(database, { isMigrated: true }), applicationName: 'cell' });
  onTestFinished(() => pool.end());
  return pool;
}

/** The next number of each identity column of this type, by table, with its range. */
async function readRanges(db: Pool, type: 'integer' | 'bigint'): Promise<[string, number, number, number][]> {
  const { rows } = await db.query<{ range: [string, number, number, number] }>(
    `select json_build_array(c.relname, coalesce(pg_sequence_last_value(s.seqrelid) + 1, s.seqstart), s.seqmin, s.seqmax) as range
     from pg_sequence s join pg_depend d on d.objid = s.seqrelid and d.deptype = 'i' join pg_class c on c.oid = d.refobjid
     where c.relnamespace = 'public'::regnamespace and s.seqtypid = $1::regtype order by c.relname`,
    [type],
  );
  return rows.map(({ range }) => range);
}

test('each cell has its own range of bigint numbers too, such as those of events, deliveries and the audit log', async ({
  database,
}) => {
  for (const [cellNumber, first, last] of [
    [0, 1, 1e14],
    [7, 7e14 + 1, 8e14],
    [52, 52e14 + 1, 53e14],
  ] as const) {
    const cell = await givenEmptyDatabase(database);
    await migrate(cell, { cellNumber });
    const ranges = await readRanges(cell, 'bigint');
    expect(ranges.map(([table]) => table)).toEqual(
      expect.arrayContaining(['audit_log', 'events', 'rejected_readings', 'webhook_deliveries']),
    );
    expect(ranges).toEqual(ranges.map(([table]) => [table, first, first, last]));
    expect(last).toBeLessThan(Number.MAX_SAFE_INTEGER);
  }
});

test('after 0.2.0 the bigint numbers of cell 0 continue, and those of another cell go on in its own range', async ({
  database,
}) => {
  for (const [cellNumber, next, last] of [
    [0, 42, 1e14],
    [7, 7e14 + 1, 8e14],
  ] as const) {
    const cell = await givenEmptyDatabase(database);
    await migrate(cell, { cellNumber });
    await givenOrganization(cell);
    const ints = await readRanges(cell, 'integer');
    // In 0.2.0, numbers of type bigint began with 1 in every cell.
    const { rows } = await cell.query<{ name: string }>(
      `select seqrelid::regclass as name from pg_sequence where seqtypid = 'bigint'::regtype`,
    );
    for (const { name } of rows) {
      await cell.query(`alter sequence ${name} minvalue 1 no maxvalue start 1 restart 41`);
      await cell.query(`select nextval('${name}')`);
    }
    await migrate(cell, { cellNumber });
    const ranges = await readRanges(cell, 'bigint');
    expect(ranges).toEqual(ranges.map(([table]) => [table, next, cellNumber * 1e14 + 1, last]));
    expect(await readRanges(cell, 'integer')).toEqual(ints);
    // A second run changes nothing, also after numbers were taken.
    await cell.query(`select nextval('${rows[0]?.name}')`);
    const before = await readRanges(cell, 'bigint');
    await migrate(cell, { cellNumber });
    expect(await readRanges(cell, 'bigint')).toEqual(before);
  }
});

test('cell 0 has the numbers before those of cell 1, unless 0.2.0 already used more', async ({ database }) => {
  const cell = await givenEmptyDatabase(database);
  await migrate(cell);
  const rangeOf = async (table: string) => (await readRanges(cell, 'integer')).find(([name]) => name === table);
  expect(await rangeOf('tanks')).toEqual(['tanks', 1, 1, 40_000_000]);
  // 0.2.0 set no end for cell 0.
  await cell.query('alter table tanks alter column no set no maxvalue restart with 50000000');
  await cell.query(`select nextval(pg_get_serial_sequence('tanks', 'no'))`);
  await migrate(cell);
  expect(await rangeOf('tanks')).toEqual(['tanks', 50_000_001, 1, 2_147_483_647]);
});

test('the range of a busy table is set when the transaction with its sequence has ended', async ({ database }) => {
  const cell = await givenEmptyDatabase(database);
  await migrate(cell);
  await cell.query('alter table audit_log alter column no set no maxvalue');
  const busy = await cell.connect();
  onTestFinished(() => busy.release());
  await busy.query('begin');
  await busy.query(`select nextval(pg_get_serial_sequence('audit_log', 'no'))`);
  const retried: string[] = [];
  await migrate(cell, {
    onRetry: (name) => {
      retried.push(name);
      if (retried.length === 1) void busy.query('commit');
    },
  });
  expect(retried[0]).toBe('the ranges of internal numbers');
  expect((await readRanges(cell, 'bigint')).find(([table]) => table === 'audit_log')?.[3]).toBe(1e14);
});

test('a migration that gets no lock is repeated, and the table can be read meanwhile', async ({ database }) => {
  const folder = await givenFolder();
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
  await expect.poll(() => retries).toBeGreaterThan(1);
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
    const folder = await givenFolder();
    await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
    await writeFile(join(folder, name), sql);
    return pathToFileURL(`${folder}/`);
  }
  const isValid = 'select indexrelid::regclass::text as name, indisvalid from pg_index where indrelid = $1::regclass';

  test('builds its indexes while a writer works, and only one of two processes applies it', async ({ database }) => {
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
      pools.map((pool) => migrate(pool, { folder, onApplied: (file) => applied.push(file) })),
    );
    // The migration waits for the writer. The writer does not wait for the migration.
    const waits = `select count(*)::int as n from pg_stat_activity where datname = $1 and query like 'create index concurrently%' and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await owner.query(waits, [name])).rows).toEqual([{ n: 1 }]);
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
    // The second run is killed while it waits for an older transaction.
    const reader = await owner.connect();
    await reader.query('begin isolation level repeatable read');
    await reader.query('select from crash');
    const killed = expect(migrateOnce()).rejects.toThrow(/terminat/);
    const kill = `select count(pg_terminate_backend(pid))::int as n from pg_stat_activity where datname = $1 and application_name = 'crash' and query like '%index concurrently%' and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await owner.query(kill, [name])).rows).toEqual([{ n: 1 }]);
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

  test('is refused if it contains a statement that a repetition would apply twice', async ({ database }) => {
    const folder = await folderWith(
      '9003_other.sql',
      '-- without transaction\nupdate tanks set capacity = capacity * 2;',
    );
    await expect(migrate(database.owner, { folder })).rejects.toThrow(
      'may only contain "create index concurrently NAME", "drop index concurrently NAME" and "call NAME()", not: update tanks',
    );
  });
});
