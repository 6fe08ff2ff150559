import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect } from 'vitest';
import { revokeDevice } from '../../src/catalog/devices.ts';
import { transaction } from '../../src/db/pool.ts';
import { startNats } from '../../src/setup/servers/nats.ts';
import { trimStream } from '../../src/writer/trim.ts';
import { callApi } from '../support/http.ts';
import {
  counterFaults,
  type Environment,
  givenSender,
  ingestEnvironment,
  openStream,
  postReadings,
  readStream,
  type Sender,
  startGateway,
  startWriter,
  type TestGateway,
  test,
  untilCommitted,
} from '../support/ingest.ts';
import { connectDevice, publish, topicOf } from '../support/mqtt.ts';
import { within } from '../support/stopwatch.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';

/** Records which readings were acknowledged. Each reading has a time of its own. */
class Senders {
  readonly acknowledged = new Set<number>();
  /** HTTP statuses of refusals, and `closed` for closed connections. */
  readonly refusals: unknown[] = [];
  readonly #gateway: TestGateway;
  readonly #sender: Sender;
  #nextAtMs = Date.UTC(2025);
  #isOver = false;

  constructor(gateway: TestGateway, sender: Sender) {
    this.#gateway = gateway;
    this.#sender = sender;
  }

  /** New times, a second apart. */
  #nextTimes(n: number): number[] {
    const fromMs = this.#nextAtMs;
    this.#nextAtMs += n * 1_000;
    return Array.from({ length: n }, (_, index) => fromMs + index * 1_000);
  }

  async post(n: number): Promise<number> {
    const times = this.#nextTimes(n);
    const readings = times.map((created_at) => ({ device_id: 'D1', fill_percentage: 50, created_at }));
    const { status, headers, json } = await postReadings(this.#gateway.httpUrl, this.#sender.key, readings);
    if (status === 202) {
      expect(json).toEqual({ accepted: n, rejected: [] });
      for (const atMs of times) this.acknowledged.add(atMs);
    } else {
      expect([status, headers['retry-after']]).toEqual([503, '5']);
      this.refusals.push(status);
    }
    return status;
  }

  /** Publishes one reading after the other until the connection closes or the test stops it. */
  async publish(deviceId: string, max = Number.POSITIVE_INFINITY): Promise<void> {
    const device = { organizationCode: this.#sender.organizationCode, deviceId };
    const client = await connectDevice(this.#gateway.mqttPort, device);
    for (let n = 0; n < max && !this.#isOver; n++) {
      const [atMs = 0] = this.#nextTimes(1);
      const payload = JSON.stringify({ fill_percentage: 50, created_at: atMs });
      if ((await publish(client, topicOf(device), payload)) === 'closed') {
        this.refusals.push('closed');
        return;
      }
      this.acknowledged.add(atMs);
    }
    await client.endAsync();
  }

  /** Sends over HTTP and from two devices until the test stops it. */
  async load(): Promise<void> {
    const repeat = async (work: () => Promise<unknown>): Promise<void> => {
      while (!this.#isOver) await work().catch(() => this.refusals.push('no connection'));
    };
    await Promise.all([repeat(() => this.post(20)), ...['D1', 'D2'].map((id) => repeat(() => this.publish(id)))]);
  }

  end(): void {
    this.#isOver = true;
  }
}

interface Given {
  environment: Environment;
  gateway: TestGateway;
  sender: Sender;
  senders: Senders;
}

async function givenSenders(database: TestDatabase, changes: Environment = {}): Promise<Given> {
  const environment = ingestEnvironment(database, {
    GATEWAY_DEVICE_PUBLISHES_PER_SECOND: '10000',
    GATEWAY_DEVICE_READINGS_PER_SECOND: '1000000',
    GATEWAY_ORGANIZATION_READINGS_PER_SECOND: '1000000',
    ...changes,
  });
  const gateway = await untilTestEnds(startGateway(environment));
  const sender = await givenSender(database, ['D1', 'D2']);
  return { environment, gateway, sender, senders: new Senders(gateway, sender) };
}

const storedTimes = async (environment: Environment): Promise<Set<number>> =>
  new Set((await readStream(environment)).flatMap(({ readings }) => readings.map(({ atMs }) => atMs)));

async function withManager<T>(
  { NATS_URL = '' }: Environment,
  work: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
): Promise<T> {
  const { host, username, password } = new URL(NATS_URL);
  const connection = await connect({ servers: host, user: username, pass: password });
  try {
    return await work(await jetstreamManager(connection));
  } finally {
    await connection.close();
  }
}

test('a full stream causes 503 and closed connections until writers make room, and only stored readings are acknowledged', async ({
  database,
}) => {
  const { environment, sender, senders } = await givenSenders(database, { STREAM_MAX_MIB: '1' });
  while ((await senders.post(500)) === 202) expect(senders.acknowledged.size).toBeLessThan(100_000);
  await senders.publish('D2', 10_000); // fills the room that is left for small messages
  expect(senders.refusals).toEqual([503, 'closed']);
  const stored = await storedTimes(environment);
  expect(senders.acknowledged.size).toBeGreaterThan(5_000);
  expect(senders.acknowledged.difference(stored)).toEqual(new Set());

  const [writer, stream] = [await startWriter(environment), await openStream(environment)];
  await untilCommitted(stream);
  await trimStream(stream, 7 * 86_400_000, Date.now());
  expect(await senders.post(500)).toBe(202);
  await untilCommitted(stream);
  await Promise.all([writer.close(), stream.close()]);
  const { rows } = await database.owner.query<{ at_ms: number }>(
    'select (extract(epoch from created_at) * 1000)::bigint as at_ms from telemetry where tank_no = any ($1)',
    [sender.tankNos],
  );
  expect(senders.acknowledged.difference(new Set(rows.map(({ at_ms }) => at_ms)))).toEqual(new Set());
  expect(await counterFaults(database)).toEqual([]);
});

test('a deleted stream is created again before anything else is acknowledged', async ({ database }) => {
  const { environment, senders } = await givenSenders(database);
  const { NATS_STREAM = '' } = environment;
  await senders.post(10);
  expect(await storedTimes(environment)).toEqual(senders.acknowledged);
  await withManager(environment, ({ streams }) => streams.delete(NATS_STREAM));
  senders.acknowledged.clear(); // deleted with the stream
  await Promise.all([senders.post(10), senders.publish('D1', 3), senders.publish('D2', 3)]);
  expect([senders.acknowledged.size, senders.refusals]).toEqual([16, []]);
  expect(await storedTimes(environment)).toEqual(senders.acknowledged);
});

test('a stream with the same name that does not store messages causes no acknowledgement', async ({ database }) => {
  const { environment, senders } = await givenSenders(database);
  const { NATS_STREAM = '' } = environment;
  const stored = await withManager(environment, async ({ streams }) => {
    await streams.delete(NATS_STREAM);
    await streams.add({ name: `${NATS_STREAM}_other`, subjects: [NATS_STREAM] });
    await Promise.all([senders.post(10), senders.publish('D1')]);
    const { state } = await streams.info(`${NATS_STREAM}_other`);
    await streams.delete(`${NATS_STREAM}_other`);
    return state.messages;
  });
  expect([stored, senders.acknowledged.size]).toEqual([0, 0]);
  expect(new Set(senders.refusals)).toEqual(new Set([503, 'closed']));
  expect(await senders.post(10)).toBe(202); // after it is deleted
});

test('if nats-server is killed under load, every acknowledged reading is stored, and none is acknowledged until it is back', async ({
  database,
}) => {
  const nats = await untilTestEnds(startNats());
  const [node] = nats.nodes;
  const { environment, gateway, senders } = await givenSenders(database, { NATS_URL: nats.url });
  const load = senders.load();
  const untilAcknowledged = (n: number) =>
    expect.poll(() => senders.acknowledged.size, { interval: 10 }).toBeGreaterThan(n);
  await untilAcknowledged(200);
  const killedAt = performance.now();
  await node?.kill();
  await node?.restart();
  const outageMs = performance.now() - killedAt;
  await untilAcknowledged(senders.acknowledged.size + 200);
  // A short outage delays readings and refuses none. On a busy machine it may take longer than a sender waits.
  if (outageMs < 1_000) expect(senders.refusals).toEqual([]);
  await node?.kill();
  const notReadyReasons = async () => (await callApi(gateway.httpUrl, '/readyz')).json.reasons;
  await expect.poll(notReadyReasons).toEqual(['nats-server cannot be reached']);
  const before = senders.acknowledged.size;
  await expect.poll(() => senders.refusals).toEqual(expect.arrayContaining([503, 'closed']));
  expect(senders.acknowledged.size).toBe(before);
  await node?.restart();
  await untilAcknowledged(before + 200);
  expect(await notReadyReasons()).toBeUndefined();
  senders.end();
  await load;
  expect(senders.acknowledged.difference(await storedTimes(environment))).toEqual(new Set());
});

test('a device that is revoked while it sends is disconnected within a second, and its acknowledged readings are stored', async ({
  database,
}) => {
  const { environment, sender, senders } = await givenSenders(database);
  const publishing = senders.publish('D1');
  await expect.poll(() => senders.acknowledged.size, { interval: 10 }).toBeGreaterThan(10);
  await transaction(database.operator, (tx) => revokeDevice(tx, sender.organizationNo, 'D1'));
  await within(1_000, () => publishing);
  expect(senders.refusals).toEqual(['closed']);
  expect(senders.acknowledged.difference(await storedTimes(environment))).toEqual(new Set());
});
