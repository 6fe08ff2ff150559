import { CHECKED_LATER, Deleted } from '../schemas/values.ts';

/** The title of a schema. Schemas with a title become components of the OpenAPI document. */
export const titleOf = (schema: object): string => String(Reflect.get(schema, 'title'));

/** The schemas with a title in a part of a schema, by title. */
export function titledSchemas(part: unknown): [string, object][] {
  if (typeof part !== 'object' || part === null) return [];
  const own: [string, object][] = 'type' in part && 'title' in part ? [[titleOf(part), part]] : [];
  return [...own, ...Object.values(part).flatMap(titledSchemas)];
}

/**
 * Converts a schema for the document. An enum gets its type. Objects in responses allow additional fields, because
 * later releases may add some. Bodies of requests do not, because unknown fields are refused.
 */
export function toPublishedSchema(part: unknown, { isBody = false } = {}): unknown {
  if (Array.isArray(part)) return part.map((item) => toPublishedSchema(item, { isBody }));
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).filter(
    ([name, value]) => isBody || name !== 'additionalProperties' || value !== false,
  );
  const {
    enum: choices,
    [CHECKED_LATER]: bounds,
    ...others
  } = Object.fromEntries(entries.map(([name, value]) => [name, toPublishedSchema(value, { isBody })]));
  const rest = { ...others, ...Object(bounds) };
  if (!Array.isArray(choices)) return choices === undefined ? rest : { ...rest, enum: choices };
  return { type: typeof choices[0], ...rest, enum: choices };
}

/** Replaces schemas with a title inside a schema by references to them. */
export function withReferences(schema: object): object {
  const replace = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map(replace);
    if (part !== schema && 'type' in part && 'title' in part) return reference(part);
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, replace(value)]));
  };
  return Object(replace(schema));
}

export const reference = (item: object): object => ({ $ref: `#/components/schemas/${titleOf(item)}` });

/**
 * The schema of an object, or of its remains after deletion. Without a title, generators would number such responses.
 */
export const orDeleted = (item: object, kind: string): object => ({
  title: `${titleOf(item)}OrDeleted`,
  anyOf: [reference(item), Deleted(kind)],
});

export const pathParameter = (name: string, description: string): object => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
});

export const headerReferences = (names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const queryParameter = (
  name: string,
  { schema, description, isDeprecated }: { schema: object; description: string; isDeprecated?: boolean },
): object => ({
  name,
  in: 'query',
  required: false,
  description,
  ...(isDeprecated && { deprecated: true }),
  schema,
});
