import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { programEnvironment } from '../../engines/process.ts';
import { stopProcess } from '../../src/setup/servers/server_process.ts';
import { MAIN } from '../support/cli.ts';

export interface Up {
  child: ChildProcess;
  console_url: string;
  sign_in_url: string;
  /** What it wrote to standard output. */
  lines: string[];
  listening: { what: string; address: string }[];
  stop(): Promise<void>;
}

/** `tankwatch up`, once it says that it is ready. */
export async function startUp(file: string, environment: Record<string, string>): Promise<Up> {
  const child = spawn(process.execPath, [MAIN, 'up', '--json', '--config', file], {
    env: { ...programEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const lines: string[] = [];
  const line = await new Promise<string>((resolve, reject) => {
    // Others may come before it: a start that takes long says why.
    createInterface(child.stdout).on('line', (text) => {
      lines.push(text);
      if (text.includes('"listening"')) resolve(text);
    });
    child.once('exit', (code) => reject(new Error(`up ended with ${code}: ${stderr}`)));
  });
  return { child, lines, ...JSON.parse(line), stop: () => stopProcess(child, 'SIGTERM') };
}
