import { PROBLEMS, type ProblemCode } from '../../http/problem.ts';
import { bodyTypesOf, type ManageOperation, type ManageWrite } from '../manage/manage_operation.ts';
import { MANAGE_OPERATIONS } from '../manage/operations.ts';
import {
  headerReferences,
  orDeleted,
  pathParameter,
  queryParameter,
  reference,
  titledSchemas,
} from './openapi_schemas.ts';
import { requestExample } from './request_examples.ts';

export const managePaths = (): object =>
  Object.fromEntries(
    [...Map.groupBy(MANAGE_OPERATIONS, ({ path }) => path)].map(([path, operations]) => [
      path.replaceAll(/:([a-z_]+)/g, '{$1}'),
      Object.fromEntries(operations.map((operation) => [operation.method.toLowerCase(), operationObject(operation)])),
    ]),
  );

export const manageSchemas = (): [string, object][] =>
  MANAGE_OPERATIONS.flatMap((operation) => [
    ...titledSchemas(operation.item),
    ...('body' in operation ? titledSchemas(operation.body) : []),
  ]);

/** The titles of schemas that occur only in bodies of requests. */
export function bodyTitles(): ReadonlySet<string> {
  const titles = (schema: object | null): string[] => titledSchemas(schema).map(([title]) => title);
  const ofResponses = new Set(MANAGE_OPERATIONS.flatMap(({ item }) => titles(item)));
  const ofBodies = MANAGE_OPERATIONS.flatMap((operation) => ('body' in operation ? titles(operation.body) : []));
  return new Set(ofBodies.filter((title) => !ofResponses.has(title)));
}

export interface DocumentedError {
  code: ProblemCode;
  detail: string;
  header?: string;
  /** The error with the same status whose response has this one as a further example. A status has one response. */
  beside?: ProblemCode;
}

/** The errors that only /manage/v1 has. */
export const manageErrors: readonly DocumentedError[] = [
  {
    code: 'idempotency_key_missing',
    detail: 'Send a new value in the header Idempotency-Key with every new request.',
    beside: 'malformed_request',
  },
  { code: 'conflict', detail: 'Another customer has this external_key.' },
  {
    code: 'idempotency_key_in_progress',
    detail: 'A request with this Idempotency-Key is in progress. Repeat this one later.',
    header: 'Retry-After',
    beside: 'conflict',
  },
  { code: 'gone', detail: 'The object of this request was deleted, and its answer with it.' },
  { code: 'precondition_failed', detail: 'The object has changed since you read it.' },
  { code: 'payload_too_large', detail: 'The body is larger than 16384 bytes.' },
  {
    code: 'idempotency_key_reused',
    detail: 'This Idempotency-Key was used for another method, path or body.',
    beside: 'invalid_parameters',
  },
  { code: 'precondition_required', detail: 'Send the ETag of the object that you have read in the header If-Match.' },
];

const COMMON: readonly ProblemCode[] = [
  'malformed_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'invalid_parameters',
  'rate_limited',
  'internal_error',
  'unavailable',
];

/** The codes of the errors of an operation, one for each status. */
function errorCodesOf(operation: ManageOperation): ProblemCode[] {
  if (operation.kind === 'read') return [...COMMON];
  if (operation.kind === 'bulk') return [...COMMON, 'payload_too_large', 'unsupported_media_type'];
  if (operation.kind === 'long')
    return [
      ...COMMON,
      'conflict',
      ...(operation.takesFile ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    ];
  const { body, condition } = operation;
  return [
    ...COMMON,
    'conflict',
    'gone',
    ...(body === null ? [] : (['payload_too_large', 'unsupported_media_type'] as const)),
    ...(condition === 'none' ? [] : (['precondition_failed'] as const)),
    ...(condition === 'required' ? (['precondition_required'] as const) : []),
  ];
}

function operationObject(operation: ManageOperation): object {
  const { operationId, summary, description, tag, allowedCallers, pathParameters, parameters } = operation;
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    'x-who': allowedCallers,
    parameters: [
      ...Object.entries(pathParameters).map(([name, meaning]) => pathParameter(name, meaning)),
      ...Object.entries(parameters).map(([name, parameter]) => queryParameter(name, parameter)),
      ...(operation.kind === 'write' ? headerParameters(operation) : []),
    ],
    ...bodyObject(operation),
    responses: {
      ...Object.fromEntries(statusesOf(operation).map((status) => [status, successResponse(operation, status)])),
      ...(operation.kind === 'read' && {
        304: { description: 'The object has the ETag that was sent as If-None-Match.' },
      }),
      ...Object.fromEntries(
        errorCodesOf(operation).map((code) => [PROBLEMS[code].status, { $ref: `#/components/responses/${code}` }]),
      ),
    },
  };
}

