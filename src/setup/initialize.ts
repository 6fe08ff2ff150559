import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Client } from 'pg';
import { listOrganizations } from '../catalog/organizations.ts';
import { DATABASE_ROLES, type DatabaseRole, databaseSettingOf } from '../db/login_rights.ts';
import { migrate } from '../db/migrate.ts';
import { assertMayMigrate } from '../db/migrate_rights.ts';
import { openPool } from '../db/pool.ts';
import { readOperatorConfig } from '../settings/command_settings.ts';
import type { Environment } from '../settings/setting_reader.ts';
import { parseSettings, SYSTEM_FILE, settingLine } from '../settings/settings_file.ts';
import { readUpConfig } from '../settings/up_settings.ts';
import { errorCode } from '../values/error_code.ts';
import { shellWord } from '../values/shell_word.ts';
import { UserError } from '../values/user_error.ts';
import { buildConsole } from './build_console.ts';
import { type ChosenDatabase, chooseDatabase, type DatabaseChoice } from './choose_database.ts';
import { findClosedFolder, type InstallPaths } from './install_paths.ts';
import { natsConfigText } from './nats_config.ts';
import { newPassword, newSettings, type Settings, settingsText } from './new_settings.ts';
import { createFirstOrganization } from './organization.ts';
import { createPostgresFolder, ensureOwnPostgres, findNats, findPostgres, isMissingProgram } from './own_servers.ts';
import { createLogins, createOwner, loginOf, withClient, withLogin } from './prepare_database.ts';
import { findServerUser, SERVICE_USER } from './service_user.ts';
import { writeWholeFile } from './write_file.ts';

export interface InitOptions {
  paths: InstallPaths;
  environment: Environment;
  /** The first organization; undefined to create none. `isGiven` if an option names it, and it is no default. */
  organization: { code: string; name: string; isGiven: boolean } | undefined;
  url: string | undefined;
  database: DatabaseChoice | undefined;
  /** The actor for the audit log. */
  actor: string;
  onStatus: (line: string) => void;
}

/** The steps that were done, and those that were not needed. */
export interface InitReport {
  done: string[];
  unchanged: string[];
  /** What was asked for and not done, with the command that does it. */
  notDone: string[];
  settings: Settings;
}

/** Settings that belong together: if a file has one of a group, none of the group is added. */
export const DATABASE_GROUP = /^(?:[A-Z]+_)?DATABASE_URL(?:_FILE)?$|^POSTGRES_|^PGDATA$/;
export const NATS_GROUP = /^NATS_(?!STREAM$|REPLICAS$)|_NATS_URL(?:_FILE)?$/;
const hasOneOf = (settings: Settings, group: RegExp): boolean => Object.keys(settings).some((name) => group.test(name));

/** Creates what is missing, step by step. The passwords are in the file before a server gets them, so it can be run again. */
export async function initialize(options: InitOptions): Promise<InitReport> {
  const { paths, onStatus } = options;
  const report: InitReport = { done: [], unchanged: [], notDone: [], settings: {} };
  const existing = await readExisting(paths.settingsFile);
  refuseOtherInstallation(paths, existing.settings);
  await mkdir(paths.dataFolder, { recursive: true, mode: 0o755 });
  const closed = process.getuid?.() === 0 ? await findClosedFolder(paths.dataFolder) : undefined;
  if (closed !== undefined)
    throw new UserError(
      `other users cannot enter ${closed}, and PostgreSQL does not run as root; choose another place with --config.`,
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
    report.settings = await saveSettings(paths, await withPrograms(existing, options, report), wanted, report);
    noteOtherChoices(options, existing.settings, report);
    await saveNatsConfig(report);
    await prepareDatabase(database.admin, options, report);
  } finally {
    await database.admin?.end();
  }
  report.done.push(...(await buildConsole(onStatus)));
  return report;
}

/**
 * Runs only the steps in the database, with the addresses of the environment. This is for a container, which has no
 * settings file.
 */
export async function initializeDatabase(environment: Environment, options: InitOptions): Promise<InitReport> {
  const given = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const report: InitReport = { done: [], unchanged: [], notDone: [], settings: Object.fromEntries(given) };
  await prepareDatabase(undefined, options, report);
  return report;
}

