import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { programEnvironment } from '../../engines/process.ts';
import { stopProcess } from '../../src/setup/servers/server_process.ts';
import { MAIN } from '../support/cli.ts';

export interface Up {
  child: ChildProcess;
  console_url: string;
  sign_in_url: string;
  /** The lines that `up` wrote to standard output. */
  lines: string[];
  listening: { what: string; address: string }[];
  stop(): Promise<void>;
}

/** Starts `tankwatch up`, and waits until it reports the addresses on which it listens. */
export async function startUp(file: string, environment: Record<string, string>): Promise<Up> {
  const child = spawn(process.execPath, [MAIN, 'up', '--json', '--config', file], {
    env: { ...programEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const lines: string[] = [];
  const line = await new Promise<string>((resolve, reject) => {
    // Other lines may come before it, because a slow start reports the reason.
    createInterface(child.stdout).on('line', (text) => {
      lines.push(text);
      if (text.includes('"listening"')) resolve(text);
    });
    child.once('exit', (code) => reject(new Error(`up ended with ${code}: ${stderr}`)));
  });
  return { child, lines, ...JSON.parse(line), stop: () => stopProcess(child, 'SIGTERM') };
}
