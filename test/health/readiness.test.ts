import { once } from 'node:events';
import { connect } from 'node:net';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serveMetrics } from '../../src/health/metrics_server.ts';
import { Outage, openProblems, reportTogether } from '../../src/health/outage.ts';
import { runRoles } from '../../src/roles.ts';
import { readMetricsConfig } from '../../src/settings/role_settings.ts';
import { explainError } from '../../src/values/explanation.ts';

test('a probe is 200 while a role is ready and 503 with the reasons while it is not', async () => {
  let reasons: string[] = [];
  const server = await serveMetrics(new Registry(), { host: '127.0.0.1', port: 0 }, async () => reasons);
  const probe = async (path: string): Promise<unknown[]> => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return [response.status, await response.text()];
  };
  expect(await probe('/healthz')).toEqual([200, '{"status":"alive"}']);
  expect(await probe('/readyz')).toEqual([200, '{"status":"ready"}']);
  reasons = ['the stream is full'];
  expect(await probe('/readyz')).toEqual([503, '{"status":"not ready","reasons":["the stream is full"]}']);
  expect((await probe('/other'))[0]).toBe(404);
  expect((await fetch(`http://127.0.0.1:${server.port}/metrics`)).headers.get('x-content-type-options')).toBe(
    'nosniff',
  );
  await server.close();
});

test('metrics are served to this machine only unless METRICS_HOST is set, and a slow client is disconnected', async () => {
  expect(readMetricsConfig({})).toEqual({ host: '127.0.0.1', port: 9464, isChosen: false });
  expect(readMetricsConfig({ METRICS_HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
  const server = await serveMetrics(new Registry(), { host: '127.0.0.1', port: 0, timeoutMs: 500 }, async () => []);
  const slow = connect(server.port, '127.0.0.1');
  slow.on('error', () => {}).write('GET /metrics HTTP/1.1\r\nHost: x\r\nX-Slow:');
  await once(slow.resume(), 'close'); // without the time limit, this test would never end
  const idle = connect(server.port, '127.0.0.1');
  await once(idle, 'connect');
  await server.close(); // does not wait for open connections
});

test('a role does not start without metrics if METRICS_HOST is not an address of this machine', async () => {
  vi.stubEnv('WRITER_DATABASE_URL', 'postgres://localhost:1/tankwatch');
  vi.stubEnv('METRICS_HOST', '192.0.2.1');
  vi.stubEnv('METRICS_PORT', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(runRoles(['writer'], Promise.resolve())).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
});

test('an outage is logged once when it begins and once when it ends', () => {
  const lines: string[] = [];
  const log = (_fields: object, message: string): void => void lines.push(message);
  const outage = new Outage({ error: log, warn: log }, 'reading the stream');
  outage.worked();
  for (let n = 0; n < 3; n++) outage.failed(new Error('away'));
  expect(outage.isOn).toBe(true);
  for (let n = 0; n < 3; n++) outage.worked();
  expect(outage.isOn).toBe(false);
  expect(lines).toEqual(['reading the stream failed; retrying until it succeeds', 'reading the stream works again']);
});

test('a cause of several outages is logged once, again when it changes, and once when all work again', () => {
  const lines: string[] = [];
  const log = (fields: object, message: string): void => void lines.push(`${Object.keys(fields).join()} ${message}`);
  const [one, other] = [
    { error: log, warn: log },
    { error: log, warn: log },
  ];
  reportTogether([one, other]);
  const outages = [
    new Outage(one, 'following keys'),
    new Outage(one, 'following devices'),
    new Outage(other, 'storing'),
  ];
  const fail = (cause: string): void => {
    for (const outage of outages)
      outage.failed(explainError(new Error('x'), { cause, sentence: `the server is ${cause}; start it` }));
  };
  fail('stopped');
  fail('stopped');
  expect(openProblems(other)).toEqual(['the server is stopped; start it']);
  fail('starting');
  expect(outages.map(({ reason }) => reason)).toEqual(Array(3).fill('the server is starting; start it'));
  for (const outage of outages) outage.worked();
  expect(lines).toEqual([
    'waiting the server is stopped; start it',
    'waiting the server is starting; start it',
    'failedForMs storing works again',
  ]);
  expect(openProblems(one)).toEqual([]);
});
