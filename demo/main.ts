import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createLogins, databaseUrl } from '../engines/logins.ts';
import { startNats } from '../engines/nats.ts';
import { startPostgres } from '../engines/postgres.ts';
import { serveApi } from '../src/api/serve.ts';
import { findOrganization } from '../src/catalog/organizations.ts';
import { readApiConfig, readGatewayConfig, readWriterConfig } from '../src/config.ts';
import type { DatabaseRole } from '../src/db/login_rights.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import { serveGateway } from '../src/gateway/serve.ts';
import { organizationSecret } from '../src/keys/organization_secret.ts';
import { readFleet, type SimulatedDevice } from '../src/simulation/fleet.ts';
import { simulateFleet } from '../src/simulation/simulate.ts';
import { serveWriter } from '../src/writer/serve.ts';
import { type Demo, LIVE_LAG_MS, LIVE_ORGANIZATION, provisionDemo } from './provision.ts';

const isJson = process.argv.includes('--json');
const log = (line: string): void => {
  if (!isJson) console.log(line);
};

/** Half an hour per second. The live fleet starts a month in the past, so it reaches the present after 24 minutes. */
const LIVE_SPEED = 1_800;

/** Stops something that runs until the demo ends. */
type Stop = () => Promise<unknown>;

/** Starts a whole installation and removes it when it is stopped, or when it cannot start. */
async function runDemo(): Promise<void> {
  const stopped = new Promise((resolve) => {
    // `on`, not `once`: npm passes Ctrl-C on a second time, which must not end this before the servers have stopped.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve);
  });
  const stops: Stop[] = [];
  try {
    const demo = await startAll(stops);
    console.log(isJson ? JSON.stringify(demo) : welcome(demo));
    await stopped;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** Everything a visitor needs, as printed with --json. */
interface RunningDemo extends Demo {
  base_url: string;
  mqtt_url: string;
  ingest_url: string;
}

/** Starts PostgreSQL, nats-server, writer, API, gateway, and a simulated fleet that reports to the gateway. */
async function startAll(stops: Stop[]): Promise<RunningDemo> {
  log('starting a private PostgreSQL and a private nats-server ...');
  const postgres = await startPostgres({}, { isDetached: true });
  stops.push(() => postgres.stop());
  const nats = await startNats({ isDetached: true });
  stops.push(() => nats.stop());
  const deviceSecret = randomBytes(32).toString('hex');
  const { urls, demo, fleet } = await fillDatabase(postgres.url, deviceSecret);

  const logger = pino({ level: process.env['LOG_LEVEL'] ?? 'warn' }, pino.destination(2));
  const registry = new Registry();
  const settings = {
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_HTTP_PORT: '0',
    GATEWAY_MQTT_PORT: '0',
    ...process.env,
    DATABASE_URL: urls.writer,
    GATEWAY_DATABASE_URL: urls.gateway,
    API_DATABASE_URL: urls.api,
    API_DRAIN_MS: '0',
    GATEWAY_DRAIN_MS: '0',
    NATS_URL: nats.url,
    NATS_STREAM: 'readings',
    NATS_REPLICAS: '1',
    DEVICE_SECRET: deviceSecret,
    EVENTS: 'off', // the live fleet is a month behind the clock, so every device would count as silent
  };
  const writer = await serveWriter(readWriterConfig(settings), logger, registry);
  stops.push(() => writer.close());
  const api = await serveApi(readApiConfig(settings), logger);
  stops.push(() => api.close());
  const gateway = await serveGateway(readGatewayConfig(settings), logger, registry);
  stops.push(() => gateway.close());
  const mqtt_url = `mqtt://127.0.0.1:${gateway.mqttPort}`;
  const simulation = simulateFleet({
    url: mqtt_url,
    devices: fleet,
    speed: LIVE_SPEED,
    lookBackMs: LIVE_LAG_MS,
    seed: 3,
  });
  stops.push(() => simulation.stop());
  return { base_url: api.url, ...demo, mqtt_url, ingest_url: `${gateway.httpUrl}/ingest/readings` };
}

interface Filled {
  urls: Record<DatabaseRole, string>;
  demo: Demo;
  /** The devices of the live organization, without the one that is left to the visitor. */
  fleet: SimulatedDevice[];
}

async function fillDatabase(url: string, deviceSecret: string): Promise<Filled> {
  const root = openPool({ url, applicationName: 'demo' });
  await root.query('create database demo');
  const owner = openPool({ url: databaseUrl(url, 'demo'), applicationName: 'demo' });
  await migrate(owner);
  const urls = await createLogins(owner, url, 'demo');

  log('creating three organizations with six months of readings ...');
  const operator = openPool({ url: urls.operator, applicationName: 'demo operator' });
  const writer = openPool({ url: urls.writer, applicationName: 'demo writer' });
  const demo = await provisionDemo({ operator, writer }, Date.now(), deviceSecret);
  const liveNo = (await findOrganization(operator, LIVE_ORGANIZATION)) ?? 0;
  const liveSecret = organizationSecret(deviceSecret, LIVE_ORGANIZATION);
  const live = await readFleet(operator, { no: liveNo, code: LIVE_ORGANIZATION }, liveSecret, 1_000);
  await owner.query('vacuum analyze');
  await Promise.all([root, owner, operator, writer].map((pool) => pool.end()));
  return { urls, demo, fleet: live.filter((device) => device.deviceId !== demo.device_id) };
}

const welcome = (demo: RunningDemo): string => `
Tankwatch is up at ${demo.base_url}. The API reference is at ${demo.base_url}/docs

API keys:

  Gas del Valle            ${demo.api_key}
  one of its customers     ${demo.customer_key}
  Green Mountain Propane   ${demo.other_api_key}
  Lone Star Propane        ${demo.live_api_key}   (its devices are reporting now)

Read, in another terminal:

  export TANKWATCH_URL=${demo.base_url} TANKWATCH_KEY=${demo.api_key}
  curl -H "X-API-Key: $TANKWATCH_KEY" "$TANKWATCH_URL/v1/tanks?size=3"
  curl -H "X-API-Key: $TANKWATCH_KEY" "$TANKWATCH_URL/v1/tanks/${demo.busy_tank_id}/telemetry?page=500"
  curl -H "X-API-Key: $TANKWATCH_KEY" "$TANKWATCH_URL/v1/customers?size=0&page=x"

Send a reading over HTTP, or over MQTT as a device, and read it back:

  curl -H 'X-API-Key: ${demo.ingest_key}' -d '{"readings": [{"device_id": "${demo.device_id}", "fill_percentage": 45.5}]}' \\
    '${demo.ingest_url}'
  mosquitto_pub -h 127.0.0.1 -p ${new URL(demo.mqtt_url).port} -q 1 -u '${LIVE_ORGANIZATION}/${demo.device_id}' -P '${demo.device_password}' \\
    -t 'readings/${LIVE_ORGANIZATION}/${demo.device_id}' -m '{"fill_percentage": 44.5}'
  curl -H 'X-API-Key: ${demo.live_api_key}' '${demo.base_url}/v1/tanks/${demo.device_tank_id}/telemetry'

Ctrl-C stops the demo and removes its data.`;

await runDemo();
