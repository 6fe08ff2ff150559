import { toLiters } from '../values/capacity_unit.ts';
import { isObject, type JsonObject, writeJson } from '../values/json.ts';
import { isManualDevice } from '../values/manual_device.ts';
import { MINUTE_MS, parseTimeMs } from '../values/time.ts';

/** Why a reading was rejected. Senders and operators filter by these codes, so they never change. */
export const REJECTION_CODES = [
  'malformed',
  'malformed_device',
  'malformed_time',
  'malformed_level',
  'future',
  'before_2000',
  'out_of_range',
  'oversized',
  'unknown_device',
  'deleted_tank',
  'conflict',
  'unstorable',
  'no_reading', // The device reported that it could not measure.
  'no_gauge', // The gauge of the tank is not described, or measures something else than the device sent.
] as const;
export type RejectionCode = (typeof REJECTION_CODES)[number];

export interface ReadingError {
  code: RejectionCode;
  /** A sentence that says what is wrong and what to do. */
  detail: string;
}

/** A rejected reading with everything that a replay needs. */
export interface RejectedPayload extends ReadingError {
  /** Null if the payload names no valid device. */
  deviceId: string | null;
  /** The first 4 KiB of the reading as it was sent. */
  raw: Buffer;
  /** The payload format of `raw`, as a query string (see format_query.ts). */
  format: string;
}

export type Volume = { amount: number; unit: 'liters' | 'gallons' };

/** The order never changes: stored measures hold the position of their kind. */
export const MEASURE_KINDS = ['distance', 'height', 'length', 'pressure', 'raw'] as const;
/** A `length` has no direction. The gauge of the tank says whether it is a distance or a height. */
export type MeasureKind = (typeof MEASURE_KINDS)[number];

/**
 * The value that the device measured, from which the gauge of the tank computes the level. It is an integer that fits into int4:
 * lengths are in 0.1 mm, pressures in Pa, and raw values are rounded.
 */
export interface Measure {
  kind: MeasureKind;
  value: number;
}

/** A parsed reading that names its device but not its tank. A volume becomes a percentage when the tank is known. */
export interface DeviceReading {
  deviceId: string;
  atMs: number;
  /** Null if the device sent a measure only. */
  level: number | Volume | null;
  measure?: Measure;
}

/** A reading with its tank and a fill percentage. */
export interface TankReading {
  tankNo: number;
  /** Unix milliseconds. */
  atMs: number;
  fillPercentage: number;
  /** The measure, if the device sent one. The level is computed from it with the gauge of the tank. */
  measure?: Measure;
  /** When the device says that it will report again. */
  nextReportMs?: number;
}

/** A reading with its tank. The percentage is null if only a measure was sent. */
export type FoundReading = Omit<TankReading, 'fillPercentage'> & { fillPercentage: number | null };

export const LEVEL_UNITS = ['percent', 'fraction', 'liters', 'gallons'] as const;
export type LevelUnit = (typeof LEVEL_UNITS)[number];

/** Fields that may hold the level, with their units. If a reading has several, the first one counts. */
const LEVEL_FIELDS: Readonly<Record<string, LevelUnit>> = {
  fill_percentage: 'percent',
  fill_fraction: 'fraction',
  volume_liters: 'liters',
  volume_gallons: 'gallons',
};
const LEVEL_NAMES = Object.keys(LEVEL_FIELDS);

/** Fields that may hold a measure, with the factor from their unit to the unit of `Measure`. The first one counts. */
const MEASURE_FIELDS: readonly { name: string; kind: MeasureKind; factor: number }[] = [
  { name: 'distance_mm', kind: 'distance', factor: 10 },
  { name: 'height_mm', kind: 'height', factor: 10 },
  { name: 'length_mm', kind: 'length', factor: 10 },
  { name: 'pressure_pa', kind: 'pressure', factor: 1 },
  { name: 'gauge_raw', kind: 'raw', factor: 1 },
];
const MAX_INT4 = 2 ** 31 - 1;

/** The field that holds the level, for a source that uses another name. */
export interface LevelField {
  name: string;
  unit: LevelUnit;
}

const MIN_TIME_MS = Date.UTC(2000);
/** Readings up to this time in the future are accepted, because the clocks of other systems may be a few minutes fast. */
const MAX_READING_AHEAD_MS = 10 * MINUTE_MS;
const MAX_DEVICE_ID_LENGTH = 64;

/** Parses one reading. A reading without a time gets the time at which it arrived. */
export function parseReading(
  deviceId: unknown,
  item: unknown,
  { receivedAtMs, nowMs }: { receivedAtMs: number; nowMs: number },
  field?: LevelField,
): DeviceReading | ReadingError {
  if (!isObject(item))
    return readingError('malformed', 'A reading must be an object such as {"fill_percentage": 45.5}.');
  if (!isDeviceId(deviceId)) {
    return readingError('malformed_device', `device_id must be a text of 1 to ${MAX_DEVICE_ID_LENGTH} characters.`);
  }
  if (isManualDevice(deviceId)) return manualDeviceError(deviceId);
  const atMs = parseReadingTime(item['created_at'] ?? receivedAtMs, nowMs);
  if (typeof atMs !== 'number') return atMs;
  const measure = parseMeasure(item);
  const level = measure && levelName(item, field) === undefined ? null : parseLevel(item, field);
  // An impossible level does not affect the measure.
  if (level !== null && isReadingError(level)) return measure ? { deviceId, atMs, level: null, measure } : level;
  return measure ? { deviceId, atMs, level, measure } : { deviceId, atMs, level };
}

