import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { MqttClient } from 'mqtt';
import { expect } from 'vitest';
import { givenCertificate } from '../support/certificate.ts';
import {
  type Environment,
  givenSender,
  ingestEnvironment,
  readStream,
  startGateway,
  type TestGateway,
  test,
} from '../support/ingest.ts';
import { closed, connectDevice, type DeviceOptions, publish, READING, topicOf } from '../support/mqtt.ts';
import { within } from '../support/stopwatch.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';

interface Given {
  gateway: TestGateway;
  environment: Environment;
  devices: DeviceOptions[];
}

/** A gateway with its own settings, and three devices. */
async function givenGateway(database: TestDatabase, changes: Environment = {}): Promise<Given> {
  const environment = ingestEnvironment(database, changes);
  const gateway = await untilTestEnds(startGateway(environment));
  const { organizationCode } = await givenSender(database, ['L1', 'L2', 'L3']);
  return { gateway, environment, devices: ['L1', 'L2', 'L3'].map((deviceId) => ({ organizationCode, deviceId })) };
}

/** Announces a packet of 200 MB and sends up to 32 MB of it. Returns how many bytes were sent before the end. */
async function sendGiant(client: MqttClient): Promise<number> {
  const { stream } = client;
  const isClosed = new Promise<true>((resolve) => client.once('close', () => resolve(true)));
  stream.write(Buffer.from([0x30, 0x80, 0x84, 0xaf, 0x5f])); // PUBLISH with a length of 200,000,000 bytes
  const chunk = Buffer.alloc(65_536, 0x61);
  let sent = 0;
  while (client.connected && sent < 32_000_000) {
    sent += chunk.length;
    const written = new Promise<false>((resolve) => stream.write(chunk, () => resolve(false)));
    if (await Promise.race([written, isClosed])) break;
    await setImmediate(); // the gateway is in this process too
  }
  await isClosed;
  return sent;
}

test('devices can use TLS, and a client that does not use TLS on that port is refused', async ({ database }) => {
  const { cert, key } = await givenCertificate();
  const { gateway, devices, environment } = await givenGateway(database, {
    GATEWAY_TLS_CERT: cert,
    GATEWAY_TLS_KEY: key,
  });
  const [device] = devices;
  if (device === undefined) return;
  const tls = { ...device, protocol: 'mqtts', ca: await readFile(cert) } as const;
  const client = await connectDevice(gateway.mqttPort, tls);
  expect(await publish(client, topicOf(device), READING)).toBe('acknowledged');
  expect((await readStream(environment)).length).toBe(1);
  expect(await sendGiant(client)).toBeLessThan(4_000_000);
  await expect(connectDevice(gateway.mqttPort, { ...device, connectTimeout: 1_000 })).rejects.toThrow();
});

test('a client that speaks another protocol than MQTT over TLS is disconnected, and devices are not', async ({
  database,
}) => {
  const { cert, key } = await givenCertificate();
  const { gateway, devices } = await givenGateway(database, { GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key });
  const [device] = devices;
  if (device === undefined) return;
  const ca = await readFile(cert);
  const client = await connectDevice(gateway.mqttPort, { ...device, protocol: 'mqtts', ca });
  const stranger = connectTls({ port: gateway.mqttPort, host: '127.0.0.1', ca })
    .on('error', () => {})
    .resume();
  const isClosed = new Promise((resolve) => stranger.once('close', resolve));
  stranger.write('GET / HTTP/1.1\r\n\r\n');
  await isClosed;
  expect(await publish(client, topicOf(device), READING)).toBe('acknowledged');
});

test('TLS handshakes that do not end in time do not count as failed logins, so devices of the address can still connect', async ({
  database,
}) => {
  const { cert, key } = await givenCertificate();
  const { gateway, devices } = await givenGateway(database, {
    GATEWAY_TLS_CERT: cert,
    GATEWAY_TLS_KEY: key,
    GATEWAY_FAILED_LOGINS_PER_SECOND: '1',
  });
  const [device] = devices;
  if (device === undefined) return;
  // More than the 10 failed logins that the address may have at once.
  const slow = Array.from({ length: 20 }, () =>
    connect(gateway.mqttPort, '127.0.0.1')
      .on('error', () => {})
      .resume(),
  );
  await Promise.all(slow.map((socket) => once(socket, 'close')));
  const tls = { ...device, protocol: 'mqtts', ca: await readFile(cert), connectTimeout: 5_000 } as const;
  const client = await connectDevice(gateway.mqttPort, tls);
  expect(await publish(client, topicOf(device), READING)).toBe('acknowledged');
});

