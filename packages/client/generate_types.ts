import { readFile, writeFile } from 'node:fs/promises';

/** The parts of JSON Schema that the OpenAPI document uses. Other parts cause an error. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: string | boolean;
  enum?: (string | null)[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  title?: string;
  description?: string;
  format?: string;
}

interface Parameter {
  name: string;
  in: 'path' | 'query';
  description: string;
  schema: Schema;
}

interface Operation {
  operationId: string;
  tags: string[];
  parameters: Parameter[];
  responses: { 200: { content: { 'application/json': { schema: Schema } } } };
}

export interface Document {
  paths: Record<string, { get?: Operation }>;
  components: { schemas: Record<string, Schema> };
}

/** Generates the content of `src/types.ts` from the OpenAPI document. */
export function typesOf(document: Document): string {
  // Operations of /manage/v1 need only the types of their objects and bodies.
  const reads = Object.entries(document.paths).flatMap(([path, { get }]) =>
    get === undefined || path.startsWith('/manage/') ? [] : [get],
  );
  const fleet = reads.filter(isFleet).filter(isJson);
  const operations = reads.filter((operation) => !isFleet(operation));
  const responses = operations.map(responseSchema);
  const objects = Object.entries(document.components.schemas).map(([name, schema]) => interfaceOf(name, schema));
  const deleted = responses
    .flatMap((response) => response.anyOf ?? [])
    .filter((schema) => schema.title !== undefined)
    .map((schema) => interfaceOf(pascal(schema.title ?? ''), schema, 'A deleted object.'));
  const lists = responses.filter((response) => response.anyOf === undefined).map(listOf);
  if (new Set(lists).size !== 1) throw new Error('the list schemas differ in more than the type of their items');
  const header = '// Generated from openapi.json by `npm run openapi`. A test fails if it is out of date.\n';
  const pages = fleet.filter(hasData).map((operation) => pageOf(operation));
  const parameters = fleet
    .filter((operation) => filtersOf(operation).length > 0)
    .map((operation) => parametersOf(`${pascal(operation.operationId)}Parameters`, filtersOf(operation)));
  return [
    header,
    ...valuesOfParameters(fleet),
    ...objects,
    ...deleted,
    lists[0],
    ...parametersOfLists(operations),
    ...pages,
    ...parameters,
  ].join('\n');
}

/** Parameters whose values a program needs as a list, to offer them or to recognize one. */
const VALUE_LISTS = [
  {
    name: 'TANK_STATUSES',
    comment: 'What can need attention, the most important first.',
    operationId: 'listTankStatuses',
    parameter: 'status',
  },
  {
    name: 'SECTIONS',
    comment: 'What is to be done today, the most urgent first.',
    operationId: 'listTankStatuses',
    parameter: 'section',
  },
  { name: 'FLEET_SORTS', comment: 'Orders of the list of tanks.', operationId: 'listTankStatuses', parameter: 'sort' },
  { name: 'USE_CASES', comment: 'What a tank is used for.', operationId: 'listTankStatuses', parameter: 'use_case' },
  { name: 'EVENT_TYPES', comment: 'What can happen to a tank.', operationId: 'listHistory', parameter: 'type' },
];

function valuesOfParameters(operations: readonly Operation[]): string[] {
  return VALUE_LISTS.map(({ name, comment, operationId, parameter }) => {
    const operation = operations.find((one) => one.operationId === operationId);
    const { schema } = operation?.parameters.find((one) => one.name === parameter) ?? {};
    if (schema?.enum === undefined) throw new Error(`${operationId} has no parameter ${parameter} with fixed values`);
    const values = schema.enum.map((value) => `  ${literal(value)},\n`).join('');
    return `/** ${comment} */\nexport const ${name} = [\n${values}] as const;\n`;
  });
}

