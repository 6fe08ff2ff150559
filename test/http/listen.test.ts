import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { listenForHttp } from '../../src/http/listen.ts';

const CALLERS = 50; // enough for several of the sockets that share the port

test('all requests are answered before the listener has closed, and no connection stays', async () => {
  const app = Fastify({ forceCloseConnections: 'idle' });
  let begun = 0;
  app.get('/slow', async () => {
    begun++;
    await sleep(300);
    return 'done';
  });
  const listener = await listenForHttp(app, { host: '127.0.0.1', port: 0 });
  const answers = Promise.all(
    Array.from({ length: CALLERS }, async () => (await fetch(`${listener.url}/slow`)).text()),
  );
  await expect.poll(() => begun).toBe(CALLERS);
  await listener.close();
  expect(new Set(await answers)).toEqual(new Set(['done']));
  await expect(fetch(`${listener.url}/slow`)).rejects.toThrow('fetch failed');
});

test('a port that another process uses is refused', async () => {
  const [first, second] = [Fastify(), Fastify()];
  const listener = await listenForHttp(first, { host: '127.0.0.1', port: 0 });
  const port = Number(new URL(listener.url).port);
  await expect(listenForHttp(second, { host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
  await Promise.all([listener.close(), second.close()]);
});
