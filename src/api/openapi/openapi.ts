import { PROBLEMS, Problem, ProblemBody } from '../../http/problem.ts';
import type { Operation } from '../operation.ts';
import { OPERATIONS } from '../operations.ts';
import { takesDays } from '../parameters.ts';
import { responseSchema } from '../schemas/values.ts';
import { bodyTitles, type DocumentedError, manageErrors, managePaths, manageSchemas } from './manage_paths.ts';
import {
  headerReferences,
  orDeleted,
  pathParameter,
  queryParameter,
  reference,
  titledSchemas,
  titleOf,
  toPublishedSchema,
  withReferences,
} from './openapi_schemas.ts';
import { OPENAPI_WEBHOOKS, WebhookData } from './webhook_schema.ts';

/** Builds the OpenAPI 3.1 document from the same definitions that serve the requests. */
export function openApiDocument(publicUrl: string): object {
  const bodies = bodyTitles();
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
      { name: 'customers', description: 'Account holders. A customer owns tanks.' },
      { name: 'tanks', description: 'Containers with a capacity, an alert threshold, a location and a device.' },
      { name: 'telemetry', description: 'Readings of the fill level of one tank over time.' },
      { name: 'fleet', description: 'Many tanks at once: levels, forecasts, what needs attention, events.' },
      { name: 'manage customers', description: 'Create, change and delete customers.' },
      { name: 'manage tanks', description: 'Create, change and delete tanks.' },
      { name: 'manage delivery notes', description: 'Write delivery notes, and say which refills they belong to.' },
      { name: 'manage gauges', description: 'Define how the messages of devices are read.' },
      { name: 'manage rounds', description: 'Depots, trucks and drivers, and the rounds on which they deliver.' },
      { name: 'manage imports', description: 'Import files of customers and tanks, and undo an import.' },
      { name: 'manage organization', description: 'Settings of the organization.' },
      { name: 'manage contacts', description: 'People who get mails or use the console.' },
      { name: 'manage duty', description: 'Who is on duty, and how people are told of losses.' },
      { name: 'manage webhooks', description: 'Endpoints that receive events.' },
      {
        name: 'manage connectors',
        description: 'Sources of readings that Tankwatch asks: clouds of makers, other APIs and brokers.',
      },
      { name: 'manage audit', description: 'Who changed what.' },
    ],
    paths: toPublishedSchema({
      ...Object.fromEntries(
        OPERATIONS.map((operation) => [operation.path.replace(':id', '{id}'), { get: operationObject(operation) }]),
      ),
      ...managePaths(),
    }),
    webhooks: toPublishedSchema(OPENAPI_WEBHOOKS),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      schemas: {
        ...Object.fromEntries(
          [...OPERATIONS.flatMap(({ item }) => titledSchemas(item)), ...manageSchemas()].map(([title, schema]) => [
            title,
            toPublishedSchema(withReferences(schema), { isBody: bodies.has(title) }),
          ]),
        ),
        Problem: ProblemBody,
        WebhookData: toPublishedSchema(WebhookData),
      },
      headers: HEADERS,
      responses: Object.fromEntries(
        [...ERRORS, ...manageErrors].flatMap((error) => (error.beside ? [] : [[error.code, errorResponse(error)]])),
      ),
    },
  };
}

const INTRODUCTION = `Read customers, tanks and the telemetry of tanks, and change customers and tanks.

Send your API key in the header \`X-API-Key\`. Lists are sorted newest first. Every page has exact totals, and every page
takes the same time. Times are in UTC, with milliseconds. Every response has the header \`X-Request-Id\`. Errors are
\`application/problem+json\`. Send parameters in the query string; GET also accepts them as a form-encoded body.

- [For integrators](/docs/integrators/): keep a complete copy of the data, with examples in curl, TypeScript and Python
- [The interface](/docs/interface/): the rules that all operations follow
- [Change data](/docs/manage/): create, change and delete customers and tanks
- [Devices](/docs/devices/): send readings over MQTT and HTTP
- [Events](/docs/events/): receive webhooks and mails
- [The console](/docs/console/): look at tanks in a browser
- [For operators](/docs/guide/): install Tankwatch, and [daily work](/docs/operators/)`;

