import { expect } from 'vitest';
import { updateTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { fireAllTimers, TimerScan } from '../../src/evaluation/fire_timers.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import type { ReceivedBatch } from '../../src/ingest/ingest_batch.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import { falling, givenTankNos, queueOf, readingsOf, settle } from '../support/evaluation.ts';
import { givenFleet } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';

async function timersOf(database: TestDatabase, tankNos: readonly number[]): Promise<(string | null)[]> {
  const { rows } = await database.owner.query<{ timer_at: string | null }>(
    'select timer_at from tank_states where tank_no = any ($1) order by tank_no',
    [tankNos],
  );
  return rows.map((row) => row.timer_at);
}

async function eventsOf(database: TestDatabase, tankNos: readonly number[]): Promise<string[]> {
  const { rows } = await database.owner.query<{ event: string }>(
    `select format('%s %s', tank_no, type) as event from events where tank_no = any ($1) order by tank_no, no`,
    [tankNos],
  );
  return rows.map((row) => row.event);
}

test('readings do not move a timer, but its expiry does, and it raises no event before the tank is silent', async ({
  database,
}) => {
  const { nos } = await givenTankNos(database, 1);
  const [tankNo = 0] = nos;
  const ingester = new BatchIngester(database.writer);
  const series = readingsOf(tankNo, falling(80, 0.5, 10));
  for (const reading of series.slice(0, 20)) await ingester.ingestReadings([reading]);
  const [set] = await timersOf(database, nos);
  for (const reading of series.slice(20)) await ingester.ingestReadings([reading]);
  expect(await timersOf(database, nos)).toEqual([set]);

  const latestMs = series.at(-1)?.atMs ?? 0;
  const silentAt = new Date(latestMs + 36 * HOUR_MS).toISOString();
  const scan = new TimerScan(database.writer);
  expect(await scan.fireBatch(latestMs)).toMatchObject({ tanks: 1, events: 0 });
  expect(await timersOf(database, nos)).toEqual([silentAt]);
  expect(await scan.fireBatch(latestMs + 35 * HOUR_MS)).toMatchObject({ tanks: 0 });
  expect(await scan.fireBatch(latestMs + 36 * HOUR_MS)).toMatchObject({ tanks: 1, events: 1 });
  expect(await timersOf(database, nos)).toEqual([null]);
});

test('thousands of timers that expire at the same time are each evaluated once', async ({ database }) => {
  const { nos } = await givenTankNos(database, 1_700);
  const ingester = new BatchIngester(database.writer);
  const series = falling(80, 0.5, 2).map(([atMs, fill]) => [atMs - 48 * HOUR_MS, fill] as const);
  await ingester.ingestReadings(nos.flatMap((no) => readingsOf(no, series)));
  const scan = new TimerScan(database.writer);
  const batches: number[] = [];
  while (batches.at(-1) !== 0) {
    const { tanks } = await scan.fireBatch(Date.now());
    batches.push(tanks);
  }
  expect(batches).toEqual([500, 500, 500, 200, 0]);
  expect(await eventsOf(database, nos)).toHaveLength(nos.length);
  expect((await timersOf(database, nos)).filter((timer) => timer !== null)).toEqual([]);
});

test('an unreadable state does not stop the timers of other tanks, and re-evaluation repairs it', async ({
  database,
}) => {
  const { nos } = await givenTankNos(database, 3);
  const [bad = 0] = nos;
  const ingester = new BatchIngester(database.writer);
  const series = falling(80, 0.5, 4).map(([atMs, fill]) => [atMs - 48 * HOUR_MS, fill] as const);
  await ingester.ingestReadings(nos.flatMap((no) => readingsOf(no, series)));
  await database.owner.query(`update tank_states set encoded_state = 'damaged' where tank_no = $1`, [bad]);
  const { failures } = await new TimerScan(database.writer).fireBatch(Date.now());
  expect(failures).toEqual([{ tankNo: bad, error: expect.any(Error) }]);
  expect(await eventsOf(database, nos)).toEqual(nos.slice(1).map((no) => `${no} tank.device_silent`));
  expect(await queueOf(database, nos)).toEqual([expect.objectContaining({ tank_no: bad })]);
  await settle(database);
  expect(await eventsOf(database, nos)).toEqual(nos.map((no) => `${no} tank.device_silent`));
  expect(await queueOf(database, nos)).toEqual([]);
});

test('an event that the database rejects stops only the timer of its own tank', async ({ database }) => {
  const { nos } = await givenTankNos(database, 4);
  const [bad = 0] = nos;
  const series = falling(80, 0.5, 4).map(([atMs, fill]) => [atMs - 48 * HOUR_MS, fill] as const);
  await new BatchIngester(database.writer).ingestReadings(nos.flatMap((no) => readingsOf(no, series)));
  await database.owner.query(`alter table events add constraint poison check (tank_no <> ${bad})`);
  try {
    const { failures } = await new TimerScan(database.writer).fireBatch(Date.now());
    expect(failures.map(({ tankNo }) => tankNo)).toEqual([bad]);
  } finally {
    await database.owner.query('alter table events drop constraint poison');
  }
  expect(await eventsOf(database, nos)).toEqual(nos.slice(1).map((no) => `${no} tank.device_silent`));
  await settle(database);
  expect(await eventsOf(database, nos)).toHaveLength(4);
});

test('one writer at a time evaluates timers, and changed settings are applied before a timer', async ({ database }) => {
  const { organizationNo, nos } = await givenTankNos(database, 1);
  const [tankNo = 0] = nos;
  const series = falling(80, 0.5, 4).map(([atMs, fill]) => [atMs - 48 * HOUR_MS, fill] as const);
  await new BatchIngester(database.writer).ingestReadings(readingsOf(tankNo, series));
  const scan = new TimerScan(database.writer);
  await transaction(database.owner, async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtext('tankwatch timers'))`);
    expect(await scan.fireBatch(Date.now())).toEqual({ tanks: 0, events: 0, isMore: false, failures: [] });
  });
  await transaction(database.operator, (tx) =>
    updateTank(tx, organizationNo, tankNo, { min_fill_alert_percentage: 90 }),
  );
  expect(await scan.fireBatch(Date.now())).toMatchObject({ tanks: 0, events: 0 });
  await settle(database);
  expect(await eventsOf(database, nos)).toEqual([`${tankNo} tank.device_silent`, `${tankNo} tank.low_fill`]);
});

test('all tanks of a device are not silent before the report that it announced, also after a late reading', async ({
  database,
}) => {
  const devices = ['NEXT#1', 'NEXT#2', 'OTHER'];
  const { organizationNo, tanks } = await givenFleet(database, devices);
  const [first, second, other] = tanks.map(({ no }) => no);
  const nos = [first ?? 0, second ?? 0];
  const series = falling(80, 0.5, 5).map(([atMs, fill]) => [atMs - 120 * HOUR_MS, fill] as const);
  const latestMs = series.at(-1)?.[0] ?? 0;
  const batchOf = (some: typeof series): ReceivedBatch => ({
    readings: devices.flatMap((deviceId, device) =>
      some.map(([atMs, level], n) => ({
        reading: { organizationNo, deviceId, atMs, level },
        messageId: uuid7(),
        position: device * some.length + n,
        receivedAtMs: atMs,
      })),
    ),
    rejections: [],
    health: some.map(([at_ms]) => ({
      organization_no: organizationNo,
      device_id: 'NEXT',
      at_ms,
      next_at_ms: at_ms + 168 * HOUR_MS,
    })),
  });
  const ingester = new BatchIngester(database.writer);
  await ingester.ingestBatch(batchOf(series.filter((_, n) => n !== 15)));
  await settle(database);
  expect(await eventsOf(database, [...nos, other ?? 0])).toEqual([`${other} tank.device_silent`]);
  await ingester.ingestBatch(batchOf(series.slice(15, 16)));
  expect(await queueOf(database, nos)).toHaveLength(2);
  await settle(database);
  await fireAllTimers(database.writer, latestMs + 191 * HOUR_MS);
  expect(await eventsOf(database, nos)).toEqual([]);
  await fireAllTimers(database.writer, latestMs + 192 * HOUR_MS);
  expect(await eventsOf(database, nos)).toEqual(nos.map((no) => `${no} tank.device_silent`));
});
