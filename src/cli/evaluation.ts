import { Command, Option } from 'commander';
import type { Pool } from 'pg';
import { recordCommand } from '../catalog/audit_log.ts';
import { transaction } from '../db/pool.ts';
import { tryReevaluation } from '../evaluation/reevaluator.ts';
import {
  type ChangedEvents,
  countRecordedSince,
  markWrongEvaluation,
  readEvaluationQueue,
  tanksEvaluatedSince,
  type WrongEvaluation,
} from '../evaluation/retract_evaluation.ts';
import { UserError } from '../values/user_error.ts';
import { readOpenHold } from '../worker/holds.ts';
import {
  type CommonOptions,
  formatTable,
  organizationNo,
  parseCount,
  parseTime,
  printFields,
  printResult,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';
import { Progress } from './progress.ts';

/** The number of tanks per transaction. A transaction lasts less than a second, and readings of its tanks wait until it ends. */
const BATCH_TANKS = 200;
/** A dry run evaluates 150 to 600 tanks a second. */
const DEFAULT_TRIED_TANKS = 1_000;

interface RetractOptions extends WriteOptions {
  since: string;
  organization?: string;
  fromFirstReading?: boolean;
  tanks: number;
}

export function evaluationCommand(): Command {
  return new Command('evaluation')
    .description('evaluate tanks again, after a release that evaluated them wrongly')
    .addCommand(retractCommand())
    .addCommand(statusCommand());
}

function retractCommand(): Command {
  return writeCommand(
    'retract',
    'evaluate all tanks again that were evaluated since a time, with the release of the writers; events that it does not find are retracted, and their recipients are notified',
    'evaluation retract --since 2026-11-15T08:00:00Z --dry-run',
  )
    .requiredOption('--since <time>', 'when the wrong release began to evaluate', parseTime)
    .option('--organization <code>', 'only this organization (default: all)')
    .option(
      '--from-first-reading',
      'evaluate all stored readings of all tanks: the wrong release also evaluated old ones again, as after a new version of tank states',
    )
    .addOption(
      new Option('--tanks <n>', 'how many tanks a dry run evaluates')
        .default(DEFAULT_TRIED_TANKS)
        .argParser(parseCount),
    )
    .action((options: RetractOptions) =>
      withDatabase(async ({ pool }) => {
        if (Date.parse(options.since) > Date.now())
          throw new UserError(`--since must not be in the future, and ${options.since} is.`);
        const wrong: WrongEvaluation = {
          since: options.since,
          organizationNo: options.organization === undefined ? null : await organizationNo(pool, options.organization),
          isFromFirstReading: options.fromFirstReading ?? false,
        };
        if ((await readOpenHold(pool)) === undefined)
          console.error(
            'notifications are not held: corrections are sent as soon as a tank is evaluated. To look at them first: tankwatch notifications hold',
          );
        const recorded = await countRecordedSince(pool, wrong);
        const tankNos = await readAllTanks(pool, wrong);
        if (options.dryRun) await tryRetraction(pool, options, wrong, { recorded, tankNos });
        else await retract(pool, options, wrong, { recorded, tankNos });
      }),
    );
}

/** What a retraction concerns. */
interface Work {
  recorded: Awaited<ReturnType<typeof countRecordedSince>>;
  tankNos: readonly number[];
}

async function readAllTanks(pool: Pool, wrong: WrongEvaluation): Promise<number[]> {
  const tankNos: number[] = [];
  for (;;) {
    const next = await tanksEvaluatedSince(pool, wrong, tankNos.at(-1) ?? 0, 10_000);
    if (next.length === 0) return tankNos;
    for (const tankNo of next) tankNos.push(tankNo);
  }
}

const recordedText = ({ recorded, tankNos }: Work, since: string): string =>
  [
    recorded.length === 0
      ? `no events were recorded since ${since}`
      : `events recorded since ${since}\n${formatTable(recorded)}`,
    `tanks that were evaluated since then: ${tankNos.length.toLocaleString('en')}`,
  ].join('\n');

/** Evaluates some of the tanks, evenly chosen, and rolls back. */
async function tryRetraction(pool: Pool, options: RetractOptions, wrong: WrongEvaluation, found: Work): Promise<void> {
  const { tankNos } = found;
  const step = Math.max(1, tankNos.length / options.tanks);
  const sample = Array.from(
    { length: Math.min(tankNos.length, options.tanks) },
    (_, index) => tankNos[Math.floor(index * step)] ?? 0,
  );
  const progress = new Progress('tanks');
  const total = new Map<string, ChangedEvents>();
  for (let start = 0; start < sample.length; start += BATCH_TANKS) {
    const batch = sample.slice(start, start + BATCH_TANKS);
    for (const changed of await tryReevaluation(pool, batch, (tx) => markWrongEvaluation(tx, wrong, batch)))
      total.set(changed.type, addChanges(total.get(changed.type), changed));
    progress.at('evaluated', Math.min(start + BATCH_TANKS, sample.length));
  }
  progress.end();
  const changes = [...total.values()];
  printResult(
    options,
    { recorded: found.recorded, tanks: tankNos.length, tried_tanks: sample.length, changes },
    [
      recordedText(found, options.since),
      `with the release of this command, on ${sample.length.toLocaleString('en')} of these tanks:`,
      changes.length === 0 ? 'no event would change' : formatTable(changes),
    ].join('\n'),
  );
}

const addChanges = (sum: ChangedEvents | undefined, more: ChangedEvents): ChangedEvents => ({
  type: more.type,
  retracted: (sum?.retracted ?? 0) + more.retracted,
  added: (sum?.added ?? 0) + more.added,
  changed: (sum?.changed ?? 0) + more.changed,
});

/**
 * Marks the tanks in short transactions. If the command is interrupted, it can be run again: marking a tank twice
 * changes nothing.
 */
async function retract(pool: Pool, options: RetractOptions, wrong: WrongEvaluation, found: Work): Promise<void> {
  const { tankNos } = found;
  await runChange(pool, options, (tx) =>
    recordCommand(tx, { organizationNo: wrong.organizationNo, object: 'evaluation', action: 'replay' }),
  );
  const progress = new Progress('tanks');
  for (let start = 0; start < tankNos.length; start += BATCH_TANKS) {
    const batch = tankNos.slice(start, start + BATCH_TANKS);
    await transaction(pool, (tx) => markWrongEvaluation(tx, wrong, batch));
    progress.at('marked', start + batch.length);
  }
  progress.end();
  printResult(
    options,
    { recorded: found.recorded, tanks: tankNos.length },
    `${recordedText(found, options.since)}\nwriters evaluate them again; follow it with: tankwatch evaluation status`,
  );
}

function statusCommand(): Command {
  return readCommand(
    'status',
    'show how many tanks wait for their re-evaluation; the exit code is 1 while wrongly evaluated tanks wait',
    'evaluation status',
  ).action((options: CommonOptions) =>
    withDatabase(async ({ pool }) => {
      const queue = await readEvaluationQueue(pool);
      printFields(options, { ...queue });
      if (queue.wrongly_evaluated > 0) process.exitCode = 1;
    }),
  );
}
