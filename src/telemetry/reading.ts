import { isObject, type JsonObject, writeJson } from '../values/json.ts';
import { parseTimeMs } from '../values/time.ts';

/** Why a reading is not stored. Stable: senders and operators sort by it. */
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
] as const;
export type RejectionCode = (typeof REJECTION_CODES)[number];

export interface ReadingError {
  code: RejectionCode;
  /** A sentence that says what to do about it. */
  detail: string;
}

export type Volume = { amount: number; unit: 'liters' | 'gallons' };

/** What a device said, understood. A volume becomes a percentage where the tank's capacity is known. */
export interface DeviceReading {
  deviceId: string;
  atMs: number;
  level: number | Volume;
}

/** A reading that knows its tank. */
export interface TankReading {
  tankNo: number;
  /** Unix milliseconds. */
  atMs: number;
  fillPercentage: number;
}

export const LEVEL_UNITS = ['percent', 'fraction', 'liters', 'gallons'] as const;
export type LevelUnit = (typeof LEVEL_UNITS)[number];

/** The level under one of these names says its own unit. Where there are several, the first of them counts. */
const LEVEL_FIELDS: Readonly<Record<string, LevelUnit>> = {
  fill_percentage: 'percent',
  fill_fraction: 'fraction',
  volume_liters: 'liters',
  volume_gallons: 'gallons',
};

/** A source whose level has a name of its own says which, and its unit. */
export interface LevelField {
  name: string;
  unit: LevelUnit;
}

const FIRST_MS = Date.UTC(2000);
/** Clocks of other systems run ahead of ours by some minutes, not by more. */
const MAX_AHEAD_MS = 600_000;
const MAX_DEVICE_ID_LENGTH = 64;

/** Judges one reading. One without a time happened when it arrived. */
export function parseReading(
  deviceId: unknown,
  item: unknown,
  { receivedAtMs, nowMs }: { receivedAtMs: number; nowMs: number },
  field?: LevelField,
): DeviceReading | ReadingError {
  if (!isObject(item)) return refuse('malformed', 'A reading must be an object such as {"fill_percentage": 45.5}.');
  if (!isDeviceId(deviceId)) {
    return refuse('malformed_device', `device_id must be a text of 1 to ${MAX_DEVICE_ID_LENGTH} characters.`);
  }
  const atMs = parseReadingTime(item['created_at'] ?? receivedAtMs, nowMs);
  if (typeof atMs !== 'number') return atMs;
  const level = judgeLevel(item, field);
  if (isReadingError(level)) return level;
  return { deviceId, atMs, level };
}

export const isReadingError = (judged: object | number): judged is ReadingError =>
  typeof judged === 'object' && 'code' in judged && 'detail' in judged;

const refuse = (code: RejectionCode, detail: string): ReadingError => ({ code, detail });

export const isDeviceId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_DEVICE_ID_LENGTH && !value.includes('\0');

/** RFC 3339 with its zone (without one, UTC), or seconds or milliseconds since 1970: numbers past 1e11 are the latter. */
export function parseReadingTime(given: unknown, nowMs: number): number | ReadingError {
  const atMs = typeof given === 'string' ? parseTimeMs(given.trim()) : unixMs(given);
  if (atMs === undefined) {
    return refuse('malformed_time', `${quote(given)} must be a time such as 2025-08-13T16:38:55Z.`);
  }
  if (atMs > nowMs + MAX_AHEAD_MS) {
    return refuse('future', `${quote(given)} is still to come; check the clock and the time zone it is from.`);
  }
  if (atMs < FIRST_MS) return refuse('before_2000', `${quote(given)} is before 2000; check the clock it is from.`);
  return atMs;
}

function unixMs(given: unknown): number | undefined {
  if (typeof given !== 'number' || !Number.isFinite(given) || given < 0 || given > 8.64e15) return undefined;
  return Math.trunc(given > 1e11 ? given : given * 1_000);
}

function judgeLevel(item: JsonObject, field: LevelField | undefined): number | Volume | ReadingError {
  const name = field?.name ?? Object.keys(LEVEL_FIELDS).find((known) => Object.hasOwn(item, known));
  const unit = field?.unit ?? LEVEL_FIELDS[name ?? ''];
  if (name === undefined || unit === undefined || !Object.hasOwn(item, name)) {
    const names = field?.name ?? Object.keys(LEVEL_FIELDS).join(', ');
    return refuse('malformed_level', `The level is missing: send one of ${names}.`);
  }
  const value = item[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return refuse('malformed_level', `${name} must be a number such as 45.5, not ${quote(value)}.`);
  }
  if (unit === 'percent') return parsePercentage(value);
  if (unit === 'fraction') return parsePercentage(value * 100);
  return value < 0 ? refuse('out_of_range', `${name} must not be negative.`) : { amount: value, unit };
}

/** Kept to 0.01, which is finer than any gauge. */
export function parsePercentage(value: number): number | ReadingError {
  const rounded = Math.round(value * 100) / 100;
  if (rounded >= 0 && rounded <= 100) return rounded === 0 ? 0 : rounded; // -0 would be another value than 0
  return refuse('out_of_range', `The level must be from 0 to 100 percent of the tank, not ${rounded}.`);
}

const LITERS_PER_GALLON = 3.785411784;

/** The percentage that a level is in a tank of this size. */
export function toPercentage(level: number | Volume, capacity: Volume): number | ReadingError {
  if (typeof level === 'number') return level;
  const liters = ({ amount, unit }: Volume): number => (unit === 'liters' ? amount : amount * LITERS_PER_GALLON);
  return parsePercentage((liters(level) / liters(capacity)) * 100);
}

/** What was sent, fit for a terminal: short, and without control characters. */
export function quote(value: unknown): string {
  const text = writeJson(value).replaceAll(/\p{Cc}/gu, '\uFFFD'); // JSON leaves those past U+007E as they are
  return text.length > 82 ? `${text.slice(0, 80)}..."` : text;
}
