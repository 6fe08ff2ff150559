import { readFile } from 'node:fs/promises';
import { type DestinationStream, pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, onTestFinished } from 'vitest';
import { metricsByRole, metricsPage } from '../../scripts/metrics_page.ts';
import { serveApi } from '../../src/api/serve.ts';
import { serveConnector } from '../../src/connector/serve.ts';
import { serveGateway } from '../../src/gateway/serve.ts';
import { readApiConfig } from '../../src/settings/api_settings.ts';
import { readConnectorConfig } from '../../src/settings/connector_settings.ts';
import { readGatewayConfig } from '../../src/settings/gateway_settings.ts';
import { readWorkerConfig } from '../../src/settings/worker_settings.ts';
import { readWriterConfig } from '../../src/settings/writer_settings.ts';
import { serveWorker } from '../../src/worker/serve.ts';
import { serveWriter } from '../../src/writer/serve.ts';
import { connectorEnvironment } from '../support/connectors.ts';
import { workerEnvironment } from '../support/events.ts';
import { givenKey } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { givenSender, ingestEnvironment, postReadings, test } from '../support/ingest.ts';
import { connectDevice, publish, topicOf } from '../support/mqtt.ts';
import type { TestDatabase } from '../support/test.ts';

describe('declared metrics', () => {
  test('are all listed in docs/operators/metrics.md (if not: npm run metrics)', async () => {
    expect(await readFile(new URL('../../docs/operators/metrics.md', import.meta.url), 'utf8')).toBe(
      await metricsPage(),
    );
  });

  test('have names, units and labels by the conventions of Prometheus', async () => {
    const bounded = [
      'code',
      'folder', // the folders that settings name
      'limit',
      'outcome',
      'pool',
      'queue',
      'reason',
      'replica',
      'role',
      'route',
      'sequence',
      'slot', // at most max_replication_slots
      'source',
      'state',
      'status',
      'table', // the tables of queues
      'task',
      'trouble',
    ];
    for (const { name, type, help, labels } of Object.values(await metricsByRole()).flat()) {
      expect(name).toMatch(/^tankwatch_[a-z_]+$/);
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
      expect(name, 'base units').not.toMatch(/_(ms|milliseconds|minutes|hours|days|mib|percent)(_|$)/);
      expect(help).toMatch(/^[A-Z].*\.$/);
      for (const label of labels)
        expect(bounded, `${name}: a label must have few values, all of them ours`).toContain(label);
    }
  });
});

