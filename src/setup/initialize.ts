import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { databaseSettingOf } from '../db/login_rights.ts';
import { parseSettings, SYSTEM_FILE, settingLine } from '../settings/settings_file.ts';
import { errorCode } from '../values/error_code.ts';
import { UserError } from '../values/user_error.ts';
import { buildConsole } from './build_console.ts';
import { type ChosenDatabase, chooseDatabase } from './choose_database.ts';
import type { InitOptions, InitReport } from './init_report.ts';
import { prepareDatabase } from './initialize_database.ts';
import { findClosedFolder, type InstallPaths } from './install_paths.ts';
import { natsConfigText } from './nats_config.ts';
import { newPassword, newSettings, type Settings, settingsText } from './new_settings.ts';
import { findNats, findPostgres, isMissingProgram } from './own_servers.ts';
import { loginOf, withLogin } from './prepare_database.ts';
import { writeWholeFile } from './write_file.ts';

/** Settings that belong together: if a file has one of a group, none of the group is added. */
export const DATABASE_GROUP = /^(?:[A-Z]+_)?DATABASE_URL(?:_FILE)?$|^POSTGRES_|^PGDATA$/;
export const NATS_GROUP = /^NATS_(?!STREAM$|REPLICAS$)|_NATS_URL(?:_FILE)?$/;
const hasOneOf = (settings: Settings, group: RegExp): boolean => Object.keys(settings).some((name) => group.test(name));

/** Creates what is missing. Passwords are written to the file before a server gets them, so `init` can be run again. */
export async function initialize(options: InitOptions): Promise<InitReport> {
  const { paths, onStatus } = options;
  const report: InitReport = { done: [], unchanged: [], notDone: [], settings: {} };
  const existing = await readExisting(paths.settingsFile);
  refuseOtherInstallation(paths, existing.settings);
  await mkdir(paths.dataFolder, { recursive: true, mode: 0o755 });
  const closedFolder = process.getuid?.() === 0 ? await findClosedFolder(paths.dataFolder) : undefined;
  if (closedFolder !== undefined)
    throw new UserError(
      `other users cannot enter ${closedFolder}, and PostgreSQL does not run as root; choose another place with --config.`,
    );
  const database: Partial<ChosenDatabase> = hasOneOf(existing.settings, DATABASE_GROUP)
    ? {}
    : await chooseDatabase(options.database, { ...options, programsFolder: paths.programsFolder });
  try {
    const natsServer = existing.settings['NATS_SERVER'] ?? (await findNats(paths.programsFolder, onStatus));
    const { environment } = options;
    const url = existing.settings['PUBLIC_URL'] ?? options.url;
    const isNew = existing.text === '';
    const wanted = await newSettings({ url, database: database.plan, natsServer, environment, isNew }, paths);
    report.settings = await saveSettings(paths, await replaceLostPrograms(existing, options, report), wanted, report);
    reportIgnoredOptions(options, existing.settings, report);
    await saveNatsConfig(report);
    await prepareDatabase(database.admin, options, report);
  } finally {
    await database.admin?.end();
  }
  report.done.push(...(await buildConsole(onStatus)));
  return report;
}

/** Replaces the paths of programs that are gone, or that `npm ci` will delete. */
async function replaceLostPrograms(
  existing: ExistingFile,
  { paths, onStatus }: InitOptions,
  report: InitReport,
): Promise<ExistingFile> {
  const { NATS_SERVER: nats, POSTGRES_BIN: postgres } = existing.settings;
  const found = {
    ...(nats !== undefined && mustBeReplaced(nats)
      ? { NATS_SERVER: await findNats(paths.programsFolder, onStatus) }
      : {}),
    ...(postgres !== undefined && isMissingProgram(join(postgres, 'postgres'))
      ? { POSTGRES_BIN: await findPostgres(paths.programsFolder, onStatus) }
      : {}),
  };
  let { text } = existing;
  for (const [name, value] of Object.entries(found)) {
    text = text.replace(new RegExp(`^(export\\s+)?${name}=.*\n?`, 'm'), () => settingLine(name, value));
    report.done.push(`set ${name} to ${value}: the program was gone, or in a folder that npm deletes`);
  }
  if (text !== existing.text) await writeWholeFile(paths.settingsFile, text, 0o600);
  return { text, settings: { ...existing.settings, ...found } };
}

