import type { SettingReader } from './setting_reader.ts';

const LONG_SECRET = 'at least 32 characters, such as: openssl rand -base64 48';

/** The installation's secrets for device passwords: the current one, and the previous one during a rotation. */
export interface DeviceSecretsConfig {
  deviceSecrets: readonly string[];
  /** Encrypts secrets in the database. */
  secretsKeys: readonly string[];
}

/** The same for links in mails. */
export interface LinkSecretsConfig {
  linkSecrets: readonly string[];
  secretsKeys: readonly string[];
}

export const deviceSecrets = (setting: SettingReader): DeviceSecretsConfig => ({
  deviceSecrets: currentAndPrevious(setting, 'DEVICE_SECRET'),
  secretsKeys: givenSecrets(setting, 'SECRETS_KEY'),
});

export const linkSecrets = (setting: SettingReader): LinkSecretsConfig => ({
  linkSecrets: currentAndPrevious(setting, 'LINK_SECRET'),
  secretsKeys: givenSecrets(setting, 'SECRETS_KEY'),
});

function currentAndPrevious(setting: SettingReader, name: string): string[] {
  const previous = optionalSecret(setting, `${name}_PREVIOUS`);
  return [setting.matching(name, /^.{32,}$/, '', LONG_SECRET), ...(previous === '' ? [] : [previous])];
}

export const optionalSecret = (setting: SettingReader, name: string): string =>
  setting.matching(name, /^(.{32,})?$/, '', LONG_SECRET);

/** The current and the previous value, as far as they are set. */
export const givenSecrets = (setting: SettingReader, name: string): string[] =>
  [name, `${name}_PREVIOUS`].map((one) => optionalSecret(setting, one)).filter((secret) => secret !== '');

export const requiredSecretsKeys = (setting: SettingReader): readonly string[] =>
  currentAndPrevious(setting, 'SECRETS_KEY');
