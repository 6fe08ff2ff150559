import { expect } from 'vitest';
import { findOrganization, updateOrganization } from '../../src/catalog/organizations.ts';
import { transaction } from '../../src/db/pool.ts';
import {
  type Environment,
  givenSender,
  ingestEnvironment,
  postReadings,
  startGateway,
  type TestGateway,
  test,
} from '../support/ingest.ts';
import { connectDevice, publish, topicOf } from '../support/mqtt.ts';
import { within } from '../support/stopwatch.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';

const at = (n: number): string => new Date(Date.UTC(2025, 0, 1) + n * 1_000).toISOString();
const readings = (device_id: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ device_id, fill_percentage: 50, created_at: at(n) }));

async function givenGateway(database: TestDatabase, changes: Environment): Promise<TestGateway> {
  return untilTestEnds(startGateway(ingestEnvironment(database, changes)));
}

async function countExceeded(gateway: TestGateway, source: string, limit: string): Promise<number> {
  const metric = await gateway.registry.getSingleMetric('tankwatch_gateway_quota_exceeded_total')?.get();
  return metric?.values.find(({ labels }) => labels['source'] === source && labels['limit'] === limit)?.value ?? 0;
}

test('an organization beyond its quota of readings gets 429 with Retry-After, and another one does not', async ({
  database,
}) => {
  const gateway = await givenGateway(database, { GATEWAY_ORGANIZATION_READINGS_PER_SECOND: '100' });
  const greedy = await givenSender(database, ['Q1']);
  const honest = await givenSender(database, ['Q2']);
  const send = (key: string, device: string, count: number) =>
    postReadings(gateway.httpUrl, key, readings(device, count));
  expect((await send(greedy.key, 'Q1', 1_000)).status).toBe(202); // the quota of ten seconds
  // On a slow machine, the quota may have refilled for the next 500 readings.
  const next = await send(greedy.key, 'Q1', 500);
  const refused = next.status === 202 ? await send(greedy.key, 'Q1', 1) : next;
  expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited']);
  expect(refused.json.detail).toMatch(/^Your organization may send 100 readings per second and has sent more\. /);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(await countExceeded(gateway, 'http', 'organization')).toBeGreaterThan(0);
  expect((await send(honest.key, 'Q2', 1_000)).status).toBe(202);
});

test('each KiB counts as one reading of the quota', async ({ database }) => {
  const gateway = await givenGateway(database, { GATEWAY_ORGANIZATION_READINGS_PER_SECOND: '10' });
  const { key } = await givenSender(database, ['Q3']);
  const padded = [{ device_id: 'Q3', fill_percentage: 50, created_at: at(0), note: 'x'.repeat(300 * 1_024) }];
  expect((await postReadings(gateway.httpUrl, key, padded)).status).toBe(202);
  const next = await postReadings(gateway.httpUrl, key, readings('Q3', 1));
  expect([next.status, Number(next.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
  expect(Number(next.headers['retry-after'])).toBeGreaterThan(15); // 300 readings at 10 a second, less the burst of 100
});

test('an organization may have its own quota, and a change takes effect within 1.5 s', async ({ database }) => {
  const gateway = await givenGateway(database, { GATEWAY_ORGANIZATION_READINGS_PER_SECOND: '1' });
  const { key, organizationCode } = await givenSender(database, ['Q4']);
  const setQuota = (readingsPerSecond: number | null) =>
    transaction(database.operator, async (tx) =>
      updateOrganization(tx, (await findOrganization(tx, organizationCode)) ?? 0, { readingsPerSecond }),
    );
  expect((await postReadings(gateway.httpUrl, key, readings('Q4', 30))).status).toBe(202);
  expect((await postReadings(gateway.httpUrl, key, readings('Q4', 1))).status).toBe(429);
  await setQuota(100_000);
  await within(1_500, () =>
    expect.poll(async () => (await postReadings(gateway.httpUrl, key, readings('Q4', 1))).status).toBe(202),
  );
});

test('a device beyond its quota of readings gets its PUBACK late, also after it reconnects', async ({ database }) => {
  const gateway = await givenGateway(database, { GATEWAY_DEVICE_READINGS_PER_SECOND: '2' });
  const { organizationCode } = await givenSender(database, ['Q5']);
  const device = { organizationCode, deviceId: 'Q5' };
  const payload = (count: number): string =>
    JSON.stringify(readings('Q5', count).map(({ fill_percentage, created_at }) => ({ fill_percentage, created_at })));
  const first = await connectDevice(gateway.mqttPort, device);
  expect(await publish(first, topicOf(device), payload(200))).toBe('acknowledged'); // the burst of 200 readings
  await first.endAsync();
  const second = await connectDevice(gateway.mqttPort, device);
  const startedAt = performance.now();
  expect(await publish(second, topicOf(device), payload(4))).toBe('acknowledged');
  expect(performance.now() - startedAt).toBeGreaterThan(1_000);
  expect(await countExceeded(gateway, 'mqtt', 'device')).toBe(1);
  // Far beyond the quota the connection is closed, because MQTT 3.1.1 has no other way to refuse.
  void publish(second, topicOf(device), payload(40));
  expect(await publish(second, topicOf(device), payload(1))).toBe('closed');
});