function operationObject(operation: Operation): object {
  const isList = operation.returns === 'list';
  const errors = ERRORS.filter(({ code }) => code !== 'not_found' || operation.idOf !== undefined);
  const codes = [...errors.map(({ code }) => code), ...(operation.canBeGone ? (['gone'] as const) : [])];
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    description: operation.description,
    tags: [tagOf(operation)],
    parameters: [
      ...(operation.idOf === undefined ? [] : [pathParameter('id', `ID of the ${operation.idOf}.`)]),
      ...Object.entries(operation.parameters).map(([name, parameter]) => queryParameter(name, parameter)),
    ],
    responses: {
      200: {
        description: DESCRIPTIONS[operation.returns],
        headers: headerReferences([
          'X-Request-Id',
          'ETag',
          'RateLimit',
          'RateLimit-Policy',
          ...(isList ? ['Link'] : []),
          ...(hasZoneHeader(operation) ? ['Tankwatch-Zone'] : []),
        ]),
        content: {
          [MEDIA_TYPES[operation.returns] ?? 'application/json']: contentOf(operation),
        },
      },
      304: { description: 'The response is the same as the one whose ETag was sent as If-None-Match.' },
      ...Object.fromEntries(codes.map((code) => [PROBLEMS[code].status, { $ref: `#/components/responses/${code}` }])),
    },
  };
}

const hasZoneHeader = ({ hasLocalTimes = false, parameters }: Operation): boolean =>
  hasLocalTimes || Object.values(parameters).some(takesDays);

const DESCRIPTIONS: Readonly<Record<Operation['returns'], string>> = {
  list: 'One page of the list.',
  cursor_list: 'One page of the list.',
  event_feed: 'The next events.',
  object: 'The object, or its ID if it is deleted.',
  answer: 'The object.',
  csv: 'The file, in UTF-8; with a byte order mark, unless `format` is machine.',
  event_stream: 'The stream.',
};

/** The media types of responses that are not JSON. */
const MEDIA_TYPES: Readonly<Partial<Record<Operation['returns'], string>>> = {
  csv: 'text/csv',
  event_stream: 'text/event-stream',
};

const tagOf = ({ path }: Operation): string =>
  path.startsWith('/fleet/') ? 'fleet' : (path.split('/').findLast((part) => !part.startsWith(':')) ?? '');

function contentOf(operation: Operation): object {
  const { returns, item, example } = operation;
  // The schema describes the data of the event `changed`.
  if (returns === 'event_stream')
    return { schema: { type: 'string', contentMediaType: 'text/event-stream', contentSchema: reference(item) } };
  if (MEDIA_TYPES[returns] !== undefined) return { schema: { type: 'string' } };
  if (returns === 'object') return objectContent(operation);
  if (returns === 'answer') return { schema: reference(item), examples: { object: { value: example } } };
  const pages: Readonly<Record<string, object>> = {
    list: { data: [example], page: 1, size: 10, total_pages: 1, total_items: 1 },
    cursor_list: {
      data: [example],
      next: null,
      has_more: false,
      previous: null,
      total_items: 1,
      as_of: '2025-11-02T08:14:09.514Z',
    },
    event_feed: { data: [example], next: CURSOR_EXAMPLE, has_more: false },
  };
  const pastTheEnd = { object: 'list', data: [], page: 7, size: 10, total_pages: 1, total_items: 1 };
  return {
    schema: { title: `${titleOf(item)}Page`, ...withReferences(responseSchema(operation)) },
    examples: {
      page: { value: { object: 'list', ...pages[returns] } },
      ...(returns === 'list' ? { 'past the end': { value: pastTheEnd } } : {}),
    },
  };
}

