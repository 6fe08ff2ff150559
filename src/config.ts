/**
 * The only reader of the environment. Each command asks for the settings it needs and gets a value, or one error that
 * names every bad variable at once.
 */
export interface ApiConfig {
  databaseUrl: string;
  databaseConnections: number;
  host: string;
  port: number;
  /** Where callers reach the service, for the API reference. Empty: wherever they reached it. */
  publicUrl: string;
  corsOrigins: readonly string[];
  /** How long the service answers "not ready" before it closes, so that a proxy has stopped sending by then. */
  drainMs: number;
  /** What the links in mails are signed with. Empty: there are no such links. */
  linkSecret: string;
  logLevel: LogLevel;
}

export interface WorkerConfig {
  databaseUrl: string;
  /** How many webhooks are under way at once, nearly all of them waiting for an answer. */
  concurrency: number;
  webhooks: WebhookConfig;
  /** Null where no mails are sent. */
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
  /** How long after a mail about a tank that is still low the next one may follow; 0: none does. */
  reminderDays: number;
}

export interface OperatorConfig {
  databaseUrl: string;
  /** The code of this installation's cell: what every key's prefix begins with. */
  cell: string;
}

const LONG_SECRET = 'at least 32 characters, such as: openssl rand -base64 48';
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigError extends Error {}

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

/** Where webhooks may go, for those who create and try them. */
export function readWebhookConfig(environment: Environment): WebhookConfig {
  return readSettings(environment, webhookSettings);
}

const webhookSettings = (setting: Settings): WebhookConfig => ({
  allowHttp: setting.oneOf('WEBHOOK_ALLOW_HTTP', ['true', 'false'], 'false') === 'true',
  allowPrivate: setting.oneOf('WEBHOOK_ALLOW_PRIVATE', ['true', 'false'], 'false') === 'true',
});

/** Without SMTP_URL no mails are sent; with it, they need the rest. */
function mailSettings(setting: Settings): MailConfig | null {
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
      .matching('PUBLIC_URL', /^https?:\/\/.+/, '', 'where the API is reached, such as https://tanks.example.com')
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

/** What the passwords of devices are derived from. Whoever knows it can pose as any device. */
export function readDeviceSecret(environment: Environment): string {
  return readSettings(environment, (setting) => setting.matching('DEVICE_SECRET', /^.{32,}$/, '', LONG_SECRET));
}

type Settings = ReturnType<typeof settingsOf>;

function readSettings<T>(environment: Environment, read: (setting: Settings) => T): T {
  const wrong: string[] = [];
  const config = read(settingsOf(environment, wrong));
  if (wrong.length > 0)
    throw new ConfigError(`the environment cannot be used:\n${wrong.map((w) => `  ${w}`).join('\n')}`);
  return config;
}

function settingsOf(environment: Environment, wrong: string[]) {
  const given = (name: string): string | undefined => environment[name]?.trim() || undefined;
  return {
    text: (name: string, fallback: string): string => given(name) ?? fallback,
    list: (name: string): string[] =>
      (given(name) ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    integer(name: string, fallback: number, min: number, max: number): number {
      const text = given(name) ?? String(fallback);
      const value = Number(text);
      if (/^\d+$/.test(text) && value >= min && value <= max) return value;
      wrong.push(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
      return fallback;
    },
    oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
      const text = given(name) ?? fallback;
      const value = allowed.find((choice) => choice === text);
      if (value !== undefined) return value;
      wrong.push(`${name} must be one of ${allowed.join(', ')}, not "${text}"`);
      return fallback;
    },
    matching(name: string, pattern: RegExp, fallback: string, wanted: string): string {
      const text = given(name) ?? fallback;
      if (!pattern.test(text)) wrong.push(`${name} must be ${wanted}`);
      return text;
    },
    /** The first of these that is set. A URL holds a password, so the message never repeats it. */
    url(names: readonly [string, ...string[]]): string {
      const name = names.find((candidate) => given(candidate) !== undefined);
      const text = name === undefined ? undefined : given(name);
      if (text !== undefined && /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return text;
      wrong.push(
        `${names.join(' or ')} must be set to a PostgreSQL address, such as postgres://user:password@localhost:5432/tankwatch`,
      );
      return '';
    },
  };
}
