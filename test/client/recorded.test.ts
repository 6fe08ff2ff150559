import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { callApi } from '../support/http.ts';
import { givenManagedOrganization, test } from '../support/manage.ts';

/** The type of each field of an answer. Of an array, that of its first item. */
type Shape = string | readonly Shape[] | { readonly [name: string]: Shape };

/** A request that the client of 0.3.0 sent to the service of 0.3.0, and what 0.3.0 answered. `{{3/id}}` is the id in the answer of the step with number 3. */
interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  status: number;
  shape: Shape;
}
/** Readings of a tank: how many hours ago, and the level. */
interface Ingested {
  ingest: string;
  readings: readonly (readonly [hoursAgo: number, fillPercentage: number])[];
}

/** What an answer lacks or has with another type. Where 0.3.0 said null, a field may have a value now. */
function differences(shape: Shape, value: unknown, at: string): string[] {
  if (shape === 'null') return value === undefined ? [`${at} is missing`] : [];
  if (typeof shape === 'string') return typeof value === shape ? [] : [`${at} is ${typeOf(value)}, not ${shape}`];
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${at} is ${typeOf(value)}, not an array`];
    const [item] = shape;
    return item === undefined ? [] : value.length === 0 ? [`${at} is empty`] : differences(item, value[0], `${at}/0`);
  }
  if (typeof value !== 'object' || value === null) return [`${at} is ${typeOf(value)}, not an object`];
  return Object.entries(shape).flatMap(([name, type]) => differences(type, Reflect.get(value, name), `${at}/${name}`));
}
const typeOf = (value: unknown): string => (value === null ? 'null' : value === undefined ? 'missing' : typeof value);

/** The value at a place such as `3/data/0/id`. */
const valueAt = (answers: readonly unknown[], place: string): string =>
  String(
    place.split('/').reduce<unknown>((value, name) => {
      if (typeof value !== 'object' || value === null) throw new Error(`there is no ${place}`);
      return Reflect.get(value, name);
    }, answers),
  );

test('requests that the client of 0.3.0 sent are answered as 0.3.0 did: same status, no field less, none of another type', async ({
  database,
  manage,
}) => {
  const recorded = await readFile(new URL('recorded_0_3.ndjson', import.meta.url), 'utf8');
  const steps = recorded
    .trimEnd()
    .split('\n')
    .map((line): Sent | Ingested => JSON.parse(line));
  const { key } = await givenManagedOrganization(database);
  const answers: unknown[] = [];
  const fill = (text: string, encode: (value: string) => string): string =>
    text.replaceAll(/\{\{([^}]+)\}\}/g, (_, place: string) =>
      encode(place === 'in an hour' ? new Date(Date.now() + HOUR_MS).toISOString() : valueAt(answers, place)),
    );
  const found: string[] = [];
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
    const answer = await callApi(manage.url, fill(path, encodeURIComponent), {
      key,
      method,
      ...(body !== undefined && { body: fill(body, (value) => JSON.stringify(value).slice(1, -1)) }),
      headers: { ...Object.fromEntries(given), ...(method !== 'GET' && { 'idempotency-key': randomUUID() }) },
    });
    const isLines = headers['content-type'] === 'application/x-ndjson';
    const lines = isLines ? answer.text.trimEnd().split('\n') : [];
    const value: unknown = isLines
      ? lines.map((line): unknown => JSON.parse(line))
      : answer.text === ''
        ? null
        : JSON.parse(answer.text);
    answers.push(value);
    if (answer.status !== status)
      found.push(`${method} ${path}: ${answer.status} instead of ${status}: ${answer.text}`);
    else found.push(...differences(shape, value, `${method} ${path}:`));
  }
  expect(found).toEqual([]);
});
