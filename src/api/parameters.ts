import { type TSchema, Type } from 'typebox';
import { invalidParameters, type ParameterError } from '../http/problem.ts';
import { type ExactTime, parseIsoTime } from '../values/time.ts';

/** One optional parameter: how it is documented and how its text becomes a value. */
export interface Parameter<T> {
  schema: TSchema;
  description: string;
  parse(text: string): Parsed<T>;
}

export type Parsed<T> = { value: T } | { code: string; detail: string };

export type ParameterSet = Readonly<Record<string, Parameter<unknown>>>;
export type ParameterValues<P extends ParameterSet> = {
  [Name in keyof P]?: P[Name] extends Parameter<infer T> ? T : never;
};

/**
 * Reads what was given in the query string and, on a GET with a form body, there. Strict, because a mistyped filter
 * must not return unfiltered data: unknown and repeated names are refused, and every mistake is named at once.
 */
export function readParameters<P extends ParameterSet>(
  offered: P,
  query: URLSearchParams,
  body: URLSearchParams | undefined,
): ParameterValues<P> {
  const errors: ParameterError[] = [];
  const given = new Map<string, string>();
  for (const source of body ? [query, body] : [query]) {
    const own = new Set<string>();
    for (const [name, text] of source) {
      const param = name.slice(0, 100);
      const before = given.get(param);
      if (own.has(param)) errors.push({ param, code: 'repeated', detail: 'Give it once.' });
      else if (before !== undefined && before !== text) {
        errors.push({ param, code: 'contradiction', detail: 'Query string and body say different things.' });
      }
      own.add(param);
      given.set(param, text);
    }
  }

  const values: Record<string, unknown> = {};
  for (const [param, text] of given) {
    const parameter = Object.hasOwn(offered, param) ? offered[param] : undefined;
    const parsed = parameter?.parse(text) ?? unknownParameter(offered);
    if ('value' in parsed) values[param] = parsed.value;
    else if (!errors.some((error) => error.param === param)) errors.push({ param, ...parsed });
  }
  if (errors.length > 0) throw invalidParameters(errors);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value came from the parser of its own name
  return values as ParameterValues<P>;
}

function unknownParameter(offered: ParameterSet): { code: string; detail: string } {
  const names = Object.keys(offered);
  return {
    code: 'unknown',
    detail: names.length > 0 ? `Not a parameter here; there are ${names.join(', ')}.` : 'This takes no parameters.',
  };
}

function integer(min: number, max: number): Parameter<number>['parse'] {
  return (text) => {
    const value = Number(text);
    // Digits are checked before the conversion, which would also take 0x10, 1e1, " 5" and "+5".
    if (/^[0-9]+$/.test(text) && value >= min && value <= max) return { value };
    return { code: 'out_of_range', detail: `Must be a whole number from ${min} to ${max}, in digits only.` };
  };
}

const page: Parameter<number> = {
  schema: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }),
  description: 'Which page to return. One past the end is empty, with the true totals.',
  parse: integer(1, Number.MAX_SAFE_INTEGER),
};

const size: Parameter<number> = {
  schema: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  description: 'How many objects a page holds at most.',
  parse: integer(1, 100),
};

export const email: Parameter<string> = {
  schema: Type.String({ minLength: 1, examples: ['maria.lopez@example.com'] }),
  description: 'Only customers with exactly this e-mail address; upper and lower case differ.',
  parse: (text) =>
    text === '' || text.includes('\0') ? { code: 'invalid', detail: 'Must be an e-mail address.' } : { value: text },
};

const NOT_A_TIME = {
  code: 'invalid',
  detail: 'Must be an ISO 8601 date and time, such as 2025-08-13T16:38:55.453Z or 2025-08-13T18:38:55+02:00.',
};

export function parseTimeFilter(text: string): Parsed<ExactTime> {
  // An unescaped plus arrives as a space: 2025-08-13T18:38:55 02:00.
  const value = parseIsoTime(text.replace(/ (?=\d\d(?::?\d\d)?$)/, '+'));
  return value === undefined ? NOT_A_TIME : { value };
}

const timeFilter = { schema: Type.String({ format: 'date-time' }), parse: parseTimeFilter };

const created_at_gte: Parameter<ExactTime> = {
  ...timeFilter,
  description: 'Only what was created at this time or later. Without Z or an offset it is UTC.',
};

const created_at_lte: Parameter<ExactTime> = {
  ...timeFilter,
  description: 'Only what was created at this time or earlier. Without Z or an offset it is UTC.',
};

/** What every list takes. */
export const pagingParameters = { created_at_gte, created_at_lte, page, size };

const YEAR_1_MS = -62_135_596_800_000;
const END_OF_YEAR_9999_MS = 253_402_300_799_999;

/** As PostgreSQL reads it; what lies outside the four-digit years is before or after everything. */
export function sqlTime(ms: number): string {
  if (ms < YEAR_1_MS) return '-infinity';
  return ms > END_OF_YEAR_9999_MS ? 'infinity' : new Date(ms).toISOString();
}
