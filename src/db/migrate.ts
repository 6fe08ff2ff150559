import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { errorCode } from '../values/error_code.ts';
import { applyOutsideTransaction, isOutsideTransaction } from './concurrent_indexes.ts';
import { installJobs } from './jobs.ts';
import { setNumberRange } from './number_range.ts';
import type { Db } from './pool.ts';

export const MIGRATIONS_FOLDER = new URL('../../migrations/', import.meta.url);

export interface Migration {
  name: string;
  sql: string;
  sha256: string;
}

export interface MigrationState {
  applied: string[];
  pending: Migration[];
}

export const readMigrations = (folder: URL = MIGRATIONS_FOLDER): Promise<Migration[]> =>
  readSqlFiles(folder, /^\d{4}_.*\.sql$/);

/** The functions that were changed after a migration had created them, each with its current text. */
export const readFunctions = (folder: URL = MIGRATIONS_FOLDER): Promise<Migration[]> =>
  readSqlFiles(new URL('functions/', folder), /\.sql$/);

async function readSqlFiles(folder: URL, pattern: RegExp): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => pattern.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** Compares the files with the applied migrations. Migrations are forward-only: an applied file must not change. */
export async function migrationState(db: Db, migrations: readonly Migration[]): Promise<MigrationState> {
  const { rows: known } = await db.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (!known[0]?.exists) return { applied: [], pending: [...migrations] };

  const { rows } = await db.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations order by name',
  );
  const applied = new Map(rows.map((row) => [row.name, row.sha256]));
  for (const { name, sha256 } of migrations) {
    const before = applied.get(name);
    if (before !== undefined && before !== sha256) {
      throw new Error(
        `migration ${name} was changed after it was applied; restore it and write a new migration instead`,
      );
    }
  }
  return { applied: [...applied.keys()], pending: migrations.filter(({ name }) => !applied.has(name)) };
}

export interface MigrateOptions {
  cellNumber?: number;
  onApplied?: (name: string) => void;
  /** Called when a migration did not get a lock and is repeated after a pause. */
  onRetry?: (name: string) => void;
  folder?: URL;
}

/**
 * The time that a statement of a migration waits for a lock. It is short, because all reads of the table wait behind the
 * statement. The migration is then rolled back and repeated.
 */
const LOCK_TIMEOUT_MS = 200;
/** The pauses between the attempts. Statements that waited behind the migration finish in them. The last pause is repeated. */
const RETRY_PAUSES_MS = [500, 1_000, 2_000, 5_000];
const RETRY_FOR_MS = 180_000;

/**
 * Applies pending migrations, each in its own transaction unless its first line is `-- without transaction`. Two processes that start at
 * the same time run one after the other. A migration that does not get a lock is rolled back and repeated, for at most three minutes.
 */
export async function migrate(
  pool: pg.Pool,
  { cellNumber = 0, onApplied = () => {}, onRetry = () => {}, folder = MIGRATIONS_FOLDER }: MigrateOptions = {},
): Promise<MigrationState> {
  const migrations = await readMigrations(folder);
  await withMigrationLock(pool, async (client) => {
    await client.query(`create table if not exists schema_migrations (
      name text primary key, sha256 text not null, applied_at timestamptz(3) not null default now())`);
    const { applied, pending } = await migrationState(client, migrations);
    for (const migration of pending) {
      await apply(client, migration, onRetry);
      onApplied(migration.name);
    }
    const hasNewerRelease = applied.some((name) => !migrations.some((migration) => migration.name === name));
    if (!hasNewerRelease) await replaceFunctions(client, folder);
    await installJobs(pool);
    await applyDatabaseGrants(pool);
    await retryUntilLocked(client, 'the ranges of internal numbers', onRetry, () => setNumberRange(client, cellNumber));
  });
  await createPartitions(pool);
  return migrationState(pool, migrations);
}

/** Creates the telemetry partitions of this month and, a week before it begins, of the next. */
export async function createPartitions(pool: pg.Pool): Promise<void> {
  await pool.query(`select ensure_telemetry_month(now()), ensure_telemetry_month(now() + interval '7 days')`);
}

async function apply(client: pg.PoolClient, migration: Migration, onRetry: (name: string) => void): Promise<void> {
  const { name, sql } = migration;
  if (isOutsideTransaction(sql)) {
    await applyOutsideTransaction(client, name, sql);
    await record(client, migration);
    return;
  }
  await retryUntilLocked(
    client,
    `migration ${name}`,
    () => onRetry(name),
    async () => {
      await client.query(sql);
      await record(client, migration);
    },
  );
}

/**
 * Replaces functions by those of this release, including functions that were changed by hand. The caller skips this if a newer
 * release has migrated the database, because this release works with the newer functions too.
 */
const replaceFunctions = async (client: pg.PoolClient, folder: URL): Promise<void> =>
  runInTransaction(client, async () => {
    for (const { sql } of await readFunctions(folder)) await client.query(sql);
  });

/** Runs the work in a transaction. If it does not get a lock, it is rolled back and repeated. */
async function retryUntilLocked(
  client: pg.PoolClient,
  name: string,
  onRetry: (name: string) => void,
  work: () => Promise<void>,
): Promise<void> {
  const startMs = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      await runInTransaction(client, work);
      return;
    } catch (error) {
      if (!isLockFailure(error)) throw error;
      if (performance.now() - startMs > RETRY_FOR_MS)
        throw new Error(
          `${name} did not get a lock in ${attempt + 1} attempts, because another transaction holds it; ` +
            'look for old ones in pg_stat_activity (xact_start), end them, and run this again. Nothing was changed by it',
          { cause: error },
        );
      onRetry(name);
      await sleep(RETRY_PAUSES_MS[Math.min(attempt, RETRY_PAUSES_MS.length - 1)]);
    }
  }
}

async function runInTransaction(client: pg.PoolClient, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

const record = (client: pg.PoolClient, { name, sha256 }: Migration): Promise<unknown> =>
  client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256]);

/** Returns true if a lock was not available in time (55P03), or if PostgreSQL ended the transaction to resolve a deadlock (40P01). */
const isLockFailure = (error: unknown): boolean => ['55P03', '40P01'].includes(errorCode(error) ?? '');

const LOCK_POLL_MS = 100;

/**
 * Runs the work while no other process migrates. The lock belongs to the connection that migrates, so that it is held
 * until the last statement has ended, even if this process is killed. This function polls for the lock: a process that waits inside
 * a statement has a snapshot, and `create index concurrently` of the migrating process would wait for that snapshot.
 */
async function withMigrationLock(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    for (;;) {
      const { rows } = await client.query<{ locked: boolean }>(
        `select pg_try_advisory_lock(hashtext('tankwatch migrate')) as locked`,
      );
      if (rows[0]?.locked) break;
      await sleep(LOCK_POLL_MS);
    }
    await work(client);
  } finally {
    client.release(true); // closes the connection, which releases the lock
  }
}

/** Privileges of the database itself. A copy of the database does not inherit them. */
export async function applyDatabaseGrants(db: Db): Promise<void> {
  await db.query(`do $$ begin
    execute format('revoke temporary on database %I from public', current_database());
    grant select on schema_migrations to tankwatch_api, tankwatch_writer, tankwatch_operator, tankwatch_worker;
  end $$`);
}
