import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { runLoad } from '../../bench/load_client/load.ts';
import { connectPacket } from '../../bench/load_client/mqtt_packets.ts';
import { startReads } from '../../bench/load_client/read_load.ts';
import { type Installation, startInstallation } from '../../engines/installation.ts';
import type { RoleProcess } from '../../engines/process.ts';
import {
  checkShippedConfiguration,
  type RoutedCell,
  type Router,
  startNginxRouter,
  startRouter,
} from '../../engines/router.ts';
import { issueOneKey } from '../../engines/tenant.ts';
import { setSessionCookie } from '../../src/http/session_cookie.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { linkSecrets } from '../../src/keys/own_secrets.ts';
import { makeLink } from '../../src/mail/signed_links.ts';
import { mqttIdentity } from '../../src/simulation/device_login.ts';
import { eventually } from '../support/broker.ts';
import { type CallOptions, callApi, type Response } from '../support/http.ts';

/** A complete installation: PostgreSQL, nats-server, and a process with api, gateway, writer and worker. */
interface Cell {
  routed: RoutedCell;
  installation: Installation;
  roles: RoleProcess;
  readKey: string;
  linkPath: string;
}

const LINK_SECRETS = {
  a: 'link secret of cell a, long enough to be one',
  b: 'link secret of cell b, long enough to be one',
};

async function startCell(name: 'a' | 'b', slot: string, devices: number): Promise<Cell> {
  const installation = await startInstallation({
    devices,
    organizationCode: `${slot}fleet`,
    settings: {
      GATEWAY_PROXY_PROTOCOL: 'on',
      TRUSTED_PROXIES: '127.0.0.1',
      CONSOLE: 'off',
      LINK_SECRET: LINK_SECRETS[name],
    },
  });
  const { owner, organizationNo, ports } = installation;
  const { rows } = await owner.query<{ id: string; email: string; code: string }>(
    'select c.id, c.email, o.code from organizations o join customers c on c.organization_no = o.no',
  );
  const [{ id, email, code } = { id: '', email: '', code: '' }] = rows;
  const [linkSecret] = linkSecrets({ linkSecrets: [LINK_SECRETS[name]], secretsKeys: [''] }, code, null);
  const roles = await installation.start('all');
  return {
    routed: {
      name,
      slots: [slot],
      host: `${name}.example.com`,
      apiPort: ports.api,
      ingestPort: ports.http,
      mqttPort: ports.mqtt,
    },
    installation,
    roles,
    readKey: await issueOneKey(owner, { organizationNo }),
    linkPath: `/links/${makeLink(linkSecret, 'unsubscribe', id, email, Date.now())}`,
  };
}

/** The cells have different numbers of tanks and devices, so that a total shows which cell answered. */
const [TANKS_OF_A, TANKS_OF_B] = [3, 7];
let a: Cell;
let b: Cell;
let router: Router;

beforeAll(async () => {
  [a, b] = await Promise.all([startCell('a', 'a0', TANKS_OF_A), startCell('b', 'b1', TANKS_OF_B)]);
  router = await startRouter([a.routed, b.routed]);
  await vi.waitFor(
    async () => {
      for (const { routed } of [a, b])
        for (const kind of ['api', 'ingest', 'mqtt']) expect(await activeServers(`${routed.name}_${kind}`)).toBe(1);
    },
    { timeout: 120_000, interval: 100 },
  );
});

afterAll(async () => {
  await router.stop();
  await Promise.all([a.installation.stop(), b.installation.stop()]);
});

const call = (path: string, options?: CallOptions): Promise<Response> =>
  callApi(`http://127.0.0.1:${router.httpPort}`, path, options);

