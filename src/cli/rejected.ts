import { Command, InvalidArgumentError, Option } from 'commander';
import type { Db } from '../db/pool.ts';
import { type ReplayResult, replayRejected } from '../ingest/replay_rejected.ts';
import { REJECTION_CODES } from '../telemetry/reading.ts';
import {
  countRejected,
  discardRejected,
  listRejected,
  type RejectedFilter,
  showRejected,
} from '../telemetry/rejected_readings.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  limitOption,
  organizationNo,
  printFields,
  printResult,
  printRows,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

interface FilterOptions {
  organization?: string;
  code?: string;
  device?: string;
  no?: number;
}

export function rejectedCommand(): Command {
  return new Command('rejected')
    .description('readings that were not stored, with their reasons and payloads')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(replayCommand())
    .addCommand(discardCommand());
}

const withFilterOptions = (command: Command): Command =>
  command
    .option('--organization <code>', 'only readings of this organization')
    .addOption(new Option('--code <reason>', 'only readings with this code').choices(REJECTION_CODES))
    .option('--device <serial>', 'only readings of this device');

const parseNo = (text: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Must be a number from: tankwatch rejected list');
  return Number(text);
};

async function filterOf(db: Db, { organization, code, device, no }: FilterOptions): Promise<RejectedFilter> {
  return {
    ...(organization === undefined ? {} : { organizationNo: await organizationNo(db, organization) }),
    ...(code === undefined ? {} : { code }),
    ...(device === undefined ? {} : { deviceId: device }),
    ...(no === undefined ? {} : { no }),
  };
}

function listCommand(): Command {
  return withFilterOptions(
    readCommand(
      'list',
      'list rejected readings, newest first',
      'rejected list --organization a0gas --code unknown_device',
    ),
  )
    .addOption(limitOption())
    .option('--counts', 'only count them by code')
    .option('--all', 'include replayed and discarded readings')
    .action((options: CommonOptions & FilterOptions & { limit: number; counts?: boolean; all?: boolean }) =>
      withDatabase(async ({ pool }) => {
        const filter = { ...(await filterOf(pool, options)), isAll: options.all ?? false };
        const rows = options.counts
          ? await countRejected(pool, filter)
          : await listRejected(pool, filter, options.limit);
        printRows(options, rows);
      }),
    );
}

function showCommand(): Command {
  return readCommand('show', 'show a rejected reading with its payload', 'rejected show 12')
    .argument('<no>', 'number of the rejected reading', parseNo)
    .action((no: number, options: CommonOptions) =>
      withDatabase(async ({ pool }) => {
        const found = await showRejected(pool, no);
        if (found === undefined)
          throw new UserError(`there is no rejected reading ${no}; list them with: tankwatch rejected list`);
        printFields(options, found);
      }),
    );
}

const REPLAY_BATCH_SIZE = 1_000;

function replayCommand(): Command {
  return withFilterOptions(
    writeCommand(
      'replay',
      'process rejected readings again after a fix, such as assigning the device',
      'rejected replay --organization a0gas --code unknown_device',
    ),
  )
    .option('--no <no>', 'only the rejected reading with this number', parseNo)
    .action((options: WriteOptions & FilterOptions) =>
      withDatabase(async ({ pool }) => {
        const filter = await filterOf(pool, options);
        const total = { stored: 0, duplicates: 0, rejected: 0 };
        const replayAfter = (afterNo: number): Promise<ReplayResult> =>
          runChange(pool, options, (tx) => replayRejected(tx, filter, { afterNo, limit: REPLAY_BATCH_SIZE }));
        let batch = await replayAfter(0);
        while (batch.lastNo !== undefined) {
          total.stored += batch.stored;
          total.duplicates += batch.duplicates;
          total.rejected += batch.rejected.length;
          if (!options.json)
            for (const { no, code, detail } of batch.rejected.slice(0, 20)) console.error(`${no}: ${code}: ${detail}`);
          batch = await replayAfter(batch.lastNo);
        }
        const { stored, duplicates, rejected } = total;
        printResult(options, total, `${stored} stored, ${duplicates} duplicates, ${rejected} rejected again`);
      }),
    );
}

function discardCommand(): Command {
  return withFilterOptions(
    writeCommand(
      'discard',
      'close rejected readings without storing them; --all still lists them',
      'rejected discard --no 12',
    ),
  )
    .option('--no <no>', 'only the rejected reading with this number', parseNo)
    .action((options: WriteOptions & FilterOptions) =>
      withDatabase(async ({ pool }) => {
        const filter = await filterOf(pool, options);
        if (Object.keys(filter).length === 0)
          throw new UserError(
            'select readings with --no, --organization, --code or --device; list them with: tankwatch rejected list',
          );
        const discarded = await runChange(pool, options, (tx) => discardRejected(tx, filter));
        printResult(options, { discarded }, `discarded ${discarded}`);
      }),
    );
}
