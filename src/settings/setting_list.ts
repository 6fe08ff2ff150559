import { commandSettings, migrateSettings } from './command_settings.ts';
import {
  apiSettings,
  connectorSettings,
  gatewaySettings,
  metricsSettings,
  workerSettings,
  writerSettings,
} from './role_settings.ts';
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

/** The functions that read the settings of each role. The role starts with the same functions. */
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

/** A problem of the settings, and the roles that it stops. */
export interface SettingProblem {
  problem: string;
  users: SettingsUser[];
}

/** Every problem of the settings of these roles. Each problem is listed once. */
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

/** A setting, as documented. */
export interface ListedSetting extends Omit<SettingUse, 'isRequired'> {
  users: SettingsUser[];
  /** The users that do not start without it. */
  requiredBy: SettingsUser[];
}

/** Some settings are read only if another setting has a value. These values make the readers read all settings. */
const EVERYTHING_ON: Environment = {
  SMTP_URL: 'smtp://mail.example.com',
  LINK_SECRET: 'x'.repeat(32),
  NATS_URL: 'nats://localhost',
  MAIL_FROM: 'a@example.com',
  MANAGE_DATABASE_URL: 'postgres://localhost/tankwatch',
  API_SECRETS_KEY: 'x'.repeat(32),
};

/** Every setting and the roles that read it, in the order in which the roles read them. */
export function listSettings(): ListedSetting[] {
  const listed = new Map<string, ListedSetting>();
  for (const user of SETTINGS_USERS) {
    for (const { isRequired: _, ...use } of listSettingUses(EVERYTHING_ON, READERS[user])) {
      const known = listed.get(use.name);
      if (known === undefined) listed.set(use.name, { ...use, users: [user], requiredBy: [] });
      else known.users.push(user);
    }
    for (const { name, isRequired } of listSettingUses({}, READERS[user]))
      if (isRequired) listed.get(name)?.requiredBy.push(user);
  }
  return [...listed.values()];
}

/** Beginnings of names that belong to Tankwatch. Other variables may belong to other programs. */
const OWN_PREFIXES =
  /^(API|GATEWAY|WRITER|WORKER|OPERATOR|MIGRATE|MANAGE|STREAM|RETENTION|WEBHOOK|SMTP|MAIL|MAP|METRICS|DEVICE_SECRET|LINK_SECRET|SECRETS)_/;
/** Passwords that deploy/logins.sql reads from the same environment. */
const OF_OTHER_PROGRAMS = /^(API|GATEWAY|WRITER|WORKER|OPERATOR)_PASSWORD$/;

/**
 * Finds variables that look like settings but are not, such as misspelled ones. A name without a prefix of ours must be similar to
 * a setting if it stands in the settings file. In the environment, where APP_PORT and NATS_HOST of other programs stand too,
 * it must have the same letters, such as SMPT_URL.
 */
export function findUnknownSettings(environment: Environment): string[] {
  const names = listSettings().map(({ name }) => name);
  const known = new Set(names.flatMap((name) => [name, `${name}_FILE`]));
  const file = environment['TANKWATCH_CONFIG']?.trim();
  const ofFile = file ? readSettingsFile(file) : {};
  return Object.keys(environment)
    .filter((name) => !OF_OTHER_PROGRAMS.test(name) && !known.has(name))
    .flatMap((name) => {
      const isOwn = OWN_PREFIXES.test(name);
      const [nearest] = names
        .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
        // SMPT_URL is two letters away. Shorter names of other programs could be as near.
        .filter(({ distance }) => distance <= (isOwn ? 3 : name.length < 8 ? 0 : 2))
        .filter(({ candidate }) => isOwn || Object.hasOwn(ofFile, name) || lettersOf(name) === lettersOf(candidate))
        .toSorted((a, b) => a.distance - b.distance);
      if (!isOwn && nearest === undefined) return [];
      const hint = nearest === undefined ? '' : `; did you mean ${nearest.candidate}?`;
      return [`${name} is not a setting of Tankwatch${hint}`];
    });
}

const lettersOf = (name: string): string => name.split('').toSorted().join('');

/** The number of letters to insert, delete or replace (Levenshtein). */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let at = 1; at <= other.length; at++) {
      const replaced = (previous[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      current.push(Math.min((previous[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1, replaced));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}
