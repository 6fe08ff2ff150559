import { expect } from 'vitest';
import { fireAllTimers } from '../../src/evaluation/fire_timers.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { listTanksToRefill, type RefillSelection } from '../../src/status/refill_list.ts';
import { roomTo, type TankStatus, usePerDay } from '../../src/status/tank_status.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenOrganization, givenTanks } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

const NOW_MS = Date.UTC(2026, 5, 1);

interface Wanted {
  /** Readings every six hours: the last fill percentage, the use in points a day, and the age of the last reading. */
  life?: { until: number; pointsPerDay: number; daysAgo?: number };
  /** Readings after those, one every six hours up to now. */
  later?: readonly number[];
  city?: string;
  use_case?: 'residential' | 'industrial';
}

/** An organization with these tanks. Capacity 500 liters, threshold 20 %. */
async function givenLives(
  database: TestDatabase,
  wanted: Readonly<Record<string, Wanted>>,
): Promise<{ organizationNo: number; nos: Map<string, number> }> {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo, { name: 'María López', phone: '+52 461 1' });
  const names = Object.keys(wanted);
  const tanks = await givenTanks(
    database.operator,
    organizationNo,
    owner.no,
    names.map((name) => ({ name, city: wanted[name]?.city ?? null, use_case: wanted[name]?.use_case ?? null })),
  );
  const nos = new Map(names.map((name, index) => [name, tanks[index]?.no ?? 0]));
  for (const [name, tankNo] of nos) {
    const { life, later = [] } = wanted[name] ?? {};
    if (life === undefined) continue;
    const lastMs = NOW_MS - (life.daysAgo ?? 0) * DAY_MS - later.length * 6 * HOUR_MS;
    const steady = Array.from({ length: 80 }, (_, n) => ({
      tankNo,
      atMs: lastMs - (79 - n) * 6 * HOUR_MS,
      fillPercentage: Math.round((life.until + ((79 - n) * life.pointsPerDay) / 4) * 100) / 100,
    }));
    const afterwards = later.map((fillPercentage, n) => ({
      tankNo,
      atMs: lastMs + (n + 1) * 6 * HOUR_MS,
      fillPercentage,
    }));
    await new BatchIngester(database.writer).ingestReadings([...steady, ...afterwards]);
  }
  return { organizationNo, nos };
}

/** Lists with the login of the worker, which does so for its mails. */
const list = (database: TestDatabase, selection: Omit<RefillSelection, 'limit'> & { limit?: number }) =>
  listTanksToRefill(database.worker, { limit: 100, ...selection }, NOW_MS);

const names = (tanks: readonly TankStatus[]): string[] => tanks.map(({ tank }) => tank.name);

test('low tanks come first, soonest to empty first; then the others by the days to their thresholds', async ({
  database,
}) => {
  const { organizationNo, nos } = await givenLives(database, {
    'No reading': {},
    Later: { life: { until: 70, pointsPerDay: 1 } },
    'Low, slow': { life: { until: 8, pointsPerDay: 0.4 } },
    Soon: { life: { until: 30, pointsPerDay: 1.5 } },
    'Low?': { life: { until: 50, pointsPerDay: 1 }, later: [12] },
    'Silent, low': { life: { until: 14, pointsPerDay: 0.2, daysAgo: 5 } },
    'Low, fast': { life: { until: 16, pointsPerDay: 2 } },
    Silent: { life: { until: 60, pointsPerDay: 1, daysAgo: 5 } },
    'State of another release': { life: { until: 50, pointsPerDay: 1 } },
    'Stuck gauge': { life: { until: 26, pointsPerDay: 1 }, later: Array.from({ length: 9 }, () => 100) },
  });
  await database.owner.query(`update tank_states set encoded_state = '[1,0]' where tank_no = $1`, [
    nos.get('State of another release'),
  ]);

  const { tanks, total } = await list(database, { organizationNo });
  expect(tanks.map(({ tank, isLow, reason }) => [tank.name, isLow, reason])).toEqual([
    ['Low, fast', true, null],
    ['Low, slow', true, null],
    ['Silent, low', true, 'silent'],
    // One low reading, which is not confirmed yet.
    ['Low?', false, null],
    // The level was 26 % two days ago. It may be near the threshold now.
    ['Stuck gauge', false, 'gauge unreliable'],
    ['Soon', false, null],
    // Its estimate is 55 %. At the earliest, it is at its threshold before `Later`, which has 50 days.
    ['Silent', false, 'silent'],
    ['Later', false, null],
    ['No reading', false, 'no reading yet'],
    ['State of another release', false, 'not evaluated yet'],
  ]);
  expect(total).toBe(10);

  const [fast, slow, silentLow, pending, stuck, soon] = tanks;
  if (fast === undefined || silentLow === undefined || stuck === undefined || soon === undefined)
    throw new Error('a tank is missing');
  expect(fast.owner).toMatchObject({ name: 'María López', phone: '+52 461 1' });
  expect(fast.reading).toEqual({ created_at: '2026-06-01T00:00:00.000Z', fill_percentage: 16 });
  expect(fast.volumeLeft).toBeCloseTo(80, -1);
  expect(roomTo(fast, 80)).toBeCloseTo(400 - (fast.volumeLeft ?? 0), 5);
  expect(roomTo(fast, 10)).toBe(0);
  expect(usePerDay(fast)).toBeCloseTo(10, 0);
  // A tank without a known level has no volume.
  expect([silentLow.volumeLeft, roomTo(silentLow, 80)]).toEqual([null, null]);
  expect([stuck.volumeLeft, stuck.forecast?.isGaugeReliable]).toEqual([null, false]);
  expect(stuck.waiting).toMatchObject([{ kind: 'gauge', fault: 'stuck_at_limit' }]);

  expect(pending?.waiting).toMatchObject([{ kind: 'low_confirmation', expectedPercentage: 49.8 }]);

  // The rows that the fleet reads sort by have the same order, by whole days. A row is kept until its tank is re-evaluated.
  await fireAllTimers(database.writer, NOW_MS);
  const { rows } = await database.owner.query<{ name: string }>(
    `select t.name from fleet_tanks f join tanks t on t.no = f.tank_no
     where f.organization_no = $1 and t.name <> 'State of another release'
     order by f.threshold_on, f.empty_on, f.tank_no`,
    [organizationNo],
  );
  expect(rows.map(({ name }) => name)).toEqual(names(tanks.slice(0, -1)));

  const due = await list(database, { organizationNo, withinDays: 10 });
  expect(names(due.tanks)).toEqual(
    [fast, slow, silentLow, pending, stuck, soon, tanks[8], tanks[9]].map((status) => status?.tank.name),
  );
  const limited = await list(database, { organizationNo, limit: 2 });
  expect([names(limited.tanks), limited.total]).toEqual([['Low, fast', 'Low, slow'], 10]);
});