/** All roles with one registry, as `tankwatch all` runs them, and their log lines. */
async function startRoles(database: TestDatabase) {
  const registry = new Registry();
  const lines: Record<string, unknown>[] = [];
  const destination: DestinationStream = { write: (line) => void lines.push(JSON.parse(line)) };
  const logger = (role: string) => pino({ level: 'debug', base: { role } }, destination);
  const environment = ingestEnvironment(database, workerEnvironment(database));
  const ofApi = { API_DATABASE_URL: database.urls.api, API_HOST: '127.0.0.1', API_PORT: '0', API_DRAIN_MS: '0' };
  const writer = await serveWriter(readWriterConfig(environment), logger('writer'), registry);
  const api = await serveApi(readApiConfig(ofApi), logger('api'), registry);
  const gateway = await serveGateway(readGatewayConfig(environment), logger('gateway'), registry);
  const worker = await serveWorker(readWorkerConfig(environment), logger('worker'), registry);
  const connector = await serveConnector(
    readConnectorConfig(connectorEnvironment(database)),
    logger('connector'),
    registry,
  );
  onTestFinished(async () => {
    for (const role of [connector, worker, gateway, api, writer]) await role.close();
  });
  /** The value of a series, as a scrape returns it. */
  const value = async (series: string): Promise<number | undefined> => {
    const line = (await registry.metrics()).split('\n').find((text) => text.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };
  return { registry, lines, value, api, gateway };
}

test('every role counts its work, and callers cannot add series', async ({ database }) => {
  const { registry, value, api, gateway } = await startRoles(database);
  const { organizationNo, key } = await givenSender(database, ['D1']);
  const { text: readKey } = await givenKey(database.operator, { organizationNo });
  const readings = ['D1', 'D1', 'unknown'].map((device_id) => ({
    device_id,
    fill_percentage: 50,
    created_at: 1_700_000_000_000,
  }));
  expect((await postReadings(gateway.httpUrl, key, readings)).status).toBe(202);
  await expect.poll(() => value('tankwatch_writer_readings_total{outcome="stored"}')).toBe(1);
  expect(await value('tankwatch_writer_readings_total{outcome="duplicate"}')).toBe(1);
  expect(await value('tankwatch_writer_rejected_total{code="unknown_device"}')).toBe(1);
  expect(await value('tankwatch_gateway_requests_total{route="/ingest/readings",status="202"}')).toBe(1);

  await callApi(api.url, '/v1/tanks?page=1', { key: readKey });
  await callApi(api.url, '/v1/tanks/3f1c0f5e-0000-7000-8000-000000000000', { key: readKey });
  const series = (await registry.metrics()).split('\n').length;
  for (let n = 0; n < 20; n++) {
    await callApi(api.url, `/v1/tanks?page=1&secret=${n}`, { key: readKey });
    await callApi(api.url, `/v1/tanks/${n}`, { key: readKey });
    await callApi(api.url, `/guess/${n}`, {});
    await callApi(gateway.httpUrl, `/guess/${n}`, { method: 'PURGE' });
  }
  expect(await value('tankwatch_api_requests_total{route="/v1/tanks",status="200"}')).toBe(1);
  expect(await value('tankwatch_api_requests_total{route="/v1/tanks/:id",status="404"}')).toBe(21);
  expect(await value('tankwatch_api_requests_total{route="none",status="404"}')).toBe(20);
  expect(await value('tankwatch_api_request_seconds_count{route="/v1/tanks/:id"}')).toBe(21);
  const text = await registry.metrics();
  const declared = Object.values(await metricsByRole()).flat();
  for (const { name, type } of declared) expect(text).toContain(`# TYPE ${name} ${type}\n`);
  expect(text).not.toMatch(/guess|secret|PURGE/);
  // Histograms have two new routes, with a series for each bucket.
  expect(text.split('\n').length - series).toBeLessThan(60);

  await expect.poll(() => value('tankwatch_pool_connections{pool="api",state="idle"}')).toBe(4); // one may poll for keys
  expect(await value('tankwatch_pool_waiting{pool="writer"}')).toBe(0);
  const sixDaysMs = 6 * 86_400_000;
  await expect
    .poll(() => value('tankwatch_telemetry_partition_end_timestamp_seconds'))
    .toBeGreaterThan((Date.now() + sixDaysMs) / 1_000);
  expect(await value('tankwatch_worker_oldest_delivery_seconds')).toBe(0);
  expect(await value('tankwatch_gateway_certificate_end_timestamp_seconds')).toBeUndefined();
});

test('the logs contain the message of a request, and the id of the message is in its rows', async ({ database }) => {
  const { lines, gateway } = await startRoles(database);
  const sender = await givenSender(database, ['D1']);
  const find = async (message: string, fields: object): Promise<Record<string, unknown>> => {
    const found = (): Record<string, unknown> | undefined =>
      lines.find((line) => line['msg'] === message && Object.entries(fields).every(([name, v]) => line[name] === v));
    await expect.poll(found, { interval: 20 }).toBeDefined();
    return found() ?? {};
  };

  const body = JSON.stringify({
    readings: [{ device_id: 'unknown', fill_percentage: 50, created_at: 1_700_000_000_000 }],
  });
  await callApi(gateway.httpUrl, '/ingest/readings', {
    key: sender.key,
    method: 'POST',
    body,
    headers: { 'x-request-id': 'from-the-cloud-1' },
  });
  const request = await find('request', { request_id: 'from-the-cloud-1' });
  const [message] = Array.isArray(request['messages']) ? request['messages'] : [];
  expect(await find('committed a message', { message })).toMatchObject({ role: 'writer', readings: 1 });
  const { rows } = await database.owner.query('select code from rejected_readings where message_id = $1', [message]);
  expect(rows).toEqual([{ code: 'unknown_device' }]);

  const options = { organizationCode: sender.organizationCode, deviceId: 'D1' };
  const device = await connectDevice(gateway.mqttPort, options);
  await publish(device, topicOf(options), JSON.stringify({ fill_percentage: 40 }));
  const payload = await find('acknowledged a payload', { device: `${sender.organizationCode}/D1` });
  const [ofDevice] = Array.isArray(payload['messages']) ? payload['messages'] : [];
  expect(await find('committed a message', { message: ofDevice })).toMatchObject({ rejections: 0 });
  device.end(true);
});
