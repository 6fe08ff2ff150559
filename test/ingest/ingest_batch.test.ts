import { connect } from '@nats-io/transport-node';
import { expect } from 'vitest';
import { deleteTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { parseReading } from '../../src/telemetry/reading.ts';
import {
  encodeMessage,
  type OrganizationHealth,
  type OrganizationReading,
} from '../../src/telemetry/stream_message.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import {
  counterFaults,
  type Environment,
  givenSender,
  postReadings,
  rejectedOf,
  streamReadings,
  test,
  untilCommitted,
} from '../support/ingest.ts';
import { iso } from '../support/readings.ts';
import type { TestDatabase } from '../support/test.ts';

const AT_MS = Date.UTC(2025, 2, 1);

const readingsIn = async (database: TestDatabase, tankNo: number | undefined) =>
  (
    await database.owner.query<{ created_at: string; fill_percentage: number }>(
      'select created_at, fill_percentage from telemetry where tank_no = $1 order by created_at',
      [tankNo],
    )
  ).rows.map(({ created_at, fill_percentage }) => [Date.parse(created_at), fill_percentage]);

test('an older reading of a device that moved yesterday goes to the tank it was on', async ({ database, ingest }) => {
  const { organizationNo, tankNos } = await givenSender(database, ['MOVED', 'OTHER']);
  const [before, after] = tankNos;
  await database.operator.query(
    `update tanks set assigned_device_id = case no when $1 then 'OTHER' else 'MOVED' end where no in ($1, $2)`,
    [before, after],
  );
  const movedAtMs = Date.now() - 24 * HOUR_MS;
  await database.operator.query(
    `update device_assignments set from_at = case when from_at = '-infinity' then from_at else $2 end,
       to_at = case when to_at = 'infinity' then to_at else $2 end
     where organization_no = $1`,
    [organizationNo, iso(movedAtMs)],
  );
  const times = [movedAtMs - 24 * HOUR_MS, movedAtMs - 1, movedAtMs, Date.now()];
  await streamReadings(
    ingest.stream,
    times.map((atMs) => ({ organizationNo, deviceId: 'MOVED', atMs, level: 50 })),
  );
  await untilCommitted(ingest.stream);
  expect(await readingsIn(database, before)).toEqual(times.slice(0, 2).map((atMs) => [atMs, 50]));
  expect(await readingsIn(database, after)).toEqual(times.slice(2).map((atMs) => [atMs, 50]));
});

test('readings of an unknown device or a deleted tank and too large volumes are rejected with the reason', async ({
  database,
  ingest,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['LIVE', 'GONE']);
  const { organizationNo: theirs } = await givenSender(database, ['THEIRS']);
  const [live, gone] = tankNos;
  await transaction(database.operator, (tx) => deleteTank(tx, organizationNo, gone ?? 0));
  const reading = (deviceId: string, level: OrganizationReading['level'], atMs = AT_MS): OrganizationReading => ({
    organizationNo,
    deviceId,
    atMs,
    level,
  });
  await streamReadings(ingest.stream, [
    reading('NOBODY', 5),
    reading('LIVE', { amount: 125, unit: 'liters' }), // the tank holds 500 liters
    reading('GONE', 5),
    reading('GONE', 5, Date.now()),
    reading('THEIRS', 5),
    { ...reading('LIVE', 5), organizationNo: theirs },
    reading('LIVE', { amount: 100, unit: 'gallons' }, AT_MS + 1),
    reading('LIVE', { amount: 500.1, unit: 'liters' }, AT_MS + 2),
    reading('ESC\u001b[2J', 5),
  ]);
  await untilCommitted(ingest.stream);
  expect(await readingsIn(database, live)).toEqual([
    [AT_MS, 25],
    [AT_MS + 1, 75.71],
  ]);
  const rejected = await rejectedOf(database, organizationNo);
  expect(rejected.map(({ device_id, code }) => [device_id, code])).toEqual([
    ['NOBODY', 'unknown_device'],
    ['GONE', 'deleted_tank'],
    ['GONE', 'deleted_tank'],
    ['THEIRS', 'unknown_device'],
    ['LIVE', 'out_of_range'],
    ['ESC\u001b[2J', 'unknown_device'],
  ]);
  expect(rejected[0]?.detail).toBe(
    'The device "NOBODY" was not assigned to a tank at 2025-03-01T00:00:00.000Z; assign it first.',
  );
  expect(JSON.parse(rejected[4]?.raw ?? '')).toEqual({ volume_liters: 500.1, created_at: iso(AT_MS + 2) });
  expect(rejected[5]?.detail).toMatch(/^\P{Cc}+$/u);
  expect((await rejectedOf(database, theirs)).map(({ code }) => code)).toEqual(['unknown_device']);
});

