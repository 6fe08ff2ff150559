import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NameServer, startNameServer } from '../../engines/name_server.ts';
import { createResolver } from '../../src/http/resolve_host.ts';
import { WebhookSender } from '../../src/webhooks/sender.ts';
import { within } from '../support/stopwatch.ts';

/** Answers for names under honest.test and never for others. */
let nameServer: NameServer;
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(204, { connection: 'close' }).end();
});
let port: number;

beforeAll(async () => {
  nameServer = await startNameServer();
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  ({ port } = receiver.address() as AddressInfo);
});
afterAll(() => {
  nameServer.stop();
  receiver.close();
});

test('hosts whose name server does not answer do not delay webhooks to other hosts', async () => {
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: true, dnsServers: [nameServer.address] });
  const hanging = Array.from({ length: 40 }, (_, n) => sender.post(`http://h${n}.hangs.test:${port}/`, {}, '{}'));
  const answers: Awaited<(typeof hanging)[number]>[] = [];
  for (let n = 0; n < 10; n++)
    await within(1_500, async () => answers.push(await sender.post(`http://n${n}.honest.test:${port}/`, {}, '{}')));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 204));
  const failed = await Promise.all(hanging);
  expect(new Set(failed.map(({ error }) => error))).toEqual(new Set(['the name server did not answer in time']));
  await sender.close();
});

test('an address from a name server is filtered like any other', async () => {
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: false, dnsServers: [nameServer.address] });
  expect(await sender.post(`http://honest.test:${port}/`, {}, '{}')).toMatchObject({
    status: null,
    error: 'the host has a private address',
  });
  await sender.close();
});

test('localhost and names below it are resolved without a name server', async () => {
  const before = nameServer.ignored;
  const resolve = createResolver([nameServer.address]);
  for (const name of ['localhost', 'LOCALHOST.', 'db.localhost']) {
    expect((await resolve(name)).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  }
  expect(nameServer.ignored).toBe(before);
});
