import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import { transaction } from '../../src/db/pool.ts';
import { givenCustomer, givenKey, givenOrganization } from '../support/fleet.ts';
import type { Response } from '../support/http.ts';
import { within } from '../support/stopwatch.ts';
import { type TestDatabase, test } from '../support/test.ts';

function expectProblem(response: Response, status: number, code: string): void {
  expect([response.status, response.json?.code, response.json?.status]).toEqual([status, code, status]);
  expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.headers['x-content-type-options']).toBe('nosniff');
  expect(response.headers['x-request-id']).toBe(response.json.request_id);
  expect(Object.keys(response.json)).toEqual(expect.arrayContaining(['type', 'title', 'detail']));
  expect(response.json).not.toHaveProperty('object');
}

const givenReadKey = async (database: TestDatabase): Promise<string> => {
  const organizationNo = await givenOrganization(database.operator);
  return (await givenKey(database.operator, { organizationNo })).text;
};

/** Sends bytes that are not valid HTTP, and returns everything that the server sends until it closes. */
function sendRaw(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    let response = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      response += chunk;
    });
    socket.on('close', () => resolve(response)).on('error', reject);
  });
}

describe('the order of errors', () => {
  test('an unknown path is 404 before anything else, with or without a key', async ({ database, api }) => {
    const key = await givenReadKey(database);
    for (const path of [
      '/v1',
      '/v1/nothing',
      '/v2/tanks',
      '/v1/tanks/',
      '/v1/customers//x',
      '/v1/tanks/a/telemetry/b',
    ]) {
      expectProblem(await api.call(path), 404, 'not_found');
      expectProblem(await api.call(path, { key, method: 'POST', body: '{' }), 404, 'not_found');
    }
  });

  test('a method that is not allowed is 405 with Allow before the key is checked', async ({ api }) => {
    for (const path of ['/v1/customers', '/v1/tanks/x', '/v1/tanks/x/telemetry', '/healthz', '/openapi.json']) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE']) {
        const response = await api.call(path, { method, headers: { 'content-type': 'application/json' }, body: '{' });
        expectProblem(response, 405, 'method_not_allowed');
        expect(response.headers['allow']).toBe('GET, HEAD');
      }
    }
  });

  test('a method that is not allowed on a path for drivers is 405 too', async ({ api }) => {
    for (const path of ['/driver/v1/entries/x', '/driver/v1/stops/1/block-read']) {
      const response = await api.call(path);
      expectProblem(response, 405, 'method_not_allowed');
      expect(response.headers['allow']).toBe('PUT');
    }
  });

  test('a missing or bad key is 401 before scope, body and parameters', async ({ database, api }) => {
    const key = await givenReadKey(database);
    const other = await givenReadKey(database);
    const mixed = `${key.split('.')[0]}.${other.split('.')[1]}`;
    for (const bad of [
      undefined,
      '',
      'x',
      `${key}x`,
      key.slice(0, -1),
      mixed,
      key.toUpperCase(),
      'é',
      'a'.repeat(9_000),
    ]) {
      const headers = { 'content-type': 'application/xml' };
      const response = await api.call('/v1/tanks?size=0', {
        ...(bad === undefined ? {} : { key: Buffer.from(bad).toString('latin1') }),
        headers,
        body: '<a/>',
      });
      expectProblem(response, 401, 'unauthorized');
      expect(response.headers['www-authenticate']).toBe('ApiKey');
      if (bad && bad.length > 8) expect(response.text).not.toContain(bad.slice(0, 40));
    }
  });

  test('a key without the scope is 403 before body and parameters', async ({ database, api }) => {
    const organizationNo = await givenOrganization(database.operator);
    const { text: key } = await givenKey(database.operator, { organizationNo, scopes: ['ingest'] });
    const response = await api.call('/v1/tanks?size=0', {
      key,
      headers: { 'content-type': 'application/xml' },
      body: '<a/>',
    });
    expectProblem(response, 403, 'forbidden');
    expect(response.headers).toHaveProperty('ratelimit');
  });

  test('another body type on GET is 415 before the parameters', async ({ database, api }) => {
    const key = await givenReadKey(database);
    for (const type of ['application/xml', 'application/json', 'text/plain', 'nonsense']) {
      expectProblem(
        await api.call('/v1/tanks?size=0', { key, headers: { 'content-type': type }, body: '{}' }),
        415,
        'unsupported_media_type',
      );
    }
    expect((await api.call('/v1/tanks', { key, headers: { 'content-type': 'application/json' } })).status).toBe(200);
  });

  test('a bad parameter is 422 before an unknown id', async ({ database, api }) => {
    const key = await givenReadKey(database);
    expectProblem(await api.call('/v1/tanks/nope?x=1', { key }), 422, 'invalid_parameters');
    expectProblem(await api.call('/v1/tanks/nope', { key }), 404, 'not_found');
    expectProblem(await api.call('/v1/tanks/nope/telemetry?size=101', { key }), 422, 'invalid_parameters');
  });
});

