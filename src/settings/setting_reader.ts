import { readFileSync } from 'node:fs';
import { reasonOf } from '../values/error_reason.ts';
import { urlCharacterProblem } from './url_characters.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** An error whose message names every invalid variable. */
export class ConfigError extends Error {
  /** One sentence for each problem. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** How one setting is read, for the table of all settings. */
export interface SettingUse {
  name: string;
  /** The default value. Empty if there is none. */
  fallback: string;
  /** The accepted values, or empty if every text is accepted. */
  values: string;
  isRequired: boolean;
}

export type SettingReader = ReturnType<typeof settingsOf>;

export function readSettings<T>(environment: Environment, read: (setting: SettingReader) => T): T {
  const errors: string[] = [];
  const config = read(settingsOf(environment, errors, () => {}));
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}

/** Reads settings and ignores problems, for messages. */
export const readValidSettings = <T>(environment: Environment, read: (setting: SettingReader) => T): T =>
  read(settingsOf(environment, [], () => {}));

/** Lists every setting that is read with this environment, in the order of the first read. */
export function listSettingUses(environment: Environment, read: (setting: SettingReader) => unknown): SettingUse[] {
  const uses = new Map<string, SettingUse>();
  read(settingsOf(environment, [], (use) => void uses.set(use.name, uses.get(use.name) ?? use)));
  return [...uses.values()];
}

function settingsOf(environment: Environment, errors: string[], onRead: (use: SettingUse) => void) {
  const valueOf = (name: string): string | undefined => givenValue(environment, name, errors);
  const recordUse = (name: string, fallback = '', values = '', isRequired = false): void =>
    onRead({ name, fallback, values, isRequired });
  return {
    addError: (sentence: string): void => void errors.push(sentence),
    /** Whether the variable is set. Some settings are read only if another setting is set. */
    isSet: (name: string): boolean => valueOf(name) !== undefined,
    /** The content of the file that the variable names. Empty if the variable is not set. */
    file(name: string): string {
      recordUse(name, '', 'a file');
      const path = environment[name]?.trim() || undefined;
      return path === undefined ? '' : fileContent(name, path, errors);
    },
    text(name: string, fallback: string): string {
      recordUse(name, fallback);
      return valueOf(name) ?? fallback;
    },
    list(name: string): string[] {
      recordUse(name, '', 'a list separated by commas');
      return partsOf(valueOf(name));
    },
    integer(name: string, fallback: number, min: number, max: number): number {
      recordUse(name, String(fallback), `${min} to ${max}`);
      const text = valueOf(name) ?? String(fallback);
      const value = Number(text);
      if (/^\d+$/.test(text) && value >= min && value <= max) return value;
      errors.push(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
      return fallback;
    },
    oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
      recordUse(name, fallback, allowed.join(', '));
      const text = valueOf(name) ?? fallback;
      const value = allowed.find((choice) => choice === text);
      if (value !== undefined) return value;
      errors.push(`${name} must be one of ${allowed.join(', ')}, not "${text}"`);
      return fallback;
    },
    /** `missing` replaces the message if a required variable is not set. */
    matching(name: string, pattern: RegExp, fallback: string, wanted: string, missing?: () => string): string {
      recordUse(name, fallback, wanted, !pattern.test(fallback));
      const value = valueOf(name);
      const text = value ?? fallback;
      if (!pattern.test(text))
        errors.push(value === undefined && missing !== undefined ? missing() : `${name} must be ${wanted}`);
      return text;
    },
    /** The name of the variable that is read, for messages: the first of `names` that is set. */
    inUse: (names: readonly [string, ...string[]]): string =>
      names.find((candidate) => valueOf(candidate) !== undefined) ?? names[0],
    /** The environment that the settings come from, for messages. */
    environment,
    /** The value of the first of these variables that is set. The URL has a password, so messages do not repeat it. */
    url(names: readonly [string, ...string[]]): string {
      for (const [index, name] of names.entries()) {
        const next = names[index + 1];
        recordUse(name, next ?? '', 'an address of PostgreSQL', next === undefined);
      }
      const name = names.find((candidate) => valueOf(candidate) !== undefined);
      const text = name === undefined ? undefined : valueOf(name);
      const broken = text === undefined ? undefined : urlCharacterProblem(text);
      if (text !== undefined && broken === undefined && isPostgresUrl(text)) return text;
      if (broken !== undefined) {
        errors.push(`${name} ${broken}`);
        return '';
      }
      errors.push(
        `${names.join(' or ')} must be set to a PostgreSQL address, such as postgres://user:password@localhost:5432/tankwatch`,
      );
      return '';
    },
    /** Addresses of PostgreSQL, separated by commas. */
    urls(name: string): string[] {
      recordUse(name, '', 'addresses of PostgreSQL, separated by commas');
      const urls = partsOf(valueOf(name));
      if (!urls.every(isPostgresUrl)) {
        errors.push(
          `${name} must be PostgreSQL addresses separated by commas, such as postgres://user:password@replica1:5432/tankwatch`,
        );
      }
      return urls;
    },
  };
}

const partsOf = (list = ''): string[] =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

const isPostgresUrl = (text: string): boolean => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);

/** The value of a variable, or the content of the file that the variable with `_FILE` at its end names. */
function givenValue(environment: Environment, name: string, errors: string[]): string | undefined {
  const value = environment[name]?.trim() || undefined;
  const path = environment[`${name}_FILE`]?.trim() || undefined;
  if (path === undefined) return value;
  const problem = `set either ${name} or ${name}_FILE, not both`;
  if (value === undefined) return fileContent(`${name}_FILE`, path, errors).trim() || undefined;
  if (!errors.includes(problem)) errors.push(problem);
  return value;
}

function fileContent(name: string, path: string, errors: string[]): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const problem = `${name} names a file that cannot be read: ${reasonOf(error)}; correct the path, or the rights of the file`;
    // A setting that several readers use is read several times, but its problem is listed once.
    if (!errors.includes(problem)) errors.push(problem);
    return '';
  }
}
