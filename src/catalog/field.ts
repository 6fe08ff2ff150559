import { orZero, parseDecimal, parseNumber, withoutPercentSign } from '../values/decimal.ts';
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
 * Parses a field from text. Options of commands, columns of files and bodies of requests can set the field. An empty
 * text is null if the field may be null. The format says how a file writes numbers and times.
 */
export interface Field<T> {
  (text: string, format?: TextFormat): { value: T } | FieldError;
  /** All values, if they are few. */
  choices?: readonly string[];
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type FieldValues<F extends Fields> = { [Name in keyof F]?: F[Name] extends Field<infer T> ? T : never };

/** A replacement character or a control character: an earlier conversion used the wrong encoding. */
const BROKEN_CHARACTER = /[\uFFFD\u0080-\u009f]/;

/** Line breaks and tabs. A cell of a spreadsheet may have several lines, a stored text has one. */
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

/**
 * A text that may consist of digits. Refuses 8.61E+14, which a spreadsheet writes for a long number: digits are lost.
 */
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
  /** The accepted values, as in "must be <wanted>". */
  wanted: string;
  /** True if all values are below 1000, so that 19.043 cannot mean 19043. */
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

export const time: Field<string> = (given, format) => {
  const atMs = parseFileTime(given, format);
  if (typeof atMs === 'string') return { reason: atMs };
  const isStorable = atMs >= COMMON_ERA_MS.first && atMs <= COMMON_ERA_MS.last;
  return isStorable ? { value: new Date(atMs).toISOString() } : { reason: 'must be in the years 1000 to 9999' };
};

/**
 * A creation time up to a day ahead can come from a wrong clock or time zone. A later time is a wrong year, and the
 * object would be the first of every list until then.
 */
const MAX_CREATED_AHEAD_MS = DAY_MS;
export const creationTime: Field<string> = (given, format) => {
  const parsed = time(given, format);
  const isAhead = 'value' in parsed && Date.parse(parsed.value) > Date.now() + MAX_CREATED_AHEAD_MS;
  return isAhead ? { reason: 'must not be in the future' } : parsed;
};

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
