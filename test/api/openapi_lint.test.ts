import { describe, expect, test } from 'vitest';
import { checkBody } from '../../src/api/manage/body_values.ts';
import { MANAGE_OPERATIONS } from '../../src/api/manage/operations.ts';
import { openApiDocument } from '../../src/api/openapi/openapi.ts';
import { requestExample } from '../../src/api/openapi/request_examples.ts';
import { isObject, type JsonObject } from '../../src/values/json.ts';
import { WEBHOOK_TYPES } from '../../src/webhooks/webhook_types.ts';

interface DocumentedOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: { name: string; in: string; required: boolean; description: string }[];
  requestBody?: { content: Record<string, { schema: JsonObject; example?: unknown }> };
  responses: Record<string, object>;
}

interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  webhooks: Record<string, { post: DocumentedOperation }>;
  components: Record<string, Record<string, JsonObject>>;
}

const document: Document = JSON.parse(JSON.stringify(openApiDocument('')));
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, ...operation })),
);

/** All objects in a part of the document, without examples. */
function* partsOf(part: unknown, path = ''): Generator<[string, JsonObject]> {
  if (Array.isArray(part)) for (const [index, item] of part.entries()) yield* partsOf(item, `${path}[${index}]`);
  if (!isObject(part)) return;
  yield [path, part];
  for (const [name, value] of Object.entries(part))
    if (name !== 'example' && name !== 'examples') yield* partsOf(value, `${path}/${name}`);
}

const repeated = (texts: readonly string[]): string[] => texts.filter((text, index) => texts.indexOf(text) !== index);

/** Generators of clients and linters such as Redocly and Spectral report these as errors. */
describe('the OpenAPI document', () => {
  test('describes each operation in its own words, with declared tags, its path parameters, and errors', () => {
    expect(repeated(operations.map(({ operationId }) => operationId))).toEqual([]);
    expect(repeated(operations.map(({ summary }) => summary))).toEqual([]);
    expect(repeated(operations.map(({ description }) => description))).toEqual([]);
    const declared = document.tags.map(({ name }) => name);
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(declared));
    for (const { path, operationId, parameters, responses, description } of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect([operationId, inPath.map(({ name }) => name)]).toEqual([
        operationId,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      ]);
      expect(inPath.every(({ required }) => required)).toBe(true);
      expect([operationId, description.endsWith('.')]).toEqual([operationId, true]);
      const statuses = Object.keys(responses);
      expect(['2', '4', '5'].every((first) => statuses.some((status) => status.startsWith(first)))).toBe(true);
    }
  });

  test('allows further properties in responses, and gives every enum a type', () => {
    const bodies = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
    const bodySchemas = new Set(JSON.stringify(bodies).match(/#\/components\/schemas\/\w+/g));
    const isOfBody = (path: string): boolean => /^\/components\/schemas\/(New|\w*Patch|\w*Line)/.test(path);
    const closed = [...partsOf(document)].filter(([, part]) => part['additionalProperties'] === false);
    for (const [path] of closed)
      expect([path, isOfBody(path) || bodySchemas.has(`#${path.split('/').slice(0, 4).join('/')}`)]).toEqual([
        path,
        true,
      ]);
    const untyped = [...partsOf(document)].filter(([, part]) => Array.isArray(part['enum']) && !('type' in part));
    expect(untyped.map(([path]) => path)).toEqual([]);
  });

  test('names every JSON body of responses and webhooks, so that generated classes are not numbered', () => {
    const contents = [...operations, ...Object.values(document.webhooks).map(({ post }) => post)].flatMap(
      ({ operationId, responses, requestBody }) =>
        [requestBody, ...Object.values(responses)].flatMap((part) => {
          const content = isObject(part) && isObject(part['content']) ? part['content'] : {};
          return isObject(content['application/json'])
            ? [{ operationId, schema: content['application/json']['schema'] }]
            : [];
        }),
    );
    const names = contents.map(({ operationId, schema }) => {
      const { $ref, title } = Object(schema);
      return { operationId, name: $ref ?? title, isInline: $ref === undefined };
    });
    expect(names.filter(({ name }) => typeof name !== 'string')).toEqual([]);
    const inline = names.filter(({ isInline }) => isInline).map(({ name }) => String(name));
    expect(inline.length).toBeGreaterThan(0);
    expect(repeated([...inline, ...Object.keys(document.components['schemas'] ?? {})])).toEqual([]);
  });

  test('has a valid example of every request body, and describes ndjson as text', () => {
    for (const { operationId, requestBody } of operations)
      for (const [type, { schema, example }] of Object.entries(requestBody?.content ?? {}))
        if (type !== 'application/octet-stream')
          expect([operationId, example === undefined, type.endsWith('ndjson') && schema['type'] !== 'string']).toEqual([
            operationId,
            false,
            false,
          ]);
    for (const operation of MANAGE_OPERATIONS) {
      if ((operation.kind !== 'write' && operation.kind !== 'bulk') || operation.body === null) continue;
      const example = requestExample(operation);
      const bodies =
        typeof example === 'string'
          ? example
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line))
          : [example];
      for (const body of bodies)
        expect([operation.operationId, checkBody(operation.body, body)]).toEqual([
          operation.operationId,
          { values: body },
        ]);
    }
  });

  test('describes the webhook of every event type', () => {
    const types = Object.keys(document.webhooks);
    expect(types.toSorted()).toEqual([...WEBHOOK_TYPES, 'event.retracted', 'webhook.test'].toSorted());
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const schema = Object(post.requestBody?.content['application/json']?.schema);
      expect([schema.properties.type.const, schema.required]).toEqual([type, ['type', 'timestamp', 'data']]);
    }
    expect(repeated(Object.values(document.webhooks).map(({ post }) => post.summary))).toEqual([]);
  });
});
