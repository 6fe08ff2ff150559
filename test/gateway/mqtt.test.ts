import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { revokeDevice, rotateDevice } from '../../src/catalog/devices.ts';
import { transaction } from '../../src/db/pool.ts';
import { givenSender, readStream, rejectedOf, type TestIngest, test, untilCommitted } from '../support/ingest.ts';
import { closed, connectDevice, type DeviceOptions, publish, READING, topicOf } from '../support/mqtt.ts';
import { within } from '../support/stopwatch.ts';
import type { TestDatabase } from '../support/test.ts';

let serial = 0;

/** A device with its own tank in its own organization. */
async function givenDevice(
  database: TestDatabase,
): Promise<DeviceOptions & { organizationNo: number; tankNo: number }> {
  const deviceId = `M${serial++}`;
  const { organizationNo, organizationCode, tankNos } = await givenSender(database, [deviceId]);
  return { organizationNo, organizationCode, deviceId, tankNo: tankNos[0] ?? 0 };
}

const streamedOf = async ({ environment }: TestIngest, deviceId: string) =>
  (await readStream(environment)).flatMap(({ readings }) =>
    readings.filter((reading) => reading.deviceId === deviceId),
  );

/** Connects, and returns `welcome`, the return code of CONNACK, or the error if there was none. */
const tryToConnect = async (port: number, options: DeviceOptions): Promise<unknown> => {
  try {
    await (await connectDevice(port, options)).endAsync(true);
    return 'welcome';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error);
  }
};
const NOT_AUTHORIZED = 5;

test('a PUBACK means that the stream has the reading, and a writer stores it soon after', async ({
  database,
  ingest,
}) => {
  const device = await givenDevice(database);
  const client = await connectDevice(ingest.gateway.mqttPort, device);
  expect(await publish(client, topicOf(device), READING)).toBe('acknowledged');
  expect(await streamedOf(ingest, device.deviceId)).toEqual([
    {
      organizationNo: device.organizationNo,
      deviceId: device.deviceId,
      atMs: Date.parse('2025-01-01T00:00:00Z'),
      level: 45.5,
    },
  ]);
  // A reading with QoS 0, retained and without a time is valid.
  client.publish(topicOf(device), '[{"fill_percentage": 44}, {"fill_percentage": 144}]', { qos: 0, retain: true });
  await expect.poll(async () => (await rejectedOf(database, device.organizationNo)).length).toBe(1);
  await client.endAsync();
  await untilCommitted(ingest.stream);
  const { rows } = await database.owner.query(
    `select fill_percentage, created_at > now() - interval '1 minute' as is_new from telemetry
     where tank_no = $1 order by created_at`,
    [device.tankNo],
  );
  expect(rows).toEqual([
    { fill_percentage: 45.5, is_new: false },
    { fill_percentage: 44, is_new: true },
  ]);
});

test('a payload that cannot be parsed is acknowledged, so that it is not repeated forever, and recorded as rejected', async ({
  database,
  ingest,
}) => {
  const device = await givenDevice(database);
  const client = await connectDevice(ingest.gateway.mqttPort, device);
  const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  for (const payload of ['', 'nonsense', Buffer.from([0xff, 0x00]), nested, READING.padEnd(65_537)]) {
    expect(await publish(client, topicOf(device), payload)).toBe('acknowledged');
  }
  await client.endAsync();
  await untilCommitted(ingest.stream);
  const { rows } = await database.owner.query(
    'select code, octet_length(raw) as bytes from rejected_readings where organization_no = $1 order by bytes',
    [device.organizationNo],
  );
  expect(rows).toEqual([
    { code: 'malformed', bytes: 0 },
    { code: 'malformed', bytes: 2 },
    { code: 'malformed', bytes: 8 },
    { code: 'malformed', bytes: 33 }, // a value that is nested too deeply is not serialized
    { code: 'oversized', bytes: 4_096 },
  ]);
});

test('a connection with a wrong user name or password is refused', async ({ database, ingest }) => {
  const { gateway } = ingest;
  const [device, other] = [await givenDevice(database), await givenDevice(database)];
  const countRefused = async () =>
    (await gateway.registry.getMetricsAsJSON()).find(isRefusedConnections)?.values[0]?.value;
  const before = Number(await countRefused());
  const attempts: Partial<DeviceOptions>[] = [
    { password: 'wrong' },
    { password: '' },
    { username: '' },
    { username: `${device.organizationCode}/` },
    { username: device.deviceId },
    { username: `${device.organizationCode}/${'x'.repeat(65)}` },
    { username: `${other.organizationCode}/${device.deviceId}` },
    { generation: 2 },
    { organizationCode: 'a0nobody' },
  ];
  for (const changes of attempts) {
    const answer = await tryToConnect(gateway.mqttPort, { ...device, ...changes });
    expect([changes, answer]).toEqual([changes, NOT_AUTHORIZED]);
  }
  expect(Number(await countRefused()) - before).toBe(attempts.length);
  expect(await tryToConnect(gateway.mqttPort, device)).toBe('welcome');
});
const isRefusedConnections = ({ name }: { name: string }): boolean =>
  name === 'tankwatch_gateway_refused_connections_total';

