import type { Static, TObject } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Format } from 'typebox/format';
import { Settings } from 'typebox/system';
import type { Field, Fields } from '../../catalog/field.ts';
import { invalidParameters, malformed, type ParameterError } from '../../http/problem.ts';
import { isObject, type JsonObject, parseJson } from '../../values/json.ts';
import { capitalized } from '../../values/products.ts';
import { parseTimeMs } from '../../values/time.ts';

// By default, TypeBox stops after 8 errors. A problem lists 20 errors and the number of further ones, so more must be
// found.
Settings.Set({ maxErrors: 256 });
// As everywhere in this api, a time without an offset is UTC, and a space may replace the T.
Format.Set('date-time', (text) => parseTimeMs(text.trim()) !== undefined);

/** No schema needs more levels. Thousands of levels would overflow the stack of the validator. */
const MAX_LEVELS = 100;

/** The JSON object in a body or a line. Throws 400. */
export function parseJsonObject(text: string, what: 'body' | 'line' = 'body'): JsonObject {
  const content = parseJson(text);
  if (content === undefined) throw malformed(`The ${what} is not valid JSON: ${jsonProblemOf(text)}`);
  if (!isObject(content)) throw malformed(`The ${what} must be a JSON object, such as {"name": "House"}.`);
  if (hasMoreLevels(content, MAX_LEVELS))
    throw malformed(`The ${what} must have at most ${MAX_LEVELS} levels of objects and lists.`);
  return content;
}

/** Describes where a text is not JSON. The text is not repeated, because it can contain personal data. */
function jsonProblemOf(text: string): string {
  // U+0000 occurs in UTF-16 that was read as UTF-8.
  if (text.includes('\0')) return 'it is not UTF-8. Send it in UTF-8.';
  try {
    JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1];
    if (position !== undefined && Number(position) < text.length)
      return `see the character at position ${position}, counted from 0.`;
    if (position === undefined && !String(error).includes('end of JSON'))
      return 'a character is wrong. Check its quotes, commas and braces.';
  }
  return `it ends too early, after ${text.length} characters.`;
}

const hasMoreLevels = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => hasMoreLevels(inner, levels - 1)));

/** Checks a body. Returns its values with the types of the schema, or all errors. */
export function checkBody<Body extends TObject>(
  schema: Body,
  body: JsonObject,
): { values: Static<Body> } | { errors: ParameterError[] } {
  const validator = validatorOf(schema);
  const broken = brokenTexts(body, '');
  if (!validator.Check(body)) return { errors: [...errorsOf(validator, schema, body), ...broken] };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the validator has checked it against this schema
  return broken.length > 0 ? { errors: broken } : { values: body as Static<Body> };
}

const validators = new WeakMap<TObject, Validator>();

/** The validator of a schema, which is compiled at its first use. */
function validatorOf(schema: TObject): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validator = Compile(schema);
  validators.set(schema, validator);
  return validator;
}

type SchemaError = ReturnType<Validator['Errors']>[number];

/** The errors of the validator as sentences: unknown fields first, then missing ones, then wrong values. */
function errorsOf(validator: Validator, schema: TObject, body: JsonObject): ParameterError[] {
  const errors = validator.Errors(body);
  // If no form of an anyOf fits, TypeBox also lists the errors of each form. Only the error of the anyOf itself is
  // kept.
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => `${schemaPath}/anyOf/`);
  const reported = errors.filter(({ schemaPath }) => !unions.some((union) => schemaPath.startsWith(union)));
  const unknown: ParameterError[] = [];
  const missing: ParameterError[] = [];
  const wrong: ParameterError[] = [];
  for (const error of reported) {
    const param = pathOf(error.instancePath);
    if (error.keyword === 'boolean') {
      const names = Object.keys(
        Object(valueAt(schema, error.schemaPath.replace(/additionalProperties$/, 'properties'))),
      );
      // The fields are listed with the first unknown field only. Otherwise a bulk of 10,000 lines with 20 unknown
      // fields each would cause a response of 80 MB.
      const fields = unknown.length === 0 ? ` The fields are: ${names.join(', ')}.` : '';
      unknown.push({ param: param.slice(0, 100), code: 'unknown', detail: `Unknown or read-only field.${fields}` });
    } else if (error.keyword === 'required') {
      const prefix = param === '' ? '' : `${param}.`;
      for (const name of error.params.requiredProperties)
        missing.push({ param: `${prefix}${name}`, code: 'missing', detail: 'Must be given.' });
    } else if (error.keyword !== 'additionalProperties') {
      const code = error.keyword === 'minimum' || error.keyword === 'maximum' ? 'out_of_range' : 'invalid';
      const isInfinite = Math.abs(Number(valueAt(body, error.instancePath))) === Infinity;
      const detail = isInfinite ? TOO_LARGE : detailOf(error, Object(valueAt(schema, error.schemaPath)));
      wrong.push({ param, code, detail });
    }
  }
  return [...unknown, ...missing, ...wrong];
}

/** For numbers such as 1e400, which JSON can contain and JavaScript reads as Infinity. */
const TOO_LARGE = 'Must be a smaller number. This one is too large to be stored.';

