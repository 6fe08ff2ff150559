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
  /** Signs the links in mails. Empty: there are no such links. */
  linkSecret: string;
  logLevel: LogLevel;
}

export interface WorkerConfig {
  databaseUrl: string;
  /** How many webhook requests may be in progress, nearly all of them waiting for a response. */
  concurrency: number;
  webhooks: WebhookConfig;
  /** Null: no mails are sent. */
  mail: MailConfig | null;
  logLevel: LogLevel;
}

export interface WebhookConfig {
  allowHttp: boolean;
  allowPrivate: boolean;
}

export interface MailConfig {
  smtpUrl: string;
  from: string;
  publicUrl: string;
  linkSecret: string;
  /** Days after which a reminder about a tank that is still low may be sent. 0: no reminders. */
  reminderDays: number;
}

export interface OperatorConfig {
  databaseUrl: string;
  /** The code of this installation's cell. Every key's prefix begins with it. */
  cell: string;
}

/** The stream between gateway and writer. */
export interface StreamConfig {
  url: string;
  name: string;
  replicas: number;
  maxBytes: number;
}

export interface GatewayConfig {
  databaseUrl: string;
  stream: StreamConfig;
  deviceSecret: string;
  host: string;
  httpPort: number;
  mqttPort: number;
  /** PEM texts. Undefined: MQTT without TLS. */
  tls: { cert: string; key: string } | undefined;
  maxConnections: number;
  devicePublishesPerSecond: number;
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
    linkSecret: setting.matching('LINK_SECRET', /^(.{32,})?$/, '', LONG_SECRET),
    logLevel: setting.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  }));
}

export function readWorkerConfig(environment: Environment): WorkerConfig {
  return readSettings(environment, (setting) => ({
    databaseUrl: setting.url(['WORKER_DATABASE_URL', 'DATABASE_URL']),
    concurrency: setting.integer('WEBHOOK_CONCURRENCY', 1_000, 4, 10_000),
    webhooks: webhookSettings(setting),
    mail: mailSettings(setting),
    logLevel: setting.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  }));
}

/** Which addresses webhooks may have, for commands that create and test them. */
export function readWebhookConfig(environment: Environment): WebhookConfig {
  return readSettings(environment, webhookSettings);
}

const webhookSettings = (setting: SettingReader): WebhookConfig => ({
  allowHttp: setting.oneOf('WEBHOOK_ALLOW_HTTP', ['true', 'false'], 'false') === 'true',
  allowPrivate: setting.oneOf('WEBHOOK_ALLOW_PRIVATE', ['true', 'false'], 'false') === 'true',
});

/** Without SMTP_URL no mails are sent. With it, the other settings are required. */
function mailSettings(setting: SettingReader): MailConfig | null {
  const smtpUrl = setting.matching(
    'SMTP_URL',
    /^(smtps?:\/\/.+)?$/,
    '',
    'an address such as smtp://user:password@host:587',
  );
  const reminderDays = setting.integer('MAIL_REMINDER_DAYS', 7, 0, 365);
  if (smtpUrl === '') return null;
  return {
    smtpUrl,
    from: setting.matching('MAIL_FROM', /@/, '', 'an address such as "Gas del Valle <alerts@example.com>"'),
    publicUrl: setting
      .matching('PUBLIC_URL', /^https?:\/\/.+/, '', 'the public address of the API, such as https://tanks.example.com')
      .replace(/\/+$/, ''),
    linkSecret: setting.matching('LINK_SECRET', /^.{32,}$/, '', LONG_SECRET),
    reminderDays,
  };
}

export function readOperatorConfig(environment: Environment): OperatorConfig {
  return readSettings(environment, (setting) => ({
    databaseUrl: setting.url(['OPERATOR_DATABASE_URL', 'DATABASE_URL']),
    cell: setting.matching('CELL', /^[a-z0-9]{2}$/, 'a0', 'two lower-case letters or digits, such as a0'),
  }));
}

export function readMigrateConfig(environment: Environment): { databaseUrl: string } {
  return readSettings(environment, (setting) => ({
    databaseUrl: setting.url(['MIGRATE_DATABASE_URL', 'DATABASE_URL']),
  }));
}

export function readGatewayConfig(environment: Environment): GatewayConfig {
  return readSettings(environment, (setting) => {
    const tls = readTls(setting);
    return {
      databaseUrl: setting.url(['GATEWAY_DATABASE_URL', 'DATABASE_URL']),
      stream: readStream(setting),
      deviceSecret: deviceSecret(setting),
      host: setting.text('GATEWAY_HOST', '0.0.0.0'),
      httpPort: setting.integer('GATEWAY_HTTP_PORT', 8081, 0, 65_535),
      mqttPort: setting.integer('GATEWAY_MQTT_PORT', tls ? 8883 : 1883, 0, 65_535),
      tls,
      maxConnections: setting.integer('GATEWAY_MAX_CONNECTIONS', 20_000, 1, 1_000_000),
      devicePublishesPerSecond: setting.integer('GATEWAY_DEVICE_PUBLISHES_PER_SECOND', 10, 1, 100_000),
      logLevel: setting.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    };
  });
}

export function readWriterConfig(environment: Environment): WriterConfig {
  return readSettings(environment, (setting) => ({
    databaseUrl: setting.url(['WRITER_DATABASE_URL', 'DATABASE_URL']),
    stream: readStream(setting),
    lanes: setting.integer('WRITER_LANES', 2, 1, 16),
    isEvaluating: setting.oneOf('EVENTS', ['on', 'off'], 'on') === 'on',
    keepMs: setting.integer('STREAM_KEEP_DAYS', 7, 0, 365) * DAY_MS,
    logLevel: setting.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  }));
}

export function readMetricsConfig(environment: Environment): { port: number; isChosen: boolean } {
  return readSettings(environment, (setting) => ({
    port: setting.integer('METRICS_PORT', 9464, 0, 65_535),
    isChosen: setting.text('METRICS_PORT', '') !== '',
  }));
}

export function readStreamConfig(environment: Environment): StreamConfig {
  return readSettings(environment, readStream);
}

function readStream(setting: SettingReader): StreamConfig {
  return {
    url: setting.matching(
      'NATS_URL',
      /^(nats|tls):\/\/[^\s]+$/,
      'nats://localhost:4222',
      'an address such as nats://user:password@localhost:4222, several separated by commas',
    ),
    name: setting.matching('NATS_STREAM', /^[A-Za-z0-9_-]{1,64}$/, 'readings', 'a name of letters and digits'),
    replicas: setting.integer('NATS_REPLICAS', 1, 1, 5),
    maxBytes: setting.integer('STREAM_MAX_MIB', 4_096, 1, 16_777_216) * 1_048_576,
  };
}

function readTls(setting: SettingReader): GatewayConfig['tls'] {
  const [cert, key] = [setting.file('GATEWAY_TLS_CERT'), setting.file('GATEWAY_TLS_KEY')];
  if (cert === '' && key === '') return undefined;
  if (cert === '' || key === '') setting.addError('set both GATEWAY_TLS_CERT and GATEWAY_TLS_KEY, or neither');
  return { cert, key };
}

/** The secret from which the passwords of devices are derived. Anyone who knows it can impersonate any device. */
export function readDeviceSecret(environment: Environment): string {
  return readSettings(environment, deviceSecret);
}

function deviceSecret(setting: SettingReader): string {
  return setting.matching('DEVICE_SECRET', /^.{32,}$/, '', LONG_SECRET);
}
