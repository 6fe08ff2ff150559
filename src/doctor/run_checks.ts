import { DatabaseError, type Pool } from 'pg';
import { type Migration, readMigrations } from '../db/migrate.ts';
import type { Db } from '../db/pool.ts';
import { checkAssignments } from './assignment_drift.ts';
import { checkCatalogCounters } from './catalog_drift.ts';
import { amount, type Check, type Fault, type Finding, fault } from './finding.ts';
import { checkPartitions } from './partitions.ts';
import { checkPrivileges } from './privileges.ts';
import { checkTelemetryCounters } from './telemetry_drift.ts';
import { checkTriggers } from './triggers.ts';

export interface CheckOptions {
  fix: boolean;
  /** After each check; no findings at all where an earlier one made it pointless to look. */
  onChecked: (check: string, findings: readonly Finding[] | undefined) => void;
  /** From two seconds on, for whoever waits. */
  onProgress: (line: string) => void;
  progressAfterMs?: number;
}

const CHECKS: readonly Check[] = [
  { name: 'server', faults: ({ pool }) => checkServer(pool) },
  { name: 'clock', faults: ({ pool }) => checkClock(pool) },
  { name: 'migrations', faults: ({ pool }) => checkMigrations(pool) },
  { name: 'privileges', faults: ({ pool }) => checkPrivileges(pool) },
  { name: 'triggers', faults: ({ pool }) => checkTriggers(pool) },
  { name: 'indexes', faults: ({ pool }) => checkIndexes(pool) },
  { name: 'partitions', faults: checkPartitions },
  { name: 'jobs', faults: ({ pool }) => checkJobs(pool) },
  { name: 'catalog counters', faults: checkCatalogCounters },
  { name: 'device assignments', faults: checkAssignments },
  { name: 'telemetry counters', faults: checkTelemetryCounters },
];

/** Looks at a database that answers, from the server down to every counter, and tells what is wrong with it. */
export async function runChecks(pool: Pool, options: CheckOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  let isBlocked = false;
  for (const check of CHECKS) {
    if (isBlocked) {
      options.onChecked(check.name, undefined);
      continue;
    }
    const faults = await runCheck(check, pool, options);
    isBlocked = faults.some(({ blocks }) => blocks);
    const found = faults.map(({ problem, remedy, fixed }) => ({ check: check.name, problem, remedy, fixed }));
    options.onChecked(check.name, found);
    findings.push(...found);
  }
  return findings;
}

async function runCheck(check: Check, pool: Pool, options: CheckOptions): Promise<Fault[]> {
  const startedAt = performance.now();
  const afterMs = options.progressAfterMs ?? 2_000;
  let reached = '';
  const tell = (): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    options.onProgress(`${check.name}: still looking after ${seconds} s${reached}`);
    timer = setTimeout(tell, afterMs * 5); // a check of an hour need not fill the screen
  };
  let timer = setTimeout(tell, afterMs);
  const progress = (text: string): void => {
    reached = `, ${text}`;
  };
  try {
    return await check.faults({ pool, fix: options.fix, progress });
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // One check that cannot be made says so, and the others are made all the same.
    return [
      fault(
        `this could not be looked at: ${error.message}`,
        'if a right is missing, use a login in tankwatch_operator or the owner; if a table or function is, restore it from a backup',
      ),
    ];
  } finally {
    clearTimeout(timer);
  }
}

const OLDEST_SERVER = 15;
const NEWEST_SERVER = 18;

async function checkServer(db: Db): Promise<Fault[]> {
  const { rows } = await db.query<{ version: number }>(`select current_setting('server_version_num')::int as version`);
  return rows.flatMap(({ version }) => serverFaults(version));
}

/** PostgreSQL's own number for its version: 150008 is 15.8. */
export function serverFaults(version: number): Fault[] {
  const major = Math.floor(version / 10_000);
  if (major >= OLDEST_SERVER && major <= NEWEST_SERVER) return [];
  return [
    fault(
      `the server is PostgreSQL ${major}.${version % 10_000}; Tankwatch supports PostgreSQL ${OLDEST_SERVER} to ${NEWEST_SERVER}`,
      major < OLDEST_SERVER
        ? `upgrade the server with pg_upgrade to PostgreSQL ${NEWEST_SERVER}`
        : 'upgrade Tankwatch to a release that names this version, or move to a server it supports',
    ),
  ];
}