describe('many parameters', () => {
  test('more than 32 parameters of query and body together get a short refusal', async ({ database, api }) => {
    const key = await givenReadKey(database);
    const names = Array.from({ length: 8_882 }, (_, n) => n.toString(36).padStart(2, '0'));
    const response = await api.call(`/v1/tanks?${names.slice(0, 3_500).join('&')}`, {
      key,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: names.slice(3_500).join('&').slice(0, 16_384),
    });
    expectProblem(response, 422, 'invalid_parameters');
    expect(response.json.detail).toBe('A request may have at most 32 parameters.');
    expect(JSON.stringify(response.json).length).toBeLessThan(1_000);
  });

  test('at most 20 errors are listed, and the detail says how many are not', async ({ database, api }) => {
    const key = await givenReadKey(database);
    const names = Array.from({ length: 30 }, (_, n) => `x${n}`);
    const response = await api.call(`/v1/tanks?${names.join('&')}`, { key });
    expectProblem(response, 422, 'invalid_parameters');
    expect(response.json.errors.length).toBe(20);
    expect(response.json.detail).toMatch(/x19: .* 10 more errors are not listed\.$/);
  });
});

describe('malformed requests', () => {
  const malformed = [
    'NONSENSE /v1/tanks HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /v1/tanks HTTP/9.9\r\nHost: x\r\n\r\n',
    `GET /v1/tanks HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
    'GET /v1/tanks HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    '\r\n\0\0\0\r\n\r\n',
  ];
  test.for(malformed.map((bytes, index) => [index, bytes] as const))(
    'bytes that are not HTTP get a problem body too (%i)',
    async ([, bytes], { api }) => {
      const response = await sendRaw(api.url, bytes);
      expect(response).toMatch(/^HTTP\/1.1 400 /);
      expect(response).toContain('application/problem+json');
      const body = JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4));
      expect(body).toMatchObject({ status: 400, code: 'malformed_request' });
      expect(response).toContain(`X-Request-Id: ${body.request_id}`);
    },
  );

  test('a path that cannot be decoded is 400', async ({ api }) => {
    expectProblem(await api.call('/v1/tanks/%zz'), 400, 'malformed_request');
  });

  test('a form body over 16 KiB is 400', async ({ database, api }) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await api.call('/v1/tanks', {
      key: await givenReadKey(database),
      headers,
      body: `size=1${'0'.repeat(20_000)}`,
    });
    expectProblem(response, 400, 'malformed_request');
  });
});

test('an internal error reveals no internal details', async ({ database, api }) => {
  const key = await givenReadKey(database);
  await database.owner.query('alter table catalog_month_counters rename to hidden');
  try {
    const response = await api.call('/v1/tanks', { key });
    expectProblem(response, 500, 'internal_error');
    expect(response.text).not.toMatch(/catalog|relation|sql|select/i);
  } finally {
    await database.owner.query('alter table hidden rename to catalog_month_counters');
  }
  expect((await api.call('/v1/tanks', { key })).status).toBe(200);
});

test('one response lists every invalid parameter once', async ({ database, api }) => {
  const key = await givenReadKey(database);
  const query = 'size=0&page=x&created_at_gte=2025-01-01&email=&bogus=1&bogus=2&__proto__=1';
  const { json } = await api.call(`/v1/customers?${query}`, { key });
  const params = json.errors.map((error: { param: string }) => error.param);
  expect(params.toSorted()).toEqual(['__proto__', 'bogus', 'created_at_gte', 'email', 'page', 'size']);
  expect(json.errors.find((error: { param: string }) => error.param === 'created_at_gte').detail).toContain(
    '2025-08-13T16:38:55.453Z',
  );
});

test('deleting a customer revokes its narrowed keys', async ({ database, api }) => {
  const organizationNo = await givenOrganization(database.operator);
  const customer = await givenCustomer(database.operator, organizationNo);
  const { text: key } = await givenKey(database.operator, { organizationNo, customerNo: customer.no });
  expect((await api.call('/v1/customers', { key })).status).toBe(200);
  await transaction(database.operator, (tx) => deleteCustomer(tx, organizationNo, customer.no));
  await within(1_000, () =>
    expect.poll(async () => (await api.call('/v1/customers', { key })).status, { interval: 50 }).toBe(401),
  );
});
