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
  change,
  limitOption,
  organizationNo,
  print,
  printFields,
  printRows,
  readCommand,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

interface Which {
  organization?: string;
  code?: string;
  device?: string;
  no?: number;
}

export function rejectedCommand(): Command {
  return new Command('rejected')
    .description('readings that were not stored, each with its reason and as it was sent')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(replayCommand())
    .addCommand(discardCommand());
}

const which = (command: Command): Command =>
  command
    .option('--organization <code>', 'only of this organization')
    .addOption(new Option('--code <reason>', 'only for this reason').choices(REJECTION_CODES))
    .option('--device <serial>', 'only of this device');

const number = (text: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Must be a number from: tankwatch rejected list');
  return Number(text);
};

async function filterOf(db: Db, { organization, code, device, no }: Which): Promise<RejectedFilter> {
  return {
    ...(organization === undefined ? {} : { organizationNo: await organizationNo(db, organization) }),
    ...(code === undefined ? {} : { code }),
    ...(device === undefined ? {} : { deviceId: device }),
    ...(no === undefined ? {} : { no }),
  };
}

function listCommand(): Command {
  return which(
    readCommand('list', 'list them, the newest first', 'rejected list --organization a0gas --code unknown_device'),
  )
    .addOption(limitOption())
    .option('--counts', 'only how many there are for each reason')
    .option('--all', 'also those that were replayed or discarded')
    .action((options: CommonOptions & Which & { limit: number; counts?: boolean; all?: boolean }) =>
      withDatabase(async ({ pool }) => {
        const filter = { ...(await filterOf(pool, options)), isAll: options.all ?? false };
        const rows = options.counts
          ? await countRejected(pool, filter)
          : await listRejected(pool, filter, options.limit);
        printRows(
          options,
          rows.map((row) => ({ ...row })),
        );
      }),
    );
}

function showCommand(): Command {
  return readCommand('show', 'show one with what was sent', 'rejected show 12')
    .argument('<no>', 'its number', number)
    .action((no: number, options: CommonOptions) =>
      withDatabase(async ({ pool }) => {
        const found = await showRejected(pool, no);
        if (found === undefined)
          throw new UserError(`there is no rejected reading ${no}; see: tankwatch rejected list`);
        printFields(options, found);
      }),
    );
}

const REPLAY_AT_ONCE = 1_000;

function replayCommand(): Command {
  return which(
    writeCommand(
      'replay',
      'try them again, as they were sent: after the device was assigned, the tank restored, the clock set',
      'rejected replay --organization a0gas --code unknown_device',
    ),
  )
    .option('--no <no>', 'only this one', number)
    .action((options: WriteOptions & Which) =>
      withDatabase(async ({ pool }) => {
        const filter = await filterOf(pool, options);
        const total = { stored: 0, duplicates: 0, rejected: 0 };
        const replayAfter = (afterNo: number): Promise<ReplayResult> =>
          change(pool, options, (tx) => replayRejected(tx, filter, { afterNo, limit: REPLAY_AT_ONCE }));
        for (let some = await replayAfter(0); some.lastNo !== undefined; some = await replayAfter(some.lastNo)) {
          total.stored += some.stored;
          total.duplicates += some.duplicates;
          total.rejected += some.rejected.length;
          if (options.json) continue;
          for (const { no, code, detail } of some.rejected.slice(0, 20)) console.error(`${no}: ${code}: ${detail}`);
        }
        const { stored, duplicates, rejected } = total;
        print(options, total, `${stored} stored, ${duplicates} duplicates, ${rejected} rejected again`);
      }),
    );
}

function discardCommand(): Command {
  return which(
    writeCommand(
      'discard',
      'settle them without storing them; they stay listed under --all',
      'rejected discard --no 12',
    ),
  )
    .option('--no <no>', 'only this one', number)
    .action((options: WriteOptions & Which) =>
      withDatabase(async ({ pool }) => {
        const filter = await filterOf(pool, options);
        if (Object.keys(filter).length === 0)
          throw new UserError(
            'say which ones: --no, --organization, --code or --device; to see them: tankwatch rejected list',
          );
        const discarded = await change(pool, options, (tx) => discardRejected(tx, filter));
        print(options, { discarded }, `discarded ${discarded}`);
      }),
    );
}
