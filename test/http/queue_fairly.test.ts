import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect } from 'vitest';
import { Outage, silentLogger } from '../../src/health/outage.ts';
import { queueFairly } from '../../src/http/queue_fairly.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { KeyVerifier } from '../../src/keys/key_verifier.ts';
import { eventually } from '../support/broker.ts';
import { givenKey, givenOrganization } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { test as base } from '../support/test.ts';

interface Server {
  url: string;
  /** A key that the server knows. */
  key: string;
  /** The number of requests to /held and /elsewhere in progress. They end with `release`. */
  held(): number;
  release(): void;
  /** Sends text over a connection of its own, and reads answers only if `isRead`. */
  send(text: string, options?: { from?: string; isRead?: boolean }): { socket: Socket; received: () => string };
}

const test = base.extend<{ server: Server }>({
  server: async ({ database, readers }, use) => {
    const organizationNo = await givenOrganization(database.operator);
    const { text: key } = await givenKey(database.operator, { organizationNo });
    const keys = new KeyVerifier(readers, { outage: new Outage(silentLogger, 'following changes to keys') });
    await keys.start();
    expect(await keys.verify(key)).toBeDefined();
    const app = createHttpServer(pino({ level: 'silent' }), { maxBodyBytes: 1_000, trustedProxies: ['127.0.0.1'] });
    queueFairly(app, { keys, maxInProgress: 2, reservedPerGroup: 1 });
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    let waiting: (() => void)[] = [];
    app.get('/held', () => new Promise((resolve) => waiting.push(() => resolve('released'))));
    app.get('/elsewhere', (request) => {
      request.leaveQueue();
      return new Promise((resolve) => waiting.push(() => resolve('released')));
    });
    app.get('/work', async () => 'done');
    app.get('/large', async () => Buffer.alloc(20_000_000, 'x'));
    app.post('/upload', async () => 'stored');
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const sockets: Socket[] = [];
    await use({
      url,
      key,
      held: () => waiting.length,
      release() {
        for (const end of waiting.splice(0)) end();
      },
      send(text, { from = '127.0.0.1', isRead = false } = {}) {
        const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: from });
        let received = '';
        socket.on('error', () => {});
        socket.on('data', (chunk) => {
          received += chunk.toString();
        });
        if (!isRead) socket.pause();
        socket.write(text);
        sockets.push(socket);
        return { socket, received: () => received };
      },
    });
    for (const socket of sockets) socket.destroy();
    for (const end of waiting) end();
    waiting = [];
    await app.close();
    keys.close();
  },
});

const get = (path: string, headers: Record<string, string> = {}): string =>
  `GET ${path} HTTP/1.1\r\nHost: api\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
const unfinishedPost = 'POST /upload HTTP/1.1\r\nHost: api\r\nContent-Length: 100\r\n\r\n{';
const statusOf = async (url: string, path: string, headers: Record<string, string> = {}): Promise<number> =>
  (await callApi(url, path, { headers })).status;

test('requests with the public prefix of a key but without its secret use no slot of the key', async ({ server }) => {
  const forged = { 'x-api-key': `${server.key.split('.')[0]}.secret` };
  for (let n = 0; n < 5; n++) server.send(get('/held', forged), { from: '127.0.0.66' });
  await eventually(() => server.held()).toBe(2);
  expect(await statusOf(server.url, '/work', { 'x-api-key': server.key })).toBe(200);
});

test('behind a trusted proxy, the address in its header is the sender', async ({ server }) => {
  for (let n = 0; n < 5; n++) server.send(get('/held', { 'x-forwarded-for': '203.0.113.7' }));
  await eventually(() => server.held()).toBe(2);
  expect(await statusOf(server.url, '/work', { 'x-forwarded-for': '203.0.113.8' })).toBe(200);
  const sameSender = statusOf(server.url, '/work', { 'x-forwarded-for': '203.0.113.7' });
  expect(await Promise.race([sameSender, sleep(300, 'waits')])).toBe('waits');
  for (let n = 0; n < 3; n++) {
    await eventually(() => server.held()).toBeGreaterThan(0);
    server.release();
  }
  expect(await sameSender).toBe(200);
});

test('probes are answered while their sender uses all its slots', async ({ server }) => {
  for (let n = 0; n < 5; n++) server.send(get('/held'));
  await eventually(() => server.held()).toBe(2);
  expect(await statusOf(server.url, '/healthz')).toBe(404); // this server has no route for it
});

test('a request whose body has not arrived, and one whose answer is not read, use no slot of their sender', async ({
  server,
}) => {
  for (let n = 0; n < 20; n++) server.send(unfinishedPost);
  for (let n = 0; n < 20; n++) server.send(get('/large'));
  await sleep(200);
  for (let n = 0; n < 10; n++) expect(await statusOf(server.url, '/work')).toBe(200);
});

test('a request that has left the queue uses no slot', async ({ server }) => {
  for (let n = 0; n < 20; n++) server.send(get('/elsewhere'));
  await eventually(() => server.held()).toBe(20);
  expect(await statusOf(server.url, '/work')).toBe(200);
  server.release();
});

test('if a sender has more than 32 requests whose bodies have not arrived, its oldest connections are closed', async ({
  server,
}) => {
  const other = server.send(unfinishedPost, { from: '127.0.0.66', isRead: true });
  await sleep(100);
  const requests = Array.from({ length: 100 }, () => server.send(unfinishedPost, { isRead: true }));
  const open = (): number => requests.filter(({ socket }) => !socket.closed).length;
  await eventually(open).toBe(32);
  other.socket.write('x'.repeat(99));
  await eventually(() => other.received()).toContain('stored');
  expect(open()).toBe(32);
});

test('pipelined requests are served one after the other, and a connection with more than 64 is closed', async ({
  server,
}) => {
  const { received } = server.send(get('/work').repeat(64), { isRead: true });
  await eventually(() => received().split('HTTP/1.1 200').length - 1).toBe(64);

  server.send(get('/held').repeat(10));
  await eventually(() => server.held()).toBe(1);
  await sleep(100);
  expect(server.held()).toBe(1);

  const many = server.send(get('/work').repeat(2_000), { isRead: true });
  await eventually(() => many.socket.closed).toBe(true);
});

test('a sender with too many requests gets 503 with Retry-After', async ({ server }) => {
  const requests = Array.from({ length: 1_010 }, () => server.send(get('/held'), { isRead: true }));
  const refused = (): string[] => requests.map(({ received }) => received()).filter((text) => text !== '');
  await eventually(() => refused().length).toBe(8); // two are in progress, and 1,000 wait
  for (const text of refused()) expect(text).toMatch(/^HTTP\/1.1 503 .*\r\nretry-after: 1\r\n.*"code":"unavailable"/s);
  expect(await statusOf(server.url, '/work', { 'x-api-key': server.key })).toBe(200);
});
