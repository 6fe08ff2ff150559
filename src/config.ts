import { isIP } from 'node:net';
import { dirname } from 'node:path';
import { type Environment, readSettings, type SettingReader } from './settings.ts';
import { DAY_MS } from './values/time.ts';

/**
 * Only this file and settings.ts parse environment variables. Each command reads the settings it needs and gets a value,
 * or one error that names every invalid variable.
 */
export interface ApiConfig {
  databaseUrl: string;
  databaseConnections: number;
  host: string;
  port: number;
  /** The public address of the service, for the API reference. Empty: the address of the request. */
  publicUrl: string;
  corsOrigins: readonly string[];
  /** How long the service reports "not ready" before it closes, so that a proxy stops sending requests first. */
  drainMs: number;
  /** Null: there are no links in mails. */
  links: LinkSecretsConfig | null;
  /** Proxies whose X-Forwarded-For is believed: addresses and networks. */
  trustedProxies: readonly string[];
  /** Whether the console is served under /console. */
  hasConsole: boolean;
  logLevel: LogLevel;
}

/** The installation's secrets for device passwords: the current one, and the previous one during a rotation. */
export interface DeviceSecretsConfig {
  deviceSecrets: readonly string[];
  /** Encrypts secrets in the database. */
  secretsKey: string;
}

/** The same for links in mails. */
export interface LinkSecretsConfig {
  linkSecrets: readonly string[];
  secretsKey: string;
}

export interface WorkerConfig {
  databaseUrl: string;
  /** How many webhook requests may be in progress, nearly all of them waiting for a response. */
  concurrency: number;
  webhooks: WebhookConfig;
  /** Null: no mails are sent. */
  mail: MailConfig | null;
  /** Decrypts the secrets of webhooks. */
  secretsKey: string;
  retention: RetentionConfig;
  /** The file to which removals are mirrored. Empty: they are in the database only. */
  removalsFile: string;
  logLevel: LogLevel;
}

/** For how many days rows are kept. 0: forever. */
export interface RetentionConfig {
  rejectedDays: number;
  deliveryDays: number;
  mailDays: number;
  eventDays: number;
  auditDays: number;
}

export interface WebhookConfig {
  allowHttp: boolean;
  allowPrivate: boolean;
  /** Addresses of name servers. Empty: those of the system. */
  dnsServers: readonly string[];
}

export interface SmtpConfig {
  smtpUrl: string;
  /** Whether mails are sent only over a connection that is encrypted with STARTTLS. */
  requiresTls: boolean;
}

/** The mail server, and the sender of the mails. */
export interface SenderConfig extends SmtpConfig {
  from: string;
}

export interface MailConfig extends SenderConfig {
  publicUrl: string;
  links: LinkSecretsConfig;
  /** Days after which a reminder about a tank that is still low may be sent. 0: no reminders. */
  reminderDays: number;
}

export interface OperatorConfig {
  databaseUrl: string;
  /** The slot of new organizations: the first two characters of an organization's code and of its keys. */
  slot: string;
}

/** The stream between gateway and writer. */
export interface StreamConfig {
  url: string;
  name: string;
  replicas: number;
  maxBytes: number;
}

export interface TlsConfig {
  /** PEM texts. */
  cert: string;
  key: string;
  /** The files they come from, which a renewal replaces. */
  certFile: string;
  keyFile: string;
}

export interface GatewayConfig {
  databaseUrl: string;
  stream: StreamConfig;
  devices: DeviceSecretsConfig;
  host: string;
  httpPort: number;
  mqttPort: number;
  /** Undefined: MQTT without TLS. */
  tls: TlsConfig | undefined;
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** Connections that are not yet authenticated, in all and per address. */
  maxHalfOpen: number;
  maxHalfOpenPerAddress: number;
  /** Of one address. More are refused without a look at the password. */
  failedLoginsPerSecond: number;
  /** MQTT connections begin with a header of PROXY protocol version 2. */
  hasProxyProtocol: boolean;
  devicePublishesPerSecond: number;
  deviceReadingsPerSecond: number;
  /** Of an organization without a quota of its own. */
  organizationReadingsPerSecond: number;
  /** Proxies whose X-Forwarded-For is believed: addresses and networks. */
  trustedProxies: readonly string[];
  /** How long the gateway reports "not ready" before it closes, so that a load balancer has time to notice. */
  drainMs: number;
  logLevel: LogLevel;
}

