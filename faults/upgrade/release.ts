import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Settings } from '../../engines/installation.ts';
import { programEnvironment } from '../../engines/process.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const Package = Type.Object({ version: Type.String() });

/** A source tree with its packages. Its program and scripts are used as an operator uses them. */
export class Release {
  readonly folder: string;
  readonly version: string;
  readonly main: string;

  private constructor(folder: string, version: string) {
    this.folder = folder;
    this.version = version;
    this.main = join(folder, 'src', 'main.ts');
  }

  static async of(folder: string): Promise<Release> {
    const { version } = Value.Decode(Package, JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
    return new Release(folder, version);
  }

  /** Runs a command, such as `command(['migrate'], settings)`. Returns what it prints. */
  async command(args: readonly string[], settings: Settings): Promise<string> {
    const env = { ...programEnvironment(), TANKWATCH_CONFIG: '/dev/null', ...settings };
    const { stdout } = await run(process.execPath, [this.main, ...args], { env, maxBuffer: 64 * 1_048_576 });
    return stdout.trim();
  }

  /** Runs deploy/logins.sql with a password for each login. */
  async createLogins(ownerUrl: string, passwords: Settings): Promise<void> {
    const file = join(this.folder, 'deploy', 'logins.sql');
    await run('psql', ['--quiet', '--no-psqlrc', `--file=${file}`, ownerUrl], {
      env: { ...process.env, ...passwords },
    });
  }
}

export const thisRelease = (): Promise<Release> => Release.of(ROOT);

/** Returns the release in the folder OLD_RELEASE, or a sentence that says what to do. */
export async function findOldRelease(): Promise<Release | string> {
  const folder = process.env['OLD_RELEASE'];
  if (folder !== undefined && existsSync(join(folder, 'node_modules'))) return Release.of(resolve(folder));
  return (
    `OLD_RELEASE ${folder === undefined ? 'is not set' : `is ${folder}, which has no node_modules`}; ` +
    'set it to the folder of an earlier release, which these commands create: ' +
    'git worktree add ../tankwatch-0.2.0 v0.2.0 && (cd ../tankwatch-0.2.0 && npm ci --ignore-scripts)'
  );
}
