import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { type Packet, parser } from 'mqtt-packet';
import { expect, onTestFinished, test } from 'vitest';
import { ConnectionLostError } from '../../bench/load_client/mqtt_connection.ts';
import {
  connectPacket,
  DISCONNECT,
  type Incoming,
  PacketReader,
  PING_REQUEST,
  publishPacket,
  stampPublish,
} from '../../bench/load_client/mqtt_packets.ts';
import { MqttPublisher, type PublisherOptions } from '../../bench/load_client/mqtt_publisher.ts';
import { eventually, startBroker } from '../support/broker.ts';
import { givenCertificate } from '../support/certificate.ts';

function parsePacket(bytes: Buffer): Packet {
  const packets: Packet[] = [];
  const mqtt = parser({ protocolVersion: 4 });
  mqtt.on('packet', (packet) => packets.push(packet));
  mqtt.on('error', (error: Error) => {
    throw error;
  });
  expect(mqtt.parse(bytes)).toBe(0); // nothing is left over
  const [only] = packets;
  if (only === undefined || packets.length > 1) throw new Error(`${packets.length} packets`);
  return only;
}

test('another MQTT implementation parses our packets correctly', () => {
  const texts = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });
  const topics = fc.string({ minLength: 1, maxLength: 100 }).filter((topic) => !/[+#\0]/.test(topic));
  fc.assert(
    fc.property(texts, texts, fc.integer({ min: 0, max: 65_535 }), (username, password, keepAliveSeconds) => {
      expect(parsePacket(connectPacket({ clientId: username, username, password, keepAliveSeconds }))).toMatchObject({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clean: true,
        clientId: username,
        username,
        password: Buffer.from(password),
        keepalive: keepAliveSeconds,
      });
    }),
  );
  const payloads = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer({ min: 100, max: 40_000 }).map((n) => 'x'.repeat(n)),
  );
  fc.assert(
    fc.property(
      topics,
      payloads,
      fc.integer({ min: 1, max: 65_535 }),
      fc.boolean(),
      (topic, payload, packetId, again) => {
        const packet = publishPacket(topic, payload);
        stampPublish(packet, 1, !again);
        stampPublish(packet, packetId, again);
        expect(parsePacket(packet.bytes)).toMatchObject({
          cmd: 'publish',
          qos: 1,
          retain: false,
          dup: again,
          messageId: packetId,
          topic,
          payload: Buffer.from(payload),
        });
      },
    ),
  );
  expect(parsePacket(PING_REQUEST).cmd).toBe('pingreq');
  expect(parsePacket(DISCONNECT).cmd).toBe('disconnect');
});

test('packets of a broker are parsed in chunks of any size, and malformed packets are refused', () => {
  const bytes = Buffer.from([0x20, 2, 0, 5, 0x40, 2, 0x12, 0x34, 0xd0, 0, 0x40, 2, 0, 1]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5 })), (sizes) => {
      const reader = new PacketReader();
      const packets: Incoming[] = [];
      let offset = 0;
      for (const size of [...sizes, bytes.length]) {
        reader.read(bytes.subarray(offset, offset + size), (packet) => packets.push(packet));
        offset += size;
      }
      expect(packets).toEqual([
        { kind: 'connack', returnCode: 5 },
        { kind: 'puback', packetId: 0x1234 },
        { kind: 'pingresp' },
        { kind: 'puback', packetId: 1 },
      ]);
    }),
  );
  for (const nonsense of [
    [0x40, 3, 0, 1, 2],
    [0x48, 0x80, 1],
    [0x30, 1, 0],
    [0x48, 0x54, ...Array(0x54).fill(0)],
  ]) {
    expect(() => new PacketReader().read(Buffer.from(nonsense), () => {})).toThrow(/publisher/);
  }
});

const TOPIC = 'readings/a0t/D1';

function startPublisher(url: string, options: Partial<PublisherOptions> = {}): MqttPublisher {
  const publisher = new MqttPublisher({ url, clientId: 'D1', username: 'a0t/D1', password: 'secret', ...options });
  onTestFinished(() => publisher.close());
  return publisher;
}

test('a publish resolves when the broker has acknowledged it, and no more than inFlight are unacknowledged', async () => {
  const answers: (() => void)[] = [];
  const broker = await startBroker({ onPublish: (publish) => answers.push(() => publish.answer()) });
  const publisher = startPublisher(broker.url, { inFlight: 3 });
  const done: number[] = [];
  const all = [0, 1, 2, 3, 4].map(async (number) => {
    await publisher.publish(publishPacket(TOPIC, String(number)));
    done.push(number);
  });
  await eventually(() => answers.length).toBe(3);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([answers.length, done]).toEqual([3, []]);
  answers[1]?.();
  await eventually(() => done).toEqual([1]);
  // aedes reads further packets when all publishes that it received together are answered.
  for (const answer of answers.toSpliced(1, 1)) answer();
  await eventually(() => answers.length).toBe(5);
  expect(done).toEqual([1, 0, 2]);
  for (const answer of answers.slice(3)) answer();
  await Promise.all(all);
  expect(broker.published.map(({ topic, payload, isDuplicate }) => [topic, payload, isDuplicate])).toEqual(
    ['0', '1', '2', '3', '4'].map((payload) => [TOPIC, payload, false]),
  );
});

