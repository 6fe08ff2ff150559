import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { errorCode } from '../values/error_code.ts';
import type { AddressConfig } from './address_settings.ts';
import { connectorAddresses, webhookSettings } from './address_settings.ts';
import { diskFolders } from './disk_folders.ts';
import { consoleSetting, type MailConfig, mailSettings } from './mail_settings.ts';
import { type MapConfig, mapSettings } from './map_settings.ts';
import {
  apiSecretsKeys,
  type DeviceSecretsConfig,
  deviceSecrets,
  type LinkSecretsConfig,
  linkSecrets,
  requiredSecretsKeys,
} from './secret_settings.ts';
import { type Environment, readSettings, type SettingReader } from './setting_reader.ts';
import { keepMsSetting, type StreamConfig, streamSettings } from './stream_settings.ts';

/**
 * The settings of the api. This file has the settings of all roles, `command_settings.ts` those of commands. Only files
 * in `src/settings` parse environment variables. A role or command reads the settings that it needs, and gets a value
 * or one error that names every invalid variable.
 */
export interface ApiConfig {
  databaseUrl: string;
  /** The setting that holds the address, for messages. */
  databaseSetting: string;
  databaseConnections: number;
  /** The replicas that serve the reads. Empty if the primary serves them. */
  replicaUrls: readonly string[];
  /** A replica that is further behind the primary than this is not used. */
  replicaMaxLagMs: number;
  host: string;
  port: number;
  /** The public address of the service, for the API reference. If empty, the address of the request is used. */
  publicUrl: string;
  corsOrigins: readonly string[];
  /** Where to report a vulnerability: a mail address or a URL. If empty, no security.txt is served. */
  securityContact: string;
  /** How long the service reports "not ready" before it closes, so that a proxy stops sending requests first. */
  drainMs: number;
  /**
   * The keys that encrypt what the api stores, the current one first. If empty, signing in with an issuer is not
   * possible.
   */
  apiSecretsKeys: readonly string[];
  /** How long a session lasts if the person signed in with an issuer of OpenID Connect. */
  oidcSessionMinutes: number;
  /** Whether the request log and `keys activity` have the addresses of clients. */
  addresses: AddressUse;
  /** The secrets of the links in mails. Null if LINK_SECRET is not set. */
  links: LinkSecretsConfig | null;
  /** Proxies whose X-Forwarded-For is trusted: addresses and networks. */
  trustedProxies: readonly string[];
  /** Whether the console is served under /console. */
  hasConsole: boolean;
  map: MapConfig;
  /** Null if /manage/v1 is not served. */
  manage: ManageConfig | null;
  logLevel: LogLevel;
}

/** The settings that the api needs to serve /manage/v1. */
export interface ManageConfig {
  /** The address with the login that changes data. The login of `ApiConfig.databaseUrl` can only read. */
  databaseUrl: string;
  /** Null if /manage/v1 shows no passwords of devices. */
  deviceSecrets: DeviceSecretsConfig | null;
  /** The same settings as those of the worker, so that no endpoint can be added to which the worker would not send. */
  webhooks: AddressConfig;
  /** The same settings as those of the connector. */
  connectors: AddressConfig;
}

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

export interface WorkerConfig {
  databaseUrl: string;
  databaseSetting: string;
  webhooks: AddressConfig;
  /** Null if no mails are sent. */
  mail: MailConfig | null;
  /** The keys that decrypt stored secrets, such as those of webhooks. */
  secretsKeys: readonly string[];
  /** The public address, for links in text messages and for delivery reports of text providers. Empty if not set. */
  publicUrl: string;
  hasConsole: boolean;
  retention: RetentionConfig;
  /** The file to which removals are mirrored. If empty, they are in the database only. */
  removalsFile: string;
  /** Folders on the machine of the worker whose disk must not be full, by the name of the setting. */
  folders: Readonly<Record<string, string>>;
  logLevel: LogLevel;
}

