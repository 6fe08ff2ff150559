import { type AddressConfig, connectorAddresses, webhookSettings } from './address_settings.ts';
import { consoleSetting } from './mail_settings.ts';
import { type MapConfig, mapSettings } from './map_settings.ts';
import {
  type AddressUse,
  addressUse,
  databaseSettings,
  type LogLevel,
  logLevelSetting,
  readTrustedProxies,
} from './role_settings.ts';
import {
  apiSecretsKeys,
  type DeviceSecretsConfig,
  deviceSecrets,
  type LinkSecretsConfig,
  linkSecrets,
} from './secret_settings.ts';
import { type Environment, readSettings, type SettingReader } from './setting_reader.ts';

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
  /**
   * The public address of the service, for the API reference, the check of Origin, links and callbacks. If empty, the first two use the
   * address of the request, and there is no sign-in with an issuer and no report of texts.
   */
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
