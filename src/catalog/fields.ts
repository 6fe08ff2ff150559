import { orZero, parseDecimal, parseNumber, withoutPercentSign } from '../values/decimal.ts';
import { UNIT_WORDS } from '../values/heading_words.ts';
import { isWritableWhose, MAX_PHONES, MAX_WHOSE, parsePhones } from '../values/phones.ts';
import { PRODUCT_WORDS } from '../values/products.ts';
import { MAX_REPORT_INTERVAL_HOURS } from '../values/report_interval.ts';
import type { RowErrorCode } from '../values/row_error.ts';
import { parseFileTime, type TextFormat } from '../values/text_format.ts';
import { COMMON_ERA_MS, DAY_MS } from '../values/time.ts';

/** Why a text is not a value of the field. */
export interface FieldError {
  /** The reason, as in "capacity <reason>". */
  reason: string;
  /** The reason if the text is shown too, as in "'barril' <problem>". The default is `reason`. */
  problem?: string;
  /** What to do about it in a file. */
  advice?: string;
  /** What to do about it in the body of a request. */
  bodyAdvice?: string;
  /** True if each wrong text is reported by itself, because few texts are wrong in the same way. */
  isPerText?: boolean;
  /** The default is `invalid`. */
  code?: RowErrorCode;
}

/**
 * The fields of customers and tanks that options of a command or columns of a file can set. Each is parsed from text
 * here and nowhere else. An empty text is null if the field may be null. The format says how a file writes numbers and
 * times.
 */
export interface Field<T> {
  (text: string, format?: TextFormat): { value: T } | FieldError;
  /** All values, if they are few. */
  choices?: readonly string[];
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type FieldValues<F extends Fields> = { [Name in keyof F]?: F[Name] extends Field<infer T> ? T : never };

/** Left behind by an earlier conversion with the wrong encoding: a replaced letter, or a control character. */
const BROKEN_CHARACTER = /[\uFFFD\u0080-\u009f]/;

/** A cell of a spreadsheet may have several lines. A name has one. */
const LINE_BREAK = /[\t-\r]+/g;
/** Includes characters that change the direction of the text, because they can make one key look like another. */
const INVISIBLE_CHARACTER = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * How a text is stored and looked up. In Unicode, an accent can be part of its letter or a separate character; here it
 * is always part of the letter.
 */
export const normalText = (given: string): string => given.trim().normalize().replaceAll(LINE_BREAK, ' ');

export const text =
  (maxLength: number): Field<string> =>
  (given) => {
    const value = normalText(given);
    if (value === '') return { reason: 'must not be empty' };
    if (value.length > maxLength) return { reason: `must have at most ${maxLength} characters` };
    if (BROKEN_CHARACTER.test(value))
      return {
        reason: 'has a character that an earlier conversion has broken',
        advice: 'Correct it, or name the encoding of the file with --encoding.',
        bodyAdvice: 'Send the body in UTF-8.',
      };
    const [invisible] = INVISIBLE_CHARACTER.exec(value) ?? [];
    if (invisible === undefined) return { value };
    const code = invisible.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return { reason: `must not contain the invisible character U+${code}`, advice: 'Type the text again.' };
  };

/** A text that may consist of digits. A spreadsheet writes a long number as 8.61E+14, and the other digits are lost. */
export const identifier =
  (maxLength: number): Field<string> =>
  (given) => {
    if (!/^\d[.,]\d+E\+\d+$/i.test(given.trim())) return text(maxLength)(given);
    return {
      reason: 'is a number that a spreadsheet has shortened',
      advice: 'Format the column as text in the spreadsheet, and enter the digits again.',
    };
  };

export const orNull = <T>(field: Field<T>): Field<T | null> =>
  Object.assign(
    (given: string, format?: TextFormat): { value: T | null } | FieldError =>
      given.trim() === '' ? { value: null } : field(given, format),
    field.choices === undefined ? {} : { choices: field.choices },
  );

interface NumberRange {
  accepts: (value: number) => boolean;
  /** The wanted value, as in "must be <wanted>". */
  wanted: string;
  /** No value of the field reaches 1000, so 19.043 has only one meaning. */
  isBelow1000?: boolean;
  isPercentage?: boolean;
}

export const number =
  ({ accepts, wanted, isBelow1000 = false, isPercentage = false }: NumberRange): Field<number> =>
  (given, format) => {
    const digits = isPercentage ? withoutPercentSign(given) : given;
    const value = parseNumber(digits, { ...format, isBelow1000 });
    if (value === 'ambiguous') {
      return {
        reason: `must be ${wanted}, and ${given.trim()} can mean two numbers`,
        problem: `can mean ${parseDecimal(digits, 'point')} or ${parseDecimal(digits, 'comma')}`,
        advice: 'Use --decimal point if the file writes a half as 0.5, or --decimal comma if it writes 0,5.',
      };
    }
    if (value === 'contrary') return { reason: `contradicts --decimal ${format?.decimal}` };
    if (typeof value !== 'number') return { reason: `must be ${wanted}` };
    const measured = orZero(value);
    return accepts(measured) ? { value: measured } : { reason: `must be ${wanted}` };
  };

/** Each choice with the words that files use for it, in lower case. */
export const oneOf = <T extends string>(words: Readonly<Record<T, readonly string[]>>): Field<T> => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a Record<T, ...> are of type T
  const choices = Object.keys(words) as T[];
  return Object.assign(
    (given: string): { value: T } | FieldError => {
      const word = given.trim().normalize().toLowerCase(); // on macOS, the accent of sí is a character of its own
      const value = choices.find((choice) => choice === word || words[choice].includes(word));
      if (value !== undefined) return { value };
      return {
        reason: `must be one of ${choices.join(', ')}`,
        problem: 'is not known',
        advice: `Use ${choices.join(', ')}, or give your word a meaning with --value.`,
        isPerText: true,
      };
    },
    { choices },
  );
};

