import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { connectPacket } from '../../bench/load_client/mqtt_packets.ts';
import {
  type Environment,
  givenSender,
  ingestEnvironment,
  startGateway,
  type TestGateway,
  test,
} from '../support/ingest.ts';
import { connectDevice, type DeviceOptions, publish, READING, topicOf } from '../support/mqtt.ts';
import { within } from '../support/stopwatch.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';

async function givenGateway(
  database: TestDatabase,
  changes: Environment,
): Promise<{ gateway: TestGateway; device: DeviceOptions }> {
  const gateway = await untilTestEnds(startGateway(ingestEnvironment(database, changes)));
  const { organizationCode } = await givenSender(database, ['S1']);
  return { gateway, device: { organizationCode, deviceId: 'S1' } };
}

function openFrom(port: number, localAddress: string, bytes: Buffer): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {}).resume();
  socket.write(bytes);
  onTestFinished(() => void socket.destroy());
  return socket;
}

const untilClosed = (socket: Socket): Promise<true> =>
  new Promise((resolve) => {
    if (socket.closed) resolve(true);
    else socket.once('close', () => resolve(true));
  });

/** The first 1,000 bytes of a CONNECT whose header announces 8,000 or 250,000 bytes. */
const halfConnect = (claim: 8_000 | 250_000): Buffer =>
  Buffer.concat([
    Buffer.from(claim === 8_000 ? [0x10, 0xc0, 0x3e] : [0x10, 0x90, 0xa1, 0x0f]),
    Buffer.alloc(1_000, 0x61),
  ]);

test('strangers that hold all connections half-open do not lock out a device', async ({ database }) => {
  const { gateway, device } = await givenGateway(database, { GATEWAY_MAX_CONNECTIONS: '50' });
  const strangers = Array.from({ length: 60 }, () => openFrom(gateway.mqttPort, '127.0.0.66', halfConnect(8_000)));
  await sleep(200);
  for (let n = 0; n < 5; n++) {
    const client = await connectDevice(gateway.mqttPort, device);
    expect(await publish(client, topicOf(device), READING)).toBe('acknowledged');
    await client.endAsync();
  }
  expect(strangers.filter(({ closed }) => !closed).length).toBeGreaterThan(40);
});

test('a stranger may send a CONNECT of 8 KiB, and anything else is closed at once', async ({ database }) => {
  const { gateway } = await givenGateway(database, {});
  const small = openFrom(gateway.mqttPort, '127.0.0.66', halfConnect(8_000));
  const large = openFrom(gateway.mqttPort, '127.0.0.66', halfConnect(250_000));
  const other = openFrom(gateway.mqttPort, '127.0.0.66', Buffer.from('GET / HTTP/1.1\r\n\r\n'));
  await within(2_000, async () =>
    expect(await Promise.all([untilClosed(large), untilClosed(other)])).toEqual([true, true]),
  );
  expect(small.closed).toBe(false);
});

test('an address with many failed logins is refused at once, and other addresses are not', async ({ database }) => {
  const { gateway, device } = await givenGateway(database, { GATEWAY_FAILED_LOGINS_PER_SECOND: '1' });
  const wrong = connectPacket({ clientId: 'x', username: 'a0x/X', password: 'wrong', keepAliveSeconds: 60 });
  const answers: number[] = [];
  const startedAt = performance.now();
  // Ten logins get a CONNACK with "not authorized", and one more each second. Then a connection is closed without an answer.
  let attempts = 0;
  while (answers.length === attempts) {
    attempts += 1;
    const socket = openFrom(gateway.mqttPort, '127.0.0.66', wrong);
    socket.on('data', (chunk: Buffer) => answers.push(chunk[3] ?? -1));
    await untilClosed(socket);
  }
  const earned = Math.ceil((performance.now() - startedAt) / 1_000);
  expect([answers.length >= 10 && answers.length <= 11 + earned, new Set(answers)]).toEqual([true, new Set([5])]);
  const client = await connectDevice(gateway.mqttPort, device);
  expect(await publish(client, topicOf(device), READING)).toBe('acknowledged');
  await client.endAsync();
});
