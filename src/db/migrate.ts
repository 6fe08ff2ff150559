import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { installJobs } from './jobs.ts';
import { setNumberRange } from './number_range.ts';
import { type Db, transaction } from './pool.ts';

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

export async function readMigrations(folder: URL = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).toSorted();
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

/**
 * Applies pending migrations, each in its own transaction. Two processes that start at once take turns. A migration that
 * does not get a lock within five seconds fails, because every reader would queue behind it.
 */
export async function migrate(
  pool: pg.Pool,
  { cellNumber = 0, onApplied = () => {} }: { cellNumber?: number; onApplied?: (name: string) => void } = {},
): Promise<MigrationState> {
  const migrations = await readMigrations();
  await transaction(pool, async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtext('tankwatch migrate'))`);
    await tx.query(`create table if not exists schema_migrations (
      name text primary key, sha256 text not null, applied_at timestamptz(3) not null default now())`);
  });

  const { pending } = await migrationState(pool, migrations);
  for (const migration of pending) {
    const applied = await transaction(pool, async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtext('tankwatch migrate'))`);
      const { rowCount } = await tx.query('select from schema_migrations where name = $1', [migration.name]);
      if (rowCount) return false;
      await tx.query(`set local lock_timeout = '5s'`);
      await tx.query(migration.sql);
      await tx.query('insert into schema_migrations (name, sha256) values ($1, $2)', [
        migration.name,
        migration.sha256,
      ]);
      return true;
    });
    if (applied) onApplied(migration.name);
  }
  await withMigrationLock(pool, async () => {
    await installJobs(pool);
    await applyDatabaseGrants(pool);
    await setNumberRange(pool, cellNumber);
  });
  // A new installation has the partitions of this month and the next.
  await pool.query(`select ensure_telemetry_month(at) from (values (now()), (now() + interval '1 month')) as t (at)`);
  return migrationState(pool, migrations);
}

/** Takes turns outside a transaction: two concurrent grants of the same privilege fail. */
async function withMigrationLock(pool: pg.Pool, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtext('tankwatch migrate'))`);
    await work();
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
