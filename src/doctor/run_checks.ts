import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError, type Pool } from 'pg';
import type { DoctorConfig } from '../settings/command_settings.ts';
import { checkApi } from './api.ts';
import { checkAssignments } from './assignment_drift.ts';
import { checkBackup } from './backup.ts';
import { checkCatalogCounters } from './catalog_drift.ts';
import { checkCertificates } from './certificates.ts';
import { checkPrivileges } from './check_privileges.ts';
import { checkContinuousCheck } from './continuous_check.ts';
import { checkDisks } from './disks.ts';
import { checkEvaluation } from './evaluation.ts';
import { checkEventFeed } from './event_feed.ts';
import {
  type CheckContext,
  type CheckFinding,
  type DatabaseCheck,
  type Finding,
  finding,
  type NotChecked,
  type ServiceCheck,
} from './finding.ts';
import { checkFleet } from './fleet_drift.ts';
import { checkGateway } from './gateway.ts';
import { checkInternalNumbers } from './internal_numbers.ts';
import { checkIssuers } from './issuers.ts';
import { checkLogins } from './logins.ts';
import { checkNatsSync } from './nats_monitor.ts';
import { checkNotifications } from './notifications.ts';
import { checkPackedMonths } from './packed_months.ts';
import { checkPartitions } from './partitions.ts';
import { checkPlannerStatistics } from './planner_statistics.ts';
import { checkSettings } from './postgres_settings.ts';
import { checkIndexes, checkMigrations } from './schema.ts';
import { checkSearchTexts } from './search_texts.ts';
import { checkClock, checkServer } from './server.ts';
import { checkServerLoad } from './server_load.ts';
import { checkSmtp } from './smtp.ts';
import { checkStoredSecrets } from './stored_secrets.ts';
import { checkStream } from './stream.ts';
import { checkTelemetryCounters } from './telemetry_drift.ts';
import { checkTriggers } from './triggers.ts';
import { checkWeather } from './weather.ts';
import { checkWebhooks } from './webhooks.ts';
import { checkWorker } from './worker.ts';
import { checkWriters } from './writers.ts';

/** The result of a check. Undefined if it was skipped because of an earlier finding. */
export type CheckOutcome = readonly Finding[] | NotChecked | undefined;

export interface CheckOptions {
  fix: boolean;
  /** The settings, for checks that compare the database with settings and roles. */
  config?: DoctorConfig;
  /** True to count all readings of a large installation too. */
  isFull?: boolean;
  /** Runs only the checks of the database with these names. */
  only?: ReadonlySet<string>;
  /** Called after each check. */
  onChecked: (check: string, outcome: CheckOutcome) => void;
  /** Called while a check takes longer than two seconds. */
  onProgress: (line: string) => void;
  progressAfterMs?: number;
  /** During a check, the server gets a query at this interval, and has as much time to answer. */
  watchMs?: number;
}

const SERVICE_CHECKS: readonly ServiceCheck[] = [
  { name: 'stream', run: checkStream },
  { name: 'nats-server disk sync', run: checkNatsSync },
  { name: 'writers', run: checkWriters },
  { name: 'gateway', run: checkGateway },
  { name: 'api', run: checkApi },
  { name: 'mail server', run: checkSmtp },
  { name: 'certificates', run: checkCertificates },
  { name: 'disk space', run: checkDisks },
];

const DATABASE_CHECKS: readonly DatabaseCheck[] = [
  { name: 'server', run: ({ pool }) => checkServer(pool) },
  { name: 'server settings', run: ({ pool }) => checkSettings(pool) },
  { name: 'clock', run: ({ pool }) => checkClock(pool) },
  { name: 'migrations', run: ({ pool }) => checkMigrations(pool) },
  { name: 'privileges', run: ({ pool }) => checkPrivileges(pool) },
  { name: 'logins', run: ({ pool }) => checkLogins(pool) },
  { name: 'triggers', run: ({ pool }) => checkTriggers(pool) },
  { name: 'indexes', run: ({ pool }) => checkIndexes(pool) },
  { name: 'planner statistics', run: ({ pool }) => checkPlannerStatistics(pool) },
  { name: 'internal numbers', run: ({ pool }) => checkInternalNumbers(pool) },
  { name: 'partitions', run: checkPartitions },
  { name: 'notifications', run: ({ pool }) => checkNotifications(pool) },
  { name: 'server load', run: ({ pool }) => checkServerLoad(pool) },
  { name: 'worker', run: ({ pool }) => checkWorker(pool) },
  { name: 'backup', run: ({ pool }) => checkBackup(pool) },
  { name: 'webhooks', run: ({ pool }) => checkWebhooks(pool) },
  { name: 'stored secrets', run: checkStoredSecrets },
  { name: 'issuers', run: checkIssuers },
  { name: 'evaluation', run: checkEvaluation },
  { name: 'weather', run: checkWeather },
  { name: 'event feed', run: checkEventFeed },
  { name: 'catalog counters', run: checkCatalogCounters },
  { name: 'device assignments', run: checkAssignments },
  { name: 'fleet reads', run: checkFleet },
  { name: 'search texts', run: checkSearchTexts },
  { name: 'continuous check', run: ({ pool }) => checkContinuousCheck(pool) },
  { name: 'telemetry counters', run: checkTelemetryCounters },
  { name: 'packed months', run: ({ pool }) => checkPackedMonths(pool) },
];