function detailOf(error: SchemaError, schema: Readonly<Record<string, unknown>>): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- our schemas use few keywords
  switch (error.keyword) {
    case 'type':
      // A time or date of another type, such as a number, gets the error of its format.
      return (
        (error.params.type === 'string' ? FORMATS[String(schema['format'])] : undefined) ??
        `Must be ${[error.params.type].flat().map(typeName).join(' or ')}.`
      );
    case 'enum':
      return `Must be one of: ${error.params.allowedValues.map(String).join(', ')}.`;
    case 'const':
      return `Must be ${JSON.stringify(error.params.allowedValue)}.`;
    case 'anyOf':
      return 'Must have one of the documented forms.';
    case 'minItems':
    case 'maxItems':
      return `Must have ${boundsOf(schema['minItems'], schema['maxItems'])} items.`;
    case 'minLength':
    case 'maxLength':
      return `Must have ${boundsOf(schema['minLength'], schema['maxLength'])} characters.`;
    case 'minimum':
    case 'maximum':
      return `Must be ${boundsOf(schema['minimum'], schema['maximum'])}.`;
    case 'format':
      return FORMATS[error.params.format] ?? `Must have the format ${error.params.format}.`;
    default:
      return sentence(error.message);
  }
}

function boundsOf(min: unknown, max: unknown): string {
  if (min === undefined) return `at most ${JSON.stringify(max)}`;
  return max === undefined ? `at least ${JSON.stringify(min)}` : `${JSON.stringify(min)} to ${JSON.stringify(max)}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'Must be an ISO 8601 date and time, such as 2025-08-13T16:38:55.453Z or 2025-08-13T18:38:55+02:00.',
  date: 'Must be a date such as 2026-11-17.',
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};
const typeName = (type: string): string => TYPE_NAMES[type] ?? type;

/** The part of a value at a path such as `/location/city`, or of a schema at one such as `#/properties/location`. */
const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('/')
    .slice(1)
    .reduce((part: unknown, name) => Reflect.get(Object(part), name), value);

/** Converts `/types/2/name` to `types[2].name`. */
const pathOf = (pointer: string): string =>
  pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');

const BROKEN_TEXT =
  'Must be a text without the character U+0000 and without half characters (lone surrogates). Remove them.';

/** Finds texts that JSON can contain but PostgreSQL cannot store. */
function brokenTexts(value: unknown, param: string): ParameterError[] {
  if (typeof value === 'string') return isBroken(value) ? [{ param, code: 'invalid', detail: BROKEN_TEXT }] : [];
  if (Array.isArray(value)) return value.flatMap((item, at) => brokenTexts(item, `${param}[${at}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    isBroken(name)
      ? [
          {
            param: param || 'body',
            code: 'invalid' as const,
            detail: 'Its field names must not contain U+0000 or half characters.',
          },
        ]
      : brokenTexts(inner, param === '' ? name : `${param}.${name}`),
  );
}

const isBroken = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

/** The values of a body after parsing. A value with the name of a field of the catalog has the type of the field. */
export type ParsedFields<Values, F extends Fields> = {
  [Name in keyof Values]: Name extends keyof F ? (F[Name] extends Field<infer T> ? T : never) : Values[Name];
};

/**
 * Parses values with the fields of the catalog, as options of commands and columns of files are parsed. A null is
 * parsed like an empty text. `paths` are the names in errors for fields that are part of an object, such as
 * `location.city`.
 */
export function parseValues<Values extends object, F extends Fields>(
  fields: F,
  values: Values,
  paths: Readonly<Record<string, string>> = {},
): { values: ParsedFields<Values, F>; errors: ParameterError[] } {
  const parsedValues: Record<string, unknown> = Object.fromEntries(Object.entries(values));
  const errors: ParameterError[] = [];
  for (const [name, parse] of Object.entries(fields)) {
    const given = parsedValues[name];
    if (given === undefined) continue;
    // JSON writes decimals with a point only.
    const parsed = parse(fieldTextOf(given), { decimal: 'point' });
    if ('value' in parsed) parsedValues[name] = parsed.value;
    else {
      const advice = parsed.bodyAdvice === undefined ? '' : ` ${parsed.bodyAdvice}`;
      errors.push({ param: paths[name] ?? name, code: 'invalid', detail: `${sentence(parsed.reason)}${advice}` });
    }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value came from the parser of its own name
  return { values: parsedValues as ParsedFields<Values, F>, errors };
}

/** Parses values like `parseValues`. Throws 422 if there are errors. */
export function parseValidValues<Values extends object, F extends Fields>(
  fields: F,
  given: Values,
  paths?: Readonly<Record<string, string>>,
): ParsedFields<Values, F> {
  const { values, errors } = parseValues(fields, given, paths);
  if (errors.length > 0) throw invalidParameters(errors);
  return values;
}

/** A value as the text of a field. The schema has checked that it is a text, a number, true, false or null. */
const fieldTextOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);

/** Converts a time of a body. The schema has checked it. */
export const isoTimeOf = (text: string): string => new Date(parseTimeMs(text.trim()) ?? Number.NaN).toISOString();

/** A reason such as "must be a number" as a sentence of its own. */
export const sentence = (reason: string): string => `${capitalized(reason)}.`;
