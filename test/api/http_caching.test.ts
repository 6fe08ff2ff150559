import { expect } from 'vitest';
import { givenCustomers, givenKey, givenOrganization } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

async function givenTenCustomers(
  database: TestDatabase,
  key: { burst?: number; requestsPerSecond?: number } = {},
): Promise<string> {
  const organizationNo = await givenOrganization(database.operator);
  await givenCustomers(
    database.operator,
    organizationNo,
    Array.from({ length: 10 }, (_, n) => ({ created_at: `2025-01-0${(n % 9) + 1}T00:00:00.000Z` })),
  );
  return (await givenKey(database.operator, { organizationNo, ...key })).text;
}

test('HEAD returns the status and headers of GET without a body', async ({ database, api }) => {
  const key = await givenTenCustomers(database);
  for (const path of ['/v1/customers?size=3', '/v1/customers/nope', '/v1/customers?size=0', '/v1/nothing']) {
    const headers = { 'x-request-id': 'head' };
    const get = await api.call(path, { key, headers });
    const head = await api.call(path, { key, headers, method: 'HEAD' });
    expect(head.text).toBe('');
    expect([head.status, { ...head.headers, date: 0, ratelimit: 0 }]).toEqual([
      get.status,
      { ...get.headers, date: 0, ratelimit: 0 },
    ]);
  }
});

test('OPTIONS returns 204 with Allow and needs no key; without a configured origin, CORS is off', async ({ api }) => {
  const headers = { origin: 'https://example.com', 'access-control-request-method': 'GET' };
  const response = await api.call('/v1/tanks', { method: 'OPTIONS', headers });
  expect([response.status, response.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS']);
  expect(response.headers).not.toHaveProperty('access-control-allow-origin');
});

test('If-None-Match with the current ETag returns an empty 304 with the same ETag', async ({ database, api }) => {
  const key = await givenTenCustomers(database);
  const first = await api.call('/v1/customers', { key });
  const etag = String(first.headers['etag']);
  expect(etag).toMatch(/^"[\w-]+"$/);
  for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await api.call('/v1/customers', { key, headers: { 'if-none-match': ifNoneMatch } });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', etag]);
    expect(again.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'X-API-Key, Cookie' });
    expect(again.headers).not.toHaveProperty('content-type');
  }
  expect((await api.call('/v1/customers', { key, headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  expect((await api.call('/v1/customers?size=2', { key })).headers['etag']).not.toBe(etag);
});

test('the Link header has first, prev, next and last, keeps the filters, and its URLs work', async ({
  database,
  api,
}) => {
  const key = await givenTenCustomers(database);
  const response = await api.call('/v1/customers?created_at_gte=2025-01-01T00:00:00%2B00:00&size=3&page=2', { key });
  const links = new Map(
    [...String(response.headers['link']).matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, target = '', rel = '']) => [
      rel,
      target,
    ]),
  );
  expect([...links.keys()]).toEqual(['first', 'prev', 'next', 'last']);
  const pages = await Promise.all(
    [...links.values()].map(async (target) => (await api.call(target, { key })).json.page),
  );
  expect(pages).toEqual([1, 1, 3, 4]);
  const relations = async (query: string): Promise<string[]> =>
    [...String((await api.call(`/v1/customers?${query}`, { key })).headers['link']).matchAll(/rel="(\w+)"/g)].map(
      ([, rel = '']) => rel,
    );
  expect(await relations('')).toEqual(['first', 'last']);
  expect(await relations('size=3')).toEqual(['first', 'next', 'last']);
  expect(await relations('size=3&page=99')).toEqual(['first', 'prev', 'last']);
  expect(await relations('created_at_lte=1999-01-01T00:00:00Z')).toEqual(['first', 'last']);
});

test('a safe request id is returned; any other is replaced', async ({ database, api }) => {
  const key = await givenTenCustomers(database);
  const returnedId = async (id: string): Promise<unknown> =>
    (await api.call('/v1/customers', { key, headers: { 'x-request-id': id } })).headers['x-request-id'];
  expect(await returnedId('order-42_A')).toBe('order-42_A');
  for (const unsafe of ['a b', 'x'.repeat(65), '<script>', ''])
    expect(await returnedId(unsafe)).toMatch(/^[0-9a-f-]{36}$/);
});

test('after its burst a key gets 429 with Retry-After; other keys are not affected', async ({ database, api }) => {
  const key = await givenTenCustomers(database, { burst: 5, requestsPerSecond: 1 });
  const other = await givenTenCustomers(database);
  const statuses: number[] = [];
  const startedAt = performance.now();
  while (statuses.filter((status) => status === 429).length < 2) {
    const response = await api.call('/v1/customers?size=1', { key });
    statuses.push(response.status);
    expect(response.headers['ratelimit-policy']).toBe('"key";q=5;w=5');
    expect(response.headers['ratelimit']).toMatch(/^"key";r=\d;t=\d$/);
    if (response.status === 429)
      expect([response.json.code, response.headers['retry-after']]).toEqual(['rate_limited', '1']);
  }
  const earned = Math.ceil((performance.now() - startedAt) / 1_000);
  expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
  expect(statuses.length).toBeLessThanOrEqual(7 + earned);
  expect((await api.call('/v1/customers', { key: other })).status).toBe(200);
  await expect.poll(async () => (await api.call('/v1/customers', { key })).status, { interval: 300 }).toBe(200);
});

test('GET accepts a form body; a parameter with different values in query and body is an error', async ({
  database,
  api,
}) => {
  const key = await givenTenCustomers(database);
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  const read = await api.call('/v1/customers?page=2', { key, headers, body: 'size=3' });
  expect([read.json.page, read.json.size, read.json.data.length]).toEqual([2, 3, 3]);
  expect(read.headers['link']).toContain('size=3');
  expect((await api.call('/v1/customers?size=3', { key, headers, body: 'size=3' })).status).toBe(200);
  const contradiction = await api.call('/v1/customers?size=4', { key, headers, body: 'size=3' });
  expect([contradiction.status, contradiction.json.errors[0].code]).toEqual([422, 'contradiction']);
});

test('/healthz and /readyz need no key', async ({ api }) => {
  expect((await api.call('/healthz')).json).toEqual({ status: 'alive' });
  expect((await api.call('/readyz')).json).toEqual({ status: 'ready', through_proxy: false });
});
