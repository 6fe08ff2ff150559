import type { TObject, TSchema } from 'typebox';
import type { Fields, FieldValues } from '../../catalog/fields.ts';
import { malformed, type ParameterError } from '../../http/problem.ts';

type Json = Readonly<Record<string, unknown>>;

/** The JSON object in a body. Throws 400. */
export function parseJsonObject(text: string): Json {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw malformed('The body must be a JSON object.');
  }
  if (!isObject(content)) throw malformed('The body must be a JSON object.');
  return content;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Everything in a body that is not as the schema says. `isPatch`: nothing is missing, what is left out stays as it is. */
export function findBodyErrors(schema: TObject, body: Json, { isPatch }: { isPatch: boolean }): ParameterError[] {
  return objectErrors(schema, body, '', isPatch);
}

function objectErrors(schema: TObject, body: Json, prefix: string, isPatch: boolean): ParameterError[] {
  const properties: Readonly<Record<string, TSchema>> = schema.properties;
  const required: readonly string[] = schema.required ?? [];
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(properties, name));
  const unknownDetail = `Unknown or read-only field. The fields are: ${Object.keys(properties).join(', ')}.`;
  const missing = isPatch ? [] : required.filter((name) => !Object.hasOwn(body, name));
  return [
    ...unknown.map((name, at) => ({
      param: `${prefix}${name}`.slice(0, 100),
      code: 'unknown',
      // The fields are listed once: a bulk of 10,000 lines with 20 unknown fields each would be answered with 80 MB.
      detail: at === 0 ? unknownDetail : 'Unknown or read-only field.',
    })),
    ...missing.map((name) => ({ param: `${prefix}${name}`, code: 'missing', detail: 'Must be given.' })),
    ...Object.entries(properties).flatMap(([name, property]) =>
      Object.hasOwn(body, name) ? valueErrors(property, body[name], `${prefix}${name}`, isPatch) : [],
    ),
  ];
}

function valueErrors(schema: TSchema, value: unknown, param: string, isPatch: boolean): ParameterError[] {
  const forms: unknown = Reflect.get(schema, 'anyOf');
  if (Array.isArray(forms)) {
    const isOne = forms.some((form) => valueErrors(Object(form), value, param, isPatch).length === 0);
    return isOne ? [] : [{ param, code: 'invalid', detail: 'Must have one of the documented forms.' }];
  }
  const types = typesOf(schema);
  if (!types.some((type) => IS_OF_TYPE[type]?.(value)))
    return [{ param, code: 'invalid', detail: `Must be ${types.map((type) => TYPE_NAMES[type]).join(' or ')}.` }];
  const choices: unknown = Reflect.get(schema, 'enum');
  if (Array.isArray(choices) && !choices.includes(value)) {
    const listed = choices.map((choice) => String(choice)).join(', ');
    return [{ param, code: 'invalid', detail: `Must be one of: ${listed}.` }];
  }
  if (isObject(value) && 'properties' in schema) return objectErrors(Object(schema), value, `${param}.`, isPatch);
  if (!Array.isArray(value)) return [];
  const maxItems: unknown = Reflect.get(schema, 'maxItems');
  if (typeof maxItems === 'number' && value.length > maxItems)
    return [{ param, code: 'invalid', detail: `Must have at most ${maxItems} items.` }];
  const items: unknown = Reflect.get(schema, 'items');
  return value.flatMap((item: unknown, at) => valueErrors(Object(items), item, `${param}[${at}]`, isPatch));
}

function typesOf(schema: TSchema): string[] {
  const type: unknown = Reflect.get(schema, 'type');
  if (Array.isArray(type)) return type.map(String);
  return [typeof type === 'string' ? type : 'string'];
}

const IS_OF_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string' && !value.includes('\0') && value.isWellFormed(),
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

/** A text that may be missing or null. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * The values of fields of the catalog: parsed by the same functions as the options of commands and the columns of files. A field
 * that is null in the body is null. `paths` are the names of fields that are part of an object, such as `location.city`.
 */
export function readFields<F extends Fields>(
  fields: F,
  body: Json,
  paths: Readonly<Record<string, string>> = {},
): { values: FieldValues<F>; errors: ParameterError[] } {
  const values: Record<string, unknown> = {};
  const errors: ParameterError[] = [];
  for (const [name, parse] of Object.entries(fields)) {
    if (!Object.hasOwn(body, name) || body[name] === undefined) continue;
    // JSON has only one way to write a number.
    const parsed = parse(fieldTextOf(body[name]), { decimal: 'point' });
    if ('value' in parsed) values[name] = parsed.value;
    else errors.push({ param: paths[name] ?? name, code: 'invalid', detail: sentence(parsed.reason) });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value came from the parser of its own name
  return { values: values as FieldValues<F>, errors };
}

/** The schema has checked that it is a text, a number, true, false or null. */
const fieldTextOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);

/** A reason such as "must be a number" as a sentence of its own. */
export const sentence = (reason: string): string => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