test('a packet of 200 MB closes the connection before it fills the memory', async ({ database }) => {
  const { gateway, devices } = await givenGateway(database);
  const [device] = devices;
  if (device === undefined) return;
  const client = await connectDevice(gateway.mqttPort, device);
  // Many small packets with the same number of bytes in total are allowed.
  const payload = READING.padEnd(60_000);
  for (let n = 0; n < 10; n++) expect(await publish(client, topicOf(device), payload)).toBe('acknowledged');
  // The socket buffers accept some data before the connection is closed.
  expect(await sendGiant(client)).toBeLessThan(4_000_000);
  const stranger = connect(gateway.mqttPort, '127.0.0.1');
  stranger.on('error', () => {});
  const ended = new Promise((resolve) => stranger.once('close', resolve));
  stranger.write(Buffer.from([0x10, 0x80, 0x84, 0xaf, 0x5f])); // CONNECT with a length of 200,000,000 bytes
  stranger.write(Buffer.alloc(1_000_000));
  await ended;
});

test('a device that publishes too fast is slowed down, and every message is acknowledged', async ({ database }) => {
  const { gateway, environment, devices } = await givenGateway(database, { GATEWAY_DEVICE_PUBLISHES_PER_SECOND: '5' });
  const [fast, other] = devices;
  if (fast === undefined || other === undefined) return;
  const client = await connectDevice(gateway.mqttPort, fast);
  const second = await connectDevice(gateway.mqttPort, other);
  const startedAt = performance.now();
  // 50 messages, those of ten seconds, pass at once. The next seven messages wait.
  const outcomes = Promise.all(Array.from({ length: 57 }, () => publish(client, topicOf(fast), READING)));
  await within(1_000, async () => expect(await publish(second, topicOf(other), READING)).toBe('acknowledged'));
  expect(new Set(await outcomes)).toEqual(new Set(['acknowledged']));
  expect(performance.now() - startedAt).toBeGreaterThan(1_200);
  expect((await readStream(environment)).flatMap(({ readings }) => readings).length).toBe(58);
  await Promise.all([client.endAsync(), second.endAsync()]);
});

test('connections above the maximum are refused', async ({ database }) => {
  const { gateway, devices } = await givenGateway(database, { GATEWAY_MAX_CONNECTIONS: '2' });
  const [first, second, third] = devices;
  if (first === undefined || second === undefined || third === undefined) return;
  const clients = [await connectDevice(gateway.mqttPort, first), await connectDevice(gateway.mqttPort, second)];
  await expect(connectDevice(gateway.mqttPort, third)).rejects.toThrow();
  expect(clients.map(({ connected }) => connected)).toEqual([true, true]);
  await clients[0]?.endAsync();
  await expect.poll(() => connectDevice(gateway.mqttPort, third).then((c) => clients.push(c))).toBe(3);
  await Promise.all(clients.map((client) => client.endAsync()));
});

test('a device that misses its keep-alive is disconnected, and one that pings stays connected', async ({
  database,
}) => {
  const { gateway, devices } = await givenGateway(database);
  const [quiet, alive] = devices;
  if (quiet === undefined || alive === undefined) return;
  const silent = await connectDevice(gateway.mqttPort, { ...quiet, keepalive: 1, timerVariant: NEVER });
  const pinging = await connectDevice(gateway.mqttPort, { ...alive, keepalive: 1 });
  const startedAt = performance.now();
  await within(3_000, () => closed(silent));
  expect(performance.now() - startedAt).toBeGreaterThan(1_200);
  expect(pinging.connected).toBe(true);
  await pinging.endAsync();
});

/** A timer that never sends a ping. */
const NEVER = { set: (): number => 0, clear: (): void => {} };
