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
  logLevel: LogLevel;
}

export interface OperatorConfig {
  databaseUrl: string;
  /** The code of this installation's cell: what every key's prefix begins with. */
  cell: string;
}

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
    logLevel: setting.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  }));
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
  return readSettings(environment, (setting) =>
    setting.matching('DEVICE_SECRET', /^.{32,}$/, '', 'at least 32 characters, such as: openssl rand -base64 48'),
  );
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
