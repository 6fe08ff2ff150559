import { randomBytes } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, inject } from 'vitest';
import { checkTelemetryCounters } from '../../src/doctor/telemetry_drift.ts';
import { type RunningGateway, serveGateway } from '../../src/gateway/serve.ts';
import { silentLogger } from '../../src/health/outage.ts';
import { readStreamConfig } from '../../src/settings/command_settings.ts';
import { readGatewayConfig } from '../../src/settings/gateway_settings.ts';
import { readWriterConfig } from '../../src/settings/writer_settings.ts';
import { Stream, type StreamStatus } from '../../src/stream/stream.ts';
import {
  decodeMessage,
  encodeMessage,
  encodeReading,
  type OrganizationReading,
  type StreamBatch,
} from '../../src/telemetry/stream_message.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import { type RunningWriter, serveWriter } from '../../src/writer/serve.ts';
import { givenKey, organizationCodeOf } from './fleet.ts';
import { callApi, type Response } from './http.ts';
import { givenFleet } from './readings.ts';
import { test as base, type TestDatabase } from './test.ts';

export const DEVICE_SECRET = 'a secret of at least thirty-two characters';

export type Environment = Readonly<Record<string, string>>;

/** Settings of a gateway and a writer with a stream of their own, on free ports. */
export const ingestEnvironment = (database: TestDatabase, changes: Environment = {}): Environment => ({
  DATABASE_URL: database.urls.writer,
  GATEWAY_DATABASE_URL: database.urls.gateway,
  OPERATOR_DATABASE_URL: database.urls.operator,
  NATS_URL: inject('natsUrl'),
  NATS_STREAM: `test_${randomBytes(6).toString('hex')}`,
  STREAM_MAX_MIB: '256',
  GATEWAY_HOST: '127.0.0.1',
  // Tests of many readings must not wait for a quota. The tests of the quota set their own.
  GATEWAY_ORGANIZATION_READINGS_PER_SECOND: '1000000',
  GATEWAY_HTTP_PORT: '0',
  GATEWAY_MQTT_PORT: '0',
  DEVICE_SECRET,
  GATEWAY_DRAIN_MS: '0',
  ...changes,
});

const logger = pino({ level: 'silent' });

export interface TestGateway extends RunningGateway {
  registry: Registry;
}

export async function startGateway(environment: Environment): Promise<TestGateway> {
  const registry = new Registry();
  return { ...(await serveGateway(readGatewayConfig(environment), logger, registry)), registry };
}

export interface TestWriter extends RunningWriter {
  registry: Registry;
}

export async function startWriter(environment: Environment): Promise<TestWriter> {
  const registry = new Registry();
  return { ...(await serveWriter(readWriterConfig(environment), logger, registry)), registry };
}

export const openStream = (environment: Environment, clientName = 'tests'): Promise<Stream> =>
  Stream.connect({ ...readStreamConfig(environment), clientName, logger: silentLogger });

/** A gateway and a writer in this process, and a connection to the stream between them. */
export interface TestIngest {
  environment: Environment;
  gateway: TestGateway;
  writer: TestWriter;
  stream: Stream;
}

export const test = base.extend<{ $file: { environment: Environment; ingest: TestIngest } }>({
  environment: [async ({ database }, use) => use(ingestEnvironment(database)), { scope: 'file' }],
  ingest: [
    async ({ environment }, use) => {
      const [gateway, writer, stream] = await Promise.all([
        startGateway(environment),
        startWriter(environment),
        openStream(environment),
      ]);
      await use({ environment, gateway, writer, stream });
      await Promise.all([gateway.close(), writer.close(), stream.close()]);
    },
    { scope: 'file' },
  ],
});

export interface Sender {
  organizationNo: number;
  organizationCode: string;
  /** An ingest key of the organization. */
  key: string;
  tankNos: number[];
}

/** An organization with a tank for each device, and a key to send their readings with. */
export async function givenSender(database: TestDatabase, deviceIds: string[]): Promise<Sender> {
  const { organizationNo, tanks } = await givenFleet(database, deviceIds);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const { text: key } = await givenKey(database.operator, { organizationNo, scopes: ['ingest'] });
  return { organizationNo, organizationCode: code, key, tankNos: tanks.map(({ no }) => no) };
}

/** Readings over HTTP, as a vendor's cloud sends them. */
export const postReadings = (url: string, key: string, readings: readonly unknown[]): Promise<Response> =>
  postBody(url, key, JSON.stringify({ readings }));

export const postBody = (url: string, key: string, body: string, query = ''): Promise<Response> =>
  callApi(url, `/ingest/readings${query}`, { key, method: 'POST', body });

/** Puts a message into the stream as a gateway does, and returns its id. */
export async function streamReadings(stream: Stream, readings: readonly OrganizationReading[]): Promise<string> {
  const id = uuid7();
  await stream.publish(id, encodeMessage(id, Date.now(), readings.map(encodeReading), []));
  return id;
}

/** Waits until writers have committed everything that is in the stream. */
export const untilCommitted = (stream: Stream): Promise<void> =>
  expect.poll(async () => isCommitted(await stream.status()), { interval: 20 }).toBe(true);

/** A consumer that was just created reports for a moment that no message waits, so the last committed message counts too. */
const isCommitted = ({ waiting, messages, firstSequence, committedSequence }: StreamStatus): boolean =>
  waiting === 0 && (messages === 0 || committedSequence >= firstSequence + messages - 1);

/** All messages of the stream, read without the code under test. */
export async function readStream({ NATS_URL = '', NATS_STREAM = '' }: Environment): Promise<StreamBatch[]> {
  const { host, username, password } = new URL(NATS_URL);
  const connection = await connect({ servers: host, user: username, pass: password });
  try {
    const { streams } = await jetstreamManager(connection);
    const { state } = await streams.info(NATS_STREAM);
    const messages: StreamBatch[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const stored = await streams.getMessage(NATS_STREAM, { seq });
      const message = stored && decodeMessage(stored.data);
      if (message) messages.push(message);
    }
    return messages;
  } finally {
    await connection.close();
  }
}

/** The counters and latest times that differ from the readings. */
export const counterFaults = async ({ operator }: TestDatabase): Promise<string[]> =>
  (await checkTelemetryCounters({ pool: operator, fix: false, progress: () => {} })).map(({ problem }) => problem);

export interface RejectedRow {
  device_id: string | null;
  code: string;
  detail: string;
  raw: string;
}

/** The listed rejected readings, in the order in which they arrived. */
export const rejectedOf = async (database: TestDatabase, organizationNo: number | null): Promise<RejectedRow[]> =>
  (
    await database.owner.query<RejectedRow>(
      `select device_id, code, detail, convert_from(raw, 'UTF8') as raw from rejected_readings
       where organization_no is not distinct from $1 order by received_at, place, no`,
      [organizationNo],
    )
  ).rows;
