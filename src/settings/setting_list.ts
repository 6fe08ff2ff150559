import { apiSettings } from './api_settings.ts';
import { commandSettings, migrateSettings } from './command_settings.ts';
import { connectorSettings } from './connector_settings.ts';
import { gatewaySettings } from './gateway_settings.ts';
import { metricsSettings } from './role_settings.ts';
import {
  ConfigError,
  type Environment,
  listSettingUses,
  readSettings,
  type SettingReader,
  type SettingUse,
} from './setting_reader.ts';
import { readSettingsFile } from './settings_file.ts';
import { upSettings } from './up_settings.ts';
import { workerSettings } from './worker_settings.ts';
import { writerSettings } from './writer_settings.ts';

/**
 * The functions that read the settings of each user. Roles and commands read their settings with the same functions.
 */
const READERS = {
  api: (setting: SettingReader) => ({ ...apiSettings(setting), metrics: metricsSettings(setting) }),
  gateway: (setting: SettingReader) => ({ ...gatewaySettings(setting), metrics: metricsSettings(setting) }),
  writer: (setting: SettingReader) => ({ ...writerSettings(setting), metrics: metricsSettings(setting) }),
  worker: (setting: SettingReader) => ({ ...workerSettings(setting), metrics: metricsSettings(setting) }),
  connector: (setting: SettingReader) => ({ ...connectorSettings(setting), metrics: metricsSettings(setting) }),
  operator: commandSettings,
  migrate: migrateSettings,
  up: upSettings,
} as const;

/**
 * Who reads settings: a role, the operator's commands, `tankwatch migrate`, or `tankwatch up` for what it does besides
 * running the roles.
 */
export type SettingsUser = keyof typeof READERS;
export const SETTINGS_USERS = ['api', 'gateway', 'writer', 'worker', 'connector', 'operator', 'migrate', 'up'] as const;
/** The roles that `tankwatch all` runs in one process. */
export const ALL_ROLES = ['api', 'gateway', 'writer', 'worker', 'connector'] as const satisfies readonly SettingsUser[];

/** A problem of the settings, and the users that do not start because of it. */
export interface SettingProblem {
  problem: string;
  users: SettingsUser[];
}

/** Every problem of the settings of these users. Each problem is listed once. */
export function findSettingProblems(environment: Environment, users: readonly SettingsUser[]): SettingProblem[] {
  const found = new Map<string, SettingsUser[]>();
  for (const user of users) {
    for (const problem of problemsOf(environment, user)) found.set(problem, [...(found.get(problem) ?? []), user]);
  }
  return [...found].map(([problem, itsUsers]) => ({ problem, users: itsUsers }));
}

function problemsOf(environment: Environment, user: SettingsUser): readonly string[] {
  try {
    readSettings<unknown>(environment, READERS[user]);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

/** A setting, as the documentation lists it. */
export interface ListedSetting extends Omit<SettingUse, 'isRequired'> {
  users: SettingsUser[];
  /** The users that do not start without this setting. */
  requiredBy: SettingsUser[];
}

/** Some settings are read only if another setting has a value. These values make the readers read all settings. */
const EVERYTHING_ON: Environment = {
  DEVICE_SECRET: 'x'.repeat(32),
  SMTP_URL: 'smtp://mail.example.com',
  LINK_SECRET: 'x'.repeat(32),
  NATS_URL: 'nats://localhost',
  MAIL_FROM: 'a@example.com',
  MANAGE_DATABASE_URL: 'postgres://localhost/tankwatch',
  API_SECRETS_KEY: 'x'.repeat(32),
};

/** Every setting and its users, in the order in which the users read the settings. */
export function listSettings(): ListedSetting[] {
  const listed = new Map<string, ListedSetting>();
  for (const user of SETTINGS_USERS) {
    for (const { isRequired: _, ...use } of listSettingUses(EVERYTHING_ON, READERS[user])) {
      const existing = listed.get(use.name);
      if (existing === undefined) listed.set(use.name, { ...use, users: [user], requiredBy: [] });
      else existing.users.push(user);
    }
    for (const { name, isRequired } of listSettingUses({}, READERS[user]))
      if (isRequired) listed.get(name)?.requiredBy.push(user);
  }
  return [...listed.values()];
}

/** Variables with these prefixes belong to Tankwatch. Other variables may belong to other programs. */
const OWN_PREFIXES =
  /^(API|GATEWAY|WRITER|WORKER|CONNECTOR|OPERATOR|MIGRATE|MANAGE|STREAM|RETENTION|WEBHOOK|SMTP|MAIL|MAP|METRICS|DEVICE_SECRET|LINK_SECRET|SECRETS)_/;
/** Passwords that deploy/logins.sql reads from the same environment. */
const OF_OTHER_PROGRAMS = /^(API|GATEWAY|WRITER|WORKER|OPERATOR)_PASSWORD$/;

/**
 * Finds variables that look like settings but are not, such as misspelled names. A name without one of our prefixes is
 * reported if it is in the settings file and similar to a setting. In the environment, which also has variables of
 * other programs such as APP_PORT and NATS_HOST, it is reported only if it has the same letters as a setting, such as
 * SMPT_URL.
 */
export function findUnknownSettings(environment: Environment): string[] {
  const names = listSettings().map(({ name }) => name);
  const settingNames = new Set(names.flatMap((name) => [name, `${name}_FILE`]));
  const file = environment['TANKWATCH_CONFIG']?.trim();
  const fileSettings = file ? readSettingsFile(file) : {};
  return Object.keys(environment)
    .filter((name) => !OF_OTHER_PROGRAMS.test(name) && !settingNames.has(name))
    .flatMap((name) => {
      const isOwn = OWN_PREFIXES.test(name);
      const [nearest] = names
        .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
        // SMPT_URL differs from SMTP_URL by two letters. A shorter name can be that similar by chance.
        .filter(({ distance }) => distance <= (isOwn ? 3 : name.length < 8 ? 0 : 2))
        .filter(
          ({ candidate }) => isOwn || Object.hasOwn(fileSettings, name) || lettersOf(name) === lettersOf(candidate),
        )
        .toSorted((a, b) => a.distance - b.distance);
      if (!isOwn && nearest === undefined) return [];
      const hint = nearest === undefined ? '' : `; did you mean ${nearest.candidate}?`;
      return [`${name} is not a setting of Tankwatch${hint}`];
    });
}

const lettersOf = (name: string): string => name.split('').toSorted().join('');

/** The number of letters to insert, delete or replace (Levenshtein). */
function editDistance(first: string, second: string): number {
  let previous = Array.from({ length: second.length + 1 }, (_, column) => column);
  for (let row = 1; row <= first.length; row++) {
    const current = [row];
    for (let column = 1; column <= second.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (first[row - 1] === second[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced));
    }
    previous = current;
  }
  return previous[second.length] ?? 0;
}