/** Excel in Spanish writes VERDADERO and FALSO. */
const BOOLEANS = oneOf({ true: ['yes', '1', 'sí', 'si', 'verdadero'], false: ['no', '0', 'falso'] });
export const boolean: Field<boolean> = Object.assign(
  (given: string): { value: boolean } | FieldError => {
    const parsed = BOOLEANS(given);
    return 'value' in parsed ? { value: parsed.value === 'true' } : { ...parsed, reason: 'must be true or false' };
  },
  { choices: ['true', 'false'] },
);

const time: Field<string> = (given, format) => {
  const atMs = parseFileTime(given, format);
  if (typeof atMs === 'string') return { reason: atMs };
  const isStorable = atMs >= COMMON_ERA_MS.first && atMs <= COMMON_ERA_MS.last;
  return isStorable ? { value: new Date(atMs).toISOString() } : { reason: 'must be in the years 1000 to 9999' };
};

/** A day ahead is a clock or a time zone. More is a wrong year, and would be the first of every list until then. */
const MAX_CREATED_AHEAD_MS = DAY_MS;
const creationTime: Field<string> = (given, format) => {
  const parsed = time(given, format);
  const isAhead = 'value' in parsed && Date.parse(parsed.value) > Date.now() + MAX_CREATED_AHEAD_MS;
  return isAhead ? { reason: 'must not be in the future' } : parsed;
};

const email: Field<string> = (given) => {
  const parsed = text(320)(given);
  if ('value' in parsed && !/^[^\s@]+@[^\s@]+$/.test(parsed.value)) return { reason: 'must be an e-mail address' };
  return parsed;
};

const phone = identifier(50);
const phoneWhose: Field<string> = (given) =>
  isWritableWhose(given.trim())
    ? text(MAX_WHOSE)(given)
    : { reason: 'must not have semicolons or line breaks, or end with [text]' };

/** Several phones in one text. The value is JSON, as it is stored. */
const phones: Field<string> = (given) => {
  const parsed = parsePhones(given);
  const wanted = 'must be phone numbers, each with a name after it or not, separated by semicolons';
  if (parsed === undefined) return { reason: wanted };
  if (parsed.length > MAX_PHONES - 1)
    return { reason: `must have at most ${MAX_PHONES - 1} phones beside the first one` };
  for (const { number: digits, whose } of parsed) {
    const problem = [phone(digits), whose === null ? { value: null } : phoneWhose(whose)].find(
      (one) => 'reason' in one,
    );
    if (problem !== undefined) return problem;
  }
  return { value: JSON.stringify(parsed) };
};

export const CUSTOMER_FIELDS = {
  external_key: orNull(identifier(200)),
  email,
  name: text(500),
  phone: orNull(phone),
  phone_whose: orNull(phoneWhose),
  is_phone_texted: boolean,
  other_phones: orNull(phones),
  is_verified: boolean,
  verified_at: orNull(time),
  created_at: creationTime,
};

const timeOfDay: Field<string> = (given) =>
  /^([01]\d|2[0-3]):[0-5]\d$/.test(given.trim())
    ? { value: given.trim() }
    : { reason: 'must be a time from 00:00 to 23:59, such as 07:00' };