/** `npm ci` deletes what is in node_modules. */
const mustBeReplaced = (program: string): boolean => isMissingProgram(program) || program.includes('/node_modules/');

/** The file takes precedence over options: others may use the old address, and the data is in the old database. */
function reportIgnoredOptions({ paths, url, database }: InitOptions, existing: Settings, report: InitReport): void {
  const [stored, file] = [existing['PUBLIC_URL'], paths.settingsFile];
  if (url !== undefined && stored !== undefined && stored !== url)
    report.notDone.push(`PUBLIC_URL in ${file} stays ${stored}, not ${url}; to change it, edit the file and restart`);
  if (database !== undefined && hasOneOf(existing, DATABASE_GROUP))
    report.notDone.push(`--database was not used: ${file} names a database`);
}

export interface ExistingFile {
  text: string;
  settings: Settings;
}

export async function readExisting(file: string): Promise<ExistingFile> {
  try {
    const text = await readFile(file, 'utf8');
    return { text, settings: parseSettings(text, file) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { text: '', settings: {} };
    if (errorCode(error) === 'EACCES') throw new UserError(`your user cannot read ${file}; use sudo, or --config.`);
    throw error;
  }
}

/**
 * Refuses to add secrets to an installation with one unit for each role, because they would differ from the secrets of
 * its gateway, and to use a database folder whose password is not in the settings.
 */
function refuseOtherInstallation(paths: InstallPaths, existing: Settings): void {
  const credentials = join(dirname(SYSTEM_FILE), 'credentials');
  if (paths.settingsFile === SYSTEM_FILE && existsSync(credentials))
    throw new UserError(
      `this machine has an installation with one unit for each role, whose secrets are in ${credentials}; init does not change ` +
        'it. For a second installation, use --config.',
    );
  const data = join(paths.dataFolder, 'postgres', 'data');
  if (existing['POSTGRES_PASSWORD'] === undefined && existsSync(data))
    throw new UserError(
      `${data} holds a database, and ${paths.settingsFile} has no password for it; restore the file, or move the folder away.`,
    );
}

async function saveSettings(
  { settingsFile }: InstallPaths,
  { text, settings }: ExistingFile,
  wanted: Settings,
  report: InitReport,
): Promise<Settings> {
  const complete = [DATABASE_GROUP, NATS_GROUP].filter((group) => hasOneOf(settings, group));
  const missing = Object.entries(wanted).filter(
    ([name]) => !(name in settings) && !(`${name}_FILE` in settings) && !complete.some((group) => group.test(name)),
  );
  missing.push(...newManager(settings));
  if (missing.length === 0) {
    report.unchanged.push(`${settingsFile} has all settings`);
    return settings;
  }
  await writeWholeFile(settingsFile, settingsText(text, Object.fromEntries(missing)), 0o600);
  report.done.push(
    text === ''
      ? `wrote ${settingsFile} with new passwords and secrets; only you can read it`
      : `added ${missing.length} settings to ${settingsFile}; what it had is unchanged`,
  );
  return { ...Object.fromEntries(missing), ...settings };
}

/** A settings file that was written by hand may have the logins of all roles but the manager. */
function newManager(settings: Settings): [string, string][] {
  const [name, api] = [databaseSettingOf('manager'), settings[databaseSettingOf('api')]];
  if (api === undefined || name in settings || `${name}_FILE` in settings) return [];
  return [[name, withLogin(api, new URL(api).pathname.slice(1), loginOf('manager'), newPassword())]];
}

async function saveNatsConfig(report: InitReport): Promise<void> {
  const { settings } = report;
  const file = settings['NATS_CONFIG'];
  if (file === undefined) return;
  if (existsSync(file)) report.unchanged.push(`${file} exists`);
  else {
    await writeWholeFile(file, await natsConfigText(settings), 0o644);
    report.done.push(`wrote ${file}`);
  }
}
