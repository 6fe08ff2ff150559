import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programEnvironment } from '../../engines/process.ts';

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Commands of tests do not read the settings of the machine on which they run. */
export const NO_SETTINGS_FILE = { TANKWATCH_CONFIG: '/dev/null' };

/** Runs the real command line with an environment of its own. */
export function tankwatch(args: string[], environment: Record<string, string>, input = ''): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...programEnvironment(), ...NO_SETTINGS_FILE, ...environment },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.stdin.end(input);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
