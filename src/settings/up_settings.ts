import { type MigrateConfig, migrateSettings } from './command_settings.ts';
import { type Environment, readSettings, type SettingReader } from './setting_reader.ts';

/** A PostgreSQL that `tankwatch up` starts. */
export interface OwnPostgresConfig {
  /** The data folder. If `up` runs as root, the server runs as the owner of this folder. */
  folder: string;
  binFolder: string;
  port: number;
  /** The password of the superuser. */
  password: string;
  maxWalMib: number;
}

/** A nats-server that `tankwatch up` starts. */
export interface OwnNatsConfig {
  program: string;
  configFile: string;
  port: number;
  /** The variables that the configuration file reads. */
  environment: Readonly<Record<string, string>>;
}

/**
 * The settings of `tankwatch up` besides those of the roles. If `postgres` or `nats` is undefined, it is not started.
 */
export interface UpConfig extends MigrateConfig {
  postgres: OwnPostgresConfig | undefined;
  nats: OwnNatsConfig | undefined;
}

/** The passwords that deploy/nats.conf reads. */
const NATS_PASSWORDS = ['NATS_GATEWAY_PASSWORD', 'NATS_WRITER_PASSWORD', 'NATS_OPERATOR_PASSWORD'] as const;

/** Empty if `tankwatch up` starts no PostgreSQL. */
export const readPostgresPassword = (environment: Environment): string =>
  readSettings(environment, (setting) => setting.text('POSTGRES_PASSWORD', ''));

export const readUpConfig = (environment: Environment): UpConfig => readSettings(environment, upSettings);

export function upSettings(setting: SettingReader): UpConfig {
  const postgres = {
    folder: setting.text('POSTGRES_FOLDER', ''),
    binFolder: setting.text('POSTGRES_BIN', ''),
    port: setting.integer('POSTGRES_PORT', 5_433, 1, 65_535),
    password: setting.text('POSTGRES_PASSWORD', ''),
    maxWalMib: setting.integer('POSTGRES_MAX_WAL_MIB', 4_096, 64, 1_048_576),
  };
  const data = setting.text('NATS_DATA', '');
  const nats = {
    program: setting.text('NATS_SERVER', 'nats-server'),
    configFile: setting.text('NATS_CONFIG', ''),
    port: setting.integer('NATS_PORT', 4_222, 1, 65_535),
    environment: {
      NATS_DATA: data,
      // Quoted, because nats-server would read a password that begins with a digit as a number.
      ...Object.fromEntries(NATS_PASSWORDS.map((name) => [name, `"${setting.text(name, '')}"`])),
    },
  };
  return {
    ...migrateSettings(setting),
    postgres: postgres.folder === '' ? undefined : postgres,
    nats: nats.configFile === '' ? undefined : nats,
  };
}