test('a measure without a level is rejected until the gauge of the tank is described, and kept as it was measured', async ({
  database,
  ingest,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['M']);
  const measured = (atMs: number, level: number | null): OrganizationReading => ({
    organizationNo,
    deviceId: 'M',
    atMs,
    level,
    measure: { kind: 'distance', value: 27_991 },
  });
  await streamReadings(ingest.stream, [measured(AT_MS, null), measured(AT_MS + 1, 45)]);
  await untilCommitted(ingest.stream);
  expect(await readingsIn(database, tankNos[0])).toEqual([[AT_MS + 1, 45]]);
  const [rejected] = await rejectedOf(database, organizationNo);
  expect(rejected).toMatchObject({
    code: 'no_gauge',
    detail: expect.stringContaining('sent distance 2799.1 mm and no level'),
  });
  const raw = JSON.parse(rejected?.raw ?? '') as object;
  expect(raw).toEqual({ distance_mm: 2_799.1, created_at: iso(AT_MS) });
  // The kept payload is parsed to the same reading.
  const again = parseReading('M', raw, { receivedAtMs: Date.now(), nowMs: Date.now() });
  expect({ organizationNo, ...again }).toEqual(measured(AT_MS, null));
});

test('another value for the same tank and time is a conflict, which is recorded once also if it is sent again', async ({
  database,
  ingest,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['C']);
  const reading = (level: number, atMs = AT_MS) => ({ organizationNo, deviceId: 'C', atMs, level });
  await streamReadings(ingest.stream, [reading(50), reading(51), reading(50), reading(60, AT_MS + 1)]);
  await untilCommitted(ingest.stream);
  await streamReadings(ingest.stream, [reading(60, AT_MS + 1), reading(61, AT_MS + 1), reading(50)]);
  await untilCommitted(ingest.stream);
  await ingest.stream.replaySince(0);
  await untilCommitted(ingest.stream);
  expect(await readingsIn(database, tankNos[0])).toEqual([
    [AT_MS, 50],
    [AT_MS + 1, 60],
  ]);
  const rejected = await rejectedOf(database, organizationNo);
  expect(rejected.map(({ code, raw }) => [code, JSON.parse(raw).fill_percentage])).toEqual([
    ['conflict', 51],
    ['conflict', 61],
  ]);
  expect(rejected[0]?.detail).toBe(
    `The tank already has 50 at ${iso(AT_MS)}, not 51; a stored reading is never changed.`,
  );
  expect(await counterFaults(database)).toEqual([]);
});

test('a reading that the database rejects is recorded, and the other 999 of its batch are stored', async ({
  database,
  ingest,
}) => {
  const { organizationNo, key, tankNos } = await givenSender(database, ['U']);
  await database.owner.query('alter table telemetry add constraint unlucky check (fill_percentage <> 13)');
  const readings = Array.from({ length: 1_000 }, (_, n) => ({
    device_id: 'U',
    fill_percentage: n === 700 ? 13 : 14,
    created_at: iso(AT_MS + n * 60_000),
  }));
  await postReadings(ingest.gateway.httpUrl, key, readings);
  await untilCommitted(ingest.stream);
  await database.owner.query('alter table telemetry drop constraint unlucky');
  expect((await readingsIn(database, tankNos[0])).length).toBe(999);
  const [only, ...others] = await rejectedOf(database, organizationNo);
  expect([only?.code, others]).toEqual(['unstorable', []]);
  expect(only?.detail).toMatch(/The database rejects the reading: .*unlucky/);
  expect(JSON.parse(only?.raw ?? '')).toEqual({ fill_percentage: 13, created_at: readings[700]?.created_at });
  expect(await counterFaults(database)).toEqual([]);
});

