import { isIP } from 'node:net';
import { type Environment, readSettings, type SettingReader } from './setting_reader.ts';

/**
 * Settings that several roles have. Each role has a file of its own, and `command_settings.ts` has those of commands. Only
 * files in `src/settings` parse environment variables. A role or command reads the settings that it needs, and gets a
 * value or one error that names every invalid variable.
 */

/** The address of the database of a role, and the name of the setting that it comes from. */
export const databaseSettings = (
  setting: SettingReader,
  name: string,
): { databaseUrl: string; databaseSetting: string } => ({
  databaseUrl: setting.url([name, 'DATABASE_URL']),
  databaseSetting: setting.inUse([name, 'DATABASE_URL']),
});

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export const logLevelSetting = (setting: SettingReader): LogLevel => setting.oneOf('LOG_LEVEL', LOG_LEVELS, 'info');

/** The log level is the same for all roles of a process. */
export const readLogLevel = (environment: Environment): LogLevel => readSettings(environment, logLevelSetting);

export const rejectedBytesPerDay = (setting: SettingReader): number =>
  setting.integer('GATEWAY_REJECTED_MIB_PER_DAY', 100, 1, 1_000_000) * 1_048_576;

export interface MetricsConfig {
  host: string;
  port: number;
  /** True if METRICS_PORT is set. */
  isChosen: boolean;
}

export const readMetricsConfig = (environment: Environment): MetricsConfig =>
  readSettings(environment, metricsSettings);

export const metricsSettings = (setting: SettingReader): MetricsConfig => ({
  // Metrics and health need no key, so only this machine may read them unless the operator decides otherwise.
  host: setting.text('METRICS_HOST', '127.0.0.1'),
  port: setting.integer('METRICS_PORT', 9464, 0, 65_535),
  isChosen: setting.isSet('METRICS_PORT'),
});

const ADDRESS_USES = ['keys', 'on', 'off'] as const;

/** Where the addresses of clients are kept: only in the activity of keys (`keys`), also in the request log (`on`), or nowhere. */
export type AddressUse = (typeof ADDRESS_USES)[number];

export const addressUse = (setting: SettingReader): AddressUse => setting.oneOf('LOG_ADDRESSES', ADDRESS_USES, 'keys');

export function readTrustedProxies(setting: SettingReader): string[] {
  const proxies = setting.list('TRUSTED_PROXIES');
  const bad = proxies.find((proxy) => !/^[^/]+(\/\d{1,3})?$/.test(proxy) || isIP(proxy.split('/')[0] ?? '') === 0);
  if (bad !== undefined) setting.addError(`TRUSTED_PROXIES must be addresses such as 10.0.0.0/8, not "${bad}"`);
  return proxies;
}
