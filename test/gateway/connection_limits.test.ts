import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConnectionLimits, MAX_HALF_OPEN } from '../../src/gateway/connection_limits.ts';

/** As measured with 16,000 devices, see bench/results/reliability.md. */
const TLS_HANDSHAKE_CPU_MS = 3.6;
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Pairs of connected sockets: the server's end is what the limits see. */
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

const NONE = {
  maxConnections: 1_000,
  maxPerAddress: 1_000,
  maxHalfOpen: 1_000,
  maxHalfOpenPerAddress: 1_000,
  onFailedLogin: () => {},
};

test('all half-open connections can end their TLS handshakes in time, also if the gateway gets a fifth of a core', () => {
  expect((MAX_HALF_OPEN * TLS_HANDSHAKE_CPU_MS) / 0.2).toBeLessThan(HANDSHAKE_TIMEOUT_MS);
});

test('when all places are taken, the address with the most half-open connections makes room', async () => {
  const limits = new ConnectionLimits({ ...NONE, maxConnections: 4 });
  const strangers = [await open(), await open(), await open()];
  for (const socket of strangers) expect(limits.admit(socket, '192.0.2.66')).toBe(true);
  const device = await open();
  expect(limits.admit(device, '192.0.2.1')).toBe(true);
  limits.authenticated(device);
  // Full. A device from a third address takes the place of the oldest stranger.
  expect(limits.admit(await open(), '192.0.2.2')).toBe(true);
  expect(strangers.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
  // The strangers' address gets no more, and authenticated devices are never disconnected.
  expect(limits.admit(await open(), '192.0.2.66')).toBe(false);
  expect(device.destroyed).toBe(false);
});

test('devices that reconnect at once from many addresses do not evict each other', async () => {
  const limits = new ConnectionLimits({ ...NONE, maxHalfOpen: 3 });
  const first = [await open(), await open(), await open()];
  for (const [n, socket] of first.entries()) expect(limits.admit(socket, `192.0.2.${n}`)).toBe(true);
  expect(limits.admit(await open(), '192.0.2.99')).toBe(false);
  expect(first.some(({ destroyed }) => destroyed)).toBe(false);
  // As soon as one is authenticated there is room again.
  if (first[0]) limits.authenticated(first[0]);
  expect(limits.admit(await open(), '192.0.2.99')).toBe(true);
});

test('one address has a limit of its own, for half-open connections and for all', async () => {
  const limits = new ConnectionLimits({ ...NONE, maxPerAddress: 3, maxHalfOpenPerAddress: 2 });
  const [first, second] = [await open(), await open()];
  expect([limits.admit(first, '192.0.2.1'), limits.admit(second, '192.0.2.1')]).toEqual([true, true]);
  expect(limits.admit(await open(), '192.0.2.1')).toBe(false);
  expect(limits.admit(await open(), '192.0.2.2')).toBe(true);
  limits.authenticated(first);
  limits.authenticated(second);
  expect(limits.admit(await open(), '192.0.2.1')).toBe(true);
  expect(limits.admit(await open(), '192.0.2.1')).toBe(false); // three of three
  first.destroy();
  await expect.poll(async () => limits.admit(await open(), '192.0.2.1')).toBe(true);
});
