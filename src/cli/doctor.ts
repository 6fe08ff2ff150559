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
    'check an installation: settings, server, schema, privileges, partitions and every counter; ends with 1 if something is wrong',
    'doctor --fix',
  )
    .option('--fix', 'mend what can be mended without losing anything: count again, make partitions')
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
  /** Nothing is wrong, or nothing any more. */
  healthy: boolean;
  findings: Finding[];
}

export const reportOf = (findings: Finding[]): Report => ({
  healthy: findings.every((finding) => finding.fixed),
  findings,
});

/** All the checks, beginning with the settings they need. */
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
    return stop(
      'configuration',
      error.message,
      'set what it names in the environment, then run tankwatch doctor again',
    );
  }
  options.onChecked('configuration', []);

  // Whole tables are counted: with the default of 4 MB, millions of groups would be sorted on disk.
  const pool = openPool({ url: databaseUrl, applicationName: 'tankwatch doctor', settings: { work_mem: '64MB' } });
  try {
    const refusal = await pool.query('select').then(
      () => undefined,
      (error: unknown) => reasonOf(error),
    );
    if (refusal !== undefined) {
      return stop(
        'database',
        `the database cannot be reached: ${refusal}`,
        'see that it is running, and that the address, user and password in OPERATOR_DATABASE_URL or DATABASE_URL are right',
      );
    }
    options.onChecked('database', []);
    return await runChecks(pool, options);
  } finally {
    await pool.end();
  }
}

/** Two addresses that both refuse make an error whose message is empty; its code still says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (errorCode(error) ?? error.name);
}

/** A line per check or finding, for people; under each finding what to do, or that it is done. */
export function describeCheck(check: string, findings: readonly Finding[] | undefined): string {
  if (findings === undefined) return `--    ${check}: not looked at, because of the above`;
  if (findings.length === 0) return `ok    ${check}`;
  return findings
    .map(({ problem, remedy, fixed }) =>
      fixed ? `fixed ${check}: ${problem}` : `WRONG ${check}: ${problem}\n      ${remedy}`,
    )
    .join('\n');
}
