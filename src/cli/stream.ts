import { Command } from 'commander';
import { recordCommand } from '../catalog/audit_log.ts';
import { readStreamConfig } from '../settings/command_settings.ts';
import type { Stream } from '../stream/stream.ts';
import { measureStreamRate } from '../stream/stream_rate.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  parseTime,
  printFields,
  printResult,
  readCommand,
  recordedCommand,
  runChange,
  type WriteOptions,
  withDatabase,
} from './command.ts';

export function streamCommand(): Command {
  return new Command('stream')
    .description('the stream between gateways and writers')
    .addCommand(statusCommand())
    .addCommand(replayCommand());
}

const printMessage = (_fields: object, message: string): void => console.error(message);
const stderrLogger = { info: printMessage, warn: printMessage, error: printMessage };

/** Loads the NATS client only here, because the other commands do not need it and should start fast. */
async function withStream<T>(work: (stream: Stream) => Promise<T>): Promise<T> {
  const config = readStreamConfig(process.env);
  const { Stream } = await import('../stream/stream.ts');
  const stream = await Stream.attach({
    ...config,
    clientName: 'tankwatch operator',
    logger: stderrLogger,
  });
  try {
    return await work(stream);
  } finally {
    await stream.close();
  }
}

function statusCommand(): Command {
  return readCommand(
    'status',
    'show the size of the stream, how many messages are not stored yet, how many hours it keeps at the rate of the last 24 hours, and when it is full if no writer runs',
    'stream status',
  ).action((options: CommonOptions) =>
    withStream(async (stream) => {
      const status = await stream.status();
      const { messages, bytes, maxBytes, firstAtMs, waiting } = status;
      const rate = await measureStreamRate(status, (sequence) => stream.storedAtMs(sequence));
      const oldest_at = messages === 0 ? null : new Date(firstAtMs).toISOString();
      printFields(options, {
        waiting_messages: waiting,
        messages,
        bytes,
        max_bytes: maxBytes,
        oldest_at,
        bytes_per_hour: rate === null ? null : Math.round(rate.bytesPerHour),
        keeps_hours: rate === null ? null : roundHours(rate.keepsHours),
        hours_until_full: rate === null ? null : roundHours(rate.hoursUntilFull),
      });
    }),
  );
}

const roundHours = (hours: number): number => Math.round(hours * 10) / 10;

function replayCommand(): Command {
  return recordedCommand(
    'replay',
    'process all messages since a time again, for example after restoring a backup; stored readings stay as they are',
    'stream replay --since 2026-11-14T00:00:00Z',
  )
    .requiredOption('--since <time>', 'time from which to replay, such as 2026-11-14T00:00:00Z', parseTime)
    .action((options: WriteOptions & { since: string }) =>
      withStream(async (stream) => {
        if (Date.parse(options.since) > Date.now()) throw new UserError(`--since ${options.since} is in the future.`);
        await withDatabase(({ pool }) =>
          runChange(pool, options, (tx) =>
            recordCommand(tx, { organizationNo: null, object: 'stream', action: 'replay' }),
          ),
        );
        await stream.replaySince(Date.parse(options.since));
        const { waiting } = await stream.status();
        printResult(options, { waiting_messages: waiting }, `writers process ${waiting} messages again`);
      }),
    );
}