test('when a broker closes the connection because it cannot store, the publisher reconnects and sends the publish again', async () => {
  const broker = await startBroker({
    onPublish: (publish) => publish.answer(broker.published.length <= 2 ? new Error('cannot store') : undefined),
  });
  const publisher = startPublisher(broker.url, { maxBackoffMs: 20 });
  await publisher.publish(publishPacket(TOPIC, 'kept'));
  expect(broker.published.map(({ payload, isDuplicate }) => [payload, isDuplicate])).toEqual([
    ['kept', false],
    ['kept', true],
    ['kept', true],
  ]);
  expect([publisher.resent, publisher.connects]).toEqual([2, 3]);
});

test('after an outage of the broker, unacknowledged publishes arrive', async () => {
  const first = await startBroker({ onPublish: () => {} });
  const publisher = startPublisher(first.url, { inFlight: 4, maxBackoffMs: 50 });
  const all = Promise.all([0, 1, 2].map((number) => publisher.publish(publishPacket(TOPIC, String(number)))));
  await eventually(() => first.published.length).toBe(3);
  await first.stop();
  await eventually(() => publisher.isConnected).toBe(false);
  await eventually(() => publisher.lastError).toMatch(/ECONNREFUSED/);
  const second = await startBroker({ port: first.port });
  await all;
  expect(second.published.map(({ payload }) => payload)).toEqual(['0', '1', '2']);
});

test('without resending, a publish of a lost connection is unknown, and the next publish succeeds', async () => {
  let isFirst = true;
  const broker = await startBroker({
    onPublish: (publish) => {
      if (isFirst) publish.connection.destroy();
      else publish.answer();
      isFirst = false;
    },
  });
  const publisher = startPublisher(broker.url, { isResending: false, maxBackoffMs: 20 });
  await expect(publisher.publish(publishPacket(TOPIC, 'lost'))).rejects.toThrow(ConnectionLostError);
  await publisher.publish(publishPacket(TOPIC, 'next'));
  expect(broker.published.map(({ payload }) => payload)).toEqual(['lost', 'next']);
});

test('a missing PUBACK or CONNACK ends the connection after the timeout', async () => {
  let isAnswering = false;
  const broker = await startBroker({ onPublish: (publish) => isAnswering && publish.answer() });
  const publisher = startPublisher(broker.url, { timeoutMs: 200, maxBackoffMs: 20 });
  const published = publisher.publish(publishPacket(TOPIC, 'slow'));
  await eventually(() => publisher.lastError).toBe('no answer from the broker within 200 ms');
  isAnswering = true;
  await published;

  const silentServer = createServer(() => {}).listen(0, '127.0.0.1');
  onTestFinished(() => void silentServer.close());
  await eventually(() => silentServer.listening).toBe(true);
  const address = silentServer.address();
  const unconnected = startPublisher(`mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, {
    timeoutMs: 200,
    maxBackoffMs: 20,
  });
  await eventually(() => unconnected.lastError).toBe('no answer from the broker within 200 ms');
});

test('an idle publisher keeps its connection alive', async () => {
  const broker = await startBroker();
  const publisher = startPublisher(broker.url, { keepAliveSeconds: 1 });
  await publisher.publish(publishPacket(TOPIC, 'one'));
  await new Promise((resolve) => setTimeout(resolve, 2_500)); // a broker drops a client after 1.5 keep-alives
  await publisher.publish(publishPacket(TOPIC, 'two'));
  expect([publisher.connects, publisher.isConnected]).toEqual([1, true]);
});

test('a wrong password is reported, and a closed publisher stops at once', async () => {
  const broker = await startBroker({ passwords: new Map([['a0t/D1', 'secret']]) });
  const right = startPublisher(broker.url);
  await right.publish(publishPacket(TOPIC, 'welcome'));
  const wrong = startPublisher(broker.url, { clientId: 'other', password: 'guess' });
  await eventually(() => wrong.lastError).toBe('the broker refuses a0t/D1: user name or password');
  const never = wrong.publish(publishPacket(TOPIC, 'never'));
  await Promise.all([expect(never).rejects.toThrow(ConnectionLostError), wrong.close()]);
  await right.close();
  await eventually(() => broker.connections.size).toBe(0);
});

test('mqtts uses TLS and requires a trusted certificate', async () => {
  const files = await givenCertificate();
  const [key, cert] = await Promise.all([readFile(files.key), readFile(files.cert)]);
  const broker = await startBroker({ tls: { key, cert } });
  const trusting = startPublisher(broker.url, { tls: { ca: cert } });
  await trusting.publish(publishPacket(TOPIC, 'sealed'));
  expect(broker.published.map(({ payload }) => payload)).toEqual(['sealed']);
  const withoutAuthority = startPublisher(broker.url, { clientId: 'other' });
  await eventually(() => withoutAuthority.lastError).toMatch(/self-signed certificate/);
});
