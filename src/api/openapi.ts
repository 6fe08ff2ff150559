import { PROBLEMS, Problem, ProblemBody, type ProblemCode } from '../http/problem.ts';
import type { Read } from './read.ts';
import { READS } from './reads.ts';
import { Deleted, List } from './schema.ts';

/** The OpenAPI 3.1 document, built from the same constants that serve the requests. */
export function openApiDocument(publicUrl: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tankwatch',
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: INTRODUCTION,
    },
    servers: [{ url: publicUrl || '/' }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'customers', description: 'Account holders, who own tanks.' },
      { name: 'tanks', description: 'Containers with a capacity, an alert threshold, a location and a device.' },
      { name: 'telemetry', description: 'Fill readings of one tank over time.' },
    ],
    paths: Object.fromEntries(READS.map((read) => [read.path.replace(':id', '{id}'), { get: operation(read) }])),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      schemas: { ...Object.fromEntries(READS.map((read) => [nameOf(read), read.item])), Problem: ProblemBody },
      headers: HEADERS,
      responses: Object.fromEntries(ERRORS.map((error) => [error.code, errorResponse(error)])),
    },
  };
}

const INTRODUCTION = `Customers, tanks and tank telemetry, to read.

Send your key as \`X-API-Key\`. Lists are newest first and come in pages with exact totals; any page costs the same.
Times are UTC with three decimals. Every answer carries \`X-Request-Id\`; errors are \`application/problem+json\`.
Parameters belong in the query string; a form-encoded body on GET is read as well.

- [For integrators](/docs/integrators/): from a key to a copy that misses nothing, in curl, TypeScript and Python
- [The interface](/docs/interface/): how the whole behaves, and what was decided`;

const nameOf = (read: Read): string => String(Reflect.get(read.item, 'title'));

function operation(read: Read): object {
  const isList = read.answers === 'list';
  const errors = ERRORS.filter((error) => error.code !== 'not_found' || read.idOf !== undefined);
  return {
    operationId: read.operationId,
    summary: read.summary,
    description: read.description,
    tags: [read.path.split('/').findLast((part) => !part.startsWith(':'))],
    parameters: [...(read.idOf === undefined ? [] : [idParameter(read.idOf)]), ...queryParameters(read)],
    responses: {
      200: {
        description: isList ? 'One page of the list.' : 'The object, or what is left of it where it was deleted.',
        headers: refer(['X-Request-Id', 'ETag', 'RateLimit', 'RateLimit-Policy', ...(isList ? ['Link' as const] : [])]),
        content: { 'application/json': isList ? listContent(read) : objectContent(read) },
      },
      304: { description: 'Unchanged since the answer whose ETag came as If-None-Match.' },
      ...Object.fromEntries(
        errors.map(({ code }) => [PROBLEMS[code].status, { $ref: `#/components/responses/${code}` }]),
      ),
    },
  };
}

const idParameter = (of: string): object => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `Identifies the ${of}.`,
  schema: { type: 'string' },
});

function queryParameters(read: Read): object[] {
  return Object.entries(read.parameters).map(([name, { schema, description }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema,
  }));
}

const reference = (read: Read): object => ({ $ref: `#/components/schemas/${nameOf(read)}` });

function listContent(read: Read): object {
  const list = List(read.item);
  const data = { ...list.properties.data, items: reference(read) };
  return {
    schema: { ...list, properties: { ...list.properties, data } },
    examples: {
      page: { value: { object: 'list', data: [read.example], page: 1, size: 10, total_pages: 1, total_items: 1 } },
      'past the end': { value: { object: 'list', data: [], page: 7, size: 10, total_pages: 1, total_items: 1 } },
    },
  };
}

function objectContent(read: Read): object {
  const { object } = read.item.properties;
  const id = Reflect.get(read.example, 'id');
  return {
    schema: { anyOf: [reference(read), Deleted(read.idOf ?? '')] },
    examples: {
      live: { value: read.example },
      deleted: { value: { id, object: object && Reflect.get(object, 'const'), deleted: true } },
    },
  };
}

const header = (description: string, example: string): object => ({ description, schema: { type: 'string' }, example });

const HEADERS = {
  'X-Request-Id': header('Identifies this exchange; the one you sent, if any.', '5f2c1f0e-9d0b-4a7e-8d0a-3a1d8f1c2b9e'),
  ETag: header('Send it back as If-None-Match to be told only of changes.', '"Zq1n0Yx2mC4v7b9K3sT5uW8yA1B"'),
  Link: header('Where first, prev, next and last page are (RFC 8288).', '</v1/tanks?page=2>; rel="next"'),
  'RateLimit-Policy': header("The key's limit: q requests, refilled within w seconds.", '"key";q=1000;w=10'),
  RateLimit: header('What is left: r requests; all of them again in t seconds.', '"key";r=998;t=1'),
  'Retry-After': header('Try again after this many seconds.', '5'),
  Allow: header('The methods offered.', 'GET, HEAD'),
  'WWW-Authenticate': header('What is missing.', 'ApiKey'),
};

const refer = (names: (keyof typeof HEADERS)[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

interface DocumentedError {
  code: ProblemCode;
  detail: string;
  header?: keyof typeof HEADERS;
}

const BAD_SIZE = {
  param: 'size',
  code: 'out_of_range',
  detail: 'Must be a whole number from 1 to 100, in digits only.',
};

const ERRORS: readonly DocumentedError[] = [
  { code: 'malformed_request', detail: 'The request line, the headers or the body could not be read.' },
  { code: 'unauthorized', detail: 'Send your API key in the header X-API-Key.', header: 'WWW-Authenticate' },
  { code: 'forbidden', detail: 'This API key does not have the scope "read".' },
  { code: 'not_found', detail: 'No such tank.' },
  { code: 'method_not_allowed', detail: 'POST is not offered here; use one of GET, HEAD.', header: 'Allow' },
  { code: 'unsupported_media_type', detail: 'A body on GET must be application/x-www-form-urlencoded.' },
  { code: 'invalid_parameters', detail: `size: ${BAD_SIZE.detail}` },
  { code: 'rate_limited', detail: 'This API key is used too often; try again in 1 s.', header: 'Retry-After' },
  { code: 'internal_error', detail: 'The request failed; it has been logged under its request id.' },
  { code: 'unavailable', detail: 'The database cannot be reached; try again in a few seconds.', header: 'Retry-After' },
];

function errorResponse({ code, detail, header: own }: DocumentedError): object {
  const problem = new Problem(code, detail, code === 'invalid_parameters' ? { errors: [BAD_SIZE] } : {});
  return {
    description: PROBLEMS[code].title,
    headers: refer(['X-Request-Id', ...(own ? [own] : [])]),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        example: problem.body('5f2c1f0e-9d0b-4a7e-8d0a-3a1d8f1c2b9e'),
      },
    },
  };
}