const MAX_SKEW_MS = 2_000;

async function checkClock(db: Db): Promise<Fault[]> {
  const sentMs = Date.now();
  const { rows } = await db.query<{ at_ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at_ms',
  );
  const receivedMs = Date.now();
  return rows.flatMap(({ at_ms }) => clockFaults(sentMs, at_ms, receivedMs));
}

/** The database read its clock between our sending and receiving, so a slow network is never taken for a wrong clock. */
export function clockFaults(sentMs: number, databaseMs: number, receivedMs: number): Fault[] {
  const aheadMs = Math.max(sentMs - databaseMs, 0) - Math.max(databaseMs - receivedMs, 0);
  if (Math.abs(aheadMs) <= MAX_SKEW_MS) return [];
  const skew = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  return [
    fault(
      `this machine's clock is ${skew} the database's`,
      'let a time service such as chrony or systemd-timesyncd set both clocks',
    ),
  ];
}

/** Compares the files with what was applied. Unlike migrating, which stops at the first, it names all that differ. */
async function checkMigrations(db: Db): Promise<Fault[]> {
  const files = await readMigrations();
  const applied = await appliedMigrations(db);
  const names = new Set(files.map((file) => file.name));
  const pending = files.filter(({ name }) => !applied.has(name)).map(({ name }) => name);
  const edited = files.filter((file) => isEdited(file, applied)).map(({ name }) => name);
  const unknown = [...applied.keys()].filter((name) => !names.has(name));

  const faults: Fault[] = [];
  if (pending.length > 0) {
    faults.push({
      ...fault(`not yet applied: ${pending.join(', ')}`, 'run tankwatch migrate, then tankwatch doctor again'),
      blocks: true,
    });
  }
  for (const name of edited) {
    faults.push(
      fault(
        `${name} was changed after it was applied`,
        'put the file back as this release has it; a change belongs into a new migration',
      ),
    );
  }
  if (unknown.length > 0) {
    faults.push(
      fault(
        `the database has migrations that this release does not know: ${unknown.join(', ')}`,
        'a newer release was here: upgrade this one to it; its schema keeps the previous release working until then',
      ),
    );
  }
  return faults;
}

const isEdited = (file: Migration, applied: ReadonlyMap<string, string>): boolean =>
  (applied.get(file.name) ?? file.sha256) !== file.sha256;

/** Hashes by name; none in a database that was never migrated. */
async function appliedMigrations(db: Db): Promise<Map<string, string>> {
  const { rows: known } = await db.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (!known[0]?.exists) return new Map();
  const { rows } = await db.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations order by name',
  );
  return new Map(rows.map((row) => [row.name, row.sha256]));
}

/** An index that was being made when something failed stays behind: kept up by every write, used by no read. */
async function checkIndexes(db: Db): Promise<Fault[]> {
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
      fault(`the index ${name} on ${table} is not valid`, `as the owner: reindex index concurrently ${name}`),
    ),
    ...constraints.map(({ name, table }) =>
      fault(
        `the constraint ${name} on ${table} was never validated`,
        `as the owner: alter table ${table} validate constraint ${name}`,
      ),
    ),
  ];
}

/** Webhooks and mails that nobody sends. */
async function checkJobs(db: Db): Promise<Fault[]> {
  const { rows } = await db.query<{ overdue: number }>('select overdue_jobs() as overdue');
  return rows
    .filter(({ overdue }) => overdue > 0)
    .map(({ overdue }) =>
      fault(
        `${amount(overdue, 'jobs')} of the worker should have been done ten minutes ago`,
        'see that tankwatch worker is running, with SMTP_URL if mails are wanted; tankwatch webhooks list names webhooks that fail',
      ),
    );
}
