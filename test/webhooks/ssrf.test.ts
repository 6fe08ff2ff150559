import type { LookupAddress } from 'node:dns';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { urlError as outgoingUrlError } from '../../src/http/outgoing_address.ts';
import { isPrivateAddress } from '../../src/http/private_addresses.ts';
import type { ResolveHost } from '../../src/http/resolve_host.ts';
import { WebhookSender } from '../../src/webhooks/sender.ts';

const PRIVATE_ADDRESS_ERROR = 'the host has a private address';

/** A server that listens on all addresses of this machine and counts connections. */
let server: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Host names that would reach the server on this machine. */
const LOCAL_HOSTS = [
  '127.0.0.1',
  '127.0.0.2',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433', // 127.0.0.1 as one number
  '017700000001', // 127.0.0.1 in octal
  '0x7f000001', // 127.0.0.1 in hexadecimal
  '0x7f.1',
  '0177.0.0.01',
  '127.0.0.1.', // with a trailing dot
  '%31%32%37.0.0.1', // percent-encoded
  '１２７.０.０.１', // full-width digits
  '①②⑦.⓪.⓪.①', // circled digits
  '127。0。0。1', // ideographic full stops
  '0.0.0.0',
  '0',
  '0x0',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]', // mapped IPv4
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[::ffff:0.0.0.0]',
  'localhost',
  'LOCALHOST',
];

/** Other private addresses. */
const OTHER_PRIVATE_HOSTS = [
  '10.0.0.1',
  '10.255.255.255',
  '012.0.0.1', // 10.0.0.1 in octal
  '167772161', // 10.0.0.1 as one number
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.1',
  '0xc0a80001',
  '100.64.0.1',
  '100.100.100.200', // metadata of Alibaba Cloud
  '169.254.169.254', // metadata of most clouds
  '2852039166', // 169.254.169.254 as one number
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.170.2', // container credentials of AWS
  '168.63.129.16', // Azure host agent
  '192.0.0.192', // metadata of Oracle Cloud
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '[::7f00:1]', // IPv4-compatible 127.0.0.1
  '[::a9fe:a9fe]',
  '[::ffff:10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:0:127.0.0.1]', // translated (SIIT)
  '[64:ff9b::127.0.0.1]', // NAT64
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::7f00:1]', // NAT64, local prefix
  '[2002:7f00:1::]', // 6to4 of 127.0.0.1
  '[2002:a9fe:a9fe::1]',
  '[2001:0:7f00:1::]', // Teredo
  '[2001::1]',
  '[2001:10::1]', // ORCHID
  '[2001:db8::1]',
  '[3fff::1]',
  '[fc00::1]',
  '[fd00:ec2::254]', // metadata of AWS over IPv6
  '[fd20:ce::254]', // metadata of Google Cloud over IPv6
  '[fe80::1]',
  '[fec0::1]', // site-local, deprecated
  '[ff02::1]',
  '[100::1]', // discard
  '[5f00::1]', // segment routing
  '[4000::1]', // unassigned
];

const attempt = async (url: string, options: { allowPrivate?: boolean; resolveHost?: ResolveHost } = {}) => {
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: false, timeoutMs: 500, ...options });
  const response = await sender.post(url, {}, '{}');
  await sender.close();
  return response;
};

describe('private addresses are never connected to', () => {
  for (const scheme of ['http', 'https']) {
    test(`over ${scheme}, in ${LOCAL_HOSTS.length + OTHER_PRIVATE_HOSTS.length} notations`, async () => {
      connections = 0;
      const wrong: string[] = [];
      for (const host of [...LOCAL_HOSTS, ...OTHER_PRIVATE_HOSTS]) {
        const { error } = await attempt(`${scheme}://${host}:${port}/`);
        if (error !== PRIVATE_ADDRESS_ERROR) wrong.push(`${host}: ${error}`);
      }
      expect(wrong).toEqual([]);
      expect(connections).toBe(0);
    });
  }

  test('unless private addresses are allowed: then the server of this test is reached', async () => {
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]', 'localhost']) {
      connections = 0;
      await attempt(`http://${host}:${port}/`, { allowPrivate: true });
      expect(connections, host).toBeGreaterThan(0);
    }
  });
});