/** The error for a reading of a manual device. Dips are sent by people who sign in, and no device has such a serial. */
export const manualDeviceError = (deviceId: string): ReadingError =>
  readingError(
    'unknown_device',
    `${quote(deviceId)} stands for a tank without a sensor, which takes dips and no readings of devices.`,
  );

export const isReadingError = (result: object | number): result is ReadingError =>
  typeof result === 'object' && 'code' in result && 'detail' in result;

const readingError = (code: RejectionCode, detail: string): ReadingError => ({ code, detail });

export const isDeviceId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_DEVICE_ID_LENGTH && !value.includes('\0');

/** Parses RFC 3339 (UTC without a zone), or a number since 1970: seconds up to 1e11, and milliseconds above it. */
export function parseReadingTime(given: unknown, nowMs: number): number | ReadingError {
  const atMs = typeof given === 'string' ? parseTimeMs(given.trim()) : unixMs(given);
  if (atMs === undefined) {
    return readingError('malformed_time', `${quote(given)} must be a time such as 2025-08-13T16:38:55Z.`);
  }
  return checkReadingTime(atMs, given, nowMs);
}

/** Returns the time if it is valid for a reading, otherwise the error. `given` is the text of the sender. */
export function checkReadingTime(atMs: number, given: unknown, nowMs: number): number | ReadingError {
  const wrong = findTimeProblem(atMs, nowMs + MAX_READING_AHEAD_MS);
  return wrong === undefined ? atMs : readingError(wrong.code, `${quote(given)} ${wrong.problem}.`);
}

/** Finds the problem of a time of a reading or a delivery note, as in "'x' <problem>". Undefined if it is valid. */
export function findTimeProblem(
  atMs: number,
  latestMs: number,
): { code: 'future' | 'before_2000'; problem: string } | undefined {
  if (atMs > latestMs)
    return { code: 'future', problem: 'is in the future; check the clock and the time zone of the sender' };
  if (atMs < MIN_TIME_MS) return { code: 'before_2000', problem: 'is before 2000; check the clock of the sender' };
  return undefined;
}

function unixMs(given: unknown): number | undefined {
  if (typeof given !== 'number' || !Number.isFinite(given) || given < 0 || given > 8.64e15) return undefined;
  return Math.trunc(given > 1e11 ? given : given * 1_000);
}

/** The name of the field that holds the level; undefined if the reading has none. */
const levelName = (item: JsonObject, field: LevelField | undefined): string | undefined =>
  (field ? [field.name] : LEVEL_NAMES).find((name) => Object.hasOwn(item, name));

function parseLevel(item: JsonObject, field: LevelField | undefined): number | Volume | ReadingError {
  const name = levelName(item, field);
  const unit = field?.unit ?? LEVEL_FIELDS[name ?? ''];
  if (name === undefined || unit === undefined) {
    const names = field?.name ?? LEVEL_NAMES.join(', ');
    return readingError('malformed_level', `The level is missing: send one of ${names}.`);
  }
  const value = item[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return readingError('malformed_level', `${name} must be a number such as 45.5, not ${quote(value)}.`);
  }
  if (unit === 'percent') return parsePercentage(value);
  if (unit === 'fraction') return parsePercentage(value * 100);
  return value < 0 ? readingError('out_of_range', `${name} must not be negative.`) : { amount: value, unit };
}

/** The first measure that is a number. Devices may use these names for something else, so another value is not an error. */
export function parseMeasure(item: JsonObject): Measure | undefined {
  for (const { name, kind, factor } of MEASURE_FIELDS) {
    const value = item[name];
    const measure = typeof value === 'number' ? measureOf(kind, value * factor) : undefined;
    if (measure) return measure;
  }
  return undefined;
}

/** The measure with a rounded value. Undefined if the value does not fit into int4. */
export function measureOf(kind: MeasureKind, value: number): Measure | undefined {
  const rounded = Math.round(value) + 0; // Adding 0 turns -0 into 0.
  return Math.abs(rounded) <= MAX_INT4 ? { kind, value: rounded } : undefined;
}

/** The level and the measure as `parseReading` reads them. */
export function readingFields({ level, measure }: Pick<DeviceReading, 'level' | 'measure'>): Record<string, number> {
  const fields: Record<string, number> = {};
  if (typeof level === 'number') fields['fill_percentage'] = level;
  else if (level !== null) fields[`volume_${level.unit}`] = level.amount;
  for (const { name, kind, factor } of MEASURE_FIELDS)
    if (measure?.kind === kind) fields[name] = measure.value / factor;
  return fields;
}

/** Rounds to 0.01, which is finer than any gauge. */
export function parsePercentage(value: number): number | ReadingError {
  const rounded = Math.round(value * 100) / 100;
  if (rounded >= 0 && rounded <= 100) return rounded + 0; // Adding 0 turns -0 into 0.
  return readingError('out_of_range', `The level must be from 0 to 100 percent of the tank, not ${rounded}.`);
}

/** Converts a level to the percentage of a tank with this capacity. */
export function toPercentage(level: number | Volume, capacity: Volume): number | ReadingError {
  if (typeof level === 'number') return level;
  const liters = ({ amount, unit }: Volume): number => toLiters(amount, unit);
  return parsePercentage((liters(level) / liters(capacity)) * 100);
}

/** Quotes a value of a sender for messages and terminals: short and without control characters. */
export function quote(value: unknown): string {
  // JSON escapes only the control characters below U+0020.
  const text = writeJson(value).replaceAll(/\p{Cc}/gu, '\uFFFD');
  return text.length > 82 ? `${text.slice(0, 80)}..."` : text;
}
