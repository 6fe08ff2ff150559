import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { type CloudReading, startOtodata, startTankUtility } from '../../engines/clouds.ts';
import { leaseConnectors } from '../../src/connector/connector_state.ts';
import { sourceAgent } from '../../src/connectors/source_client.ts';
import { trySource } from '../../src/connectors/try_connector.ts';
import { OrganizationGauges } from '../../src/gauges/selection.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/values/time.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import {
  askNow,
  connectorEnvironment,
  failuresOf,
  givenConnector,
  givenConnectorRole,
  stateOf,
} from '../support/connectors.ts';
import { test as base, givenSender, openStream, startWriter, untilCommitted } from '../support/ingest.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';

const test = base.extend<{ $file: { writing: Awaited<ReturnType<typeof startWriting>> } }>({
  writing: [
    async ({ database }, use) => {
      const writing = await startWriting(database);
      await use(writing);
      await writing.close();
    },
    { scope: 'file' },
  ],
});

async function startWriting(database: TestDatabase) {
  const environment = connectorEnvironment(database);
  const [writer, stream] = await Promise.all([startWriter(environment), openStream(environment)]);
  return { environment, stream, close: () => Promise.all([writer.close(), stream.close()]) };
}

/** Readings every six hours, the newest a minute ago. */
const readingsOf = (devices: readonly string[], days: number, nowMs = Date.now()): CloudReading[] =>
  Array.from({ length: days * 4 }, (_, n) => nowMs - MINUTE_MS - (days * 4 - 1 - n) * 6 * HOUR_MS).flatMap((atMs) =>
    devices.map((device) => ({ device, atMs: Math.floor(atMs / 1_000) * 1_000, level: 0.5 })),
  );

async function givenOtodata(readings: CloudReading[], pageSize?: number) {
  return untilTestEnds(
    startOtodata({
      readings: (fromMs, toMs) =>
        readings.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs).toSorted((a, b) => a.atMs - b.atMs),
      ...(pageSize !== undefined && { pageSize }),
    }),
  );
}

const countStored = async ({ owner }: TestDatabase, tankNos: readonly number[]): Promise<number> =>
  (await owner.query('select from telemetry where tank_no = any ($1)', [tankNos])).rows.length;

test('the history of an Otodata company is stored once, and readings that come late to the cloud are stored too', async ({
  database,
  writing,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['20008447', '20008448']);
  const readings = readingsOf(['20008447', '20008448'], 20);
  const late = readings.splice(100, 1);
  const cloud = await givenOtodata(readings);
  const settings = { urls: [cloud.url], requests_per_minute: 6_000 };
  const { id, no } = await givenConnector(database, organizationNo, {
    kind: 'otodata',
    name: 'Otodata',
    settings,
    secret: 'otodata-key',
  });
  await givenConnectorRole(writing.environment);
  await expect
    .poll(async () => stateOf(database, organizationNo, id))
    .toMatchObject({ state: 'works', backfill_from: null, devices: 2, tanks: 2, has_secret: true });
  await untilCommitted(writing.stream);
  expect(await countStored(database, tankNos)).toBe(readings.length);
  // The hours count only new readings: four of each device, not the history and not readings that are read again.
  const { hours } = await stateOf(database, organizationNo, id);
  expect(hours).toHaveLength(24);
  expect(hours.map(({ at }) => at)).toEqual(hours.map(({ at }) => at).toSorted());
  const sum = (name: 'readings' | 'failures') => hours.reduce((total, hour) => total + hour[name], 0);
  expect([
    sum('readings'),
    sum('failures'),
    (hours.at(-1)?.successes ?? 0) + (hours.at(-2)?.successes ?? 0) > 0,
  ]).toEqual([8, 0, true]);

  // A reading of 40 hours ago comes late to the cloud. Readings of the last two days are read again.
  readings.push({ ...(late[0] ?? { device: '', level: 0 }), atMs: Date.now() - 40 * HOUR_MS });
  await database.owner.query(
    "update connector_states set looked_back_at = now() - interval '7 hours' where connector_no = $1",
    [no],
  );
  await askNow(database, no);
  await expect.poll(() => countStored(database, tankNos)).toBe(readings.length);
});

