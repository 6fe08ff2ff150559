import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConnectionLimits, MAX_HALF_OPEN } from '../../src/gateway/connection_limits.ts';

/** Measured with 16,000 devices, see bench/results/reliability.md. */
const TLS_HANDSHAKE_CPU_MS = 3.6;
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** The limits see the accepted sockets of this server. `opened` are the other ends. */
let server: Server;
const accepted: Socket[] = [];
const opened: Socket[] = [];

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => {}).resume();
    accepted.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  for (const socket of [...opened, ...accepted]) socket.destroy();
  server.close();
});

async function open(): Promise<Socket> {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const count = accepted.length;
  const client = connect(port, '127.0.0.1');
  client.on('error', () => {}).resume();
  opened.push(client);
  await expect.poll(() => accepted.length).toBeGreaterThan(count);
  const socket = accepted.at(-1);
  if (socket === undefined) throw new Error('nothing was accepted');
  return socket;
}

const HIGH_LIMITS = {
  maxConnections: 1_000,
  maxPerAddress: 1_000,
  maxHalfOpen: 1_000,
  maxHalfOpenPerAddress: 1_000,
  onFailedLogin: () => {},
};

test('all half-open connections can end their TLS handshakes in time, also if the gateway gets a fifth of a core', () => {
  expect((MAX_HALF_OPEN * TLS_HANDSHAKE_CPU_MS) / 0.2).toBeLessThan(HANDSHAKE_TIMEOUT_MS);
});

test('at the maximum of connections, the oldest half-open connection of the address with the most is closed', async () => {
  const limits = new ConnectionLimits({ ...HIGH_LIMITS, maxConnections: 4 });
  const strangers = [await open(), await open(), await open()];
  for (const socket of strangers) expect(limits.admit(socket, '192.0.2.66')).toBe(true);
  const device = await open();
  expect(limits.admit(device, '192.0.2.1')).toBe(true);
  limits.endHalfOpen(device);
  // All 4 connections are used. A device from a third address replaces the oldest stranger.
  expect(limits.admit(await open(), '192.0.2.2')).toBe(true);
  expect(strangers.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
  // The address of the strangers gets no further connection, and authenticated devices are never disconnected.
  expect(limits.admit(await open(), '192.0.2.66')).toBe(false);
  expect(device.destroyed).toBe(false);
});

test('devices that reconnect at once from many addresses do not evict each other', async () => {
  const limits = new ConnectionLimits({ ...HIGH_LIMITS, maxHalfOpen: 3 });
  const first = [await open(), await open(), await open()];
  for (const [n, socket] of first.entries()) expect(limits.admit(socket, `192.0.2.${n}`)).toBe(true);
  expect(limits.admit(await open(), '192.0.2.99')).toBe(false);
  expect(first.some(({ destroyed }) => destroyed)).toBe(false);
  // When one of them is authenticated, another connection is admitted.
  if (first[0]) limits.endHalfOpen(first[0]);
  expect(limits.admit(await open(), '192.0.2.99')).toBe(true);
});

test('each address has a limit of half-open connections and a limit of all connections', async () => {
  const limits = new ConnectionLimits({ ...HIGH_LIMITS, maxPerAddress: 3, maxHalfOpenPerAddress: 2 });
  const [first, second] = [await open(), await open()];
  expect([limits.admit(first, '192.0.2.1'), limits.admit(second, '192.0.2.1')]).toEqual([true, true]);
  expect(limits.admit(await open(), '192.0.2.1')).toBe(false);
  expect(limits.admit(await open(), '192.0.2.2')).toBe(true);
  limits.endHalfOpen(first);
  limits.endHalfOpen(second);
  expect(limits.admit(await open(), '192.0.2.1')).toBe(true);
  expect(limits.admit(await open(), '192.0.2.1')).toBe(false); // three of three
  first.destroy();
  await expect.poll(async () => limits.admit(await open(), '192.0.2.1')).toBe(true);
});

test('a connection that closes after its client has connected again from the same port does not count any longer', async () => {
  const limits = new ConnectionLimits({ ...HIGH_LIMITS, maxPerAddress: 2, maxHalfOpenPerAddress: 2 });
  const [closing, next] = [await open(), await open()];
  Object.defineProperty(next, 'remotePort', { value: closing.remotePort });
  for (const socket of [closing, next]) expect(limits.admit(socket, '192.0.2.1')).toBe(true);
  const closed = once(closing, 'close');
  closing.destroy();
  await closed;
  expect(limits.admit(await open(), '192.0.2.1')).toBe(true);
});