/** The number of days that rows are kept. 0 means forever. */
export interface RetentionConfig {
  rejectedDays: number;
  deliveryDays: number;
  mailDays: number;
  eventDays: number;
  auditDays: number;
  /** The activity of keys: from which addresses they were used. */
  keyActivityDays: number;
  /** The default for organizations without a value of their own. */
  telemetryDays: number;
  /** The folder where readings are archived before they are dropped. If empty, they are not archived. */
  archiveFolder: string;
}

export interface TlsConfig {
  /** Certificate and key as PEM texts. */
  cert: string;
  key: string;
  /** The files of certificate and key. A renewal replaces these files. */
  certFile: string;
  keyFile: string;
}

const PROXY_PROTOCOLS = ['on', 'off', 'auto'] as const;

export interface GatewayConfig {
  databaseUrl: string;
  databaseSetting: string;
  stream: StreamConfig;
  devices: DeviceSecretsConfig;
  host: string;
  httpPort: number;
  mqttPort: number;
  /** Undefined for MQTT without TLS. */
  tls: TlsConfig | undefined;
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** The limit for one address. Further logins are refused without checking the password. */
  failedLoginsPerSecond: number;
  /**
   * Whether MQTT connections begin with a header of the PROXY protocol. With `auto`, connections from this machine may
   * have the header.
   */
  proxyProtocol: (typeof PROXY_PROTOCOLS)[number];
  devicePublishesPerSecond: number;
  deviceReadingsPerSecond: number;
  /** The quota of an organization without a quota of its own. */
  organizationReadingsPerSecond: number;
  /** The limit for each key, and for all devices of an organization together. */
  rejectedBytesPerDay: number;
  /** Proxies whose X-Forwarded-For is trusted: addresses and networks. */
  trustedProxies: readonly string[];
  /** Whether the request log and `keys activity` have the addresses of clients. */
  addresses: AddressUse;
  /** How long the gateway reports "not ready" before it closes, so that a load balancer has time to notice. */
  drainMs: number;
  logLevel: LogLevel;
}

export interface WriterConfig {
  databaseUrl: string;
  databaseSetting: string;
  stream: StreamConfig;
  /** The number of parallel transactions. */
  lanes: number;
  /** Whether readings are evaluated and events recorded. */
  isEvaluating: boolean;
  /** How long committed messages stay in the stream, for a replay after a restore. */
  keepMs: number;
  logLevel: LogLevel;
}

/** The address of the database of a role, and the name of the setting that it comes from. */
const databaseSettings = (setting: SettingReader, name: string): { databaseUrl: string; databaseSetting: string } => ({
  databaseUrl: setting.url([name, 'DATABASE_URL']),
  databaseSetting: setting.inUse([name, 'DATABASE_URL']),
});

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const logLevelSetting = (setting: SettingReader): LogLevel => setting.oneOf('LOG_LEVEL', LOG_LEVELS, 'info');

/** The log level is the same for all roles of a process. */
export const readLogLevel = (environment: Environment): LogLevel => readSettings(environment, logLevelSetting);

export const readApiConfig = (environment: Environment): ApiConfig => readSettings(environment, apiSettings);

export const apiSettings = (setting: SettingReader): ApiConfig => ({
  ...databaseSettings(setting, 'API_DATABASE_URL'),
  databaseConnections: setting.integer('API_DATABASE_CONNECTIONS', 4, 1, 64),
  replicaUrls: setting.urls('DATABASE_REPLICA_URLS'),
  replicaMaxLagMs: setting.integer('REPLICA_MAX_LAG_MS', 5_000, 500, 600_000),
  host: setting.text('API_HOST', '0.0.0.0'),
  port: setting.integer('API_PORT', 8080, 0, 65_535),
  publicUrl: setting.text('PUBLIC_URL', '').replace(/\/+$/, ''),
  corsOrigins: setting.list('CORS_ORIGINS'),
  securityContact: setting.matching(
    'SECURITY_CONTACT',
    /^((https:\/\/|mailto:)\S+|[^\s@:]+@[^\s@:]+)?$/,
    '',
    'a mail address or an https:// address',
  ),
  drainMs: setting.integer('API_DRAIN_MS', 5_000, 0, 600_000),
  apiSecretsKeys: apiSecretsKeys(setting),
  oidcSessionMinutes: setting.integer('OIDC_SESSION_MINUTES', 60, 5, 1_440),
  addresses: addressUse(setting),
  links: setting.isSet('LINK_SECRET') ? linkSecrets(setting) : null,
  trustedProxies: readTrustedProxies(setting),
  hasConsole: consoleSetting(setting),
  map: mapSettings(setting),
  manage: setting.isSet('MANAGE_DATABASE_URL') ? manageSettings(setting) : null,
  logLevel: logLevelSetting(setting),
});