/** Whether the response is JSON. A CSV file has no type. */
const isJson = ({ responses }: Operation): boolean => 'application/json' in responses[200].content;
const isFleet = ({ tags }: Operation): boolean => tags.includes('fleet');
const hasData = (operation: Operation): boolean => responseSchema(operation).properties?.['data'] !== undefined;
const filtersOf = ({ parameters }: Operation): Parameter[] =>
  parameters.filter((parameter) => parameter.in === 'query');

/** The page of a fleet list, such as `TankStatusPage`. */
function pageOf(operation: Operation): string {
  const schema = responseSchema(operation);
  return interfaceOf(`${typeOf(schema.properties?.['data']?.items ?? {}, '')}Page`, schema);
}

const responseSchema = (operation: Operation): Schema => operation.responses[200].content['application/json'].schema;

function interfaceOf(head: string, schema: Schema, comment?: string): string {
  return `${comment === undefined ? '' : `/** ${comment} */\n`}export interface ${head} ${typeOf(schema, '')}\n`;
}

function listOf(schema: Schema): string {
  const properties = { ...schema.properties };
  properties['data'] = { ...properties['data'], items: { $ref: 'Item' } };
  return interfaceOf('List<Item>', { ...schema, properties }, 'One page of a list, with the totals of the whole list.');
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => nameOf(one) ?? typeOf(one, indent)).join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.items !== undefined) return arrayOf(typeOf(schema.items, indent));
  if (schema.properties !== undefined) return objectOf(schema, indent);
  if (schema.type === 'object') return 'Record<string, unknown>';
  return [schema.type].flat().map(primitive).join(' | ');
}

const arrayOf = (item: string): string => (/ \| (?![^{]*\})/.test(item) ? `(${item})[]` : `${item}[]`);

/** The name of a deleted object, such as "Deleted tank", which has an interface of its own. */
const nameOf = ({ title }: Schema): string | undefined => (title?.startsWith('Deleted ') ? pascal(title) : undefined);

const literal = (value: string | boolean | null): string => (typeof value === 'string' ? `'${value}'` : String(value));

function objectOf({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).flatMap(([name, property]) => [
    ...(property.description === undefined ? [] : [`${inner}/** ${property.description} */`]),
    `${inner}${name}${required.includes(name) ? '' : '?'}: ${typeOf(property, inner)};`,
  ]);
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function primitive(type: string | undefined): string {
  if (type === 'integer') return 'number';
  if (type !== undefined && ['string', 'number', 'boolean', 'null'].includes(type)) return type;
  throw new Error(`the JSON type ${type} has no TypeScript type here; add it to primitive()`);
}

/** One interface with the parameters of all lists, and one for each list that has more. */
function parametersOfLists(operations: Operation[]): string[] {
  const lists = operations.filter((operation) => responseSchema(operation).anyOf === undefined);
  const isCommon = ({ name }: Parameter): boolean =>
    lists.every((list) => list.parameters.some((parameter) => parameter.name === name));
  const own = lists.flatMap((list) => {
    const item = typeOf(responseSchema(list).properties?.['data']?.items ?? {}, '');
    const parameters = filtersOf(list).filter((parameter) => !isCommon(parameter));
    return parameters.length > 0 ? [parametersOf(`${item}ListParameters extends ListParameters`, parameters)] : [];
  });
  return [parametersOf('ListParameters', lists.slice(0, 1).flatMap(filtersOf).filter(isCommon)), ...own];
}

/** Times can be given as a Date too. */
function parametersOf(head: string, parameters: Parameter[]): string {
  const lines = parameters.flatMap(({ name, description, schema }) => {
    const type = schema.format === 'date-time' ? 'Date | string' : typeOf(schema, '');
    return [`  /** ${description} */`, `  ${name}?: ${type} | undefined;`];
  });
  return `export interface ${head} {\n${lines.join('\n')}\n}\n`;
}

const pascal = (title: string): string => title.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());

export async function readDocument(): Promise<Document> {
  const text = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own file; an unexpected schema throws in typesOf
  return JSON.parse(text) as Document;
}

if (import.meta.main) await writeFile(new URL('src/types.ts', import.meta.url), typesOf(await readDocument()));
