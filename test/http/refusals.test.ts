import { Agent, createServer, get } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Refusals } from '../../src/http/refusals.ts';

test('a connection that is refused again and again keeps nothing of the refusals before', async () => {
  const refusals = new Refusals();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    refusals.add(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const refused = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', agent }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      }).on('error', reject);
    });
  const listeners = (): number[] => [...sockets].map((socket) => socket.listenerCount('close'));

  expect(await refused()).toBe(503);
  const before = listeners();
  for (let n = 0; n < 5; n++) expect(await refused()).toBe(503);
  expect(listeners()).toEqual(before);
});