test('after months without readings no level is estimated, and the next reading is the level', async ({ database }) => {
  const { organizationNo, nos } = await givenLives(database, {
    'Silent for months': { life: { until: 60, pointsPerDay: 1, daysAgo: 300 } },
    'Low, silent for months': { life: { until: 14, pointsPerDay: 0.5, daysAgo: 300 } },
    'Back after months': { life: { until: 45.9, pointsPerDay: 1, daysAgo: 300 } },
    Soon: { life: { until: 30, pointsPerDay: 1.5 } },
  });
  const back = { tankNo: nos.get('Back after months') ?? 0, atMs: NOW_MS - HOUR_MS, fillPercentage: 45.5 };
  await new BatchIngester(database.writer).ingestReadings([back]);
  const { tanks } = await list(database, { organizationNo });
  expect(
    tanks.map(({ tank, isLow, reason, forecast }) => [tank.name, isLow, reason, forecast?.fillPercentage]),
  ).toEqual([
    ['Low, silent for months', true, 'silent', undefined],
    ['Soon', false, null, expect.closeTo(30, 0)],
    ['Back after months', false, null, expect.closeTo(45.5, 0)],
    ['Silent for months', false, 'silent', undefined],
  ]);
  expect(tanks.map(({ volumeLeft }) => volumeLeft)).toEqual([
    null,
    expect.closeTo(150, -1),
    expect.closeTo(227, -1),
    null,
  ]);
});

test('the list is limited to cities, to a use case and to one tank', async ({ database }) => {
  const life = { until: 50, pointsPerDay: 1 };
  const { organizationNo, nos } = await givenLives(database, {
    A: { life, city: 'Celaya', use_case: 'industrial' },
    B: { life, city: 'CELAYA', use_case: 'residential' },
    C: { life, city: 'León', use_case: 'residential' },
    D: { life },
  });
  const selected = async (selection: Partial<RefillSelection>): Promise<string[]> =>
    names((await list(database, { organizationNo, ...selection })).tanks).toSorted();
  expect(await selected({})).toEqual(['A', 'B', 'C', 'D']);
  expect(await selected({ cities: ['celaya'] })).toEqual(['A', 'B']);
  expect(await selected({ cities: ['celaya', 'LEÓN'] })).toEqual(['A', 'B', 'C']);
  expect(await selected({ cities: ['Celaya'], useCase: 'residential' })).toEqual(['B']);
  expect(await selected({ tankNo: nos.get('D') })).toEqual(['D']);
  expect(await selected({ organizationNo: await givenOrganization(database.operator) })).toEqual([]);
});

test('every tank of an organization is listed once, also if there are more than one statement reads', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo);
  const wanted = Array.from({ length: 2_100 }, (_, n) => ({ name: `Tank ${n}` }));
  await givenTanks(database.operator, organizationNo, owner.no, wanted);
  const { tanks, total } = await list(database, { organizationNo, limit: 5_000 });
  expect([new Set(names(tanks)).size, tanks.length, total]).toEqual([2_100, 2_100, 2_100]);
  const limited = await list(database, { organizationNo, limit: 10 });
  expect([limited.tanks.length, limited.total]).toEqual([10, 2_100]);
});
