import { DatabaseError, type Pool } from 'pg';
import { type Migration, readMigrations } from '../db/migrate.ts';
import type { Db } from '../db/pool.ts';
import { checkAssignments } from './assignment_drift.ts';
import { checkCatalogCounters } from './catalog_drift.ts';
import { checkPrivileges } from './check_privileges.ts';
import { checkEvaluation } from './evaluation.ts';
import { amount, type Check, type CheckFinding, type Finding, finding } from './finding.ts';
import { checkLogins } from './logins.ts';
import { checkPartitions } from './partitions.ts';
import { checkTelemetryCounters } from './telemetry_drift.ts';
import { checkTriggers } from './triggers.ts';

export interface CheckOptions {
  fix: boolean;
  /** After each check. `findings` is undefined for a check that was skipped because of an earlier finding. */
  onChecked: (check: string, findings: readonly Finding[] | undefined) => void;
  /** While a check takes longer than two seconds. */
  onProgress: (line: string) => void;
  progressAfterMs?: number;
}

const CHECKS: readonly Check[] = [
  { name: 'server', run: ({ pool }) => checkServer(pool) },
  { name: 'clock', run: ({ pool }) => checkClock(pool) },
  { name: 'migrations', run: ({ pool }) => checkMigrations(pool) },
  { name: 'privileges', run: ({ pool }) => checkPrivileges(pool) },
  { name: 'logins', run: ({ pool }) => checkLogins(pool) },
  { name: 'triggers', run: ({ pool }) => checkTriggers(pool) },
  { name: 'indexes', run: ({ pool }) => checkIndexes(pool) },
  { name: 'partitions', run: checkPartitions },
  { name: 'jobs', run: ({ pool }) => checkJobs(pool) },
  { name: 'evaluation', run: checkEvaluation },
  { name: 'catalog counters', run: checkCatalogCounters },
  { name: 'device assignments', run: checkAssignments },
  { name: 'telemetry counters', run: checkTelemetryCounters },
];

/** Runs all checks on a database that is reachable, from the server to every counter. */
export async function runChecks(pool: Pool, options: CheckOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  let isBlocked = false;
  for (const check of CHECKS) {
    if (isBlocked) {
      options.onChecked(check.name, undefined);
      continue;
    }
    const checkFindings = await runCheck(check, pool, options);
    isBlocked = checkFindings.some(({ blocks }) => blocks);
    const found = checkFindings.map(({ problem, remedy, fixed }) => ({ check: check.name, problem, remedy, fixed }));
    options.onChecked(check.name, found);
    findings.push(...found);
  }
  return findings;
}

async function runCheck(check: Check, pool: Pool, options: CheckOptions): Promise<CheckFinding[]> {
  const startedAt = performance.now();
  const afterMs = options.progressAfterMs ?? 2_000;
  let progressText = '';
  const report = (): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    options.onProgress(`${check.name}: still running after ${seconds} s${progressText}`);
    timer = setTimeout(report, afterMs * 5); // fewer lines for a check that takes an hour
  };
  let timer = setTimeout(report, afterMs);
  const progress = (text: string): void => {
    progressText = `, ${text}`;
  };
  try {
    return await check.run({ pool, fix: options.fix, progress });
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // A check that fails is a finding. The others still run.
    return [
      finding(
        `the check failed: ${error.message}`,
        'if a privilege is missing, use a login in tankwatch_operator or the owner; if a table or function is missing, restore it from a backup',
      ),
    ];
  } finally {
    clearTimeout(timer);
  }
}

const OLDEST_SERVER = 15;
const NEWEST_SERVER = 18;

async function checkServer(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ version: number }>(`select current_setting('server_version_num')::int as version`);
  return rows.flatMap(({ version }) => serverFindings(version));
}

/** `version` is PostgreSQL's server_version_num: 150008 is 15.8. */
export function serverFindings(version: number): CheckFinding[] {
  const major = Math.floor(version / 10_000);
  if (major >= OLDEST_SERVER && major <= NEWEST_SERVER) return [];
  return [
    finding(
      `the server is PostgreSQL ${major}.${version % 10_000}; Tankwatch supports PostgreSQL ${OLDEST_SERVER} to ${NEWEST_SERVER}`,
      major < OLDEST_SERVER
        ? `upgrade the server with pg_upgrade to PostgreSQL ${NEWEST_SERVER}`
        : 'upgrade Tankwatch to a release that supports this version, or use a supported server',
    ),
  ];
}

const MAX_SKEW_MS = 2_000;

async function checkClock(db: Db): Promise<CheckFinding[]> {
  const sentMs = Date.now();
  const { rows } = await db.query<{ at_ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at_ms',
  );
  const receivedMs = Date.now();
  return rows.flatMap(({ at_ms }) => clockFindings(sentMs, at_ms, receivedMs));
}

/** The database read its clock between sending and receiving, so a slow network does not look like a wrong clock. */
export function clockFindings(sentMs: number, databaseMs: number, receivedMs: number): CheckFinding[] {
  const aheadMs = Math.max(sentMs - databaseMs, 0) - Math.max(databaseMs - receivedMs, 0);
  if (Math.abs(aheadMs) <= MAX_SKEW_MS) return [];
  const skew = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  return [
    finding(
      `this machine's clock is ${skew} the database's`,
      'synchronize both clocks with a time service such as chrony or systemd-timesyncd',
    ),
  ];
}

/** Compares the files with the applied migrations. Names all differences; `tankwatch migrate` stops at the first. */
async function checkMigrations(db: Db): Promise<CheckFinding[]> {
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
      finding(
        `${name} was changed after it was applied`,
        'restore the file of this release; put changes into a new migration',
      ),
    );
  }
  if (unknown.length > 0) {
    findings.push(
      finding(
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
  const { rows: known } = await db.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (!known[0]?.exists) return new Map();
  const { rows } = await db.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations order by name',
  );
  return new Map(rows.map((row) => [row.name, row.sha256]));
}

/** An index whose creation failed stays in the catalog as invalid: every write updates it, no read uses it. */
async function checkIndexes(db: Db): Promise<CheckFinding[]> {
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
      finding(`the index ${name} on ${table} is not valid`, `as the owner: reindex index concurrently ${name}`),
    ),
    ...constraints.map(({ name, table }) =>
      finding(
        `the constraint ${name} on ${table} is not validated`,
        `as the owner: alter table ${table} validate constraint ${name}`,
      ),
    ),
  ];
}

/** Jobs that no worker runs: webhooks and mails that are not sent. */
async function checkJobs(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ overdue: number }>('select overdue_jobs() as overdue');
  return rows
    .filter(({ overdue }) => overdue > 0)
    .map(({ overdue }) =>
      finding(
        `${amount(overdue, 'jobs')} overdue by more than ten minutes`,
        'check that tankwatch worker is running, with SMTP_URL if mails are wanted; tankwatch webhooks list shows failing webhooks',
      ),
    );
}
