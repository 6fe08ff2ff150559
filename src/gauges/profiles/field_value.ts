import { valueAt } from '../../values/json_path.ts';
import type { ProfileField, ProfileFields } from './profile.ts';
import { readNumber } from './read_number.ts';

export type FieldValue = number | string | boolean | null;
/** The reason of the device why it has no value. */
export interface NoValue {
  reason: string;
}
const NOTHING: NoValue = { reason: 'no reading' };
const OUT_OF_RANGE: NoValue = { reason: 'out of its range' };

/** The data from which the fields of a frame are read. The positions of fields count from `from`. */
export type Source =
  | { input: 'bytes'; bytes: Buffer; from: number }
  | { input: 'json'; json: unknown }
  | { input: 'text'; parts: readonly string[] };

const MAX_TEXT = 64;
/** No gauge measures more. `value <= MAX_VALUE` is also false for NaN. */
const MAX_VALUE = 1e12;
/** Rounds to six decimals, because 792 * 0.1 is not exactly 79.2. */
const tidy = (value: number): number => Math.round(value * 1e6) / 1e6;

/** The value of a field; undefined if it was not sent. */
export function fieldValue(
  source: Source,
  fields: ProfileFields,
  field: ProfileField,
): FieldValue | NoValue | undefined {
  const sent = sentValue(source, field);
  if (sent === undefined) return undefined;
  let value: FieldValue = bitsOf(sent, field);
  if (field.map) {
    const key = String(value);
    const mapped = Object.hasOwn(field.map, key) ? field.map[key] : field.map['*'];
    if (mapped !== '$') value = mapped ?? null;
    if (value === null) return undefined;
  }
  if (field.is) return field.is.includes(value);
  if (field.below !== undefined) return typeof value === 'number' ? value < field.below : undefined;
  const none = field.none && noValue(field.none, value);
  if (none !== undefined) return none;
  if (typeof value !== 'number') return value;
  if ((field.min !== undefined && value < field.min) || (field.max !== undefined && value > field.max))
    return OUT_OF_RANGE;
  const scaled = value * factorOf(source, fields, field) * (field.scale ?? 1) + (field.offset ?? 0);
  return Math.abs(scaled) <= MAX_VALUE ? tidy(scaled) : NOTHING;
}

function noValue(none: NonNullable<ProfileField['none']>, value: FieldValue): NoValue | undefined {
  if (Array.isArray(none)) return none.includes(value) ? NOTHING : undefined;
  const reason = Object.hasOwn(none, String(value)) ? none[String(value)] : undefined;
  return reason === undefined ? undefined : { reason };
}

function sentValue(source: Source, { at, type, path, part, after }: ProfileField): FieldValue | undefined {
  if (source.input === 'bytes') return readNumber(source.bytes, source.from + (at ?? 0), type ?? 'u8');
  if (source.input === 'text') return textValue(partOf(source.parts, after ?? part ?? 0));
  const value = valueAt(source.json, path ?? '');
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? value : undefined;
}

/** A part by its position, or the rest of the part that begins with the given text. */
export function partOf(parts: readonly string[], place: number | string): string | undefined {
  if (typeof place === 'number') return parts[place];
  const trimmed = parts.map((part) => part.trim());
  return trimmed
    .find((part) => part.startsWith(place))
    ?.slice(place.length)
    .trim();
}

/** A part of a text is a number if it looks like one. */
const textValue = (text: string | undefined): FieldValue | undefined =>
  text !== undefined && /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text?.slice(0, MAX_TEXT);

const bitsOf = (value: FieldValue, { bits }: ProfileField): FieldValue =>
  bits === undefined || typeof value !== 'number' ? value : Math.floor(value / 2 ** bits[0]) % 2 ** bits[1];

function factorOf(source: Source, fields: ProfileFields, { polynomial }: ProfileField): number {
  if (polynomial === undefined) return 1;
  const { polynomial: _, ...other } = fields[polynomial.of] ?? {};
  const x = fieldValue(source, fields, other);
  return typeof x === 'number' ? polynomial.coefficients.reduceRight((sum, c) => sum * x + c, 0) : Number.NaN;
}