export interface WriterConfig {
  databaseUrl: string;
  stream: StreamConfig;
  /** The number of parallel transactions. */
  lanes: number;
  /** Whether readings are evaluated and events recorded. */
  isEvaluating: boolean;
  /** How long committed messages stay in the stream, for a replay after a restore. */
  keepMs: number;
  logLevel: LogLevel;
}

const LONG_SECRET = 'at least 32 characters, such as: openssl rand -base64 48';
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function readApiConfig(environment: Environment): ApiConfig {
  return readSettings(environment, (setting) => ({
    databaseUrl: setting.url(['API_DATABASE_URL', 'DATABASE_URL']),
    databaseConnections: setting.integer('API_DATABASE_CONNECTIONS', 4, 1, 64),
    host: setting.text('API_HOST', '0.0.0.0'),
    port: setting.integer('API_PORT', 8080, 0, 65_535),
    publicUrl: setting.text('PUBLIC_URL', '').replace(/\/+$/, ''),
    corsOrigins: setting.list('CORS_ORIGINS'),
    drainMs: setting.integer('API_DRAIN_MS', 5_000, 0, 600_000),
    links: setting.text('LINK_SECRET', '') === '' ? null : readLinkSecrets(setting),
    trustedProxies: readTrustedProxies(setting),
    hasConsole: setting.oneOf('CONSOLE', ['on', 'off'], 'on') === 'on',
    logLevel: setting.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  }));
}

export function readWorkerConfig(environment: Environment): WorkerConfig {
  return readSettings(environment, (setting) => ({
    databaseUrl: setting.url(['WORKER_DATABASE_URL', 'DATABASE_URL']),
    concurrency: setting.integer('WEBHOOK_CONCURRENCY', 1_000, 4, 10_000),
    webhooks: webhookSettings(setting),
    mail: mailSettings(setting),
    secretsKey: requiredSecretsKey(setting),
    retention: retentionSettings(setting),
    removalsFile: setting.text('REMOVALS_FILE', ''),
    logLevel: setting.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  }));
}

const MAX_RETENTION_DAYS = 36_500;

function retentionSettings(setting: SettingReader): RetentionConfig {
  const days = (name: string, fallback: number): number => setting.integer(name, fallback, 0, MAX_RETENTION_DAYS);
  const auditDays = days('RETENTION_AUDIT_DAYS', 1_095);
  // The database refuses to delete younger rows.
  if (auditDays > 0 && auditDays < 30) setting.addError('RETENTION_AUDIT_DAYS must be 0 or at least 30');
  return {
    rejectedDays: days('RETENTION_REJECTED_DAYS', 90),
    deliveryDays: days('RETENTION_DELIVERIES_DAYS', 90),
    mailDays: days('RETENTION_MAILS_DAYS', 400),
    eventDays: days('RETENTION_EVENTS_DAYS', 1_095),
    auditDays,
  };
}

/** Which addresses webhooks may have, for commands that create and test them. */
export function readWebhookConfig(environment: Environment): WebhookConfig {
  return readSettings(environment, webhookSettings);
}

const webhookSettings = (setting: SettingReader): WebhookConfig => ({
  allowHttp: setting.oneOf('WEBHOOK_ALLOW_HTTP', ['true', 'false'], 'false') === 'true',
  allowPrivate: setting.oneOf('WEBHOOK_ALLOW_PRIVATE', ['true', 'false'], 'false') === 'true',
  dnsServers: dnsServers(setting),
});

function dnsServers(setting: SettingReader): string[] {
  const servers = setting.list('WEBHOOK_DNS_SERVERS');
  const isAddress = (text: string): boolean => /^([\d.]+|\[[\da-fA-F:.]+\])(:\d{1,5})?$|^[\da-fA-F:]+$/.test(text);
  const bad = servers.find((server) => !isAddress(server));
  if (bad !== undefined) setting.addError(`WEBHOOK_DNS_SERVERS must be addresses such as 10.0.0.2:53, not "${bad}"`);
  return servers;
}