const CURSOR_EXAMPLE = 'WyJrM2x4OVFhMCIsWyI5MTg0MiIsIjE3Il1d';

function objectContent(operation: Operation): object {
  const { object } = operation.item.properties;
  const id = Reflect.get(operation.example, 'id');
  return {
    schema: orDeleted(operation.item, operation.idOf ?? ''),
    examples: {
      'not deleted': { value: operation.example },
      deleted: { value: { id, object: object && Reflect.get(object, 'const'), deleted: true } },
    },
  };
}

const header = (description: string, example: string): object => ({ description, schema: { type: 'string' }, example });

const HEADERS = {
  'X-Request-Id': header('ID of the request. If you send one, it is returned.', '5f2c1f0e-9d0b-4a7e-8d0a-3a1d8f1c2b9e'),
  ETag: header('Send it as If-None-Match to get 304 if nothing changed.', '"Zq1n0Yx2mC4v7b9K3sT5uW8yA1B"'),
  Link: header('Links to the first, previous, next and last page (RFC 8288).', '</v1/tanks?page=2>; rel="next"'),
  'RateLimit-Policy': header(
    'The limit of the API key: a burst of q requests, refilled within w seconds.',
    '"key";q=1000;w=10',
  ),
  RateLimit: header(
    'The remaining requests (r), and the seconds until the limit is fully available again (t).',
    '"key";r=998;t=1',
  ),
  'Tankwatch-Zone': header(
    'The time zone in which the days of the parameters begin, or the time zone of the local times in the file.',
    'America/Mexico_City',
  ),
  'Retry-After': header('Seconds to wait before the next attempt.', '5'),
  Allow: header('The methods that the path allows.', 'GET, HEAD'),
  'WWW-Authenticate': header('The authentication scheme to use.', 'ApiKey'),
  'Idempotent-Replayed': header('The response is that of an earlier request with the same Idempotency-Key.', 'true'),
};

const BAD_SIZE = {
  param: 'size',
  code: 'out_of_range',
  detail: 'Must be a whole number from 1 to 100, written in digits.',
};

const ERRORS: readonly DocumentedError[] = [
  { code: 'malformed_request', detail: 'The request line, the headers or the body could not be read.' },
  { code: 'unauthorized', detail: 'Send your API key in the header X-API-Key.', header: 'WWW-Authenticate' },
  {
    code: 'forbidden',
    detail: 'This API key does not have the scope "read". Ask the operator of this service for a key that has it.',
  },
  { code: 'not_found', detail: 'No such tank.' },
  { code: 'method_not_allowed', detail: 'POST is not allowed here. Use GET, HEAD.', header: 'Allow' },
  {
    code: 'unsupported_media_type',
    detail: 'The body of a GET request must have the type application/x-www-form-urlencoded.',
  },
  { code: 'invalid_parameters', detail: `size: ${BAD_SIZE.detail}` },
  { code: 'rate_limited', detail: 'This API key exceeded its rate limit. Try again in 1 s.', header: 'Retry-After' },
  { code: 'internal_error', detail: 'The request failed. The error is logged with the request id.' },
  { code: 'unavailable', detail: 'The database cannot be reached. Try again in a few seconds.', header: 'Retry-After' },
];

function errorResponse(error: DocumentedError): object {
  const errors = [error, ...manageErrors.filter(({ beside }) => beside === error.code)];
  const examples = errors.map(({ code, detail }) => {
    const problem = new Problem(code, detail, code === 'invalid_parameters' ? { errors: [BAD_SIZE] } : {});
    return [code, { value: problem.body('5f2c1f0e-9d0b-4a7e-8d0a-3a1d8f1c2b9e') }] as const;
  });
  return {
    description: PROBLEMS[error.code].title,
    headers: headerReferences(['X-Request-Id', ...errors.flatMap(({ header: own }) => own ?? [])]),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}
