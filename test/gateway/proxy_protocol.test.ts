import { readFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { givenCertificate } from '../support/certificate.ts';
import { givenSender, ingestEnvironment, startGateway, test } from '../support/ingest.ts';
import { connectDevice, publish, READING, topicOf } from '../support/mqtt.ts';
import { untilTestEnds } from '../support/test.ts';

const SIGNATURE = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a];

const ipv4Header = (address: string): Buffer =>
  Buffer.from([
    ...SIGNATURE,
    0x21,
    0x11,
    0,
    12,
    ...address.split('.').map(Number),
    127,
    0,
    0,
    1,
    0x30,
    0x39,
    0x07,
    0x5b,
  ]);
const ipv6Header = Buffer.concat([
  Buffer.from(SIGNATURE),
  Buffer.from('21210024', 'hex'),
  Buffer.from('20010db8000100020000000000000001', 'hex'),
  Buffer.alloc(20),
]);
const localHeader = Buffer.from([...SIGNATURE, 0x20, 0x00, 0, 0]);

/** A TCP proxy that puts a header before each connection. */
async function startProxy(gatewayPort: number, header: Buffer): Promise<number> {
  const server = createServer((client) => {
    const gateway = connect(gatewayPort, '127.0.0.1');
    for (const socket of [client, gateway]) socket.on('error', () => {});
    gateway.write(header);
    client.pipe(gateway).pipe(client);
    client.once('close', () => gateway.destroy());
    gateway.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

test('behind a proxy, limits count by the address of the PROXY header', async ({ database }) => {
  const environment = ingestEnvironment(database, {
    GATEWAY_PROXY_PROTOCOL: 'on',
    GATEWAY_MAX_CONNECTIONS_PER_ADDRESS: '1',
  });
  const gateway = await untilTestEnds(startGateway(environment));
  const { organizationCode } = await givenSender(database, ['P1', 'P2', 'P3', 'P4', 'P5', 'P8', 'P9']);
  const device = (deviceId: string) => ({ organizationCode, deviceId });
  const first = await startProxy(gateway.mqttPort, ipv4Header('192.0.2.1'));
  const clients = [await connectDevice(first, device('P1'))];
  await expect(connectDevice(first, device('P2'))).rejects.toThrow();
  for (const [header, id] of [
    [ipv4Header('192.0.2.2'), 'P3'] as const,
    [ipv6Header, 'P4'] as const,
    [localHeader, 'P5'] as const,
    [Buffer.from('PROXY TCP4 192.0.2.8 127.0.0.1 12345 8883\r\n'), 'P8'] as const,
    [Buffer.from('PROXY TCP6 2001:db8:9::1 ::1 12345 8883\r\n'), 'P9'] as const,
  ]) {
    const client = await connectDevice(await startProxy(gateway.mqttPort, header), device(id));
    expect(await publish(client, topicOf(device(id)), READING)).toBe('acknowledged');
    clients.push(client);
  }
  await Promise.all(clients.map((client) => client.endAsync()));
});

test('behind a proxy, limits also count by the address of a header of version 1, even if it arrives byte by byte', async ({
  database,
}) => {
  const gateway = await untilTestEnds(
    startGateway(
      ingestEnvironment(database, { GATEWAY_PROXY_PROTOCOL: 'on', GATEWAY_MAX_CONNECTIONS_PER_ADDRESS: '1' }),
    ),
  );
  const { organizationCode } = await givenSender(database, ['V1', 'V2']);
  const header = Buffer.from('PROXY TCP4 192.0.2.1 127.0.0.1 12345 8883\r\n');
  const proxyPort = await startProxy(gateway.mqttPort, header);
  const client = await connectDevice(proxyPort, { organizationCode, deviceId: 'V1' });
  await expect(connectDevice(proxyPort, { organizationCode, deviceId: 'V2' })).rejects.toThrow();
  await client.endAsync();

  const slow = connect(gateway.mqttPort, '127.0.0.1').setNoDelay();
  onTestFinished(() => void slow.destroy());
  for (const byte of header) await new Promise((resolve) => slow.write(Buffer.of(byte), resolve));
  slow.write(Buffer.from('101000044d5154540402003c000474657374', 'hex')); // CONNECT without a user name
  const [answer] = await new Promise<[Buffer]>((resolve) => slow.once('data', (data) => resolve([data])));
  expect(answer[0]).toBe(0x20); // CONNACK: the header was understood
});

test('behind a proxy, a connection without a valid header is closed', async ({ database }) => {
  const gateway = await untilTestEnds(startGateway(ingestEnvironment(database, { GATEWAY_PROXY_PROTOCOL: 'on' })));
  const { organizationCode } = await givenSender(database, ['P6']);
  await expect(connectDevice(gateway.mqttPort, { organizationCode, deviceId: 'P6' })).rejects.toThrow();
  for (const header of [
    'PROXY TCP4 nobody 127.0.0.1 12345 1883\r\n',
    `PROXY TCP4 ${'1'.repeat(200)}`,
    'GET / HTTP/1.1\r\n',
  ]) {
    const socket = connect(gateway.mqttPort, '127.0.0.1').on('error', () => {});
    socket.write(header);
    socket.resume();
    await closed(socket);
  }
});

test('with auto, a connection of this machine may begin with a header, with TLS or without', async ({ database }) => {
  const { cert, key } = await givenCertificate();
  const secure = { GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key };
  const { organizationCode } = await givenSender(database, ['A1', 'A2', 'A3', 'A4']);
  for (const [tls, withHeader, without] of [[{}, 'A1', 'A2'] as const, [secure, 'A3', 'A4'] as const]) {
    const environment = ingestEnvironment(database, {
      GATEWAY_PROXY_PROTOCOL: 'auto',
      GATEWAY_MAX_CONNECTIONS_PER_ADDRESS: '1',
      ...tls,
    });
    const gateway = await untilTestEnds(startGateway(environment));
    const proxyPort = await startProxy(gateway.mqttPort, Buffer.from('PROXY TCP4 192.0.2.8 127.0.0.1 12345 8883\r\n'));
    const options = tls === secure ? { protocol: 'mqtts' as const, rejectUnauthorized: false } : {};
    // Only one connection of each address is allowed, and the header names another address than that of this machine.
    for (const [port, deviceId] of [[proxyPort, withHeader] as const, [gateway.mqttPort, without] as const]) {
      const client = await connectDevice(port, { organizationCode, deviceId, ...options });
      onTestFinished(() => client.endAsync(true));
      expect(await publish(client, topicOf({ organizationCode, deviceId }), READING)).toBe('acknowledged');
    }
  }
});

test('a PROXY header may come before TLS', async ({ database }) => {
  const { cert, key } = await givenCertificate();
  const environment = ingestEnvironment(database, {
    GATEWAY_PROXY_PROTOCOL: 'on',
    GATEWAY_TLS_CERT: cert,
    GATEWAY_TLS_KEY: key,
  });
  const gateway = await untilTestEnds(startGateway(environment));
  const { organizationCode } = await givenSender(database, ['P7']);
  const device = { organizationCode, deviceId: 'P7' };
  const port = await startProxy(gateway.mqttPort, ipv4Header('192.0.2.7'));
  const client = await connectDevice(port, { ...device, protocol: 'mqtts', ca: await readFile(cert) });
  expect(await publish(client, topicOf(device), READING)).toBe('acknowledged');
  await client.endAsync();
});
