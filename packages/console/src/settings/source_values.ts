import type { Connector } from '@tankwatch/client';
import type { SourceKind } from './source_list.ts';

/** The texts that a person types into the form of a source. */
export interface SourceValues {
  name: string;
  secret: string;
  /** The contact that api.weather.gov asks for. */
  contact: string;
  /** The URL of a broker or a file. */
  url: string;
  user: string;
  /** One topic in each line: filter, profile, and the level of the topic that names the device. */
  topics: string;
  /** For Home Assistant: the ids of the published tanks, one in each line. Empty to publish all tanks. */
  tanks: string;
  /** For any other API: its settings as JSON. */
  json: string;
}

export const EMPTY_SOURCE: SourceValues = {
  name: '',
  secret: '',
  contact: '',
  url: '',
  user: '',
  topics: '',
  tanks: '',
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
    tanks: Array.isArray(given['tanks']) ? given['tanks'].map(textOf).join('\n') : '',
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

const isBrokerUrl = (url: string): boolean => /^mqtts?:$/.test(URL.parse(url.trim())?.protocol ?? '');

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** The stored settings that have no field in the form. They do not change. */
function otherSettings(json: string): Settings {
  const stored: unknown = json === '' ? {} : JSON.parse(json);
  return isRecord(stored) ? stored : {};
}

/** Parses the typed settings. Null if they cannot be parsed. The service checks their values. */
export function settingsOf(kind: SourceKind, { contact, url, user, topics, tanks, json }: SourceValues): object | null {
  if (kind === 'nws' || kind === 'weather_csv') {
    const typed = kind === 'nws' ? { contact: contact.trim() } : { url: url.trim() };
    if (!/^\S{3,}$/.test(Object.values(typed)[0] ?? '')) return null;
    return { ...otherSettings(json), ...typed };
  }
  if (kind === 'home_assistant') {
    if (!isBrokerUrl(url)) return null;
    const { user: _user, tanks: before, ...stored } = otherSettings(json);
    const ids = linesOf(tanks);
    // A stored empty list means that no tank is published. This form cannot set it, and keeps it.
    const isNone = Array.isArray(before) && before.length === 0;
    const name = user.trim();
    const chosen = (ids.length > 0 || isNone) && { tanks: ids };
    return { ...stored, url: url.trim(), ...(name !== '' && { user: name }), ...chosen };
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
  const lines = linesOf(topics);
  if (!isBrokerUrl(url) || lines.length === 0) return null;
  return { url: url.trim(), ...(user.trim() !== '' && { user: user.trim() }), topics: lines.map(topicOf) };
}