/** Without SMTP_URL no mails are sent. */
function smtpSettings(setting: SettingReader): SmtpConfig | null {
  const smtpUrl = setting.matching(
    'SMTP_URL',
    /^(smtps?:\/\/.+)?$/,
    '',
    'an address such as smtp://user:password@host:587',
  );
  if (smtpUrl === '') return null;
  // A mail server on this machine needs no encryption. To another machine, mails and the password go over the network.
  const isLocal = /^smtp:\/\/([^@/]*@)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|\?|$)/.test(smtpUrl);
  const requiresTls = setting.oneOf('SMTP_REQUIRE_TLS', ['true', 'false'], isLocal ? 'false' : 'true') === 'true';
  return { smtpUrl, requiresTls };
}

/** With SMTP_URL, the other settings are required. */
function mailSettings(setting: SettingReader): MailConfig | null {
  const smtp = smtpSettings(setting);
  const reminderDays = setting.integer('MAIL_REMINDER_DAYS', 7, 0, 365);
  if (smtp === null) return null;
  return {
    ...smtp,
    from: mailFrom(setting),
    publicUrl: setting
      .matching('PUBLIC_URL', /^https?:\/\/.+/, '', 'the public address of the API, such as https://tanks.example.com')
      .replace(/\/+$/, ''),
    links: readLinkSecrets(setting),
    reminderDays,
  };
}

const mailFrom = (setting: SettingReader): string =>
  setting.matching('MAIL_FROM', /@/, '', 'an address such as "Gas del Valle <alerts@example.com>"');

/** For commands that send a mail themselves. */
export function readSenderConfig(environment: Environment): SenderConfig {
  return readSettings(environment, (setting) => {
    const smtp = smtpSettings(setting);
    if (smtp === null) setting.addError('SMTP_URL must be set to an address such as smtp://user:password@host:587');
    return { smtpUrl: '', requiresTls: true, ...smtp, from: mailFrom(setting) };
  });
}

export function readOperatorConfig(environment: Environment): OperatorConfig {
  return readSettings(environment, operatorSettings);
}

const operatorSettings = (setting: SettingReader): OperatorConfig => ({
  databaseUrl: setting.url(['OPERATOR_DATABASE_URL', 'DATABASE_URL']),
  slot: setting.matching('SLOT', /^[a-z0-9]{2}$/, 'a0', 'two lower-case letters or digits, such as a0'),
});

/** What `tankwatch doctor` checks. Empty or null: not checked. */
export interface DoctorConfig {
  databaseUrl: string;
  stream: StreamConfig | null;
  /** The monitoring addresses of the nats-servers. */
  natsMonitorUrls: readonly string[];
  /** The address of the gateway's HTTP port, as its senders see it. */
  gatewayUrl: string;
  smtp: SmtpConfig | null;
  /** The public address of the API. */
  publicUrl: string;
  certificateFile: string;
  keyFile: string;
  /** Folders whose disk must not be full, by the name of the setting. */
  folders: Readonly<Record<string, string>>;
}

export function readDoctorConfig(environment: Environment): DoctorConfig {
  return readSettings(environment, (setting) => {
    const { databaseUrl } = operatorSettings(setting);
    const hasStream = ['OPERATOR_NATS_URL', 'NATS_URL'].some((name) => setting.text(name, '') !== '');
    const webAddress = (name: string): string =>
      setting.matching(name, /^(https?:\/\/.+)?$/, '', 'an address such as http://localhost:8081').replace(/\/+$/, '');
    const removalsFile = setting.text('REMOVALS_FILE', '');
    return {
      databaseUrl,
      stream: hasStream ? readStream(setting, 'OPERATOR_NATS_URL') : null,
      natsMonitorUrls: setting.list('NATS_MONITOR_URL'),
      gatewayUrl: webAddress('GATEWAY_URL'),
      smtp: smtpSettings(setting),
      publicUrl: webAddress('PUBLIC_URL'),
      certificateFile: setting.text('GATEWAY_TLS_CERT', ''),
      keyFile: setting.text('GATEWAY_TLS_KEY', ''),
      folders: {
        PGDATA: setting.text('PGDATA', ''),
        NATS_DATA: setting.text('NATS_DATA', ''),
        REMOVALS_FILE: removalsFile === '' ? '' : dirname(removalsFile),
      },
    };
  });
}

