import { type Command, CommanderError } from 'commander';
import { vi } from 'vitest';
import { explain } from '../../src/cli/explain_error.ts';
import { program } from '../../src/main.ts';
import { type Finished, NO_SETTINGS_FILE } from './cli.ts';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of the command line in this process, because a new process takes a second. The command must end by itself
 * and must not read standard input. Only one command runs at a time.
 */
export function runCommand(args: readonly string[], environment: Record<string, string>): Promise<Finished> {
  const finished = last.then(() => runAlone(args, environment));
  last = finished.catch(() => {});
  return finished;
}

async function runAlone(args: readonly string[], environment: Record<string, string>): Promise<Finished> {
  forEachCommand(program, (command) => command.exitOverride());
  const finished: Finished = { code: 0, stdout: '', stderr: '' };
  const appendTo = (stream: 'stdout' | 'stderr') => (text: unknown) => {
    finished[stream] += String(text);
    return true; // `write` returns true if the stream accepts more
  };
  const [out, err] = [appendTo('stdout'), appendTo('stderr')];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(out),
    vi.spyOn(process.stderr, 'write').mockImplementation(err),
    vi.spyOn(console, 'log').mockImplementation((text: unknown) => void out(`${String(text)}\n`)),
    vi.spyOn(console, 'error').mockImplementation((text: unknown) => void err(`${String(text)}\n`)),
  ];
  const { env } = process;
  process.env = { ...NO_SETTINGS_FILE, ...environment };
  try {
    await program.parseAsync(args, { from: 'user' });
    finished.code = Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof CommanderError)) err(`${String(explain(error))}\n`);
    finished.code = error instanceof CommanderError ? error.exitCode : 1;
  } finally {
    process.exitCode = 0;
    process.env = env;
    for (const spy of spies) spy.mockRestore();
  }
  return finished;
}

function forEachCommand(command: Command, work: (command: Command) => void): void {
  work(command);
  for (const sub of command.commands) forEachCommand(sub, work);
}
