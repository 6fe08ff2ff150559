import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { listenForHttp } from '../../src/http/listen.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { within } from '../support/stopwatch.ts';

test.each([
  { sent: '', answer: /^$/, meaning: 'a connection without a request is closed without an answer' },
  { sent: 'GET / HTT', answer: /^HTTP\/1.1 400 .*took too long to arrive/s, meaning: 'half a request gets an answer' },
])('after headersTimeout, $meaning', async ({ sent, answer }) => {
  const app = createHttpServer(pino({ level: 'silent' }), { maxBodyBytes: 1_000, trustedProxies: [] });
  app.server.headersTimeout = 100;
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(url.port), url.hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  socket.write(sent);
  await new Promise((resolve) => socket.on('close', resolve));
  expect(received).toMatch(answer);
  await app.close();
});

test.each([
  { sent: '', meaning: 'such as those that browsers open in advance' },
  { sent: 'GET / HTT', meaning: 'half a request' },
  { sent: 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nhalf', meaning: 'half a body' },
])('a server that stops does not wait for requests that do not arrive: $meaning', async ({ sent }) => {
  const app = createHttpServer(pino({ level: 'silent' }), { maxBodyBytes: 1_000, trustedProxies: [] });
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.post('/', async () => 'done');
  app.server.requestTimeout = 500;
  const listener = await listenForHttp(app, { host: '127.0.0.1', port: 0 });
  const { port, hostname } = new URL(listener.url);
  // Several, because the server listens on several sockets.
  const sockets = Array.from({ length: 10 }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.on('error', () => undefined); // the server may reset a connection
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write(sent);
  await setTimeout(100); // until the server has read it
  await within(2_000, () => listener.close());
});
