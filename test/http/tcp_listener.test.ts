import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { listenOnTcp } from '../../src/http/tcp_listener.ts';

test('many connections at once are accepted in few turns of the event loop', async () => {
  let accepted = 0;
  const listener = await listenOnTcp({
    host: '127.0.0.1',
    port: 0,
    sockets: 16,
    onConnection(socket) {
      accepted++;
      socket.on('error', () => {}).resume();
    },
  });
  const clients = Array.from({ length: 160 }, () => connect(listener.port, '127.0.0.1').on('error', () => {}));
  let turns = 0;
  while (accepted < clients.length && turns < 1_000) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    turns++;
  }
  expect([accepted, turns < 80]).toEqual([160, true]); // one socket would need 160 turns
  for (const client of clients) client.destroy();
  await listener.close();
});

test('a port that another process uses is refused', async () => {
  const first = await listenOnTcp({ host: '127.0.0.1', port: 0, sockets: 2, onConnection: () => {} });
  await expect(
    listenOnTcp({ host: '127.0.0.1', port: first.port, sockets: 2, onConnection: () => {} }),
  ).rejects.toThrow('EADDRINUSE');
  await first.close();
});
