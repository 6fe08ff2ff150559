import type { Command } from 'commander';
import { readOperatorConfig } from '../config.ts';
import { openPool } from '../db/pool.ts';
import type { Finding } from '../doctor/finding.ts';
import { type CheckOptions, runChecks } from '../doctor/run_checks.ts';
import { ConfigError, type Environment } from '../settings.ts';
import { errorCode } from '../values/error_code.ts';
import { type CommonOptions, readCommand } from './command.ts';

export function doctorCommand(): Command {
  return readCommand(
    'doctor',
    'check an installation: configuration, server, schema, privileges, partitions and counters; the exit code is 1 if something is wrong',
    'doctor --fix',
  )
    .option('--fix', 'fix what can be fixed without losing data: recount counters, create partitions')
    .action(async (options: CommonOptions & { fix?: boolean }) => {
      const findings = await diagnose(process.env, {
        fix: options.fix ?? false,
        onChecked: (check, found) => options.json || console.log(describeCheck(check, found)),
        onProgress: (line) => console.error(line),
      });
      const report = reportOf(findings);
      if (options.json) console.log(JSON.stringify(report));
      if (!report.healthy) process.exitCode = 1;
    });
}

export interface Report {
  /** Nothing is wrong, or everything was fixed. */
  healthy: boolean;
  findings: Finding[];
}

export const reportOf = (findings: Finding[]): Report => ({
  healthy: findings.every((finding) => finding.fixed),
  findings,
});

/** Runs all checks. The configuration comes first, because the other checks need it. */
export async function diagnose(environment: Environment, options: CheckOptions): Promise<Finding[]> {
  const stop = (check: string, problem: string, remedy: string): Finding[] => {
    const findings = [{ check, problem, remedy, fixed: false }];
    options.onChecked(check, findings);
    return findings;
  };
  let databaseUrl: string;
  try {
    ({ databaseUrl } = readOperatorConfig(environment));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return stop('configuration', error.message, 'set the variables it names, then run tankwatch doctor again');
  }
  options.onChecked('configuration', []);

  // The checks count whole tables. With the default work_mem of 4 MB, PostgreSQL would sort millions of groups on disk.
  const pool = openPool({ url: databaseUrl, applicationName: 'tankwatch doctor', settings: { work_mem: '64MB' } });
  try {
    const connectError = await pool.query('select').then(
      () => undefined,
      (error: unknown) => reasonOf(error),
    );
    if (connectError !== undefined) {
      return stop(
        'database',
        `the database cannot be reached: ${connectError}`,
        'check that it runs, and that address, user and password in OPERATOR_DATABASE_URL or DATABASE_URL are correct',
      );
    }
    options.onChecked('database', []);
    return await runChecks(pool, options);
  } finally {
    await pool.end();
  }
}

/** The error of a host name with several addresses has an empty message, so its code is used. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (errorCode(error) ?? error.name);
}

/** One line per check or finding, and the remedy below each finding that is not fixed. */
export function describeCheck(check: string, findings: readonly Finding[] | undefined): string {
  if (findings === undefined) return `--    ${check}: not looked at, because of the above`;
  if (findings.length === 0) return `ok    ${check}`;
  return findings
    .map(({ problem, remedy, fixed }) =>
      fixed ? `fixed ${check}: ${problem}` : `WRONG ${check}: ${problem}\n      ${remedy}`,
    )
    .join('\n');
}
