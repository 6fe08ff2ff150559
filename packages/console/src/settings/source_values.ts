import type { Connector } from '@tankwatch/client';
import type { SourceKind } from './source_list.ts';

/** What a person types about a source. */
export interface SourceValues {
  name: string;
  secret: string;
  /** Of api.weather.gov. */
  contact: string;
  /** Of a broker or a file. */
  url: string;
  user: string;
  /** One in a line: filter, profile, level of the topic that names the device. */
  topics: string;
  /** Of any other API: its settings as JSON. */
  json: string;
}

export const EMPTY_SOURCE: SourceValues = {
  name: '',
  secret: '',
  contact: '',
  url: '',
  user: '',
  topics: '',
  json: '',
};

type Settings = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '');

const isRecord = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function valuesOf({ name, settings }: Pick<Connector, 'name' | 'settings'>): SourceValues {
  const given: Settings = { ...settings };
  const topics = Array.isArray(given['topics']) ? given['topics'].filter(isRecord) : [];
  return {
    name,
    secret: '',
    contact: textOf(given['contact']),
    url: textOf(given['url']),
    user: textOf(given['user']),
    topics: topics.map(lineOf).join('\n'),
    json: JSON.stringify(settings, null, 2),
  };
}

const lineOf = ({ filter, profile, device_level: level }: Settings): string =>
  [textOf(filter), textOf(profile) || (level === undefined ? '' : '-'), textOf(level)].filter(Boolean).join(' ');

function topicOf(line: string): object {
  const [filter = '', profile = '-', level = ''] = line.split(/\s+/);
  return {
    filter,
    ...(profile !== '-' && { profile }),
    ...(/^\d{1,2}$/.test(level) && { device_level: Number(level) }),
  };
}

/** Those that have no field stay as they are. */
function otherSettings(json: string): Settings {
  const stored: unknown = json === '' ? {} : JSON.parse(json);
  return isRecord(stored) ? stored : {};
}

/** The settings that were typed. Null: they cannot be read. The service checks what they say. */
export function settingsOf(kind: SourceKind, { contact, url, user, topics, json }: SourceValues): object | null {
  if (kind === 'nws' || kind === 'weather_csv') {
    const typed = kind === 'nws' ? { contact: contact.trim() } : { url: url.trim() };
    if (!/^\S{3,}$/.test(Object.values(typed)[0] ?? '')) return null;
    return { ...otherSettings(json), ...typed };
  }
  if (kind !== 'mqtt') {
    if (kind !== 'json' && json.trim() === '') return {};
    try {
      const settings: unknown = JSON.parse(json);
      return isRecord(settings) ? settings : null;
    } catch {
      return null;
    }
  }
  const lines = topics
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  if (!/^mqtts?:$/.test(URL.parse(url.trim())?.protocol ?? '') || lines.length === 0) return null;
  return { url: url.trim(), ...(user.trim() !== '' && { user: user.trim() }), topics: lines.map(topicOf) };
}
