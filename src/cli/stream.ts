import { Command } from 'commander';
import { readStreamConfig } from '../config.ts';
import type { Stream } from '../stream/stream.ts';
import { type CommonOptions, print, printFields, readCommand, timeOption } from './command.ts';

export function streamCommand(): Command {
  return new Command('stream')
    .description('the buffer between gateways and writers')
    .addCommand(statusCommand())
    .addCommand(replayCommand());
}

const printMessage = (_fields: object, message: string): void => console.error(message);
const stderrLogger = { info: printMessage, warn: printMessage, error: printMessage };

/** Loaded when it is asked for: other commands should not wait for it. */
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
  return readCommand('status', 'what it holds, and what writers have not committed yet', 'stream status').action(
    (options: CommonOptions) =>
      withStream(async (stream) => {
        const { messages, bytes, maxBytes, firstAtMs, waiting } = await stream.status();
        const oldest_at = messages === 0 ? null : new Date(firstAtMs).toISOString();
        printFields(options, { waiting_messages: waiting, messages, bytes, max_bytes: maxBytes, oldest_at });
      }),
  );
}

function replayCommand(): Command {
  return readCommand(
    'replay',
    'give writers everything again since a time, as after restoring a backup; what is there already stays as it is',
    'stream replay --since 2026-11-14T00:00:00Z',
  )
    .requiredOption('--since <time>', 'from then on', timeOption)
    .action((options: CommonOptions & { since: string }) =>
      withStream(async (stream) => {
        await stream.replaySince(Date.parse(options.since));
        const { waiting } = await stream.status();
        print(options, { waiting_messages: waiting }, `writers now take ${waiting} messages again`);
      }),
    );
}
