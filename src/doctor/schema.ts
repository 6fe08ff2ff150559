import { type Migration, readMigrations } from '../db/migrate.ts';
import type { Db } from '../db/pool.ts';
import { type CheckFinding, finding, warning } from './finding.ts';

/** Compares the files with the applied migrations. Names all differences; `tankwatch migrate` stops at the first. */
export async function checkMigrations(db: Db): Promise<CheckFinding[]> {
  const files = await readMigrations();
  const applied = await appliedMigrations(db);
  const names = new Set(files.map((file) => file.name));
  const pending = files.filter(({ name }) => !applied.has(name)).map(({ name }) => name);
  const edited = files.filter((file) => isEdited(file, applied)).map(({ name }) => name);
  const unknown = [...applied.keys()].filter((name) => !names.has(name));

  const findings: CheckFinding[] = [];
  if (pending.length > 0) {
    findings.push({
      ...finding(`migrations are pending: ${pending.join(', ')}`, 'run tankwatch migrate, then tankwatch doctor again'),
      blocks: true,
    });
  }
  for (const name of edited) {
    findings.push(
      warning(
        `${name} was changed after it was applied`,
        'restore the file of this release; put changes into a new migration',
      ),
    );
  }
  if (unknown.length > 0) {
    findings.push(
      warning(
        `the database has migrations that are not part of this release: ${unknown.join(', ')}`,
        'a newer release has migrated the database; upgrade this installation to that release',
      ),
    );
  }
  return findings;
}

const isEdited = (file: Migration, applied: ReadonlyMap<string, string>): boolean =>
  (applied.get(file.name) ?? file.sha256) !== file.sha256;

/** The hashes by name. Empty for a database that was never migrated. */
async function appliedMigrations(db: Db): Promise<Map<string, string>> {
  const { rows: tables } = await db.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (!tables[0]?.exists) return new Map();
  const { rows } = await db.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations order by name',
  );
  return new Map(rows.map((row) => [row.name, row.sha256]));
}

/** An index whose creation failed stays in the catalog as invalid: every write updates it, no read uses it. */
export async function checkIndexes(db: Db): Promise<CheckFinding[]> {
  const { rows: indexes } = await db.query<{ name: string; table: string }>(
    `select i.indexrelid::regclass::text as name, i.indrelid::regclass::text as table
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relnamespace = 'public'::regnamespace and not (i.indisvalid and i.indisready and i.indislive)
     order by 1`,
  );
  const { rows: constraints } = await db.query<{ name: string; table: string }>(
    `select conname as name, conrelid::regclass::text as table from pg_constraint
     where connamespace = 'public'::regnamespace and not convalidated order by 1`,
  );
  return [
    ...indexes.map(({ name, table }) =>
      warning(`the index ${name} on ${table} is not valid`, `as the owner: reindex index concurrently ${name}`),
    ),
    ...constraints.map(({ name, table }) =>
      warning(
        `the constraint ${name} on ${table} is not validated`,
        `as the owner: alter table ${table} validate constraint ${name}`,
      ),
    ),
  ];
}