/**
 * DATABASE_URL is not a fallback, because the operator decides with MANAGE_DATABASE_URL whether data can be changed
 * over HTTP.
 */
function manageSettings(setting: SettingReader): ManageConfig {
  return {
    databaseUrl: setting.url(['MANAGE_DATABASE_URL']),
    deviceSecrets: setting.isSet('DEVICE_SECRET') ? deviceSecrets(setting) : null,
    webhooks: webhookSettings(setting),
    connectors: connectorAddresses(setting),
  };
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

const rejectedBytesPerDay = (setting: SettingReader): number =>
  setting.integer('GATEWAY_REJECTED_MIB_PER_DAY', 100, 1, 1_000_000) * 1_048_576;

export const readWorkerConfig = (environment: Environment): WorkerConfig => readSettings(environment, workerSettings);

export const workerSettings = (setting: SettingReader): WorkerConfig => ({
  ...databaseSettings(setting, 'WORKER_DATABASE_URL'),
  webhooks: webhookSettings(setting),
  mail: mailSettings(setting),
  secretsKeys: requiredSecretsKeys(setting),
  publicUrl: setting.text('PUBLIC_URL', '').replace(/\/+$/, ''),
  hasConsole: consoleSetting(setting),
  retention: retentionSettings(setting),
  removalsFile: setting.text('REMOVALS_FILE', ''),
  folders: {
    ...diskFolders(setting),
    RETENTION_ARCHIVE_FOLDER: setting.text('RETENTION_ARCHIVE_FOLDER', ''),
  },
  logLevel: logLevelSetting(setting),
});

const MAX_RETENTION_DAYS = 36_500;

function retentionSettings(setting: SettingReader): RetentionConfig {
  const days = (name: string, fallback: number): number => setting.integer(name, fallback, 0, MAX_RETENTION_DAYS);
  const auditDays = days('RETENTION_AUDIT_DAYS', 1_095);
  // The database refuses to delete younger rows.
  if (auditDays > 0 && auditDays < 30) setting.addError('RETENTION_AUDIT_DAYS must be 0 or at least 30');
  const telemetryDays = days('RETENTION_TELEMETRY_DAYS', 0);
  // A re-evaluation may still need younger readings.
  if (telemetryDays > 0 && telemetryDays < 90) setting.addError('RETENTION_TELEMETRY_DAYS must be 0 or at least 90');
  return {
    rejectedDays: days('RETENTION_REJECTED_DAYS', 90),
    deliveryDays: days('RETENTION_DELIVERIES_DAYS', 90),
    mailDays: days('RETENTION_MAILS_DAYS', 400),
    eventDays: days('RETENTION_EVENTS_DAYS', 1_095),
    auditDays,
    keyActivityDays: days('RETENTION_KEY_ACTIVITY_DAYS', 30),
    telemetryDays,
    archiveFolder: setting.text('RETENTION_ARCHIVE_FOLDER', ''),
  };
}

export const readGatewayConfig = (environment: Environment): GatewayConfig =>
  readSettings(environment, gatewaySettings);

export function gatewaySettings(setting: SettingReader): GatewayConfig {
  const tls = readTls(setting);
  return {
    ...databaseSettings(setting, 'GATEWAY_DATABASE_URL'),
    stream: streamSettings(setting, 'GATEWAY_NATS_URL'),
    devices: deviceSecrets(setting),
    host: setting.text('GATEWAY_HOST', '0.0.0.0'),
    httpPort: setting.integer('GATEWAY_HTTP_PORT', 8081, 0, 65_535),
    mqttPort: setting.integer('GATEWAY_MQTT_PORT', tls ? 8883 : 1883, 0, 65_535),
    tls,
    maxConnections: setting.integer('GATEWAY_MAX_CONNECTIONS', 20_000, 1, 1_000_000),
    maxConnectionsPerAddress: setting.integer('GATEWAY_MAX_CONNECTIONS_PER_ADDRESS', 10_000, 1, 1_000_000),
    failedLoginsPerSecond: setting.integer('GATEWAY_FAILED_LOGINS_PER_SECOND', 50, 1, 1_000_000),
    proxyProtocol: setting.oneOf('GATEWAY_PROXY_PROTOCOL', PROXY_PROTOCOLS, 'off'),
    devicePublishesPerSecond: setting.integer('GATEWAY_DEVICE_PUBLISHES_PER_SECOND', 10, 1, 100_000),
    deviceReadingsPerSecond: setting.integer('GATEWAY_DEVICE_READINGS_PER_SECOND', 100, 1, 10_000_000),
    rejectedBytesPerDay: rejectedBytesPerDay(setting),
    organizationReadingsPerSecond: setting.integer('GATEWAY_ORGANIZATION_READINGS_PER_SECOND', 2_000, 1, 10_000_000),
    trustedProxies: readTrustedProxies(setting),
    addresses: addressUse(setting),
    drainMs: setting.integer('GATEWAY_DRAIN_MS', 5_000, 0, 600_000),
    logLevel: logLevelSetting(setting),
  };
}

export const readWriterConfig = (environment: Environment): WriterConfig => readSettings(environment, writerSettings);

export const writerSettings = (setting: SettingReader): WriterConfig => ({
  ...databaseSettings(setting, 'WRITER_DATABASE_URL'),
  stream: streamSettings(setting, 'WRITER_NATS_URL'),
  lanes: setting.integer('WRITER_LANES', 2, 1, 16),
  isEvaluating: setting.oneOf('EVENTS', ['on', 'off'], 'on') === 'on',
  keepMs: keepMsSetting(setting),
  logLevel: logLevelSetting(setting),
});

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

const addressUse = (setting: SettingReader): AddressUse => setting.oneOf('LOG_ADDRESSES', ADDRESS_USES, 'keys');

function readTrustedProxies(setting: SettingReader): string[] {
  const proxies = setting.list('TRUSTED_PROXIES');
  const bad = proxies.find((proxy) => !/^[^/]+(\/\d{1,3})?$/.test(proxy) || isIP(proxy.split('/')[0] ?? '') === 0);
  if (bad !== undefined) setting.addError(`TRUSTED_PROXIES must be addresses such as 10.0.0.0/8, not "${bad}"`);
  return proxies;
}

function readTls(setting: SettingReader): GatewayConfig['tls'] {
  const [cert, key] = [setting.file('GATEWAY_TLS_CERT'), setting.file('GATEWAY_TLS_KEY')];
  if (cert === '' && key === '') return undefined;
  if (cert === '' || key === '') setting.addError('set both GATEWAY_TLS_CERT and GATEWAY_TLS_KEY, or neither');
  else checkCertificate(setting, cert, key);
  return { cert, key, certFile: setting.text('GATEWAY_TLS_CERT', ''), keyFile: setting.text('GATEWAY_TLS_KEY', '') };
}

function checkCertificate(setting: SettingReader, cert: string, key: string): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    setting.addError(
      `GATEWAY_TLS_CERT and GATEWAY_TLS_KEY must be files with a certificate and its key in PEM format (${errorCode(error) ?? 'unknown'})`,
    );
  }
}
