import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names every invalid variable in one message. */
export class ConfigError extends Error {}

export type SettingReader = ReturnType<typeof settingsOf>;

export function readSettings<T>(environment: Environment, read: (setting: SettingReader) => T): T {
  const errors: string[] = [];
  const config = read(settingsOf(environment, errors));
  if (errors.length > 0) throw new ConfigError(`invalid configuration:\n${errors.map((w) => `  ${w}`).join('\n')}`);
  return config;
}

function settingsOf(environment: Environment, errors: string[]) {
  const given = (name: string): string | undefined => environment[name]?.trim() || undefined;
  return {
    addError: (sentence: string): void => void errors.push(sentence),
    /** The content of the file that the variable names. Empty if the variable is not set. */
    file(name: string): string {
      const path = given(name);
      if (path === undefined) return '';
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        errors.push(`${name} names a file that cannot be read: ${error instanceof Error ? error.message : 'unknown'}`);
        return '';
      }
    },
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
      errors.push(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
      return fallback;
    },
    oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
      const text = given(name) ?? fallback;
      const value = allowed.find((choice) => choice === text);
      if (value !== undefined) return value;
      errors.push(`${name} must be one of ${allowed.join(', ')}, not "${text}"`);
      return fallback;
    },
    matching(name: string, pattern: RegExp, fallback: string, wanted: string): string {
      const text = given(name) ?? fallback;
      if (!pattern.test(text)) errors.push(`${name} must be ${wanted}`);
      return text;
    },
    /** The first of these variables that is set. A URL holds a password, so the message does not repeat it. */
    url(names: readonly [string, ...string[]]): string {
      const name = names.find((candidate) => given(candidate) !== undefined);
      const text = name === undefined ? undefined : given(name);
      if (text !== undefined && /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return text;
      errors.push(
        `${names.join(' or ')} must be set to a PostgreSQL address, such as postgres://user:password@localhost:5432/tankwatch`,
      );
      return '';
    },
  };
}