export interface MigrateConfig {
  databaseUrl: string;
  /** Which range of internal numbers this cell uses (see src/db/number_range.ts). */
  cellNumber: number;
}

export function readMigrateConfig(environment: Environment): MigrateConfig {
  return readSettings(environment, (setting) => ({
    databaseUrl: setting.url(['MIGRATE_DATABASE_URL', 'DATABASE_URL']),
    cellNumber: setting.integer('CELL_NUMBER', 0, 0, 52),
  }));
}

export function readGatewayConfig(environment: Environment): GatewayConfig {
  return readSettings(environment, (setting) => {
    const tls = readTls(setting);
    return {
      databaseUrl: setting.url(['GATEWAY_DATABASE_URL', 'DATABASE_URL']),
      stream: readStream(setting, 'GATEWAY_NATS_URL'),
      devices: deviceSecrets(setting),
      host: setting.text('GATEWAY_HOST', '0.0.0.0'),
      httpPort: setting.integer('GATEWAY_HTTP_PORT', 8081, 0, 65_535),
      mqttPort: setting.integer('GATEWAY_MQTT_PORT', tls ? 8883 : 1883, 0, 65_535),
      tls,
      maxConnections: setting.integer('GATEWAY_MAX_CONNECTIONS', 20_000, 1, 1_000_000),
      maxConnectionsPerAddress: setting.integer('GATEWAY_MAX_CONNECTIONS_PER_ADDRESS', 10_000, 1, 1_000_000),
      maxHalfOpen: setting.integer('GATEWAY_MAX_HALF_OPEN', 4_000, 1, 1_000_000),
      maxHalfOpenPerAddress: setting.integer('GATEWAY_MAX_HALF_OPEN_PER_ADDRESS', 1_000, 1, 1_000_000),
      failedLoginsPerSecond: setting.integer('GATEWAY_FAILED_LOGINS_PER_SECOND', 50, 1, 1_000_000),
      hasProxyProtocol: setting.oneOf('GATEWAY_PROXY_PROTOCOL', ['on', 'off'], 'off') === 'on',
      devicePublishesPerSecond: setting.integer('GATEWAY_DEVICE_PUBLISHES_PER_SECOND', 10, 1, 100_000),
      deviceReadingsPerSecond: setting.integer('GATEWAY_DEVICE_READINGS_PER_SECOND', 100, 1, 10_000_000),
      organizationReadingsPerSecond: setting.integer('GATEWAY_ORGANIZATION_READINGS_PER_SECOND', 2_000, 1, 10_000_000),
      trustedProxies: readTrustedProxies(setting),
      drainMs: setting.integer('GATEWAY_DRAIN_MS', 5_000, 0, 600_000),
      logLevel: setting.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    };
  });
}

export function readWriterConfig(environment: Environment): WriterConfig {
  return readSettings(environment, (setting) => ({
    databaseUrl: setting.url(['WRITER_DATABASE_URL', 'DATABASE_URL']),
    stream: readStream(setting, 'WRITER_NATS_URL'),
    lanes: setting.integer('WRITER_LANES', 2, 1, 16),
    isEvaluating: setting.oneOf('EVENTS', ['on', 'off'], 'on') === 'on',
    keepMs: setting.integer('STREAM_KEEP_DAYS', 7, 0, 365) * DAY_MS,
    logLevel: setting.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  }));
}

export interface MetricsConfig {
  host: string;
  port: number;
  /** Whether METRICS_PORT is set. */
  isChosen: boolean;
}

export function readMetricsConfig(environment: Environment): MetricsConfig {
  return readSettings(environment, (setting) => ({
    // Metrics and health need no key, so only this machine may read them unless the operator decides otherwise.
    host: setting.text('METRICS_HOST', '127.0.0.1'),
    port: setting.integer('METRICS_PORT', 9464, 0, 65_535),
    isChosen: setting.text('METRICS_PORT', '') !== '',
  }));
}

