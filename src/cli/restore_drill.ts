import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { transaction } from '../db/pool.ts';
import { runDatabaseChecks } from '../doctor/run_checks.ts';
import { silentLogger } from '../health/outage.ts';
import { NoBackupError, runDrill } from '../recovery/drill.ts';
import { type DrillFigures, judgeDrill, recordBackup, recordDrill } from '../recovery/drill_record.ts';
import { readProductionFacts } from '../recovery/production_facts.ts';
import { readRemovalFile } from '../recovery/removal_file.ts';
import { readGivenStream, readRemovalsFile } from '../settings/command_settings.ts';
import type { Stream } from '../stream/stream.ts';
import { UserError } from '../values/user_error.ts';
import { decodeOrReject } from '../writer/decode_or_reject.ts';
import { mergeShares, splitIntoShares } from '../writer/shares.ts';
import { type CommonOptions, formatCell, parseCount, readCommand, withDatabase } from './command.ts';
import { addPgBackRestOptions, type PgBackRestOptions, pgBackRestOf } from './options/pgbackrest.ts';

interface DrillCommandOptions extends CommonOptions, PgBackRestOptions {
  folder: string;
  bin?: string;
  superuser: string;
  database?: string;
  removals?: string;
  maxRpoSeconds: number;
  maxRtoMinutes: number;
  full?: boolean;
  keep?: boolean;
}

/**
 * The checks of doctor in the restored database: schema, counters, states and consistency. Checks of running roles are
 * left out.
 */
const CHECKS: ReadonlySet<string> = new Set([
  'migrations',
  'triggers',
  'indexes',
  'evaluation',
  'catalog counters',
  'device assignments',
  'fleet reads',
  'search texts',
  'telemetry counters',
  'packed months',
]);

export function drillCommand(): Command {
  const command = readCommand(
    'drill',
    'restore the newest backup of pgBackRest beside production, replay WAL and stream, compare the result with production, and print how much would be lost (RPO) and how long it took (RTO); the exit code is 1 if one of them is above its limit or something is wrong',
    'restore drill --folder /var/lib/postgresql/drill --max-rpo-seconds 120',
  )
    .option('--folder <folder>', 'where to restore: a disk with room for the database', tmpdir())
    .option('--bin <folder>', "the folder with the programs of PostgreSQL (default: that of the backup's version)")
    .option('--superuser <name>', 'the superuser of the database', 'postgres')
    .option('--database <name>', 'the name of the database (default: that of OPERATOR_DATABASE_URL)')
    .option('--removals <file>', 'the file of removals (default: REMOVALS_FILE)')
    .option('--max-rpo-seconds <n>', 'how much time the archive may lack', parseCount, 300)
    .option('--max-rto-minutes <n>', 'how long the restore may take', parseCount, 240)
    .option('--full', 'count all readings again, also of more than 200,000 tanks')
    .option('--keep', 'leave the restored files in the folder');
  return addPgBackRestOptions(command).action((options: DrillCommandOptions) =>
    withDatabase(async ({ pool, config }) => {
      const drilled = await drill(pool, config.databaseUrl, options);
      if (options.json) console.log(JSON.stringify(drilled));
      else console.log(describeDrill(drilled));
      if (drilled.problems.length > 0) process.exitCode = 1;
    }),
  );
}

/** The result of a drill. Without figures if the drill could not be finished. */
type DrillResult = Partial<DrillFigures> & { problems: readonly string[] };

/** Runs a drill and records its result in any case, so that a failed drill does not look like a forgotten one. */
async function drill(pool: Pool, databaseUrl: string, options: DrillCommandOptions): Promise<DrillResult> {
  const production = await readProductionFacts(pool);
  const folder = await mkdtemp(join(options.folder, 'tankwatch-drill-'));
  let stream: Stream | null = null;
  let drilled: DrillResult;
  try {
    stream = await openStream();
    const removalsFile = options.removals ?? readRemovalsFile(process.env);
    if (stream === null) console.error('OPERATOR_NATS_URL is not set: the stream is not replayed');
    if (removalsFile === '') console.error('REMOVALS_FILE is not set: removals are not applied');
    const figures = await runDrill({
      pgBackRest: await pgBackRestOf(options),
      folder,
      database: options.database ?? decodeURIComponent(new URL(databaseUrl).pathname.slice(1)),
      superuser: options.superuser,
      binFolder: options.bin,
      recoveryTimeoutMs: options.maxRtoMinutes * 60_000,
      removals: removalsFile === '' ? [] : await readRemovalFile(removalsFile),
      production,
      stream,
      decode: (message) => mergeShares(splitIntoShares(decodeOrReject(message), 1)),
      findProblems: (restored) => findProblems(restored, options.full ?? false),
      onPhase: (phase) => console.error(`${new Date().toISOString().slice(11, 19)} ${phase} ...`),
    });
    const limits = { maxRpoSeconds: options.maxRpoSeconds, maxRtoSeconds: options.maxRtoMinutes * 60 };
    drilled = { ...figures, problems: judgeDrill(figures, limits) };
  } catch (error) {
    // Other errors come from a damaged backup, or are errors of this program.
    if (!(error instanceof UserError || error instanceof NoBackupError)) console.error(error);
    drilled = { problems: [error instanceof Error ? error.message : String(error)] };
  } finally {
    await stream?.close();
    if (options.keep) console.error(`the restored files are in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
  await transaction(pool, async (tx) => {
    await recordDrill(tx, production.at, drilled, drilled.problems);
    if (drilled.backup_label !== undefined && drilled.backup_ended_at !== undefined)
      await recordBackup(tx, {
        label: drilled.backup_label,
        endedAt: drilled.backup_ended_at,
        bytes: drilled.bytes ?? null,
      });
  });
  return drilled;
}

async function openStream(): Promise<Stream | null> {
  const config = readGivenStream(process.env);
  if (config === null) return null;
  const { Stream: Opened } = await import('../stream/stream.ts');
  return Opened.attach({ ...config, clientName: 'tankwatch operator', logger: silentLogger });
}

export async function findProblems(pool: Pool, isFull: boolean): Promise<string[]> {
  const findings = await runDatabaseChecks(pool, {
    fix: false,
    isFull,
    only: CHECKS,
    onChecked: () => {},
    onProgress: (line) => console.error(line),
  });
  return findings.filter(({ severity }) => severity === 'broken').map(({ check, problem }) => `${check}: ${problem}`);
}

export function describeDrill({ problems, ...figures }: DrillResult): string {
  const rounded = (value: unknown): unknown => (typeof value === 'number' ? Math.round(value * 100) / 100 : value);
  return [
    ...Object.entries(figures).map(([name, value]) => `${name}: ${formatCell(rounded(value))}`),
    problems.length === 0 ? 'good enough' : `NOT good enough:\n${problems.map((problem) => `- ${problem}`).join('\n')}`,
  ].join('\n');
}
