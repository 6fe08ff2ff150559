import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { openPool } from '../db/pool.ts';
import type { Finding } from '../doctor/finding.ts';
import {
  type CheckOptions,
  type CheckOutcome,
  runDatabaseChecks,
  runServiceChecks,
  skipDatabaseChecks,
} from '../doctor/run_checks.ts';
import { type DoctorConfig, readDoctorConfig } from '../settings/command_settings.ts';
import { ConfigError, type Environment } from '../settings/setting_reader.ts';
import { problemAndRemedy } from '../values/error_reason.ts';
import { type CommonOptions, readCommand } from './command.ts';
import { nameUp } from './explain_error.ts';

/** How long the end of the connections may take, which usually takes milliseconds. */
const END_MS = 5_000;
const EXIT_CODES = { ok: 0, warning: 1, broken: 2 } as const;

export function doctorCommand(): Command {
  return readCommand(
    'doctor',
    'check an installation: nats-server, roles, mail server, certificates, disks, database, schema and counters; the exit code is 1 for warnings and 2 if something is broken',
    'doctor --fix',
  )
    .option('--fix', 'fix what can be fixed without losing data: recount counters, create partitions')
    .option(
      '--full',
      'count all readings again, also of more than 200,000 tanks; without it, the worker does this continuously',
    )
    .action(async (options: CommonOptions & { fix?: boolean; full?: boolean }) => {
      const notChecked: DoctorReport['not_checked'] = [];
      const findings = await diagnose(process.env, {
        fix: options.fix ?? false,
        isFull: options.full ?? false,
        onChecked(check, outcome) {
          if (!options.json) console.log(describeCheck(check, outcome));
          if (outcome !== undefined && 'notChecked' in outcome) notChecked.push({ check, reason: outcome.notChecked });
        },
        onProgress: (line) => console.error(line),
      });
      const report = reportOf(findings, notChecked);
      if (options.json) console.log(JSON.stringify(report));
      process.exitCode = EXIT_CODES[report.status];
    });
}

export interface DoctorReport {
  /** True if nothing is wrong, or if everything was fixed. */
  healthy: boolean;
  status: keyof typeof EXIT_CODES;
  findings: Finding[];
  /** Findings that would be warnings in a larger installation. */
  notes: { check: string; note: string }[];
  /** The checks that were not made, and what they need. */
  not_checked: { check: string; reason: string }[];
}

export function reportOf(findings: Finding[], notChecked: DoctorReport['not_checked'] = []): DoctorReport {
  const open = findings.filter(({ fixed, severity }) => !fixed && severity !== 'note');
  const isBroken = open.some(({ severity }) => severity === 'broken');
  const status = isBroken ? 'broken' : open.length > 0 ? 'warning' : 'ok';
  const notes = findings.filter(({ severity }) => severity === 'note');
  return {
    healthy: open.length === 0,
    status,
    findings: findings.filter(({ severity }) => severity !== 'note'),
    notes: notes.map(({ check, problem }) => ({ check, note: problem })),
    not_checked: notChecked,
  };
}

/** Runs all checks. The configuration comes first, because the other checks need it. */
export async function diagnose(environment: Environment, options: CheckOptions): Promise<Finding[]> {
  let config: DoctorConfig;
  try {
    config = readDoctorConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy = 'set the variables it names, then run tankwatch doctor again';
    return reportOne('configuration', error.message, remedy, options);
  }
  options.onChecked('configuration', []);
  // The services come first: counting the items of every list can take an hour.
  const serviceFindings = await runServiceChecks(config, options);
  return [...serviceFindings, ...(await diagnoseDatabase(config, options))];
}

async function diagnoseDatabase(config: DoctorConfig, options: CheckOptions): Promise<Finding[]> {
  const { databaseUrl, databaseSetting } = config;
  // The checks count whole tables. With the default work_mem of 4 MB, PostgreSQL would sort millions of groups on disk.
  const pool = openPool({
    url: databaseUrl,
    setting: databaseSetting,
    applicationName: 'tankwatch doctor',
    settings: { work_mem: '64MB' },
  });
  try {
    const connectError = await pool.query('select').then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (connectError !== undefined) {
      const { problem, remedy } = problemAndRemedy(
        connectError.error,
        `check that it runs, and that address, user and password in ${databaseSetting} are correct`,
      );
      const findings = reportOne('database', `the database cannot be reached: ${problem}`, remedy, options);
      skipDatabaseChecks(options);
      return findings;
    }
    options.onChecked('database', []);
    return await runDatabaseChecks(pool, { ...options, config });
  } finally {
    // A server that hangs does not end its connections.
    await Promise.race([pool.end(), delay(END_MS, undefined, { ref: false })]);
  }
}

function reportOne(check: string, problem: string, remedy: string, options: CheckOptions): Finding[] {
  const findings: Finding[] = [{ check, severity: 'broken', problem, remedy, fixed: false }];
  options.onChecked(check, findings);
  return findings;
}

/** One line per check or finding, and the remedy below each finding that is not fixed. */
export function describeCheck(check: string, outcome: CheckOutcome): string {
  if (outcome === undefined) return `--    ${check}: not checked, because of the problem above`;
  if ('notChecked' in outcome) return `--    ${check}: not checked: ${outcome.notChecked}`;
  if (outcome.length === 0) return `ok    ${check}`;
  return outcome
    .map(({ severity, problem, remedy, fixed }) => {
      if (fixed) return `fixed ${check}: ${problem}`;
      if (severity === 'note') return `ok    ${check}: ${remedy}: ${problem}`;
      return `${severity === 'broken' ? 'WRONG' : 'warn '} ${check}: ${problem}\n      ${nameUp(remedy, process.env)}`;
    })
    .join('\n');
}
