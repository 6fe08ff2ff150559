import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorCode } from '../values/error_code.ts';
import { ConfigError, type Environment } from './setting_reader.ts';

/** The settings file of a machine. `tankwatch init` writes it as root. */
export const SYSTEM_FILE = '/etc/tankwatch/tankwatch.env';

/** The settings file of an ordinary user. Undefined without a home folder. */
export function userFile(environment: Environment): string | undefined {
  const folder = environment['XDG_CONFIG_HOME'] || (environment['HOME'] && join(environment['HOME'], '.config'));
  return folder ? join(folder, 'tankwatch', 'tankwatch.env') : undefined;
}

export interface FoundFile {
  path: string;
  /** False if the file belongs to another user, such as root. */
  isReadable: boolean;
}

/**
 * The settings file of a command: the file that --config or TANKWATCH_CONFIG names, otherwise the file of the machine
 * if this user can read it, otherwise the file of the user.
 */
export function findSettingsFile(environment: Environment, configOption?: string): FoundFile | undefined {
  const named = configOption ?? environment['TANKWATCH_CONFIG']?.trim();
  if (named) return { path: resolve(named), isReadable: true };
  const existing = [SYSTEM_FILE, userFile(environment)].filter((path) => path !== undefined).filter(isFile);
  const readable = existing.find((path) => hasAccess(path, constants.R_OK));
  if (readable !== undefined) return { path: readable, isReadable: true };
  return existing[0] === undefined ? undefined : { path: existing[0], isReadable: false };
}

/**
 * Merges the settings of the file and of the environment. The environment takes precedence. In the result,
 * TANKWATCH_CONFIG names the file.
 */
export function withSettingsFile(environment: Environment, configOption?: string): Environment {
  const found = findSettingsFile(environment, configOption);
  if (found === undefined || !found.isReadable) return environment;
  const fileSettings = readSettingsFile(found.path);
  const kept = Object.entries(fileSettings).filter(([name]) => !isOverridden(environment, name));
  return { ...Object.fromEntries(kept), ...environment, TANKWATCH_CONFIG: found.path };
}

/**
 * Whether the environment overrides a setting of the file. NAME and NAME_FILE are the same setting. An address for all
 * roles, such as DATABASE_URL, also overrides the addresses of single roles in the file: otherwise a command with the
 * DATABASE_URL of another installation would change the database of the file.
 */
function isOverridden(environment: Environment, name: string): boolean {
  const setting = name.replace(/_FILE$/, '');
  const [, common] = /_(DATABASE_URL|NATS_URL)$/.exec(setting) ?? [];
  return [setting, common].some((each) => each !== undefined && (environment[each] || environment[`${each}_FILE`]));
}

export const readSettingsFile = (path: string): Record<string, string> => parseSettings(readText(path), path);

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason =
      errorCode(error) === 'ENOENT'
        ? `does not exist; create it with: tankwatch init --config ${path}`
        : `cannot be read (${errorCode(error)}); use sudo, or the user that ran tankwatch init`;
    throw new ConfigError([`the settings file ${path} ${reason}`]);
  }
}

/**
 * Parses lines such as NAME=value. The value is everything to the end of the line, without quotes around it, so that a
 * password may contain a #. systemd and a shell read such a file in the same way if values with spaces have quotes.
 */
export function parseSettings(text: string, path: string): Record<string, string> {
  const settings: Record<string, string> = {};
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    const [, name, value = ''] = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(content) ?? [];
    if (content.includes('\0') || content.includes('\u{fffd}'))
      throw new ConfigError([`${path} is not UTF-8 text; save it as UTF-8`]);
    if (name === undefined) problems.push(`line ${index + 1} of ${path} must be like NAME=value`);
    else settings[name] = value.trim().replace(/^(["'])(.*)\1$/, '$2');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
}

/** A line of the settings file. */
export const settingLine = (name: string, value: string): string =>
  /^[\w.:/@,%+=?&~-]*$/.test(value) ? `${name}=${value}\n` : `${name}="${value}"\n`;

/** Whether the file exists. A file in a folder that this user may not enter counts as existing. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch (error) {
    return errorCode(error) === 'EACCES';
  }
}

function hasAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