/** Replaces the paths of programs that are gone, for example because a folder was deleted. */
async function withPrograms(
  existing: ExistingFile,
  { paths, onStatus }: InitOptions,
  report: InitReport,
): Promise<ExistingFile> {
  const { NATS_SERVER: nats, POSTGRES_BIN: postgres } = existing.settings;
  const found = {
    ...(nats !== undefined && isPassing(nats) ? { NATS_SERVER: await findNats(paths.programsFolder, onStatus) } : {}),
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
const isPassing = (program: string): boolean => isMissingProgram(program) || program.includes('/node_modules/');

/** The file wins over options that say something else: others may use the old address, and the data is where it is. */
function noteOtherChoices({ paths, url, database }: InitOptions, existing: Settings, report: InitReport): void {
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
 * Refuses to add secrets to an installation with one unit for each role: they would differ from those of its gateway.
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

async function prepareDatabase(admin: Client | undefined, options: InitOptions, report: InitReport): Promise<void> {
  const config = readUpConfig(report.settings);
  const { databaseUrl, postgres } = config;
  const password = decodeURIComponent(new URL(databaseUrl).password);
  await using running = new AsyncDisposableStack();
  if (admin !== undefined) report.done.push(...made(await createOwner(admin, password)));
  if (postgres !== undefined) {
    const superUrl = `postgres://postgres:${postgres.password}@127.0.0.1:${postgres.port}/postgres`;
    const isNew = !existsSync(join(postgres.folder, 'data'));
    if (isNew) {
      const user = await findServerUser();
      if (user.isNew) report.done.push(`created the system user ${SERVICE_USER}, which runs PostgreSQL`);
      await createPostgresFolder(postgres.folder, user);
    }
    running.use(await ensureOwnPostgres(postgres, options.onStatus));
    if (isNew) report.done.push(`created a PostgreSQL server in ${postgres.folder}`);
    report.done.push(...made(await withClient(superUrl, (client) => createOwner(client, password))));
  }
  await migrateAs(databaseUrl, config.cellNumber, options, report);
  await addLogins(databaseUrl, options, report);
  if (options.organization !== undefined) await addOrganization(options.organization, options.actor, report);
}

const made = (names: readonly string[]): string[] => (names.length === 0 ? [] : [`created ${names.join(' and ')}`]);

async function migrateAs(
  ownerUrl: string,
  cellNumber: number,
  { paths, onStatus }: InitOptions,
  report: InitReport,
): Promise<void> {
  const owner = openPool({ url: ownerUrl, setting: '--database', applicationName: 'tankwatch init' });
  try {
    onStatus('creating the tables ...');
    await assertMayMigrate(owner).catch((error: unknown) => {
      if (errorCode(error) !== '28P01') throw error;
      const { username, host } = new URL(ownerUrl);
      throw new UserError(
        `the login ${username} of the server ${host} has another password than in ${paths.settingsFile}: it belongs to ` +
          'another installation, or the file is not the one with which it was created.',
      );
    });
    let applied = 0;
    await migrate(owner, { cellNumber, onApplied: () => applied++ });
    if (applied > 0) report.done.push(`created the tables (${applied} migrations)`);
    else report.unchanged.push('the tables are up to date');
  } finally {
    await owner.end();
  }
}

async function addLogins(ownerUrl: string, { paths }: InitOptions, report: InitReport): Promise<void> {
  const found = DATABASE_ROLES.map((role) => [role, report.settings[databaseSettingOf(role)]] as const);
  const urls: Partial<Record<DatabaseRole, string>> = Object.fromEntries(found.filter(([, url]) => url));
  // An installation of 0.2 has no manager. It works without one: nothing can be changed over HTTP.
  if (DATABASE_ROLES.some((role) => role !== 'manager' && urls[role] === undefined)) {
    report.unchanged.push(`the logins, because ${paths.settingsFile} does not name one for each role`);
    return;
  }
  const created = await withClient(ownerUrl, (owner) => createLogins(owner, urls, paths.settingsFile));
  if (created.length > 0) report.done.push(`created the logins ${created.join(', ')}`);
  else report.unchanged.push('the logins of all roles exist');
}

async function addOrganization(
  organization: NonNullable<InitOptions['organization']>,
  actor: string,
  report: InitReport,
): Promise<void> {
  const { databaseUrl: url } = readOperatorConfig(report.settings);
  const operator = openPool({ url, applicationName: 'tankwatch init' });
  try {
    const { code, name, isGiven } = organization;
    const existing = await listOrganizations(operator);
    const same = existing.find((one) => one.code === code);
    // A second run without --code finds the first organization and creates none.
    if (existing.length > 0 && same === undefined) {
      report.unchanged.push(`there is an organization: ${existing.map((one) => one.code).join(', ')}`);
      if (isGiven)
        report.notDone.push(
          `the organization ${code} was not created, because this is not the first one; to add it: ` +
            `tankwatch organizations create --name ${shellWord(name)}; to rename one: tankwatch organizations update CODE --name ...`,
        );
    } else if (isGiven && same !== undefined && same.name !== name) {
      report.unchanged.push(`the organization ${code} exists`);
      report.notDone.push(
        `the organization ${code} keeps its name ${same.name}; to rename it: ` +
          `tankwatch organizations update ${code} --name ${shellWord(name)}`,
      );
    } else if (await createFirstOrganization(operator, { ...organization, actor }))
      report.done.push(`created the organization ${code} (${name})`);
    else report.unchanged.push(`the organization ${code} exists`);
  } finally {
    await operator.end();
  }
}
