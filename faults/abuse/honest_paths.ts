import { createServer } from 'node:http';
import type { Pool } from 'pg';
import { HttpClient } from '../../bench/load_client/http_client.ts';
import { MqttConnection } from '../../bench/load_client/mqtt_connection.ts';
import { recordLowFills } from '../../engines/events.ts';
import { openPool } from '../../src/db/pool.ts';
import { mqttIdentity } from '../../src/simulation/device_login.ts';
import { DAY_MS } from '../../src/values/time.ts';
import type { HonestOptions, HonestPath } from './honest_tenant.ts';
import { readingsPacket } from './raw_mqtt.ts';

/** An honest request without an answer fails after this time. */
const TIMEOUT_MS = 5_000;

type Send = () => Promise<void>;

/** Opens what each path needs; each returned function sends one request and throws if it fails. */
export async function openPaths(options: HonestOptions): Promise<Map<HonestPath, Send>> {
  const open: Readonly<Record<HonestPath, (options: HonestOptions) => Send | Promise<Send>>> = {
    publish: publishPath,
    connect: connectPath,
    ingest: ingestPath,
    read: readPath('/v1/tanks?size=10'),
    fleet: readPath('/fleet/v1/tanks?size=10'),
    watch: watchPath,
    change: changePath,
    page: pagePath('/docs/'),
    webhook: webhookPath,
    probe: pagePath('/healthz'),
    idle: ({ idleUrl }) => pagePath('')({ apiUrl: idleUrl }),
  };
  const sends = new Map<HonestPath, Send>();
  for (const path of options.paths) sends.set(path, await open[path](options));
  return sends;
}

let lastAtMs = Date.now() - 30 * DAY_MS;
/** Makes a reading with a time that no other one has, so that it is neither a duplicate nor a conflict. */
function nextReading(): { atMs: number; fillPercentage: number } {
  lastAtMs++;
  return { atMs: lastAtMs, fillPercentage: 60 };
}

const connect = (options: HonestOptions, device: HonestOptions['devices'][number]): Promise<MqttConnection> =>
  MqttConnection.open(
    {
      url: options.mqttUrl,
      ...mqttIdentity(device),
      keepAliveSeconds: 60,
      timeoutMs: TIMEOUT_MS,
      signal: new AbortController().signal,
    },
    () => {},
  );

/** Publishes over connections that stay open. A device that has lost its connection reconnects, which adds to the latency. */
async function publishPath(options: HonestOptions): Promise<Send> {
  const devices = options.devices.slice(0, 20);
  const connections = await Promise.all(devices.map((device) => connect(options, device)));
  let turn = 0;
  return async () => {
    const index = turn % devices.length;
    turn++;
    const device = devices[index];
    const connection = connections[index];
    if (device === undefined || connection === undefined) throw new Error('there is no honest device');
    if (connection.isLost) connections[index] = await connect(options, device);
    await connections[index]?.publish(readingsPacket(device, [nextReading()]), false);
  };
}

function connectPath(options: HonestOptions): Send {
  const devices = options.devices.slice(20);
  const free = [...devices];
  return async () => {
    const device = free.shift();
    if (device === undefined) throw new Error('all honest devices are still connecting');
    try {
      const connection = await connect(options, device);
      await connection.publish(readingsPacket(device, [nextReading()]), false);
      await connection.end();
    } finally {
      free.push(device);
    }
  };
}

function ingestPath({ gatewayUrl, ingestKey, devices }: HonestOptions): Send {
  const http = new HttpClient({ timeoutMs: TIMEOUT_MS });
  return async () => {
    const { atMs, fillPercentage } = nextReading();
    const created_at = new Date(atMs).toISOString();
    const readings = [{ device_id: devices[0]?.deviceId, created_at, fill_percentage: fillPercentage }];
    const { status, failure } = await http.send(`${gatewayUrl}/ingest/readings`, {
      key: ingestKey,
      json: { readings },
    });
    if (status !== 202) throw new Error(`ingest answered ${failure || status}`);
  };
}

const readPath =
  (path: string) =>
  ({ apiUrl, readKey }: HonestOptions): Send => {
    const http = new HttpClient({ timeoutMs: TIMEOUT_MS });
    return async () => {
      const { status, failure } = await http.send(apiUrl + path, { key: readKey });
      if (status !== 200) throw new Error(`the read answered ${failure || status}`);
    };
  };

function changePath({ apiUrl, manageKey }: HonestOptions): Send {
  const http = new HttpClient({ timeoutMs: TIMEOUT_MS });
  let turn = 0;
  return async () => {
    const externalKey = `honest-${turn++ % 20}`;
    const { status, failure } = await http.send(`${apiUrl}/manage/v1/customers/external_key/${externalKey}`, {
      method: 'PUT',
      key: manageKey,
      json: { email: `${externalKey}@example.com`, name: `Honest ${turn}` },
    });
    if (status !== 200 && status !== 201) throw new Error(`the change answered ${failure || status}`);
  };
}

/** Opens a live stream, and closes it when it is ready. */
function watchPath({ apiUrl, readKey }: HonestOptions): Send {
  return async () => {
    const response = await fetch(`${apiUrl}/fleet/v1/live`, {
      headers: { 'x-api-key': readKey },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok || response.body === null) throw new Error(`the stream answered ${response.status}`);
    const reader = response.body.getReader();
    await reader.read();
    await reader.cancel();
  };
}

/** Reads a page without a key, from the same machine as the other honest requests. */
const pagePath =
  (path: string) =>
  ({ apiUrl }: Pick<HonestOptions, 'apiUrl'>): Send => {
    const http = new HttpClient({ timeoutMs: TIMEOUT_MS });
    return async () => {
      const { status, failure } = await http.send(apiUrl + path);
      if (status !== 200) throw new Error(`the page answered ${failure || status}`);
    };
  };

/** Records an event, and waits until the endpoint has received it. */
async function webhookPath(options: HonestOptions): Promise<Send> {
  const owner: Pool = openPool({ url: options.ownerDatabaseUrl, applicationName: 'honest tenant' });
  const received = new Map<string, () => void>();
  const server = createServer((incoming, response) => {
    incoming.resume();
    received.get(String(incoming.headers['webhook-id']))?.();
    // A new connection each time, so that each delivery resolves the name.
    response.writeHead(204, { connection: 'close' }).end();
  });
  await new Promise<void>((resolve) => server.listen(options.webhookPort, '127.0.0.1', resolve));
  return async () => {
    const arrival = Promise.withResolvers<void>();
    const [id = ''] = await recordLowFills(owner, options, 1, ([eventId = '']) =>
      received.set(eventId, arrival.resolve),
    );
    const deadline = setTimeout(() => arrival.reject(new Error('a webhook did not arrive within 5 s')), TIMEOUT_MS);
    await arrival.promise.finally(() => {
      clearTimeout(deadline);
      received.delete(id);
    });
  };
}