/** The fields of a person who gets mails or uses the console. */
export const CONTACT_FIELDS = { email, name: orNull(text(200)), digest_at: orNull(timeOfDay) };

/** The largest tanks that are built have less than 300,000,000 liters. A larger number, or a tiny one, is a mistake. */
export const CAPACITY_RANGE = { minimum: 0.001, maximum: 1_000_000_000 };

/** The capacity of a tank or a truck. */
export const capacity = number({
  accepts: (value) => value >= CAPACITY_RANGE.minimum && value <= CAPACITY_RANGE.maximum,
  wanted: 'a number from 0.001 to 1,000,000,000',
});

/** A lower limit is rather a threshold in the wrong column. */
export const MIN_FILL_LIMIT = 50;

export const TANK_FIELDS = {
  custom_id: orNull(identifier(200)),
  external_key: orNull(identifier(200)),
  name: text(500),
  assigned_device_id: identifier(64),
  capacity,
  capacity_unit: oneOf(UNIT_WORDS),
  min_fill_alert_percentage: number({
    accepts: (value) => Number.isInteger(value) && value >= 0 && value <= 100,
    wanted: 'a whole number from 0 to 100',
    isPercentage: true,
  }),
  order_threshold_percentage: orNull(
    number({
      accepts: (value) => Number.isInteger(value) && value >= 1 && value <= 100,
      wanted: 'a whole number from 1 to 100',
      isPercentage: true,
    }),
  ),
  is_batch_tank: boolean,
  report_interval_hours: orNull(
    number({
      accepts: (value) => Number.isInteger(value) && value >= 1 && value <= MAX_REPORT_INTERVAL_HOURS,
      wanted: `a whole number of hours from 1 to ${MAX_REPORT_INTERVAL_HOURS}`,
      isBelow1000: true,
    }),
  ),
  is_mobile: boolean,
  product: orNull(oneOf(PRODUCT_WORDS)),
  fill_limit_percentage: orNull(
    number({
      accepts: (value) => Number.isInteger(value) && value >= MIN_FILL_LIMIT && value <= 100,
      wanted: `a whole number from ${MIN_FILL_LIMIT} to 100`,
      isPercentage: true,
    }),
  ),
  use_case: orNull(oneOf({ residential: ['residencial'], commercial: ['comercial'], industrial: [] })),
  city: orNull(text(200)),
  country: orNull(text(200)),
  district: orNull(text(200)),
  latitude: orNull(
    number({ accepts: (value) => Math.abs(value) <= 90, wanted: 'a latitude from -90 to 90', isBelow1000: true }),
  ),
  longitude: orNull(
    number({ accepts: (value) => Math.abs(value) <= 180, wanted: 'a longitude from -180 to 180', isBelow1000: true }),
  ),
  postal_code: orNull(text(200)),
  region: orNull(text(200)),
  street: orNull(text(200)),
  street_number: orNull(text(200)),
  created_at: creationTime,
};

interface Thresholds {
  min_fill_alert_percentage: number;
  order_threshold_percentage?: number | null | undefined;
}

/** The order threshold must be above the alert threshold. Of a change of the alert threshold alone, that is the wrong one. */
export function thresholdProblem(
  { min_fill_alert_percentage: low, order_threshold_percentage: order }: Thresholds,
  { isOrderGiven }: { isOrderGiven: boolean },
): { field: keyof Thresholds; reason: string } | undefined {
  if (typeof order !== 'number' || order > low) return undefined;
  return isOrderGiven
    ? { field: 'order_threshold_percentage', reason: `must be above the alert threshold, which is ${low}` }
    : { field: 'min_fill_alert_percentage', reason: `must be below the order threshold, which is ${order}` };
}

export type CustomerValues = FieldValues<typeof CUSTOMER_FIELDS>;
export type TankValues = FieldValues<typeof TANK_FIELDS>;

/** Parses the given texts and names every invalid one. Ignores names that are not fields. */
export function parseFields<F extends Fields>(
  fields: F,
  given: Readonly<Record<string, string | undefined>>,
): { values: FieldValues<F>; errors: string[] } {
  const values: Record<string, unknown> = {};
  const errors: string[] = [];
  for (const [name, parse] of Object.entries(fields)) {
    const textGiven = given[name];
    if (textGiven === undefined) continue;
    const parsed = parse(textGiven);
    if ('value' in parsed) values[name] = parsed.value;
    else errors.push(`${name} ${parsed.reason}`);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value came from the parser of its own name
  return { values: values as FieldValues<F>, errors };
}