/** For the operator's commands. */
export function readStreamConfig(environment: Environment): StreamConfig {
  return readSettings(environment, (setting) => readStream(setting, 'OPERATOR_NATS_URL'));
}

function readStream(setting: SettingReader, nameOfRole: string): StreamConfig {
  return {
    url: readNatsUrl(setting, nameOfRole),
    name: setting.matching('NATS_STREAM', /^[A-Za-z0-9_-]{1,64}$/, 'readings', 'a name of letters and digits'),
    replicas: setting.integer('NATS_REPLICAS', 1, 1, 5),
    maxBytes: setting.integer('STREAM_MAX_MIB', 4_096, 1, 16_777_216) * 1_048_576,
  };
}

function readTrustedProxies(setting: SettingReader): string[] {
  const proxies = setting.list('TRUSTED_PROXIES');
  const bad = proxies.find((proxy) => !/^[^/]+(\/\d{1,3})?$/.test(proxy) || isIP(proxy.split('/')[0] ?? '') === 0);
  if (bad !== undefined) setting.addError(`TRUSTED_PROXIES must be addresses such as 10.0.0.0/8, not "${bad}"`);
  return proxies;
}

/** Each role may have a user of its own at nats-server. The message does not repeat the value, which holds a password. */
function readNatsUrl(setting: SettingReader, nameOfRole: string): string {
  const url = setting.text(nameOfRole, setting.text('NATS_URL', 'nats://localhost:4222'));
  const isAddress = (text: string): boolean => /^(nats|tls):\/\/\S+$/.test(text) && URL.canParse(text);
  if (!url.split(',').every((part) => isAddress(part.trim()))) {
    setting.addError(
      `${nameOfRole} or NATS_URL must be an address such as nats://user:password@localhost:4222, several separated by commas`,
    );
  }
  return url;
}

function readTls(setting: SettingReader): GatewayConfig['tls'] {
  const [cert, key] = [setting.file('GATEWAY_TLS_CERT'), setting.file('GATEWAY_TLS_KEY')];
  if (cert === '' && key === '') return undefined;
  if (cert === '' || key === '') setting.addError('set both GATEWAY_TLS_CERT and GATEWAY_TLS_KEY, or neither');
  return { cert, key, certFile: setting.text('GATEWAY_TLS_CERT', ''), keyFile: setting.text('GATEWAY_TLS_KEY', '') };
}

/** For commands that show device passwords. Anyone who knows these secrets can impersonate any device. */
export function readDeviceSecrets(environment: Environment): DeviceSecretsConfig {
  return readSettings(environment, deviceSecrets);
}

/** For commands that show or store the secrets of an organization. */
export function readOrganizationSecrets(environment: Environment): DeviceSecretsConfig & LinkSecretsConfig {
  return readSettings(environment, (setting) => ({ ...deviceSecrets(setting), ...readLinkSecrets(setting) }));
}

const deviceSecrets = (setting: SettingReader): DeviceSecretsConfig => ({
  deviceSecrets: currentAndPrevious(setting, 'DEVICE_SECRET'),
  secretsKey: optionalSecretsKey(setting),
});

const readLinkSecrets = (setting: SettingReader): LinkSecretsConfig => ({
  linkSecrets: currentAndPrevious(setting, 'LINK_SECRET'),
  secretsKey: optionalSecretsKey(setting),
});

function currentAndPrevious(setting: SettingReader, name: string): string[] {
  const previous = setting.matching(`${name}_PREVIOUS`, /^(.{32,})?$/, '', LONG_SECRET);
  return [setting.matching(name, /^.{32,}$/, '', LONG_SECRET), ...(previous === '' ? [] : [previous])];
}

const optionalSecretsKey = (setting: SettingReader): string =>
  setting.matching('SECRETS_KEY', /^(.{32,})?$/, '', LONG_SECRET);

const requiredSecretsKey = (setting: SettingReader): string =>
  setting.matching('SECRETS_KEY', /^.{32,}$/, '', LONG_SECRET);

/** For commands that store secrets in the database. */
export function readSecretsKey(environment: Environment): { secretsKey: string } {
  return readSettings(environment, (setting) => ({
    secretsKey: requiredSecretsKey(setting),
  }));
}