async function activeServers(backend: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${router.metricsPort}/metrics`);
  const line = new RegExp(`^haproxy_backend_active_servers{proxy="${backend}"} (\\d+)$`, 'm');
  return Number(line.exec(await response.text())?.[1]);
}

/** A slot that no cell serves, in a key that is well-formed. */
const unknownKey = makeKey('zz').text;
const cookieOf = (text: string): string => setSessionCookie(text, { isOwner: false }).split(';')[0] ?? '';

test('HAProxy and nginx accept the shipped configuration', checkShippedConfiguration);

test('a key, a session, a sign-in and a link in a mail reach the cell of their organization', async () => {
  for (const [{ readKey, linkPath, routed }, other, tanks] of [
    [a, b, TANKS_OF_A],
    [b, a, TANKS_OF_B],
  ] as const) {
    expect((await call('/v1/tanks', { key: readKey })).json.total_items).toBe(tanks);

    const signIn = await call('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: readKey }),
    });
    expect(signIn.status).toBe(204);
    const cookie = String(signIn.headers['set-cookie']).split(';')[0] ?? '';
    expect((await call('/v1/tanks', { headers: { cookie: `theme=dark; ${cookie}` } })).json.total_items).toBe(tanks);
    expect((await call('/session', { headers: { cookie } })).json.object).toBe('session');

    const host = routed.host;
    expect((await call(linkPath, { headers: { host } })).status).toBe(200);
    expect((await call(linkPath, { headers: { host: other.routed.host } })).status).toBe(404);
  }
});

test('a key of a slot that no cell serves gets the same 401 as an unknown key of a known cell', async () => {
  const ofCell = await call('/v1/tanks', { key: makeKey('a0').text, headers: { 'x-request-id': 'same' } });
  const options: CallOptions[] = [{ key: unknownKey }, { key: 'x' }, { headers: { cookie: cookieOf(unknownKey) } }];
  for (const { key, headers } of options) {
    const given = { headers: { 'x-request-id': 'same', ...headers }, ...(key !== undefined && { key }) };
    for (const path of ['/v1/tanks', '/fleet/v1/tanks', '/ingest/readings']) {
      const refused = await call(path, given);
      expect([path, refused.status, refused.json]).toEqual([path, 401, ofCell.json]);
      for (const name of [
        'content-type',
        'www-authenticate',
        'cache-control',
        'x-request-id',
        'x-content-type-options',
      ])
        expect([name, refused.headers[name]]).toEqual([name, ofCell.headers[name]]);
    }
  }
  const body = JSON.stringify({ api_key: unknownKey });
  expect((await call('/session', { method: 'POST', body })).status).toBe(401);
  // A request id that is not safe to return is replaced.
  const { request_id } = (await call('/v1/tanks', { key: unknownKey, headers: { 'x-request-id': '"' } })).json;
  expect(request_id).toMatch(/^[0-9a-f-]{36}$/);
});

test('requests without a credential are answered by any cell', async () => {
  expect((await call('/openapi.json')).status).toBe(200);
  expect((await call('/v1/tanks')).json.detail).toBe('Send your API key in the header X-API-Key.');
  expect((await call('/ingest/readings', { method: 'POST' })).json.detail).toBe(
    'Send your API key in the header X-API-Key.',
  );
  expect((await call('/nothing')).status).toBe(404);
  // It is unknown which cell would send the mail, so no cell may answer that a mail is on its way.
  const mail = await call('/session/mails', { method: 'POST', body: '{"email": "maria@example.com"}' });
  expect([mail.status, mail.json.detail]).toEqual([404, expect.stringContaining('at the address of your own one')]);
});

/** The first bytes of the answer of the router. Empty if it closes the connection without an answer. */
function answerTo(packets: readonly Buffer[], pauseMs = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port: router.mqttsPort, ca: router.certificate });
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString('hex'));
    });
    socket.once('close', () => resolve(''));
    socket.once('error', reject);
    const send = async (): Promise<void> => {
      for (const packet of packets) {
        socket.write(packet);
        if (pauseMs > 0) await sleep(pauseMs);
      }
    };
    socket.once('secureConnect', () => void send());
  });
}

const connectAs = (username: string, password: string): Buffer =>
  connectPacket({ clientId: username, username, password, keepAliveSeconds: 60 });

test('a device reaches the cell of its user name, an unknown slot gets CONNACK 5, and other protocols are disconnected', async () => {
  for (const { installation } of [a, b]) {
    const [device] = installation.devices;
    if (device === undefined) throw new Error('the cell has no device');
    const { username } = mqttIdentity(device);
    expect(await answerTo([connectAs(username, device.password)])).toBe('20020000');
    // The cell refuses a wrong password.
    expect(await answerTo([connectAs(username, 'wrong')])).toBe('20020005');
    // The CONNECT may arrive in many pieces.
    const bytes = [...connectAs(username, device.password)].map((byte) => Buffer.from([byte]));
    expect(await answerTo(bytes, 2)).toBe('20020000');
  }
  expect(await answerTo([connectAs('zzfleet/DEV000000', 'any')])).toBe('20020005');
  expect(await answerTo([connectAs('', 'any')])).toBe('20020005');
  expect(await answerTo([Buffer.from('GET / HTTP/1.1\r\n\r\n')])).toBe('');
});

test('nginx routes HTTP to the same cells as HAProxy', async () => {
  const nginx = await startNginxRouter([a.routed, b.routed]);
  onTestFinished(() => nginx.stop());
  const get = async (path: string, headers: Record<string, string>): Promise<{ status: number; body: string }> => {
    const dispatcher = new Agent({ connect: { ca: nginx.certificate } });
    const { statusCode, body } = await request(`https://127.0.0.1:${nginx.httpsPort}${path}`, { headers, dispatcher });
    const text = await body.text();
    await dispatcher.close();
    return { status: statusCode, body: text };
  };
  for (const [{ readKey, routed, linkPath }, tanks] of [
    [a, TANKS_OF_A],
    [b, TANKS_OF_B],
  ] as const) {
    expect(JSON.parse((await get('/v1/tanks', { 'x-api-key': readKey })).body)).toMatchObject({ total_items: tanks });
    expect((await get(linkPath, { host: routed.host })).status).toBe(200);
    const session = await call('/session', {
      method: 'POST',
      body: JSON.stringify({ api_key: readKey }),
      headers: { 'content-type': 'application/json' },
    });
    const cookie = String(session.headers['set-cookie']).split(';')[0] ?? '';
    expect(JSON.parse((await get('/v1/tanks', { cookie })).body)).toMatchObject({ total_items: tanks });
  }
  const ofCell = await call('/v1/tanks', { key: makeKey('a0').text, headers: { 'x-request-id': 'same' } });
  for (const path of ['/v1/tanks', '/ingest/readings']) {
    const refused = await get(path, { 'x-api-key': unknownKey, 'x-request-id': 'same' });
    expect([refused.status, JSON.parse(refused.body)]).toEqual([401, ofCell.json]);
  }
  expect((await get('/ingest/readings', {})).status).toBe(401);
  expect((await get('/openapi.json', {})).status).toBe(200);
});

