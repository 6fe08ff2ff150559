import { DAY_MS } from '../values/time.ts';
import type { SettingReader } from './setting_reader.ts';
import { urlCharacterProblem } from './url_characters.ts';

export interface StreamConfig {
  url: string;
  /** The name of the setting that has the address. */
  setting: string;
  name: string;
  replicas: number;
  maxBytes: number;
}

/** How long committed messages stay in the stream. Doctor compares it with the size of the stream. */
export const keepMsSetting = (setting: SettingReader): number =>
  setting.integer('STREAM_KEEP_DAYS', 7, 0, 365) * DAY_MS;

export function streamSettings(setting: SettingReader, nameOfRole: string): StreamConfig {
  return {
    url: readNatsUrl(setting, nameOfRole),
    setting: setting.isSet(nameOfRole) ? nameOfRole : 'NATS_URL',
    name: setting.matching('NATS_STREAM', /^[A-Za-z0-9_-]{1,64}$/, 'readings', 'a name of letters, digits, - and _'),
    replicas: setting.integer('NATS_REPLICAS', 1, 1, 5),
    maxBytes: setting.integer('STREAM_MAX_MIB', 4_096, 1, 16_777_216) * 1_048_576,
  };
}

/** Each role may have its own nats-server user. Messages do not repeat the value, because it has a password. */
function readNatsUrl(setting: SettingReader, nameOfRole: string): string {
  const common = setting.text('NATS_URL', 'nats://localhost:4222');
  const url = setting.text(nameOfRole, '') || common;
  const parts = url.split(',').map((part) => part.trim());
  const problem = parts.map(urlCharacterProblem).find((candidate) => candidate !== undefined);
  if (problem !== undefined) {
    setting.addError(`${setting.isSet(nameOfRole) ? nameOfRole : 'NATS_URL'} ${problem}`);
    return url;
  }
  const isAddress = (text: string): boolean => /^(nats|tls):\/\/\S+$/.test(text) && URL.canParse(text);
  if (!parts.every(isAddress)) {
    setting.addError(
      `${nameOfRole} or NATS_URL must be an address such as nats://user:password@localhost:4222, several separated by commas`,
    );
  }
  return url;
}