/** A public address that is not routed. */
const PUBLIC = { address: '2d00::1', family: 6 };
const LOOPBACK = { address: '127.0.0.1', family: 4 };

/** Resolves any name to the first answer, then to the second, and so on; the last one repeats. */
function givenAnswers(...answers: LookupAddress[][]): { resolveHost: ResolveHost; countLookups: () => number } {
  let lookups = 0;
  const resolveHost = async () => {
    lookups++;
    return answers[Math.min(lookups, answers.length) - 1] ?? [];
  };
  return { resolveHost, countLookups: () => lookups };
}

describe.concurrent('host names', () => {
  const url = (): string => `http://rebind.example:${port}/`;
  beforeAll(() => {
    connections = 0;
  });

  test('a name that resolves to a private address is rejected', async () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '169.254.169.254', 'fe80::1%eth0']) {
      const { resolveHost } = givenAnswers([{ address, family: address.includes(':') ? 6 : 4 }]);
      expect((await attempt(url(), { resolveHost })).error, address).toBe(PRIVATE_ADDRESS_ERROR);
    }
    expect(connections).toBe(0);
  });

  test('a name that resolves to a public and then to a private address (DNS rebinding) is resolved once per request', async () => {
    const { resolveHost, countLookups } = givenAnswers([PUBLIC], [LOOPBACK]);
    const sender = new WebhookSender({ allowHttp: true, allowPrivate: false, timeoutMs: 500, resolveHost });
    const first = await sender.post(url(), {}, '{}');
    expect([first.status, countLookups()]).toEqual([null, 1]);
    expect((await sender.post(url(), {}, '{}')).error).toBe(PRIVATE_ADDRESS_ERROR);
    expect((await sender.post(url(), {}, '{}')).error).toBe(PRIVATE_ADDRESS_ERROR);
    await sender.close();
    expect(connections).toBe(0);
  });

  test('the private address of a name that also has a public one is never used', async () => {
    const answers = [
      [PUBLIC, LOOPBACK],
      [LOOPBACK, PUBLIC],
    ];
    const responses = await Promise.all(answers.map((answer) => attempt(url(), givenAnswers(answer))));
    expect(responses.map(({ status }) => status)).toEqual([null, null]);
    expect(connections).toBe(0);
  });
});

test('public addresses are not private, and a text that is not an address counts as private', () => {
  for (const address of ['1.1.1.1', '8.8.8.8', '172.15.0.1', '172.32.0.1', '100.63.0.1', '100.128.0.1', '192.0.1.1']) {
    expect(isPrivateAddress(address), address).toBe(false);
  }
  for (const address of ['2606:4700::1111', '2a00:1450::1', '2001:4860:4860::8888', '2003::1']) {
    expect(isPrivateAddress(address), address).toBe(false);
  }
  for (const notAnAddress of ['', 'example.com', '1.2.3', '256.1.1.1'])
    expect(isPrivateAddress(notAnAddress), notAnAddress).toBe(true);
});

test('an endpoint URL is https without user name and fragment, and http only if allowed', () => {
  const urlError = (url: string, allowHttp = false) => outgoingUrlError(url, { allowHttp });
  expect(urlError('https://example.com/hook?x=1')).toBeUndefined();
  expect(urlError('http://example.com/hook', true)).toBeUndefined();
  for (const bad of [
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_x',
    'javascript:alert(1)',
    'https://user:password@example.com/',
    'https://user@example.com/',
    'https://example.com/#x',
    'example.com',
    '',
  ]) {
    expect(urlError(bad), bad).toBeTypeOf('string');
  }
});
