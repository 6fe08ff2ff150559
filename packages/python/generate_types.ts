import { readFile, writeFile } from 'node:fs/promises';

/** The parts of JSON Schema that the OpenAPI document uses. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: string | boolean | number;
  enum?: (string | null)[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/**
 * Generates `tankwatch/types.py`: a TypedDict for each object. An object without a name of its own, inside another one, is a plain
 * dictionary.
 */
export function pythonTypesOf(schemas: Readonly<Record<string, Schema>>): string {
  const classes = Object.entries(schemas).map(([name, schema]) =>
    schema.properties === undefined ? `${name} = ${typeOf(schema)}` : classOf(name, schema),
  );
  return [
    '# Generated from openapi.json by `npm run openapi`. A test fails if it is out of date.',
    'from typing import Any, Literal, NotRequired, TypedDict',
    '',
    ...classes.flatMap((text) => ['', text, '']),
  ]
    .join('\n')
    .replaceAll(/\n{4,}/g, '\n\n\n');
}

/** Uses the functional form, because the name of a field may be a keyword of Python. */
function classOf(name: string, { properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([field, schema]) => {
    // The type is quoted, because it may name a class below.
    const type = `'${typeOf(schema)}'`;
    return `        "${field}": ${required.includes(field) ? type : `NotRequired[${type}]`},`;
  });
  return [`${name} = TypedDict(`, `    "${name}",`, '    {', ...fields, '    },', ')'].join('\n');
}

function typeOf({ $ref, anyOf, enum: values, const: value, type, items, properties }: Schema): string {
  if ($ref !== undefined) return $ref.replace(/^.*\//, '');
  if (anyOf !== undefined) return union(anyOf.map(typeOf));
  if (value !== undefined) return literal([value]);
  if (values !== undefined) return literal(values);
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ type: one, ...(items && { items }) })));
  if (type === 'array') return `list[${items === undefined ? 'Any' : typeOf(items)}]`;
  if (type === 'object' || properties !== undefined) return 'dict[str, Any]';
  const simple: Readonly<Record<string, string>> = {
    string: 'str',
    integer: 'int',
    number: 'float',
    boolean: 'bool',
    null: 'None',
  };
  return simple[type ?? ''] ?? 'Any';
}

const union = (types: readonly string[]): string => [...new Set(types)].reduce((all, one) => `${all} | ${one}`);

const literal = (values: readonly (string | number | boolean | null)[]): string =>
  `Literal[${values.map((one) => (one === null ? 'None' : typeof one === 'boolean' ? (one ? 'True' : 'False') : JSON.stringify(one))).join(', ')}]`;

export async function readSchemas(): Promise<Record<string, Schema>> {
  const document: { components: { schemas: Record<string, Schema> } } = JSON.parse(
    await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'),
  );
  return document.components.schemas;
}

if (import.meta.main)
  await writeFile(new URL('tankwatch/types.py', import.meta.url), pythonTypesOf(await readSchemas()));
