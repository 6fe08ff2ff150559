import type { UplinkFormat } from './network_uplink.ts';
import { isDeviceId, LEVEL_UNITS, type LevelField } from './reading.ts';

/** The format of the payloads of a source. `levelField` is set if the source uses another field or unit for the level. */
export interface PayloadFormat {
  name: 'readings' | UplinkFormat;
  levelField?: LevelField;
  /** The profile that decodes the body, instead of a format. */
  profile?: string;
  /** The id of the device, if the body does not contain it. */
  deviceId?: string;
}

const FORMAT_NAMES = ['readings', 'things-stack', 'chirpstack', 'uplink'] as const;
/** ChirpStack appends `event` to the configured URL. */
const PARAMETERS = new Set(['format', 'level', 'unit', 'profile', 'device', 'event']);

/** A problem with one query parameter. */
export interface FormatError {
  param: string;
  code: 'unknown' | 'invalid' | 'missing';
  detail: string;
}

/** Parses a query such as `format=chirpstack&level=tank_level&unit=fraction`. Reports all problems at once. */
export function parseFormat(query: URLSearchParams): PayloadFormat | { errors: readonly FormatError[] } {
  const errors: FormatError[] = [];
  const report = (param: string, code: FormatError['code'], detail: string): unknown =>
    errors.push({ param, code, detail });
  for (const param of new Set([...query.keys()].map((key) => key.slice(0, 100)))) {
    if (PARAMETERS.has(param)) continue;
    report(param, 'unknown', 'Unknown parameter; the parameters are format, level, unit, profile and device.');
  }
  const name = FORMAT_NAMES.find((candidate) => candidate === (query.get('format') ?? 'readings'));
  if (name === undefined) report('format', 'invalid', `Must be one of ${FORMAT_NAMES.join(', ')}.`);
  const [level, unitName] = [query.get('level'), query.get('unit')];
  const unit = LEVEL_UNITS.find((candidate) => candidate === unitName);
  if (level === null && unitName !== null)
    report('level', 'missing', 'Required with unit: the name of the field that holds the level.');
  if (level !== null && !/^\P{Cc}{1,64}$/u.test(level))
    report('level', 'invalid', 'Must be a field name of 1 to 64 characters.');
  if (level !== null && unitName === null)
    report('unit', 'missing', `Required with level: one of ${LEVEL_UNITS.join(', ')}.`);
  if (unitName !== null && unit === undefined) report('unit', 'invalid', `Must be one of ${LEVEL_UNITS.join(', ')}.`);
  const [profile, device] = [query.get('profile'), query.get('device')];
  if (profile !== null && !/^[a-z0-9-]{1,64}$/.test(profile))
    report('profile', 'invalid', 'Must be the name of a profile, such as otodata-neevo.');
  if (profile !== null && (query.has('format') || level !== null))
    report('profile', 'invalid', 'A profile takes the place of format, level and unit.');
  if (device !== null && (profile === null || !isDeviceId(device)))
    report('device', 'invalid', 'Must be the id of a device, and needs profile.');
  if (name === undefined || errors.length > 0) return { errors };
  if (profile !== null) return { name, profile, ...(device !== null && { deviceId: device }) };
  return level === null || unit === undefined ? { name } : { name, levelField: { name: level, unit } };
}

export function formatName({ name, levelField, profile, deviceId }: PayloadFormat): string {
  const query = new URLSearchParams(name === 'readings' ? {} : { format: name });
  if (levelField) {
    query.set('level', levelField.name);
    query.set('unit', levelField.unit);
  }
  if (profile !== undefined) query.set('profile', profile);
  if (deviceId !== undefined) query.set('device', deviceId);
  return query.toString();
}
