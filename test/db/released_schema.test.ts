import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { databaseUrl } from '../../engines/logins.ts';
import { MIGRATIONS_FOLDER, migrate, migrationState, readMigrations } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';
import { Readers } from '../../src/db/readers.ts';
import { Outage, silentLogger } from '../../src/health/outage.ts';
import { withHashes } from '../../src/keys/credential_sources.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { KeyVerifier } from '../../src/keys/key_verifier.ts';
import { installProgram, runProgram } from '../support/client.ts';
import { givenFolder } from '../support/folder.ts';
import { incompatibilities, schemaShape } from '../support/schema_shape.ts';
import { type TestDatabase, test } from '../support/test.ts';

const run = promisify(execFile);
const RELEASED = new URL('released/', MIGRATIONS_FOLDER);

/** The newest release is the last. */
async function readReleases(): Promise<{ version: string; sql: string }[]> {
  const files = (await readdir(RELEASED)).filter((file) => file.endsWith('.sql'));
  const sorted = files.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return Promise.all(
    sorted.map(async (file) => ({ version: file, sql: await readFile(new URL(file, RELEASED), 'utf8') })),
  );
}

const readRelease = (version: string): Promise<string> => readFile(new URL(`${version}.sql`, RELEASED), 'utf8');

/** A database with the schema of a release. */
async function givenDatabase(database: TestDatabase, sql: string) {
  const name = `${database.name}_released`;
  await database.owner.query(`drop database if exists ${name} with (force)`);
  await database.owner.query(`create database ${name}`);
  const url = databaseUrl(database.ownerUrl, name);
  const pool = openPool({ url, applicationName: 'released schema' });
  const file = join(await mkdtemp(join(tmpdir(), 'tankwatch-schema-')), 'schema.sql');
  await writeFile(file, sql);
  await run('psql', ['--quiet', '--no-psqlrc', '--set=ON_ERROR_STOP=1', `--file=${file}`, url]);
  onTestFinished(async () => {
    await pool.end();
    await database.owner.query(`drop database if exists ${name} with (force)`);
    await rm(join(file, '..'), { recursive: true });
  });
  return pool;
}

test('every released schema can be upgraded, and the last release works with the result', async ({ database }) => {
  const fresh = await schemaShape(database.owner);
  expect(fresh.lines.size).toBeGreaterThan(300);
  const releases = await readReleases();
  for (const { version, sql } of releases) {
    const pool = await givenDatabase(database, sql);
    const released = await schemaShape(pool);
    await migrationState(pool, await readMigrations()); // throws if a released migration was edited
    await migrate(pool);
    const upgraded = await schemaShape(pool);
    const differences = [...incompatibilities(fresh, upgraded), ...incompatibilities(upgraded, fresh)];
    expect([version, 'an upgrade and a new installation differ', differences]).toEqual([
      version,
      expect.anything(),
      [],
    ]);
    if (version === releases.at(-1)?.version) expect(incompatibilities(released, upgraded)).toEqual([]);
  }
});

test('a process of the last release with prepared statements sees sessions that begin and end after the upgrade', async ({
  database,
}) => {
  const pool = await givenDatabase(database, (await readReleases()).at(-1)?.sql ?? '');
  await pool.query(`insert into organizations (code, name) values ('a0gas', 'Gas')`);
  await pool.query(`insert into contacts (id, organization_no, email, types)
    select gen_random_uuid(), no, 'ops@example.com', '{}' from organizations`);
  const begin = async (): Promise<{ text: string; prefix: string }> => {
    const session = makeKey('a0');
    await pool.query(
      `insert into sessions (prefix, secret_sha256, contact_no, organization_no, requests_per_second, burst, expires_at)
       select $1, $2, no, organization_no, 1, 1, now() + interval '1 hour' from contacts`,
      [session.prefix, session.secretSha256],
    );
    return session;
  };
  const url = databaseUrl(database.ownerUrl, `${database.name}_released`);
  const readers = await Readers.open({ url, applicationName: 'tests last release', connections: 1 });
  const outage = new Outage(silentLogger, 'following changes to sessions');
  const sessions = new KeyVerifier(readers, { outage, source: withHashes('session_credentials') });
  await sessions.start();
  onTestFinished(async () => {
    sessions.close();
    await readers.close();
  });

  const before = await begin();
  expect(await sessions.verify(before.text)).toMatchObject({ keyNo: -1 });
  await migrate(pool);
  await pool.query('alter table sessions alter column no restart with 5000000000');
  expect(await sessions.verify((await begin()).text)).toMatchObject({ keyNo: -1_000_000_000 });
  await pool.query('update sessions set ended_at = now() where prefix = $1', [before.prefix]);
  await expect.poll(() => sessions.verify(before.text)).toBe(undefined);
});