test('a publish to another topic, a subscription and QoS 2 close the connection without a PUBACK', async ({
  database,
  ingest,
}) => {
  const [device, other] = [await givenDevice(database), await givenDevice(database)];
  const own = topicOf(device);
  const topics = [topicOf(other), 'readings', `${own}/x`, `/${own}`, own.toUpperCase(), '$SYS/x', '$JS/API/INFO'];
  for (const topic of topics) {
    const client = await connectDevice(ingest.gateway.mqttPort, device);
    expect([topic, await publish(client, topic, READING)]).toEqual([topic, 'closed']);
  }
  for (const topic of [own, '#', '$SYS/#']) {
    const client = await connectDevice(ingest.gateway.mqttPort, device);
    client.subscribe(topic, () => {});
    await closed(client);
  }
  const twice = await connectDevice(ingest.gateway.mqttPort, device);
  twice.publish(own, READING, { qos: 2 });
  await closed(twice);
  expect(await streamedOf(ingest, device.deviceId)).toEqual([]);
  expect(await streamedOf(ingest, other.deviceId)).toEqual([]);
});

test('a last will is not published', async ({ database, ingest }) => {
  const device = await givenDevice(database);
  const will = { topic: topicOf(device), payload: Buffer.from(READING), qos: 1, retain: true } as const;
  const client = await connectDevice(ingest.gateway.mqttPort, { ...device, will });
  client.stream.destroy();
  await sleep(200);
  expect(await streamedOf(ingest, device.deviceId)).toEqual([]);
});

test('a device cannot close the connection of another device by using its client id', async ({ database, ingest }) => {
  const { mqttPort } = ingest.gateway;
  const [device, other] = [await givenDevice(database), await givenDevice(database)];
  const clientId = `${device.organizationCode}/${device.deviceId}`;
  const first = await connectDevice(mqttPort, { ...device, clientId, clean: false });
  const second = await connectDevice(mqttPort, { ...other, clientId, clean: false });
  await tryToConnect(mqttPort, { ...device, password: 'wrong' });
  await tryToConnect(mqttPort, { ...device, username: '', clientId });
  await sleep(100);
  expect([first.connected, second.connected]).toEqual([true, true]);
  // A new connection of the device itself closes its old one, which may be dead without the gateway knowing it.
  const again = await connectDevice(mqttPort, device);
  await closed(first);
  expect(await publish(again, topicOf(device), READING)).toBe('acknowledged');
  expect(await publish(second, topicOf(other), READING)).toBe('acknowledged');
  await Promise.all([again.endAsync(), second.endAsync()]);
});

test('a rotation or a revocation closes an open connection within a second', async ({ database, ingest }) => {
  const { mqttPort } = ingest.gateway;
  const device = await givenDevice(database);
  const change = (work: typeof rotateDevice) =>
    transaction(database.operator, (tx) => work(tx, device.organizationNo, device.deviceId));
  const expectClosedAfter = async (work: typeof rotateDevice, generation: number): Promise<void> => {
    const client = await connectDevice(mqttPort, { ...device, generation });
    await change(work);
    await within(1_000, () => closed(client));
  };
  await expectClosedAfter(rotateDevice, 1);
  expect(await tryToConnect(mqttPort, device)).toBe(NOT_AUTHORIZED);
  await expectClosedAfter(revokeDevice, 2);
  expect(await tryToConnect(mqttPort, { ...device, generation: 2 })).toBe(NOT_AUTHORIZED);
  await change(rotateDevice);
  await within(1_000, () => expect.poll(() => tryToConnect(mqttPort, { ...device, generation: 3 })).toBe('welcome'));
});

test('clients with MQTT 3.1, without a keep-alive or with a keep-alive of a day are accepted', async ({
  database,
  ingest,
}) => {
  const { mqttPort } = ingest.gateway;
  const device = await givenDevice(database);
  const long = { ...device, deviceId: `${device.deviceId}-of-more-than-23-characters` };
  expect(await tryToConnect(mqttPort, { ...long, protocolId: 'MQIsdp', protocolVersion: 3 })).toBe('welcome');
  expect(await tryToConnect(mqttPort, { ...device, keepalive: 0 })).toBe('welcome');
  expect(await tryToConnect(mqttPort, { ...device, keepalive: 65_535 })).toBe('welcome');
  expect(await tryToConnect(mqttPort, { ...device, protocolVersion: 5 })).not.toBe('welcome');
});
