import { createSecureContext } from 'node:tls';
import { errorCode } from '../values/error_code.ts';
import {
  type AddressUse,
  addressUse,
  databaseSettings,
  type LogLevel,
  logLevelSetting,
  readTrustedProxies,
  rejectedBytesPerDay,
} from './role_settings.ts';
import { type DeviceSecretsConfig, deviceSecrets } from './secret_settings.ts';
import { type Environment, readSettings, type SettingReader } from './setting_reader.ts';
import { type StreamConfig, streamSettings } from './stream_settings.ts';

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
