import { join } from 'node:path';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createDatabase, type Database } from '../engines/database.ts';
import { newSecret } from '../engines/installation.ts';
import { serveApi } from '../src/api/serve.ts';
import { findOrganization } from '../src/catalog/organizations.ts';
import { openPool } from '../src/db/pool.ts';
import { serveGateway } from '../src/gateway/serve.ts';
import { createSignIn } from '../src/keys/create_sign_in.ts';
import { organizationSecret } from '../src/keys/organization_secret.ts';
import { readApiConfig } from '../src/settings/api_settings.ts';
import { readGatewayConfig } from '../src/settings/gateway_settings.ts';
import { readWorkerConfig } from '../src/settings/worker_settings.ts';
import { readWriterConfig } from '../src/settings/writer_settings.ts';
import { freePort } from '../src/setup/servers/free_port.ts';
import { startNats } from '../src/setup/servers/nats.ts';
import { startPostgres } from '../src/setup/servers/postgres.ts';
import { readFleet, type SimulatedDevice } from '../src/simulation/fleet.ts';
import { simulateFleet } from '../src/simulation/simulate.ts';
import { serveWorker } from '../src/worker/serve.ts';
import { serveWriter } from '../src/writer/serve.ts';
import { type Inbox, startInbox } from './inbox.ts';
import { playRound, type RoundStoryOptions } from './play_round.ts';
import { playSensors } from './play_sensors.ts';
import { playStory } from './play_story.ts';
import { type Demo, LIVE_LAG_MS, LIVE_ORGANIZATION, provisionDemo } from './provision.ts';
import { provisionDeliveries } from './provision_deliveries.ts';
import { provisionDuty } from './provision_duty.ts';
import { provisionSensors } from './provision_sensors.ts';
import { DISPATCHER, provisionStory } from './provision_story.ts';
import { planSensors, type Sensor } from './sensors.ts';
import { planStory, type Story } from './story.ts';

/** Keys, ids and addresses for a visitor, as printed with --json. */
export interface RunningDemo extends Demo {
  base_url: string;
  console_url: string;
  /** A link that signs in the dispatcher of the live organization once, in the first 15 minutes. */
  sign_in_url: string;
  /** The address of the dispatcher, to sign in again. */
  dispatcher_email: string;
  mqtt_url: string;
  ingest_url: string;
  /** The settings of the commands of the operator. */
  database_url: string;
  nats_url: string;
  nats_monitor_url: string;
  smtp_url: string;
  /** Where the mails and webhooks that have arrived can be read as JSON. */
  mailbox_url: string;
  webhooks_url: string;
  /** The texts that have arrived, and a page that shows them as on phones. */
  texts_url: string;
  phone_url: string;
}

/** Stops a part of the demo. */
export type Stop = () => Promise<unknown>;

export interface DemoOptions {
  storyMs: number;
  /** Called with one line for each step of the start. */
  onProgress: (line: string) => void;
  /** Called with one line for each scene of the story and for each mail, text and webhook that arrives. */
  onNews: (line: string) => void;
}

/** The simulation of the live fleet starts two hours in the past and reaches the present after two minutes. */
const LIVE_SPEED = 60;

/** Starts PostgreSQL, nats-server, every role, an inbox for mails, texts and webhooks, a simulated fleet, and the story. */
export async function startDemo(stops: Stop[], { storyMs, onProgress, onNews }: DemoOptions): Promise<RunningDemo> {
  onProgress('starting a private PostgreSQL and a private nats-server ...');
  const postgres = await startPostgres({}, { isDetached: true, isFilled: true });
  stops.push(() => postgres.stop());
  const nats = await startNats({ isDetached: true, isMonitored: true });
  stops.push(() => nats.stop());
  const inbox = await startInbox(onNews);
  stops.push(() => inbox.stop());
  const secrets = { device: newSecret(), secretsKey: newSecret() };
  onProgress('creating three organizations with six months of readings ...');
  const { urls, demo, fleet, story, sensors, round, signInToken } = await fillDatabase(
    postgres.url,
    secrets,
    inbox,
    storyMs,
  );

  const settings = {
    API_HOST: '127.0.0.1',
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_HTTP_PORT: '0',
    GATEWAY_MQTT_PORT: '0',
    ...process.env,
    API_PORT: await apiPort(),
    DATABASE_URL: urls.writer,
    GATEWAY_DATABASE_URL: urls.gateway,
    API_DATABASE_URL: urls.api,
    MANAGE_DATABASE_URL: urls.manager,
    WORKER_DATABASE_URL: urls.worker,
    API_DRAIN_MS: '0',
    GATEWAY_DRAIN_MS: '0',
    NATS_URL: nats.url,
    NATS_STREAM: 'readings',
    NATS_REPLICAS: '1',
    DEVICE_SECRET: secrets.device,
    SECRETS_KEY: secrets.secretsKey,
    LINK_SECRET: newSecret(),
    EVENTS: 'on',
    SMTP_URL: inbox.smtpUrl,
    MAIL_FROM: 'Lake Champlain Propane <alerts@champlain.example>',
    MAIL_REMINDER_DAYS: '0', // tanks that are low in the history would cause reminders
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    REMOVALS_FILE: join(postgres.dataFolder, 'removals.ndjson'),
  };
  const { apiUrl, gateway } = await startRoles(stops, settings);
  const mqtt_url = `mqtt://127.0.0.1:${gateway.mqttPort}`;
  const ingest_url = `${gateway.httpUrl}/ingest/readings`;
  const simulation = simulateFleet({
    url: mqtt_url,
    devices: fleet,
    speed: LIVE_SPEED,
    lookBackMs: LIVE_LAG_MS,
    seed: 3,
  });
  stops.push(() => simulation.stop());
  const organization = { code: LIVE_ORGANIZATION, secret: organizationSecret(secrets.device, LIVE_ORGANIZATION) };
  const mqtt = { organization, url: mqtt_url };
  stops.push(
    playStory({
      scenes: story.scenes,
      mqtt,
      durationMs: storyMs,
      onScene: ({ text }) => onNews(`story    ${text}`),
    }),
    playSensors({ sensors, mqtt, ingest: { url: ingest_url, key: demo.ingest_key }, durationMs: storyMs, onNews }),
    playRound({ ...round, url: apiUrl, durationMs: storyMs, onNews }),
  );
  return {
    base_url: apiUrl,
    console_url: `${apiUrl}/console/`,
    sign_in_url: `${apiUrl}/session/links/${signInToken}`,
    dispatcher_email: DISPATCHER,
    ...demo,
    mqtt_url,
    ingest_url,
    database_url: urls.operator,
    nats_url: nats.url,
    nats_monitor_url: nats.monitorUrl,
    smtp_url: inbox.smtpUrl,
    mailbox_url: inbox.mailboxUrl,
    webhooks_url: inbox.webhooksUrl,
    texts_url: inbox.textsUrl,
    phone_url: inbox.phoneUrl,
  };
}

