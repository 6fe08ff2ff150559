import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { callApi } from '../support/http.ts';
import { givenManagedOrganization, test } from '../support/manage.ts';

/** The type of each field of an answer. For an array, the type of its first item. */
type Shape = string | readonly Shape[] | { readonly [name: string]: Shape };

/** A request of the client of 0.3.0, and the answer of the service of 0.3.0. `{{3/id}}` is the id in the answer of step 3. */
interface RecordedRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  status: number;
  shape: Shape;
}
/** Readings of a tank: how many hours ago, and the level. */
interface RecordedReadings {
  ingest: string;
  readings: readonly (readonly [hoursAgo: number, fillPercentage: number])[];
}

/** The fields that an answer lacks or has with another type. A field that was null in 0.3.0 may have a value now. */
function findDifferences(shape: Shape, value: unknown, path: string): string[] {
  if (shape === 'null') return value === undefined ? [`${path} is missing`] : [];
  if (typeof shape === 'string') return typeof value === shape ? [] : [`${path} is ${typeOf(value)}, not ${shape}`];
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${path} is ${typeOf(value)}, not an array`];
    const [item] = shape;
    if (item === undefined) return [];
    return value.length === 0 ? [`${path} is empty`] : findDifferences(item, value[0], `${path}/0`);
  }
  if (typeof value !== 'object' || value === null) return [`${path} is ${typeOf(value)}, not an object`];
  return Object.entries(shape).flatMap(([name, type]) =>
    findDifferences(type, Reflect.get(value, name), `${path}/${name}`),
  );
}
const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  return value === undefined ? 'missing' : typeof value;
};

/** The value at a path such as `3/data/0/id`. */
const valueAt = (answers: readonly unknown[], path: string): string =>
  String(
    path.split('/').reduce<unknown>((value, name) => {
      if (typeof value !== 'object' || value === null) throw new Error(`there is no ${path}`);
      return Reflect.get(value, name);
    }, answers),
  );

test('requests of the client of 0.3.0 get the status of 0.3.0 and all fields of 0.3.0 with their types', async ({
  database,
  manage,
}) => {
  const recorded = await readFile(new URL('recorded_0_3.ndjson', import.meta.url), 'utf8');
  const steps = recorded
    .trimEnd()
    .split('\n')
    .map((line): RecordedRequest | RecordedReadings => JSON.parse(line));
  const { key } = await givenManagedOrganization(database);
  const answers: unknown[] = [];
  const fill = (text: string, encode: (value: string) => string): string =>
    text.replaceAll(/\{\{([^}]+)\}\}/g, (_, path: string) =>
      encode(path === 'in an hour' ? new Date(Date.now() + HOUR_MS).toISOString() : valueAt(answers, path)),
    );
  const differences: string[] = [];
  for (const step of steps) {
    if ('ingest' in step) {
      const { rows } = await database.owner.query<{ no: number }>('select no from tanks where id = $1', [
        fill(step.ingest, String),
      ]);
      const now = Date.now();
      await new BatchIngester(database.writer).ingestReadings(
        step.readings.map(([hours, fillPercentage]) => ({
          tankNo: rows[0]?.no ?? 0,
          atMs: now - hours * HOUR_MS,
          fillPercentage,
        })),
      );
      answers.push(null);
      continue;
    }
    const { method, path, headers = {}, body, status, shape } = step;
    const given = Object.entries(headers).map(([name, value]) => [name, fill(value, String)]);
    const isLines = headers['content-type'] === 'application/x-ndjson';
    const ask = async (): Promise<{ value: unknown; found: string[] }> => {
      const answer = await callApi(manage.url, fill(path, encodeURIComponent), {
        key,
        method,
        ...(body !== undefined && { body: fill(body, (text) => JSON.stringify(text).slice(1, -1)) }),
        headers: { ...Object.fromEntries(given), ...(method !== 'GET' && { 'idempotency-key': randomUUID() }) },
      });
      const lines = isLines ? answer.text.trimEnd().split('\n') : [];
      const json: unknown = isLines || answer.text === '' ? null : JSON.parse(answer.text);
      const value = isLines ? lines.map((line): unknown => JSON.parse(line)) : json;
      const refused = `${method} ${path}: ${answer.status} instead of ${status}: ${answer.text}`;
      return {
        value,
        found: answer.status === status ? findDifferences(shape, value, `${method} ${path}:`) : [refused],
      };
    };
    let { value, found } = await ask();
    // A feed shows an event when all older transactions of the server have ended, those of other tests too.
    const endMs = method === 'GET' ? Date.now() + 30_000 : 0;
    while (found.length > 0 && Date.now() < endMs) {
      await sleep(200);
      ({ value, found } = await ask());
    }
    answers.push(value);
    differences.push(...found);
  }
  expect(differences).toEqual([]);
});
