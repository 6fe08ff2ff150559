import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Proxy, startNginxProxy } from '../../engines/nginx.ts';
import { startPlainNginxRouter, startRouter } from '../../engines/router.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { eventually } from '../support/broker.ts';
import { isWhole } from '../support/whole_tests.ts';

const HOST = 'a.example.com';

/** A server in place of api and gateway that answers everything at once, so that only the limits of a proxy are tested. */
let upstream: Server;
let arrived = 0;

beforeAll(async () => {
  upstream = createServer((incoming, response) => {
    if (incoming.url !== '/readyz') arrived++;
    incoming.resume();
    response.end('{}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});
afterAll(() => upstream.close());

const STARTS: Readonly<Record<string, (port: number) => Promise<Proxy>>> = {
  nginx: (port) => startNginxProxy({ api: port, gateway: port }),
  'the router with HAProxy': (port) => startRouter([cellAt(port)]),
  'the router with nginx': (port) => startPlainNginxRouter([cellAt(port)]),
};
const cellAt = (port: number) => ({
  name: 'a',
  slots: ['a0'],
  host: HOST,
  apiPort: port,
  ingestPort: port,
  mqttPort: port,
});

describe.each(Object.entries(STARTS).slice(0, isWhole('router/limits') ? undefined : 1))('%s', (_name, start) => {
  let proxy: Proxy;
  let url = '';
  beforeAll(async () => {
    proxy = await start((upstream.address() as AddressInfo).port);
    url = `http://127.0.0.1:${proxy.httpPort}`;
  });
  afterAll(() => proxy.stop());

  const connectionsOf = (connections: number): Agent => {
    const agent = new Agent({ connections });
    onTestFinished(() => agent.destroy());
    return agent;
  };
  const get = (key: string, dispatcher: Agent) =>
    request(`${url}/v1/tanks`, { headers: { 'x-api-key': key, host: HOST }, dispatcher });

  test('a key can send a burst of 1,000 requests and then 100 a second', async () => {
    const key = makeKey('a0').text;
    const agent = connectionsOf(200);
    const statuses: number[] = [];
    const send = async (): Promise<void> => {
      const { statusCode, body } = await get(key, agent);
      await body.dump();
      statuses.push(statusCode);
    };
    await Promise.all(Array.from({ length: 1_000 }, send));
    for (let n = 0; n < 30; n++) {
      await Promise.all(Array.from({ length: 10 }, send));
      await sleep(100);
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  test('a flood of one key gets 429 with Retry-After as a problem, and another key is served', async () => {
    const [key, other] = [makeKey('a0').text, makeKey('a0').text];
    const agent = connectionsOf(50);
    const refusals: string[] = [];
    await Promise.all(
      Array.from({ length: 4_000 }, async () => {
        const { statusCode, headers, body } = await get(key, agent);
        const text = await body.text();
        if (statusCode !== 200)
          refusals.push([statusCode, headers['retry-after'], headers['content-type'], text].join(' '));
      }),
    );
    expect(refusals.length).toBeGreaterThan(1_000);
    const wanted =
      /^429 1 application\/problem\+json; charset=utf-8 {"type".*"status":429.*"code":"rate_limited","request_id":"[\w-]+"}$/;
    expect(refusals.filter((refusal) => !wanted.test(refusal))).toEqual([]);
    expect((await get(other, agent)).statusCode).toBe(200);
  });

  test('a request whose body does not arrive does not reach the api, and its connection is closed', async () => {
    const before = arrived;
    const sockets = Array.from({ length: 20 }, () => {
      const socket = connect(proxy.httpPort, '127.0.0.1').on('error', () => {});
      socket.write(`POST /session/mails HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 100\r\n\r\n{`);
      return socket.resume();
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await eventually(() => sockets.filter(({ closed }) => closed).length).toBe(20);
    expect(arrived).toBe(before);
  });
});