test('a window that does not fit into a page is read in smaller ones', async ({ database, writing }) => {
  const devices = Array.from({ length: 8 }, (_, n) => String(30_000_000 + n));
  const { organizationNo, tankNos } = await givenSender(database, devices);
  const readings = readingsOf(devices, 2);
  const denseMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 3 * HOUR_MS;
  // Sixteen readings of one minute fit into no page of ten, so that minute is read page by page.
  for (const second of [0, 1])
    readings.push(...devices.map((device) => ({ device, atMs: denseMs + second * 1_000, level: 0.4 })));
  const cloud = await givenOtodata(readings, 10);
  const { id } = await givenConnector(database, organizationNo, {
    kind: 'json',
    name: 'own',
    settings: {
      url: `${cloud.url}/tanklevels?startDateUtc={from}&endDateUtc={to}&page={page}`,
      profile: 'otodata-neevo',
      header: { name: 'Authorization', value: 'Bearer {secret}' },
      pages: { first: 0, size: 10 },
      requests_per_minute: 6_000,
    },
    secret: 'otodata-key',
    days: 2,
  });
  await givenConnectorRole(writing.environment);
  await expect
    .poll(async () => stateOf(database, organizationNo, id))
    .toMatchObject({ state: 'works', backfill_from: null });
  await untilCommitted(writing.stream);
  expect(await countStored(database, tankNos)).toBe(readings.length);
});

test('a refused key is not tried again until the refusal is cleared', async ({ database, writing }) => {
  const { organizationNo } = await givenSender(database, ['40000001']);
  const cloud = await givenOtodata(readingsOf(['40000001'], 1));
  const { id, no } = await givenConnector(database, organizationNo, {
    kind: 'otodata',
    name: 'Otodata',
    settings: { urls: [cloud.url], requests_per_minute: 6_000 },
    secret: 'wrong',
  });
  await givenConnectorRole(writing.environment);
  await expect
    .poll(async () => stateOf(database, organizationNo, id))
    .toMatchObject({ state: 'refused', last_error: 'the key is refused (401)', next_attempt_at: null });
  const requestsBefore = cloud.requests.length;
  await askNow(database, no);
  cloud.secret = 'wrong'; // now it would be accepted
  await expect.poll(async () => (await stateOf(database, organizationNo, id)).state).toBe('refused');
  expect(cloud.requests).toHaveLength(requestsBefore);
  await database.owner.query('update connector_states set refused_at = null where connector_no = $1', [no]);
  await expect.poll(async () => (await stateOf(database, organizationNo, id)).state).toBe('works');
});

test('after 429, 500, a body that is not JSON and changed fields the cursor stays, and the next round reads everything', async ({
  database,
  writing,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['50000001']);
  const readings = readingsOf(['50000001'], 1);
  const cloud = await givenOtodata(readings);
  const { id, no } = await givenConnector(database, organizationNo, {
    kind: 'otodata',
    name: 'Otodata',
    settings: { urls: [cloud.url], requests_per_minute: 6_000 },
    secret: 'otodata-key',
    days: 1,
  });
  const before = (await stateOf(database, organizationNo, id)).read_up_to;
  await givenConnectorRole(writing.environment);
  cloud.faults.push({ status: 429, retryAfter: '3600' });
  const untilError = (error: string) =>
    expect.poll(async () => (await stateOf(database, organizationNo, id)).last_error).toContain(error);
  await untilError('too often');
  const { rows } = await database.owner.query<{ seconds: number; slowness: number }>(
    `select date_part('epoch', next_attempt_at - now())::int as seconds, slowness from connector_states where connector_no = $1`,
    [no],
  );
  // The source asked for a pause of 3,600 seconds.
  expect(rows).toEqual([{ seconds: expect.closeTo(3_600, -2), slowness: 2 }]);
  for (const [fault, error] of [
    [{ status: 500 }, 'the source answered 500'],
    [{ body: '<html>' }, 'not JSON'],
    [{ body: '{"Items":[]}' }, 'has no Logs'],
    [{ fields: true }, 'reads nothing of the answer'],
    [{ status: 302 }, 'answered 302'],
  ] as const) {
    cloud.faults.push(...Array.from({ length: 8 }, () => fault));
    await askNow(database, no);
    await untilError(error);
    expect((await stateOf(database, organizationNo, id)).read_up_to).toBe(before);
    cloud.faults.length = 0;
  }
  await askNow(database, no);
  await expect.poll(() => countStored(database, tankNos)).toBe(readings.length);
  expect(await stateOf(database, organizationNo, id)).toMatchObject({ state: 'works', last_error: null });
  const { rows: rejected } = await database.owner.query('select from rejected_readings where organization_no = $1', [
    organizationNo,
  ]);
  expect(rejected).toHaveLength(0);
});