test('a message that was not written by a gateway is recorded as rejected and does not delay others', async ({
  database,
  ingest,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['G']);
  const reading = (atMs: number) => [{ organizationNo, deviceId: 'G', atMs, level: 5 }];
  await streamReadings(ingest.stream, reading(AT_MS));
  const poison = [
    'rm -rf /',
    '',
    `{"id":"${'-'.repeat(36)}","received_at_ms":1,"readings":[],"rejections":[]}`,
    `{"id":"0198a4f0-0000-7000-8000-000000000000","received_at_ms":1,"readings":[[${2 ** 31},"G",1,5,"percent"]],"rejections":[]}`,
    '{"id":"0198a4f0-0000-7000-8000-000000000001","received_at_ms":1e300,"readings":[],"rejections":[]}',
  ];
  for (const text of poison) await publishRaw(ingest.environment, text);
  await streamReadings(ingest.stream, reading(AT_MS + 1));
  // These readings are well-formed, but PostgreSQL cannot store the device id and one level. No gateway writes them.
  await streamReadings(ingest.stream, [
    { organizationNo, deviceId: 'G\0', atMs: AT_MS, level: 5 },
    { organizationNo, deviceId: 'G', atMs: 0, level: 5 },
    { organizationNo, deviceId: 'G', atMs: AT_MS + 2, level: -5 },
    { organizationNo, deviceId: 'G', atMs: AT_MS + 3, level: 5 },
  ]);
  await untilCommitted(ingest.stream);
  const undecodable = await rejectedOf(database, null);
  expect(undecodable.map(({ raw }) => raw).toSorted()).toEqual(poison.toSorted());
  expect(new Set(undecodable.map(({ code }) => code))).toEqual(new Set(['malformed']));
  expect(undecodable[0]?.detail).toMatch(/Message \d+ of the stream was not written by a gateway/);
  const codes = (await rejectedOf(database, organizationNo)).map(({ device_id, code }) => [device_id, code]);
  expect(codes).toEqual(
    expect.arrayContaining([
      ['G\uFFFD', 'unstorable'],
      ['G', 'unstorable'],
    ]),
  );
  const stored = (await readingsIn(database, tankNos[0])).map(([atMs]) => atMs);
  expect(stored).toEqual([0, AT_MS, AT_MS + 1, AT_MS + 3]);
});

async function publishRaw({ NATS_URL = '', NATS_STREAM = '' }: Environment, text: string): Promise<void> {
  const { host, username, password } = new URL(NATS_URL);
  const connection = await connect({ servers: host, user: username, pass: password });
  connection.publish(NATS_STREAM, text);
  await connection.drain();
}

test('the health of a device on four tanks is one row with one battery event, and is not stored for a device on no tank', async ({
  database,
  ingest,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['QUAD#1', 'QUAD#2', 'QUAD#3', 'QUAD#4']);
  const { organizationNo: theirs } = await givenSender(database, ['OTHER']);
  const report = (hours: number, battery_percent: number) => ({
    organization_no: organizationNo,
    device_id: 'QUAD',
    at_ms: AT_MS + hours * HOUR_MS,
    battery_percent,
    rssi_dbm: -97,
    profile: 'dragino-ldds04',
  });
  const send = async (...health: OrganizationHealth[]): Promise<void> => {
    const id = uuid7();
    const entries = health.map((sent) => JSON.stringify(sent));
    await ingest.stream.publish(id, encodeMessage(id, Date.now(), [], [], entries));
    await untilCommitted(ingest.stream);
  };
  await send(report(0, 12), { ...report(0, 12), organization_no: theirs }, { ...report(0, 12), device_id: 'NOBODY' });
  await send(report(30, 11), report(12, 12));
  await send(report(36, 11), report(6, 90)); // the second report is late
  // The database cannot store the first report. The second one is stored.
  await send({ ...report(40, 11), firmware: 'nul \u0000' }, report(44, 11));
  const { rows } = await database.owner.query(
    'select organization_no, device_id, tank_no, at, battery_percent, battery_low_since from device_health',
  );
  expect(rows).toEqual([
    {
      organization_no: organizationNo,
      device_id: 'QUAD',
      tank_no: tankNos[0],
      at: iso(AT_MS + 44 * HOUR_MS),
      battery_percent: 11,
      battery_low_since: iso(AT_MS),
    },
  ]);
  const { rows: events } = await database.owner.query(
    `select tank_no, type, occurred_at, data from events where type like 'device.%'`,
  );
  expect(events).toEqual([
    {
      tank_no: tankNos[0],
      type: 'device.battery_low',
      occurred_at: iso(AT_MS + 30 * HOUR_MS),
      data: { device_id: 'QUAD', battery_v: null, battery_percent: 11 },
    },
  ]);
});
