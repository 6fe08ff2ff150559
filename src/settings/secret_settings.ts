import { deriveApiSecretsKey } from '../values/api_secrets_key.ts';
import type { Environment, SettingReader } from './setting_reader.ts';
import { findSettingsFile, SYSTEM_FILE } from './settings_file.ts';

const LONG_SECRET = 'at least 32 characters, such as: openssl rand -base64 48';

/** The installation's secrets for device passwords: the current one, and the previous one during a rotation. */
export interface DeviceSecretsConfig {
  deviceSecrets: readonly string[];
  /** The keys that encrypt secrets in the database. */
  secretsKeys: readonly string[];
}

/** The installation's secrets for links in mails. */
export interface LinkSecretsConfig {
  linkSecrets: readonly string[];
  secretsKeys: readonly string[];
}

/** The role whose value a command must use. */
const OWNERS = { DEVICE_SECRET: 'gateway', LINK_SECRET: 'worker', SECRETS_KEY: 'worker' } as const;
type SecretName = keyof typeof OWNERS;
/** Who reads a secret. A role may be the first to need it. A command needs the value that a role already has. */
type Reader = 'role' | 'command';

export const deviceSecrets = (setting: SettingReader, reader: Reader = 'role'): DeviceSecretsConfig => ({
  deviceSecrets: currentAndPrevious(setting, 'DEVICE_SECRET', reader),
  secretsKeys: givenSecrets(setting, 'SECRETS_KEY'),
});

export const linkSecrets = (setting: SettingReader, reader: Reader = 'role'): LinkSecretsConfig => ({
  linkSecrets: currentAndPrevious(setting, 'LINK_SECRET', reader),
  secretsKeys: givenSecrets(setting, 'SECRETS_KEY'),
});

function currentAndPrevious(setting: SettingReader, name: SecretName, reader: Reader): string[] {
  const previous = optionalSecret(setting, `${name}_PREVIOUS`);
  const missing = (): string => missingSecret(setting.environment, name, reader);
  return [setting.matching(name, /^.{32,}$/, '', LONG_SECRET, missing), ...(previous === '' ? [] : [previous])];
}

/**
 * The message about a missing secret. It never advises a command to generate a secret, because a new value would differ
 * from the value of the role.
 */
function missingSecret(environment: Environment, name: SecretName, reader: Reader): string {
  const [owner, file] = [OWNERS[name], findSettingsFile(environment)];
  if (file !== undefined && !file.isReadable)
    return `${name} is not set here; the ${owner}'s value is in ${file.path}, which your user cannot read: use sudo`;
  if (file !== undefined && file.path !== '/dev/null')
    return `${name} is neither set here nor in ${file.path}; add the ${owner}'s value to the file`;
  if (reader === 'role') return `${name} must be ${LONG_SECRET}`;
  return `${name} is not set here; use the ${owner}'s value (\`tankwatch init\` writes it to ${SYSTEM_FILE} or to --config)`;
}

const optionalSecret = (setting: SettingReader, name: string): string =>
  setting.matching(name, /^(.{32,})?$/, '', LONG_SECRET);

/** The current and the previous value, if they are set. */
export const givenSecrets = (setting: SettingReader, name: string): string[] =>
  [name, `${name}_PREVIOUS`].map((variable) => optionalSecret(setting, variable)).filter((secret) => secret !== '');

/** The first key encrypts. All keys can decrypt; the derived keys decrypt what the api has encrypted. */
export function requiredSecretsKeys(setting: SettingReader, reader: Reader = 'role'): readonly string[] {
  const secretsKeys = currentAndPrevious(setting, 'SECRETS_KEY', reader);
  return [...secretsKeys, ...secretsKeys.map(deriveApiSecretsKey)];
}

/**
 * The keys with which the api encrypts what it stores. Without API_SECRETS_KEY they are derived from SECRETS_KEY, which
 * the process has only if it runs all roles. If empty, the api cannot encrypt.
 */
export function apiSecretsKeys(setting: SettingReader): readonly string[] {
  const given = givenSecrets(setting, 'API_SECRETS_KEY');
  return given.length > 0 ? given : givenSecrets(setting, 'SECRETS_KEY').map(deriveApiSecretsKey);
}