test('Tank Utility is asked for each device, with a token that is renewed once', async ({ database, writing }) => {
  const { organizationNo, tankNos } = await givenSender(database, ['TU1', 'TU2']);
  const atMs = Math.floor(Date.now() / 1_000) * 1_000 - HOUR_MS;
  const latest = new Map<string, CloudReading | null>([
    ['TU1', { device: 'TU1', atMs, level: 0.41 }],
    ['TU2', { device: 'TU2', atMs, level: 0.42 }],
    ['TU3', null], // it has never reported
    ['TU4', { device: 'TU4', atMs, level: 7 }],
  ]);
  const cloud = await untilTestEnds(startTankUtility(latest));
  const { id, no } = await givenConnector(database, organizationNo, {
    kind: 'tank_utility',
    name: 'Tank Utility',
    settings: { url: cloud.url, requests_per_minute: 6_000 },
    secret: 'office@example.com:pass:word',
  });
  await givenConnectorRole(writing.environment);
  await expect.poll(() => countStored(database, tankNos)).toBe(2);
  // Each round reads the wrong level of TU4 again, but it is recorded once.
  const rejected = () =>
    database.owner
      .query('select device_id, code from rejected_readings where organization_no = $1', [organizationNo])
      .then(({ rows }) => rows);
  await expect.poll(rejected).toEqual([{ device_id: 'TU4', code: 'out_of_range' }]);
  latest.set('TU1', { device: 'TU1', atMs: atMs + MINUTE_MS, level: 0.4 });
  // The token ends between the list and the first device.
  cloud.faults.push({ body: '{"token":"token 0"}' });
  const storedAfterAsking = async (): Promise<number> => {
    await askNow(database, no);
    return countStored(database, tankNos);
  };
  await expect.poll(storedAfterAsking).toBe(3);
  await expect.poll(async () => (await stateOf(database, organizationNo, id)).state).toBe('works');
  expect(await rejected()).toHaveLength(1);
  cloud.secret = 'other:password';
  const stateAfterAsking = async (): Promise<string> => {
    await askNow(database, no);
    return (await stateOf(database, organizationNo, id)).state;
  };
  await expect.poll(stateAfterAsking).toBe('refused');
});

test('the readings of a device arrive if the requests of later devices fail', async ({ database, writing }) => {
  const { organizationNo, tankNos } = await givenSender(database, ['TV1']);
  const atMs = Math.floor(Date.now() / 1_000) * 1_000 - HOUR_MS;
  const latest = new Map<string, CloudReading | null>();
  for (const device of ['TV1', 'TV2', 'TV3', 'TV4', 'TV5']) latest.set(device, { device, atMs, level: 0.4 });
  const cloud = await untilTestEnds(startTankUtility(latest));
  for (const device of ['TV2', 'TV3', 'TV4', 'TV5']) cloud.failing.add(`/devices/${device}`);
  const { no } = await givenConnector(database, organizationNo, {
    kind: 'tank_utility',
    name: 'Tank Utility',
    settings: { url: cloud.url, requests_per_minute: 6_000 },
    secret: 'office@example.com:pass:word',
  });
  await givenConnectorRole(writing.environment);
  await expect.poll(() => countStored(database, tankNos)).toBe(1);
  await expect.poll(() => failuresOf(database, no)).toBe(1);
  latest.set('TV1', { device: 'TV1', atMs: atMs + MINUTE_MS, level: 0.4 });
  for (const failures of [2, 3]) {
    await askNow(database, no);
    await expect.poll(() => failuresOf(database, no)).toBe(failures);
  }
  await expect.poll(() => countStored(database, tankNos)).toBe(2);
});

test('a cloud that does not answer delays no other organization', async ({ database, writing }) => {
  const slow = await givenSender(database, ['60000001']);
  const quick = await givenSender(database, ['60000002']);
  const hanging = await givenOtodata([]);
  const readings = readingsOf(['60000002'], 1);
  const cloud = await givenOtodata(readings);
  const settings = (url: string) => ({ urls: [url], requests_per_minute: 6_000 });
  for (let n = 0; n < 10; n++) {
    hanging.faults.push({ hang: true });
    await givenConnector(database, slow.organizationNo, {
      kind: 'otodata',
      name: `slow ${n}`,
      settings: settings(hanging.url),
      secret: 'otodata-key',
    });
  }
  await givenConnectorRole(writing.environment);
  await expect.poll(() => hanging.requests.length).toBe(4);
  await givenConnector(database, quick.organizationNo, {
    kind: 'otodata',
    name: 'quick',
    settings: settings(cloud.url),
    secret: 'otodata-key',
    days: 2,
  });
  await expect.poll(() => countStored(database, quick.tankNos)).toBe(readings.length);
  expect(hanging.requests).toHaveLength(4);
});

