import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROGRAM_FOLDER } from './install_paths.ts';

/** Builds the console if it is missing: a release contains it, a checkout does not. Returns what was done. */
export async function buildConsole(onStatus: (line: string) => void): Promise<string[]> {
  const folder = join(PROGRAM_FOLDER, 'packages/console');
  const vite = join(PROGRAM_FOLDER, 'node_modules/vite/bin/vite.js');
  if (existsSync(join(folder, 'dist/index.html')) || !existsSync(vite)) return [];
  onStatus('building the console ...');
  await promisify(execFile)(process.execPath, [vite, 'build', folder, '--logLevel', 'warn'], { cwd: PROGRAM_FOLDER });
  return ['built the console'];
}
