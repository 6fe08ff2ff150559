import { connect } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { silentLogger } from '../../src/health/outage.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { KeyActivity } from '../../src/keys/key_activity.ts';

test.each([
  { trustedProxies: [], meaning: 'directly' },
  { trustedProxies: ['127.0.0.1'], meaning: 'behind a proxy' },
])(
  'a client that is gone before its request is handled has the address "other", $meaning',
  async ({ trustedProxies }) => {
    const activity = new KeyActivity(async () => {}, silentLogger);
    const app = createHttpServer(pino({ level: 'silent' }), { maxBodyBytes: 1_000, trustedProxies, activity });
    const addresses: unknown[] = [];
    app.get('/', async ({ address }) => {
      addresses.push(address);
      return 'hello';
    });
    app.server.prependListener('request', ({ socket }) => socket.destroy());
    const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const client = connect(Number(url.port), url.hostname).resume();
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n');
    await new Promise((resolve) => client.on('close', resolve));
    await expect.poll(() => addresses).toEqual(['other']);
    await app.close();
    await activity.close();
  },
);
