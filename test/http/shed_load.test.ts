import { connect } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { Outage, silentLogger } from '../../src/health/outage.ts';
import { createHttpServer, registerHealth } from '../../src/http/server.ts';
import { shedLoad } from '../../src/http/shed_load.ts';
import { KeyVerifier } from '../../src/keys/key_verifier.ts';
import { eventually } from '../support/broker.ts';
import { givenKey, givenOrganization } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { test } from '../support/test.ts';

test('an overloaded server refuses the busiest sender with 503 and Retry-After, and serves the others and the probes', async ({
  database,
  readers,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const [busy, quiet] = [
    await givenKey(database.operator, { organizationNo }),
    await givenKey(database.operator, { organizationNo }),
  ];
  const verifier = new KeyVerifier(readers, { outage: new Outage(silentLogger, 'following changes to keys') });
  await verifier.start();
  onTestFinished(() => verifier.close());
  for (const { text } of [busy, quiet]) expect(await verifier.verify(text)).toBeDefined();

  const state = { waitingReads: 0 };
  const logger = pino({ level: 'silent' });
  const app = createHttpServer(logger, { maxBodyBytes: 1_000, trustedProxies: [] });
  shedLoad(app, { logger, verifiers: [verifier], waitingReads: () => state.waitingReads });
  app.get('/work', async () => ({ done: true }));
  registerHealth(app, async () => []);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  /** Sends all requests at once over one connection, and returns the heads and bodies of the answers. */
  const answers = (key: string, requests: number): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const text = `GET /work HTTP/1.1\r\nHost: api\r\nX-Request-Id: mine\r\nX-API-Key: ${key}\r\n\r\n`;
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text.repeat(requests)));
      let received = '';
      const parts = (): string[] => received.split('HTTP/1.1 ').slice(1);
      socket.on('error', reject).on('close', () => resolve(parts()));
      socket.on('data', (chunk) => {
        received += chunk.toString();
        if (parts().length === requests && received.endsWith('}')) socket.destroy();
      });
    });
  const served = async (key: string, requests: number): Promise<number> =>
    (await answers(key, requests)).filter((answer) => answer.startsWith('200 ')).length;

  expect(await served(busy.text, 80)).toBe(80);
  state.waitingReads = 10_000;
  await eventually(() => served(busy.text, 80)).toBeLessThan(40);
  const refused = (await answers(busy.text, 80)).find((answer) => !answer.startsWith('200 ')) ?? '';
  expect(refused).toMatch(/^503 /);
  for (const header of ['retry-after: 1', 'content-type: application/problem+json', 'x-request-id: mine'])
    expect(refused.toLowerCase()).toContain(header);
  expect(JSON.parse(refused.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'unavailable', request_id: 'mine' });

  // A client that never waits for an answer loses its connection, after answers.
  const many = await answers(busy.text, 1_000);
  expect(many.length).toBeLessThan(200);
  expect(many.every((answer) => /^(200|503) /.test(answer))).toBe(true);
  expect(many.at(-1)?.toLowerCase()).toContain('connection: close');

  const flooding = answers(busy.text, 80);
  expect(await served(quiet.text, 2)).toBe(2);
  for (const probe of ['/healthz', '/readyz']) expect((await callApi(url, probe)).status).toBe(200);
  await flooding;
  state.waitingReads = 0;
  await eventually(() => served(busy.text, 80)).toBe(80);
});