test('month counters of 0.3.0 stay in their table and are counted on, and later months are in partitions of a year', async ({
  database,
}) => {
  const pool = await givenDatabase(database, await readRelease('0.3.0'));
  const client = await pool.connect();
  onTestFinished(() => client.release());
  const count = async (at: string): Promise<unknown> => {
    const { rows } = await client.query<{ n: number; place: string }>({
      name: 'count',
      text: `insert into telemetry_month_counters as m (tank_no, month, n) values (1, utc_month($1::timestamptz), 1)
             on conflict (tank_no, month) do update set n = m.n + excluded.n
             returning n, (select relname from pg_class where oid = m.tableoid) as place`,
      values: [at],
    });
    return rows[0];
  };
  const { rows: times } = await pool.query<{ now: string; later: string; year: number }>(
    `select now(), now() + interval '60 days' as later, extract(year from now() + interval '60 days')::int as year`,
  );
  const [{ now, later, year } = { now: '', later: '', year: 0 }] = times;
  for (const at of [now, '2016-05-06T00:00:00Z']) await count(at);
  await migrate(pool);
  const earlier = 'telemetry_month_counters_earlier';
  expect(await count(now)).toEqual({ n: 2, place: earlier });
  expect(await count('2016-05-06T00:00:00Z')).toEqual({ n: 2, place: earlier });
  expect(await count(later)).toEqual({ n: 1, place: `telemetry_month_counters_${year}` });
  // A writer creates the partition of a year with its first month.
  await pool.query('select ensure_telemetry_month($1)', [`${year + 3}-01-01T00:00:00Z`]);
  expect(await count(`${year + 3}-01-02T00:00:00Z`)).toEqual({ n: 1, place: `telemetry_month_counters_${year + 3}` });
  await expect(
    pool.query('insert into telemetry_month_counters (tank_no, month, n) values (1, utc_month($1::timestamptz), 1)', [
      now,
    ]),
  ).rejects.toThrow('duplicate key');
});

test('an upgrade from 0.2.0 makes contacts with access to the console viewers, and gives other contacts no role', async ({
  database,
}) => {
  const pool = await givenDatabase(database, await readRelease('0.2.0'));
  await pool.query(`insert into organizations (code, name) values ('a0gas', 'Gas')`);
  await pool.query(`insert into contacts (id, organization_no, email, types, has_console)
    select gen_random_uuid(), no, email, '{}', email = 'in@example.com'
    from organizations, unnest(array['in@example.com', 'out@example.com']) as email`);
  await migrate(pool);
  const { rows } = await pool.query('select email, roles, has_console from contacts order by email');
  expect(rows).toEqual([
    { email: 'in@example.com', roles: ['viewer'], has_console: true },
    { email: 'out@example.com', roles: [], has_console: false },
  ]);
});

test('a migration that removes or renames a column or a right or adds a required column is found', async ({
  database,
}) => {
  const before = await schemaShape(database.owner);
  const client = await database.owner.connect();
  onTestFinished(() => client.release());
  const after = async (sql: string): Promise<string[]> => {
    await client.query('begin');
    await client.query(sql);
    const shape = await schemaShape(client);
    await client.query('rollback');
    return incompatibilities(before, shape);
  };
  expect(await after('alter table customers rename column phone to telephone')).toContain(
    'removed: column customers.phone text',
  );
  expect(await after('alter table tanks add column color text not null')).toContain(
    'now required in inserts: tanks.color',
  );
  expect(await after('revoke select on tanks from tankwatch_worker')).toEqual([
    'removed: right of tankwatch_worker: SELECT on tanks',
  ]);
  expect(await after(`alter table tanks add column color text not null default 'red'`)).toEqual([]);
});

/** Rules that the runner of migrations makes unnecessary, because it sets the timeouts and a transaction needs no "if exists". */
const EXCLUDED_RULES =
  'require-lock-timeout,require-statement-timeout,prefer-robust-stmts,prefer-bigint-over-int,prefer-bigint-over-smallint,prefer-text-field';

/** The findings of squawk, a linter for migrations: statements that lock a table for long or break programs. */
async function lint(files: readonly string[]): Promise<string> {
  const squawk = await installProgram('squawk-cli', '2.66.0', 'squawk');
  const options = ['--pg-version=15.0', `--exclude=${EXCLUDED_RULES}`, '--reporter=gcc'];
  const outputs = files.map(async (file) => {
    const isTransaction = !(await readFile(file, 'utf8')).startsWith('-- without transaction\n');
    const { code, stdout } = await runProgram(squawk, [
      ...options,
      ...(isTransaction ? ['--assume-in-transaction'] : []),
      file,
    ]);
    return code === 0 ? '' : stdout;
  });
  return (await Promise.all(outputs)).join('');
}

test('squawk finds no statement in a later migration that locks a table for long', async () => {
  const last = (await readReleases()).at(-1);
  const later = (await readMigrations()).filter(({ name }) => !last?.sql.includes(`'${name}'`));
  expect(await lint(later.map(({ name }) => new URL(name, MIGRATIONS_FOLDER).pathname))).toBe('');

  const folder = await givenFolder();
  const bad = join(folder, '9999_bad.sql');
  await writeFile(
    bad,
    'create index tanks_by_name on tanks (name);\nalter table tanks alter column name type varchar(9);\n',
  );
  const found = await lint([bad]);
  for (const rule of ['require-concurrent-index-creation', 'changing-column-type']) expect(found).toContain(rule);
  const good = join(folder, '9999_good.sql');
  await writeFile(good, '-- without transaction\ncreate index concurrently tanks_by_name on tanks (name);\n');
  expect(await lint([good])).toBe('');
});
