import { once } from 'node:events';
import { connect } from 'node:net';
import { pino } from 'pino';
import { describe, expect, onTestFinished } from 'vitest';
import { startDatabase } from '../../engines/database.ts';
import { serveApi } from '../../src/api/serve.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { readApiConfig } from '../../src/settings/api_settings.ts';
import { startPostgres } from '../../src/setup/servers/postgres.ts';
import { givenKey, givenOrganization } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { within } from '../support/stopwatch.ts';
import { test } from '../support/test.ts';

const config = (databaseUrl: string, more: Record<string, string> = {}) =>
  readApiConfig({ API_DATABASE_URL: databaseUrl, API_HOST: '127.0.0.1', API_PORT: '0', API_DRAIN_MS: '0', ...more });

test('while the database is unavailable, requests get 503 with Retry-After and /readyz "not ready"; then all recovers', async () => {
  const { postgres, owner, ownerUrl, stop } = await startDatabase();
  onTestFinished(stop);
  const organizationNo = await givenOrganization(owner);
  const { text: key } = await givenKey(owner, { organizationNo });
  const api = await serveApi(config(ownerUrl), pino({ level: 'silent' }));
  expect((await callApi(api.url, '/v1/tanks', { key })).status).toBe(200);

  await postgres.kill();
  await expect.poll(async () => (await callApi(api.url, '/v1/tanks', { key })).status).toBe(503);
  const away = await callApi(api.url, '/v1/tanks', { key });
  expect([away.json.code, away.headers['retry-after']]).toEqual(['unavailable', '5']);
  const notReady = await callApi(api.url, '/readyz');
  expect([notReady.status, notReady.json.reasons[0]]).toEqual([503, expect.stringContaining('database')]);
  expect((await callApi(api.url, '/healthz')).status).toBe(200);

  await postgres.restart();
  await expect.poll(async () => (await callApi(api.url, '/v1/tanks', { key })).status).toBe(200);
  await expect.poll(async () => (await callApi(api.url, '/readyz')).status).toBe(200);
  await api.close();
});

test('a service started before its database is "not ready" and recovers without a restart', async () => {
  const postgres = await startPostgres();
  await postgres.kill();
  const api = await serveApi(config(postgres.url), pino({ level: 'silent' }));
  expect((await callApi(api.url, '/readyz')).status).toBe(503);
  // An address may send fewer bad keys than that. Without the database a key is not known to be bad, so it does not count.
  const { text: key } = makeKey('a0');
  const statuses = await Promise.all(
    Array.from({ length: 80 }, async () => (await callApi(api.url, '/v1/tanks', { key })).status),
  );
  expect([...new Set(statuses)]).toEqual([503]);
  await postgres.restart();
  await expect
    .poll(async () => (await callApi(api.url, '/readyz')).json.reasons?.[0])
    .toMatch(/schema_migrations|migrations/);
  const pool = openPool({ url: postgres.url, applicationName: 'test' });
  await migrate(pool);
  await pool.end();
  await expect.poll(async () => (await callApi(api.url, '/readyz')).status).toBe(200);
  await api.close();
  await postgres.stop();
});

describe('closing', () => {
  test('first it is not ready but serves requests; then it closes, even with idle keep-alive connections', async ({
    database,
  }) => {
    const api = await serveApi(config(database.urls.api, { API_DRAIN_MS: '3000' }), pino({ level: 'silent' }));
    const { hostname, port } = new URL(api.url);
    const idle = connect(Number(port), hostname);
    idle.on('error', () => {});
    idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    const closing = api.close();
    expect((await callApi(api.url, '/readyz')).json).toEqual({
      status: 'not ready',
      reasons: ['shutting down'],
      through_proxy: false,
    });
    expect((await callApi(api.url, '/healthz')).status).toBe(200);
    await within(4_300, () => closing);
    await expect(callApi(api.url, '/healthz')).rejects.toThrow('ECONNREFUSED');
  });
});

test('a connection that does not finish its headers is closed', async ({ api }) => {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.on('error', () => {});
  socket.write('GET /v1/tanks HTTP/1.1\r\nHost: x\r\nX-Slow:');
  await within(14_000, () => new Promise((resolve) => socket.once('close', resolve)));
  expect(answer).toContain('took too long');
});

test('only configured origins can read from a browser', async ({ database }) => {
  const api = await serveApi(
    config(database.urls.api, { CORS_ORIGINS: 'https://erp.example.com' }),
    pino({ level: 'silent' }),
  );
  const from = (origin: string, method: string) =>
    callApi(api.url, '/v1/tanks', { method, headers: { origin, 'access-control-request-method': 'GET' } });
  const preflight = await from('https://erp.example.com', 'OPTIONS');
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': 'https://erp.example.com',
    'access-control-allow-methods': 'GET, HEAD',
  });
  expect((await from('https://erp.example.com', 'GET')).headers).toMatchObject({
    'access-control-allow-origin': 'https://erp.example.com',
  });
  expect((await from('https://evil.example.com', 'OPTIONS')).headers).not.toHaveProperty('access-control-allow-origin');
  await api.close();
});

test('the log has one line per request, without keys, addresses or bodies', async ({ database }) => {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const api = await serveApi(config(database.urls.api), logger);
  const organizationNo = await givenOrganization(database.operator);
  const { text: key, prefix } = await givenKey(database.operator, { organizationNo });
  await callApi(api.url, '/v1/customers?email=ana%40example.com', { key, headers: { 'x-request-id': 'find-me' } });
  await callApi(api.url, '/v1/customers?email=ana%40example.com', { key: `${key}x` });
  await api.close();
  const requests = lines.filter((line) => line.includes('"msg":"request"')).map((line) => JSON.parse(line));
  expect(requests).toHaveLength(2);
  expect(requests[0]).toMatchObject({
    request_id: 'find-me',
    method: 'GET',
    route: '/v1/customers',
    status: 200,
    key: prefix,
  });
  expect(lines.join('')).not.toMatch(/example\.com|127\.0\.0\.1:\d+\/v1/);
  expect(lines.join('')).not.toContain(key.split('.')[1]);
});