/** Returns the port that the visitor chose, or a free one. */
async function apiPort(): Promise<string> {
  const { API_PORT: chosen = '0' } = process.env;
  return chosen === '0' ? String(await freePort()) : chosen;
}

/** Starts writer, api, gateway and worker in one process. */
async function startRoles(stops: Stop[], settings: Readonly<Record<string, string | undefined>>) {
  const logger = pino({ level: process.env['LOG_LEVEL'] ?? 'warn' }, pino.destination(2));
  const registry = new Registry();
  const writer = await serveWriter(readWriterConfig(settings), logger, registry);
  stops.push(() => writer.close());
  // The address must be known before the api listens, because phones send their reports to it.
  const publicUrl = `http://127.0.0.1:${settings['API_PORT']}`;
  const api = await serveApi(readApiConfig({ ...settings, PUBLIC_URL: publicUrl }), logger);
  stops.push(() => api.close());
  const gateway = await serveGateway(readGatewayConfig(settings), logger, registry);
  stops.push(() => gateway.close());
  const worker = await serveWorker(readWorkerConfig({ ...settings, PUBLIC_URL: api.url }), logger);
  stops.push(() => worker.close());
  return { apiUrl: api.url, gateway };
}

interface Filled {
  urls: Database['urls'];
  demo: Demo;
  /** The devices of the live organization, without the visitor's and those of the story. */
  fleet: SimulatedDevice[];
  story: Story;
  sensors: Sensor[];
  round: Pick<RoundStoryOptions, 'key' | 'tankId' | 'noteNumber'>;
  /** The token of the link that the worker would mail. */
  signInToken: string;
}

async function fillDatabase(
  url: string,
  secrets: { device: string; secretsKey: string },
  inbox: Inbox,
  storyMs: number,
): Promise<Filled> {
  const { owner, urls } = await createDatabase(url, 'demo');
  const nowMs = Date.now();
  const operator = openPool({ url: urls.operator, applicationName: 'demo operator' });
  const writer = openPool({ url: urls.writer, applicationName: 'demo writer' });
  const demo = await provisionDemo({ operator, writer }, nowMs, secrets.device);
  const liveNo = (await findOrganization(operator, LIVE_ORGANIZATION)) ?? 0;
  const liveSecret = organizationSecret(secrets.device, LIVE_ORGANIZATION);
  const fleet = await readFleet(operator, { no: liveNo, code: LIVE_ORGANIZATION }, liveSecret, 1_000);
  const story = planStory(nowMs);
  const webhook = { url: inbox.webhooksUrl, secretsKey: secrets.secretsKey };
  const sensors = planSensors(nowMs);
  const [told] = await Promise.all([
    provisionStory({ operator, writer }, liveNo, story.tanks, webhook),
    provisionSensors({ operator, writer }, liveNo, sensors, nowMs),
  ]);
  const { textsUrl, textSecret } = inbox;
  await provisionDuty(operator, liveNo, { textsUrl, textSecret, secretsKey: secrets.secretsKey, storyMs });
  inbox.setWebhookSecret(told.secret);
  const noteNumber = await provisionDeliveries(operator, liveNo, nowMs);
  const round = { key: told.planningKey, tankId: told.refilledTankId, noteNumber };
  await discardNotifications(owner);
  const signInToken = await createSignIn(owner, DISPATCHER);
  await owner.query('vacuum analyze');
  await Promise.all([owner, operator, writer].map((pool) => pool.end()));
  const simulated = fleet.filter(({ deviceId }) => deviceId !== demo.device_id);
  return { urls, demo, fleet: simulated, story, sensors, round, signInToken };
}

/** The history contains events of the last day. The worker would send mails about them at its start. */
async function discardNotifications(owner: Pool): Promise<void> {
  await owner.query('update events set notify = false');
  await owner.query(
    'select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs having count(*) > 0',
  );
}
