import { type TSchema, Type } from 'typebox';
import { invalidParameters, MAX_PARAMETERS, type ParameterError, tooManyParameters } from '../http/problem.ts';
import { COMMON_ERA_MS, type ExactTime, parseIsoTime } from '../values/time.ts';
import { zonedDayStartMs } from '../values/zoned_time.ts';

/** One optional parameter: its documentation and its parser. */
export interface Parameter<T> {
  schema: TSchema;
  description: string;
  /** True if another parameter replaces this one. Both are accepted. */
  isDeprecated?: boolean;
  parse(text: string): Parsed<T>;
}

export type Parsed<T> = { value: T } | { code: string; detail: string };

export type ParameterSet = Readonly<Record<string, Parameter<unknown>>>;
export type ParameterValues<P extends ParameterSet> = {
  [Name in keyof P]?: P[Name] extends Parameter<infer T> ? T : never;
};

/**
 * Parses the parameters of the query string and of a form body. Unknown and repeated parameters are errors, because a
 * mistyped filter must not return unfiltered data. All errors are reported together, up to 20.
 */
export function parseParameters<P extends ParameterSet>(
  definitions: P,
  query: URLSearchParams,
  body: URLSearchParams | undefined,
): ParameterValues<P> {
  if (query.size + (body?.size ?? 0) > MAX_PARAMETERS) throw tooManyParameters();
  const errors: ParameterError[] = [];
  const given = new Map<string, string>();
  for (const source of body ? [query, body] : [query]) {
    const seen = new Set<string>();
    for (const [name, text] of source) {
      const param = name.slice(0, 100);
      const previous = given.get(param);
      if (seen.has(param)) errors.push({ param, code: 'repeated', detail: 'Must be given only once.' });
      else if (previous !== undefined && previous !== text) {
        errors.push({ param, code: 'contradiction', detail: 'Has different values in the query string and the body.' });
      }
      seen.add(param);
      given.set(param, text);
    }
  }

  const values: Record<string, unknown> = {};
  for (const [param, text] of given) {
    const parameter = Object.hasOwn(definitions, param) ? definitions[param] : undefined;
    const parsed = parameter?.parse(text) ?? unknownParameter(definitions);
    if ('value' in parsed) values[param] = parsed.value;
    else if (!errors.some((error) => error.param === param)) errors.push({ param, ...parsed });
  }
  if (errors.length > 0) throw invalidParameters(errors);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value comes from the parser of its parameter
  return values as ParameterValues<P>;
}

function unknownParameter(definitions: ParameterSet): { code: string; detail: string } {
  const names = Object.keys(definitions);
  return {
    code: 'unknown',
    detail:
      names.length > 0
        ? `Unknown parameter. The parameters are: ${names.join(', ')}.`
        : 'Unknown parameter. This operation has no parameters.',
  };
}

/** Returns the parser of a whole number that is written in digits. */
export function integer(min: number, max: number): Parameter<number>['parse'] {
  return (text) => {
    const value = Number(text);
    // The pattern is needed because Number() also accepts 0x10, 1e1, " 5" and "+5".
    if (/^[0-9]+$/.test(text) && value >= min && value <= max) return { value };
    return { code: 'out_of_range', detail: `Must be a whole number from ${min} to ${max}, written in digits.` };
  };
}

export const integerParameter = (
  description: string,
  range: { minimum: number; maximum: number; default?: number },
): Parameter<number> => ({
  schema: Type.Integer(range),
  description,
  parse: integer(range.minimum, range.maximum),
});

const NOT_A_TIME = {
  code: 'invalid',
  detail: 'Must be an ISO 8601 date and time, such as 2025-08-13T16:38:55.453Z or 2025-08-13T18:38:55+02:00.',
};

export function parseTimeFilter(text: string): Parsed<ExactTime> {
  // An unescaped plus arrives as a space: 2025-08-13T18:38:55 02:00.
  const value = parseIsoTime(text.replace(/ (?=\d\d(?::?\d\d)?$)/, '+'));
  return value === undefined ? NOT_A_TIME : { value };
}

const YEAR_1_MS = -62_135_596_800_000;

/**
 * Parses a time in the years 1000 to 9999. PostgreSQL and JavaScript write such times, and those of some days before and
 * after, in the same way.
 */
export function parseCommonEraTime(text: string): Parsed<ExactTime> {
  const parsed = parseTimeFilter(text);
  if (!('value' in parsed)) return parsed;
  const { ms } = parsed.value;
  return ms >= COMMON_ERA_MS.first && ms <= COMMON_ERA_MS.last
    ? parsed
    : { code: 'out_of_range', detail: 'Must be in the years 1000 to 9999 (UTC).' };
}

/**
 * A day without a time. `beginDays` sets `ms` to its beginning in a time zone. Before that, `ms` is its midnight in
 * UTC.
 */
class Day implements ExactTime {
  readonly isPastMs = false;
  readonly date: string;
  readonly ms: number;

  constructor(date: string, ms = Date.parse(date)) {
    this.date = date;
    this.ms = ms;
  }
}

function parseTimeOrDay(text: string): Parsed<ExactTime> {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return parseCommonEraTime(text);
  const midnight = parseCommonEraTime(`${text}T00:00:00Z`);
  return 'value' in midnight ? { value: new Day(text) } : midnight;
}

export const timeParameter = (description: string): Parameter<ExactTime> => ({
  // The schema does not mention days (`date`), because generated clients have a special type for a date-time alone.
  schema: Type.String({ format: 'date-time' }),
  description:
    `${description} A time without Z or an offset is UTC. A day such as 2025-11-01 is the time at which it begins in the time zone of ` +
    'the organization.',
  parse: parseTimeOrDay,
});

export const takesDays = (parameter: Parameter<unknown>): boolean => parameter.parse === parseTimeOrDay;

/** The header with the time zone in which days begin, or the time zone of the local times in a file. */
export const ZONE_HEADER = 'tankwatch-zone';

/**
 * Converts days to times: the beginning of the day in the zone of the parameter `zone`, or in the zone of the
 * organization. Returns the zone if a parameter is a day.
 */
export async function beginDays(
  given: Readonly<Record<string, unknown>>,
  organizationZone: () => Promise<string>,
): Promise<{ parameters: Readonly<Record<string, unknown>>; dayZone: string | undefined }> {
  const days = Object.entries(given).flatMap(([name, value]) => (value instanceof Day ? [[name, value] as const] : []));
  if (days.length === 0) return { parameters: given, dayZone: undefined };
  const dayZone = typeof given['zone'] === 'string' ? given['zone'] : await organizationZone();
  const times = days.map(([name, { date }]) => [name, new Day(date, zonedDayStartMs(date, dayZone))] as const);
  return { parameters: { ...given, ...Object.fromEntries(times) }, dayZone };
}

/** A deprecated name of a parameter, which is still accepted. `name` is its current name. */
export const formerly = <T>(name: string, parameter: Parameter<T>): Parameter<T> => ({
  ...parameter,
  description: `The same as \`${name}\`.`,
  isDeprecated: true,
});

/** A time for PostgreSQL. Years outside 1 to 9999 become -infinity or infinity. */
export function sqlTime(ms: number): string {
  if (ms < YEAR_1_MS) return '-infinity';
  return ms > COMMON_ERA_MS.last ? 'infinity' : new Date(ms).toISOString();
}
