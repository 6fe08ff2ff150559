import { stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../settings/setting_reader.ts';
import { SYSTEM_FILE, userFile } from '../settings/settings_file.ts';
import { UserError } from '../values/user_error.ts';

/** The folder of this release. */
export const PROGRAM_FOLDER = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The files and folders that `tankwatch init` creates. */
export interface InstallPaths {
  settingsFile: string;
  natsConfig: string;
  /** The data of the servers that `tankwatch up` starts. */
  dataFolder: string;
  /** The folder of PostgreSQL and nats-server, if they are not installed. */
  programsFolder: string;
  /** Where `tankwatch backup` writes without BACKUP_TO and --to. */
  backupFolder: string;
}

/**
 * The paths of an installation of root or of another user. With a given settings file, such as for a second
 * installation, all paths are beside the file.
 */
export function installPathsFor(environment: Environment, isRoot: boolean, configOption?: string): InstallPaths {
  const usual = isRoot ? SYSTEM_FILE : userFile(environment);
  const settingsFile = configOption === undefined ? usual : resolve(configOption);
  if (settingsFile === undefined) throw new UserError('HOME is not set; name the settings file with --config.');
  const folder = dirname(settingsFile);
  const natsConfig = join(folder, 'nats.conf');
  const pathsIn = (dataFolder: string, parent: string): InstallPaths => ({
    settingsFile,
    natsConfig,
    dataFolder,
    programsFolder: join(parent, 'programs'),
    backupFolder: join(parent, 'backups'),
  });
  if (settingsFile !== usual) return pathsIn(join(folder, 'data'), folder);
  if (isRoot)
    return {
      ...pathsIn('/var/lib/tankwatch', ''),
      programsFolder: '/usr/local/lib/tankwatch',
      backupFolder: '/var/backups/tankwatch',
    };
  const data = environment['XDG_DATA_HOME'] || join(environment['HOME'] ?? '', '.local', 'share');
  return pathsIn(join(data, 'tankwatch'), join(data, 'tankwatch'));
}

/** The first folder of a path that other users may not enter. Undefined if they can read the path. */
export async function findClosedFolder(path: string): Promise<string | undefined> {
  const parts = resolve(path).split(sep).slice(1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = sep + parts.slice(0, depth).join(sep);
    const { mode } = await stat(part);
    if ((mode & 0o005) !== 0o005) return part;
  }
  return undefined;
}
