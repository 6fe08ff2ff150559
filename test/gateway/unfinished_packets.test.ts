import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished } from 'vitest';
import { login, openSocket } from '../../faults/abuse/raw_mqtt.ts';
import { PacketReader, UnfinishedPackets } from '../../src/gateway/unfinished_packets.ts';
import { devicePassword } from '../../src/keys/device_password.ts';
import { organizationSecret } from '../../src/keys/organization_secret.ts';
import { DEVICE_SECRET, givenSender, ingestEnvironment, readStream, startGateway, test } from '../support/ingest.ts';
import { connectDevice, publish, topicOf } from '../support/mqtt.ts';
import { untilTestEnds } from '../support/test.ts';

const DEVICES = 200;

/** The bytes of buffers in use after a garbage collection. */
function bufferBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}

/** The beginning of a PUBLISH, before a payload of this size. */
function publishHeader(payloadBytes: number, topic: string): Buffer {
  const length = payloadBytes + 2 + topic.length + 2;
  const encoded = [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14];
  return Buffer.concat([Buffer.from([0x32, ...encoded, 0, topic.length]), Buffer.from(topic), Buffer.from([0, 1])]);
}

test('200 devices that each hold 250 KB of an unfinished packet take at most 64 KiB each', async ({ database }) => {
  const gateway = await untilTestEnds(startGateway(ingestEnvironment(database)));
  const ids = Array.from({ length: DEVICES }, (_, n) => `U${n}`);
  const { organizationCode } = await givenSender(database, ids.slice(0, 1));
  const secret = organizationSecret(DEVICE_SECRET, organizationCode);
  const before = bufferBytes();
  const sockets = ids.map((deviceId, n) => {
    const password = devicePassword(secret, deviceId, 1);
    const socket = openSocket(
      gateway.mqttPort,
      `127.0.0.${2 + (n % 50)}`,
      login({ organizationCode, deviceId, password }),
    );
    socket.once('data', () => {
      socket.write(publishHeader(251_000, `readings/${organizationCode}/${deviceId}`));
      // The payload is sent in pieces as by a device, and each is freed here, because the gateway runs in this process too.
      let pieces = 0;
      const sendNext = (): void => {
        if (pieces === 61 || socket.destroyed) return;
        pieces += 1;
        socket.write(Buffer.alloc(4_096, 0x20), sendNext);
      };
      sendNext();
    });
    onTestFinished(() => void socket.destroy());
    return socket;
  });
  const received = (): number => sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0);
  await expect.poll(received).toBeGreaterThan(DEVICES * 249_000);
  await expect.poll(() => (bufferBytes() - before) / DEVICES).toBeLessThan(70_000);
});

test('a message of 65 to 256 KiB is acknowledged and recorded as rejected, and the next one is stored', async ({
  database,
}) => {
  const environment = ingestEnvironment(database);
  const gateway = await untilTestEnds(startGateway(environment));
  const { organizationCode } = await givenSender(database, ['BIG']);
  const device = { organizationCode, deviceId: 'BIG' };
  const client = await connectDevice(gateway.mqttPort, device);
  const reading = '{"fill_percentage": 45.5, "created_at": "2025-01-01T00:00:00Z"}';
  for (const bytes of [65_536, 65_537, 66_100, 131_072, 262_000])
    expect([bytes, await publish(client, topicOf(device), reading.padEnd(bytes))]).toEqual([bytes, 'acknowledged']);
  expect(await publish(client, topicOf(device), reading)).toBe('acknowledged');
  const messages = await readStream(environment);
  expect(messages.flatMap(({ rejections }) => rejections.map(({ code }) => code))).toEqual(Array(4).fill('oversized'));
  expect(messages.flatMap(({ readings }) => readings)).toHaveLength(2);
  await client.endAsync();
});

test('packets that arrive in any pieces are passed on unchanged, and large ones are cut to the same bytes', () => {
  const packets = [10, 127, 128, 20_000, 70_000, 3, 262_000, 1].map((bytes, n) => {
    const header =
      bytes < 128 ? [0x32, bytes] : [0x32, (bytes & 0x7f) | 0x80, ((bytes >> 7) & 0x7f) | 0x80, bytes >> 14];
    return Buffer.concat([Buffer.from(header), Buffer.alloc(bytes, n)]);
  });
  const sent = Buffer.concat(packets);
  const passedInPieces = (pieceBytes: () => number): Buffer => {
    const reader = new PacketReader();
    const passed: Buffer[] = [];
    let start = 0;
    while (start < sent.length) {
      const piece = sent.subarray(start, start + pieceBytes());
      passed.push(reader.pass(piece) ?? Buffer.from('closed'));
      start += piece.length;
    }
    expect(reader.isUnfinished).toBe(false);
    return Buffer.concat(passed);
  };
  const whole = passedInPieces(() => sent.length);
  // The packets of 70,000 and 262,000 bytes are cut to 66,048 bytes.
  expect(whole.length).toBe(sent.length - (70_000 - 66_048) - (262_000 - 66_048));
  for (const pieceBytes of [() => 1, () => 2, () => 3, () => 65_536, () => 1 + Math.floor(Math.random() * 5_000)])
    expect(passedInPieces(pieceBytes).equals(whole)).toBe(true);
  expect(new PacketReader().pass(Buffer.from([0x32, 0xff, 0xff, 0xff, 0x7f]))).toBeUndefined();
  expect(new PacketReader().pass(Buffer.from([0x32, 0xff, 0xff, 0xff, 0xff]))).toBeUndefined();
});

test('a connection is closed if a packet does not arrive in time, and stays open between packets', async () => {
  const unfinished = new UnfinishedPackets(300);
  const server = createServer((socket) => {
    unfinished.watch(socket);
    socket.on('readable', () => void socket.read()).on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    unfinished.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const [idle, slow] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  idle.write(Buffer.from([0x32, 2, 0, 0]));
  slow.on('error', () => {}).write(Buffer.from([0x32, 10, 0]));
  const trickle = setInterval(() => slow.write(Buffer.from([0])), 100);
  await new Promise((resolve) => slow.once('close', resolve));
  clearInterval(trickle);
  expect(idle.closed).toBe(false);
  idle.destroy();
});