test('after all servers of cell a are killed, cell b has no errors under load, and cell a is answered with 503 and Retry-After', async () => {
  const devicesOf = ({ installation }: Cell, signal: AbortSignal, durationMs: number) =>
    runLoad({
      url: `mqtts://127.0.0.1:${router.mqttsPort}`,
      devices: installation.devices,
      publishesPerSecond: 40,
      durationMs,
      signal,
      connection: { tls: { ca: router.certificate }, maxBackoffMs: 500, timeoutMs: 30_000 },
    });
  const readsOf = ({ readKey }: Cell) =>
    startReads({
      url: `http://127.0.0.1:${router.httpPort}`,
      keys: [readKey],
      paths: ['/v1/tanks', '/v1/customers', '/openapi.json'],
      clients: 4,
      requestsPerSecond: 100,
    });
  const stopping = new AbortController();
  const mqttOfB = devicesOf(b, stopping.signal, 60_000);
  const readsOfB = readsOf(b);
  await eventually(() => readsOfB.requests).toBeGreaterThan(50);

  await Promise.all([
    a.roles.kill(),
    a.installation.postgres.kill(),
    ...a.installation.nats.nodes.map((node) => node.kill()),
  ]);
  // The first request is sent before the router has noticed the failure.
  const beforeNoticed = await call('/v1/tanks', { key: a.readKey });
  await eventually(() => activeServers('a_api')).toBe(0);
  await eventually(() => activeServers('a_mqtt')).toBe(0);
  const answers = [
    beforeNoticed,
    await call('/v1/tanks', { key: a.readKey }),
    await call('/ingest/readings', { key: a.installation.ingestKey, method: 'POST', body: '{}' }),
    await call(a.linkPath, { headers: { host: a.routed.host } }),
  ];
  for (const { status, headers, json } of answers) {
    expect([status, headers['retry-after'], headers['content-type']]).toEqual([
      503,
      '5',
      'application/problem+json; charset=utf-8',
    ]);
    expect(json).toMatchObject({ type: 'urn:tankwatch:problem:unavailable', status: 503, code: 'unavailable' });
    expect(json.request_id).toBe(headers['x-request-id']);
  }
  const [device] = a.installation.devices;
  if (device === undefined) throw new Error('the cell has no device');
  expect(await answerTo([connectAs(mqttIdentity(device).username, device.password)])).toBe('20020003');
  // Requests that belong to no cell are still served.
  expect((await call('/openapi.json')).status).toBe(200);
  const requestsBefore = readsOfB.requests;
  await eventually(() => readsOfB.requests - requestsBefore).toBeGreaterThan(100);

  stopping.abort();
  const [mqtt] = await Promise.all([mqttOfB, readsOfB.stop()]);
  expect([...readsOfB.failures]).toEqual([]);
  expect(mqtt.acknowledged).toBeGreaterThan(20);
  expect([mqtt.unknown, mqtt.connects]).toEqual([0, TANKS_OF_B]);
  // All readings of the devices of cell b are stored in cell b.
  await eventually(async () => {
    const { rows } = await b.installation.owner.query<{ n: number }>('select count(*)::int as n from telemetry');
    return rows[0]?.n;
  }).toBe(mqtt.acknowledged);
  // The log of the router contains no keys.
  for (const { readKey, installation } of [a, b]) {
    expect(router.log()).not.toContain(readKey.split('.')[1]);
    expect(router.log()).not.toContain(installation.ingestKey.split('.')[1]);
  }
});
