import { type AddressConfig, connectorAddresses } from './address_settings.ts';
import { type LogLevel, logLevelSetting, rejectedBytesPerDay } from './role_settings.ts';
import { requiredSecretsKeys } from './secret_settings.ts';
import { type Environment, readSettings, type SettingReader } from './setting_reader.ts';
import { type StreamConfig, streamSettings } from './stream_settings.ts';

/** The settings of the role that asks sources for readings. */
export interface ConnectorConfig {
  databaseUrl: string;
  databaseSetting: string;
  stream: StreamConfig;
  /** The keys that decrypt the secrets of connectors. */
  secretsKeys: readonly string[];
  addresses: AddressConfig;
  /** The limit of all connectors of an organization together, so that its history does not delay other organizations. */
  readingsPerSecond: number;
  rejectedBytesPerDay: number;
  logLevel: LogLevel;
}

export const readConnectorConfig = (environment: Environment): ConnectorConfig =>
  readSettings(environment, connectorSettings);

/** If the connector has no login of its own, it uses the worker's database login and the gateway's nats-server user. */
export const connectorSettings = (setting: SettingReader): ConnectorConfig => {
  const names = ['CONNECTOR_DATABASE_URL', 'WORKER_DATABASE_URL', 'DATABASE_URL'] as const;
  return {
    databaseUrl: setting.url(names),
    databaseSetting: setting.inUse(names),
    stream: streamSettings(
      setting,
      setting.text('CONNECTOR_NATS_URL', '') === '' ? 'GATEWAY_NATS_URL' : 'CONNECTOR_NATS_URL',
    ),
    secretsKeys: requiredSecretsKeys(setting),
    addresses: connectorAddresses(setting),
    readingsPerSecond: setting.integer('CONNECTOR_READINGS_PER_SECOND', 2_000, 1, 1_000_000),
    rejectedBytesPerDay: rejectedBytesPerDay(setting),
    logLevel: logLevelSetting(setting),
  };
};