/** Checks nats-server, the roles, the mail server, certificates and disks. */
export async function runServiceChecks(config: DoctorConfig, options: CheckOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, run } of SERVICE_CHECKS) {
    const checked = await withProgress(name, options, () => withLimit(run(config)));
    const outcome = 'notChecked' in checked ? checked : checked.map((found) => toFinding(name, found));
    options.onChecked(name, outcome);
    if (!('notChecked' in outcome)) findings.push(...outcome);
  }
  return findings;
}

/** Every service check has time limits of its own. This limit is for cases that they do not cover, such as a server that hangs. */
const LIMIT_MS = 30_000;

async function withLimit<T>(check: Promise<T>): Promise<T | CheckFinding[]> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<CheckFinding[]>((resolve) => {
    const late = finding(
      `the check did not end within ${LIMIT_MS / 1_000} seconds`,
      'look whether the server that it asks hangs, and restart it',
    );
    timer = setTimeout(() => resolve([late]), LIMIT_MS);
  });
  try {
    return await Promise.race([check, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs all checks on a database that is reachable, from the server to every counter. */
export async function runDatabaseChecks(pool: Pool, options: CheckOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  let isBlocked = false;
  for (const check of DATABASE_CHECKS.filter(({ name }) => options.only?.has(name) ?? true)) {
    if (isBlocked) {
      options.onChecked(check.name, undefined);
      continue;
    }
    const checkFindings = await withProgress(check.name, options, (progress) =>
      whileServerAnswers(
        pool,
        runCheck(check, { pool, fix: options.fix, isSampled: !options.isFull, config: options.config, progress }),
        options.watchMs,
      ),
    );
    isBlocked = checkFindings.some(({ blocks }) => blocks);
    const found = checkFindings.map((checkFinding) => toFinding(check.name, checkFinding));
    options.onChecked(check.name, found);
    findings.push(...found);
  }
  return findings;
}

const WATCH_MS = 10_000;

/** A check may count for an hour. If the server does not answer another connection either, it hangs, and the check ends. */
async function whileServerAnswers(
  pool: Pool,
  check: Promise<CheckFinding[]>,
  watchMs = WATCH_MS,
): Promise<CheckFinding[]> {
  // An error that the server sends, such as "too many clients", is an answer.
  const answerOf = (error: unknown): unknown => (error instanceof DatabaseError ? error : 'late');
  const ended = new AbortController();
  const watchServer = async (): Promise<CheckFinding[]> => {
    for (;;) {
      await delay(watchMs, undefined, { signal: ended.signal });
      const late = delay(watchMs, 'late', { signal: ended.signal });
      if ((await Promise.race([pool.query('select').catch(answerOf), late])) !== 'late') continue;
      const remedy = 'look at its log and processes, and restart it';
      return [{ ...finding(`PostgreSQL has not answered for ${watchMs / 1_000} seconds`, remedy), blocks: true }];
    }
  };
  check.catch(() => {}); // it may fail after the watch has given up
  try {
    return await Promise.race([check, watchServer().catch(() => check)]);
  } finally {
    ended.abort();
  }
}

/** Reports every check of the database as skipped. */
export function skipDatabaseChecks(options: CheckOptions): void {
  for (const { name } of DATABASE_CHECKS) options.onChecked(name, undefined);
}

const toFinding = (check: string, { problem, remedy, fixed, isWarning, isNote }: CheckFinding): Finding => ({
  check,
  severity: isNote ? 'note' : isWarning ? 'warning' : 'broken',
  problem,
  remedy,
  fixed,
});

async function runCheck(check: DatabaseCheck, context: CheckContext): Promise<CheckFinding[]> {
  try {
    return await check.run(context);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // A check that fails is a finding. The others still run.
    return [
      finding(
        `the check failed: ${error.message}`,
        'if a privilege is missing, use a login in tankwatch_operator or the owner; if a table or function is missing, restore it from a backup',
      ),
    ];
  }
}

/** Reports that a check is still running after two seconds, and then every ten seconds. */
async function withProgress<T>(
  check: string,
  options: CheckOptions,
  work: (progress: (text: string) => void) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const afterMs = options.progressAfterMs ?? 2_000;
  let progressText = '';
  const report = (): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    options.onProgress(`${check}: still running after ${seconds} s${progressText}`);
    timer = setTimeout(report, afterMs * 5); // fewer lines for a check that takes an hour
  };
  let timer = setTimeout(report, afterMs);
  try {
    return await work((text) => {
      progressText = `, ${text}`;
    });
  } finally {
    clearTimeout(timer);
  }
}