function bodyObject(operation: ManageOperation): object {
  const body = (content: object): object => ({
    requestBody: {
      required: true,
      content: Object.fromEntries(bodyTypesOf(operation).map((type) => [type, content])),
    },
  });
  if (operation.kind === 'long')
    return operation.takesFile ? body({ schema: { type: 'string', format: 'binary' } }) : {};
  if (operation.kind === 'read' || operation.body === null) return {};
  const example = requestExample(operation);
  return body({ schema: operation.kind === 'bulk' ? linesOf(operation.body) : reference(operation.body), example });
}

/**
 * The schema of NDJSON. Its format is binary, because generated clients would write a text as JSON, in quotes.
 * `contentSchema` is the schema of one line.
 */
const linesOf = (line: object): object => ({
  type: 'string',
  format: 'binary',
  description: `One object of the schema \`${String(Reflect.get(line, 'title'))}\` as JSON in each line, and \\n after each (NDJSON).`,
  contentMediaType: 'application/x-ndjson',
  contentSchema: reference(line),
});

function headerParameters({ method, condition, storesNothing }: ManageWrite): object[] {
  if (storesNothing) return [];
  const header = (name: string, required: boolean, description: string): object => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  });
  return [
    header(
      'Idempotency-Key',
      method === 'POST',
      'A new value for each new request, of up to 255 characters. A request that is repeated with it within 24 hours gets the same answer.',
    ),
    ...(condition === 'none'
      ? []
      : [
          header(
            'If-Match',
            condition === 'required',
            'The ETag of the object that you have read: 412 if it has changed since. `*`: the object may have any ETag.',
          ),
        ]),
    ...(condition === 'optional'
      ? [
          header(
            'If-None-Match',
            false,
            '`*`: only create, and answer 412 if the object exists. An ETag: answer 412 if the object has it.',
          ),
        ]
      : []),
  ];
}

const DESCRIPTIONS = {
  200: 'The object.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done.',
  207: 'Some lines were refused.',
} as const;
type Status = keyof typeof DESCRIPTIONS;

const statusesOf = (operation: ManageOperation): readonly Status[] =>
  operation.kind === 'write' ? operation.statuses : operation.kind === 'bulk' ? [200, 207] : [200];

/** The operations that return `deleted: true` for a deleted object. */
const DELETABLE: ReadonlySet<string> = new Set(['retrieveManagedCustomer', 'retrieveManagedTank']);

function successResponse(operation: ManageOperation, status: Status): object {
  const { item, example } = operation;
  const headers = headerReferences([
    'X-Request-Id',
    ...(item === null || operation.kind === 'bulk' || operation.kind === 'long' ? [] : ['ETag']),
    ...(operation.kind === 'write' ? ['Idempotent-Replayed'] : []),
  ]);
  const description = DESCRIPTIONS[status];
  if (item === null) return { description, headers };
  if (operation.kind === 'bulk')
    return {
      description,
      headers,
      content: {
        [bodyTypesOf(operation)[0]]: {
          schema: linesOf(item),
          example: `${JSON.stringify(example)}\n{"summary":{"created":1,"updated":0,"unchanged":0,"refused":0}}\n`,
        },
      },
    };
  const object: unknown = item.properties['object'];
  const kind = String(Reflect.get(Object(object), 'const'));
  const schema = DELETABLE.has(operation.operationId) ? orDeleted(item, kind) : reference(item);
  return {
    description,
    headers,
    content: { 'application/json': { schema, examples: { object: { value: example } } } },
  };
}
