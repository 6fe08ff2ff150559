import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { UserError } from '../values/user_error.ts';
import { PROGRAM_FOLDER } from './install_paths.ts';

const FOLDER = join(PROGRAM_FOLDER, 'packages/console');
const INDEX = join(FOLDER, 'dist/index.html');

/**
 * Builds the console if it is missing or older than its sources: a release contains it, a checkout does not, and git leaves the
 * old build in place when another release is checked out. Returns what was done.
 */
export async function buildConsole(onStatus: (line: string) => void): Promise<string[]> {
  const vite = join(PROGRAM_FOLDER, 'node_modules/vite/bin/vite.js');
  if (!existsSync(vite) || (existsSync(INDEX) && !(await isConsoleOutdated()))) return [];
  onStatus('building the console ...');
  const build = [vite, 'build', FOLDER, '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, build, { cwd: PROGRAM_FOLDER }).catch((error: unknown) => {
    const [reason = ''] = /^\w*Error: (?!Command failed).*$/m.exec(String(error)) ?? [];
    throw new UserError(
      `the console could not be built: ${reason || String(error)} Install the packages again in ${PROGRAM_FOLDER}: npm ci`,
    );
  });
  return ['built the console'];
}

/** Whether a source of the console is newer than what was built from it. False if nothing was built. */
export async function isConsoleOutdated(folder = FOLDER): Promise<boolean> {
  const built = await stat(join(folder, 'dist/index.html')).catch(() => undefined);
  if (built === undefined) return false;
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((path) => !/^(dist|node_modules)$/.test(path.split(sep)[0] ?? ''))) {
    const source = await stat(join(folder, name));
    if (source.isFile() && source.mtimeMs > built.mtimeMs) return true;
  }
  return false;
}