test('a source records at most 10,000 devices that are on no tank, and all devices that are on tanks', async ({
  database,
  writing,
}) => {
  const { organizationNo } = await givenSender(database, ['99999999']);
  const atMs = Math.floor(Date.now() / 1_000) * 1_000 - MINUTE_MS;
  const devices = [...Array.from({ length: 10_005 }, (_, n) => String(10_000_000 + n)), '99999999'];
  const cloud = await givenOtodata(
    devices.map((device) => ({ device, atMs, level: 0.5 })),
    20_000,
  );
  const { id } = await givenConnector(database, organizationNo, {
    kind: 'json',
    name: 'many',
    settings: {
      url: `${cloud.url}/tanklevels?startDateUtc={from}&endDateUtc={to}`,
      profile: 'otodata-neevo',
      header: { name: 'Authorization', value: 'Bearer {secret}' },
      requests_per_minute: 6_000,
    },
    secret: 'otodata-key',
    days: 1,
  });
  await givenConnectorRole(writing.environment);
  await expect
    .poll(async () => stateOf(database, organizationNo, id))
    .toMatchObject({ state: 'works', devices: 10_001, tanks: 1 });
});

test('the sources of an organization share its rate, and free slots go to different organizations first', async ({
  database,
  writing,
}) => {
  const devices = ['61000001', '61000002'];
  const { organizationNo, tankNos } = await givenSender(database, devices);
  const other = await givenSender(database, ['61000003']);
  const nowMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  for (const device of devices) {
    const readings = Array.from({ length: 1_000 }, (_, n) => ({ device, atMs: nowMs - n * MINUTE_MS, level: 0.5 }));
    const cloud = await givenOtodata(readings);
    const settings = { urls: [cloud.url], requests_per_minute: 6_000 };
    await givenConnector(database, organizationNo, {
      kind: 'otodata',
      name: device,
      settings,
      secret: 'otodata-key',
      days: 1,
    });
  }
  const startMs = performance.now();
  await givenConnectorRole({ ...writing.environment, CONNECTOR_READINGS_PER_SECOND: '500' });
  await expect.poll(() => countStored(database, tankNos)).toBe(2_000);
  // The 2,000 readings are four messages of 500, one per second.
  expect(performance.now() - startMs).toBeGreaterThan(3_000);

  const brokers = { kind: 'mqtt', settings: { url: 'mqtt://broker.example.com', topics: [{ filter: '#' }] } } as const;
  for (const name of ['a', 'b', 'c']) await givenConnector(database, organizationNo, { ...brokers, name });
  await givenConnector(database, other.organizationNo, { ...brokers, name: 'a' });
  await database.owner.query(`update connector_states set leased_until = null, next_attempt_at = now() - interval '1 hour'
    where connector_no in (select no from connectors where kind = 'mqtt')`);
  const lease = (clouds: number, brokersLeft: number) =>
    leaseConnectors(database.worker, { processId: uuid7(), clouds, brokers: brokersLeft, running: {} });
  const leased = await lease(0, 2);
  expect(new Set(leased.map(({ organization_no: no }) => no))).toEqual(new Set([organizationNo, other.organizationNo]));
});

test('two processes together keep the rate of a source and store its history once, also if one of them stops', async ({
  database,
  writing,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['70000001']);
  const readings = readingsOf(['70000001'], 30);
  const cloud = await givenOtodata(readings);
  const { id } = await givenConnector(database, organizationNo, {
    kind: 'otodata',
    name: 'Otodata',
    settings: { urls: [cloud.url], requests_per_minute: 300 },
    secret: 'otodata-key',
    days: 31,
  });
  const first = await givenConnectorRole(writing.environment);
  await givenConnectorRole(writing.environment);
  await expect.poll(() => cloud.requests.length).toBeGreaterThan(2);
  await first.close();
  await expect.poll(async () => (await stateOf(database, organizationNo, id)).backfill_from).toBeNull();
  await untilCommitted(writing.stream);
  expect(await countStored(database, tankNos)).toBe(readings.length);
  // A request is sent every 200 ms. A single request may be delayed, so the time of all requests is measured.
  const [firstMs = 0, lastMs = 0] = [cloud.requests[0]?.atMs, cloud.requests.at(-1)?.atMs];
  expect(lastMs - firstMs).toBeGreaterThanOrEqual((cloud.requests.length - 1) * 200 - 200);
});

test('a process that stops ends the trial of a cloud that does not answer', async ({ database }) => {
  const { organizationNo } = await givenSender(database, ['20008460']);
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => server.closeAllConnections());
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const addresses = { allowHttp: true, allowPrivate: true };
  const [agent, stopping] = [sourceAgent(addresses), new AbortController()];
  const tried = trySource(
    database.operator,
    { organizationNo, settings: { kind: 'otodata', urls: [url] }, secret: 'key', gauges: new OrganizationGauges() },
    { agent, addresses, pace: () => async () => {}, signal: stopping.signal },
  );
  await once(server, 'request');
  stopping.abort(new Error('the process stops'));
  await expect(tried).rejects.toThrow('the process stops');
  await agent.destroy();
  server.close();
});
