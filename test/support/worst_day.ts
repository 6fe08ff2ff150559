import { fireAllTimers } from '../../src/evaluation/fire_timers.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import type { TankReading } from '../../src/telemetry/reading.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks } from './fleet.ts';
import type { TestDatabase } from './test.ts';

const round = (fill: number): number => Math.round(fill * 10) / 10;

/** Hourly readings of `days` until `untilMs`. They fall by `perDay` points a day to `fill`. */
export const hourly = (tankNo: number, fill: number, perDay: number, untilMs: number, days = 12): TankReading[] =>
  Array.from({ length: days * 24 + 1 }, (_, index) => {
    const hoursLeft = days * 24 - index;
    return { tankNo, atMs: untilMs - hoursLeft * HOUR_MS, fillPercentage: round(fill + (hoursLeft / 24) * perDay) };
  });

/** Hourly readings with these levels, the last one at `untilMs`. */
export const levels = (tankNo: number, fills: readonly number[], untilMs: number): TankReading[] =>
  fills.map((fill, index) => ({
    tankNo,
    atMs: untilMs - (fills.length - 1 - index) * HOUR_MS,
    fillPercentage: round(fill),
  }));

const steps = (count: number, levelOf: (step: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => levelOf(index + 1));

/** Hourly readings of a tank that lost 20 points in the last 8 hours, from `fill`. */
export const leak = (tankNo: number, fill: number, untilMs: number): TankReading[] =>
  levels(
    tankNo,
    steps(8, (hour) => fill - 2.5 * hour),
    untilMs,
  );

/** The name of each tank says what it is. Capacity 500, threshold 20 %. */
export const WORST_DAY = [
  'leak',
  'leak of a low tank',
  'low',
  'emptier',
  'stuck gauge',
  'silent and low',
  'due',
  'refilled',
  'fine',
  'never reported',
] as const;
export type WorstDayTank = (typeof WORST_DAY)[number];

/** A fleet with a tank for each section, made from readings. The leak loses 30 points in 9 hours, from 64 %. */
export async function givenWorstDay(database: TestDatabase, nowMs = Date.now()) {
  const { operator, writer, owner } = database;
  const organizationNo = await givenOrganization(operator);
  await owner.query(`update organizations set time_zone = 'America/New_York' where no = $1`, [organizationNo]);
  const ann = await givenCustomer(operator, organizationNo, { name: 'Ann', phone: '802 555 0142' });
  const bob = await givenCustomer(operator, organizationNo, { name: 'Bob' });
  const created = await givenTanks(
    operator,
    organizationNo,
    ann.no,
    WORST_DAY.map((name) => ({ name, ...(name === 'fine' ? { owner_no: bob.no } : {}) })),
  );
  const noOf = (name: WorstDayTank): number => created[WORST_DAY.indexOf(name)]?.no ?? 0;
  const idOf = (name: WorstDayTank): string => created[WORST_DAY.indexOf(name)]?.id ?? '';
  const series: Record<WorstDayTank, (no: number) => TankReading[]> = {
    leak: (no) => [
      ...hourly(no, 64, 1, nowMs - 9 * HOUR_MS),
      ...levels(
        no,
        steps(9, (hour) => 64 - (30 / 9) * hour),
        nowMs,
      ),
    ],
    'leak of a low tank': (no) => [
      ...hourly(no, 19, 0.5, nowMs - 6 * HOUR_MS),
      ...levels(
        no,
        steps(6, (hour) => 19 - 2.5 * hour),
        nowMs,
      ),
    ],
    low: (no) => hourly(no, 18, 1, nowMs),
    emptier: (no) => hourly(no, 9, 1, nowMs),
    'stuck gauge': (no) => [
      ...hourly(no, 52, 1, nowMs - 20 * HOUR_MS),
      ...levels(
        no,
        steps(20, () => 0),
        nowMs,
      ),
    ],
    'silent and low': (no) => hourly(no, 30, 1, nowMs - 15 * DAY_MS),
    due: (no) => hourly(no, 21.5, 1, nowMs),
    refilled: (no) => [
      ...hourly(no, 30, 1, nowMs - 8 * HOUR_MS),
      ...levels(
        no,
        steps(8, (hour) => 80 - hour / 24),
        nowMs,
      ),
    ],
    fine: (no) => hourly(no, 70, 1, nowMs),
    'never reported': () => [],
  };
  const ingester = new BatchIngester(writer);
  for (const name of WORST_DAY) {
    const readings = series[name](noOf(name));
    if (readings.length > 0) await ingester.ingestReadings(readings);
  }
  await fireAllTimers(writer, nowMs);
  const key = await givenKey(operator, { organizationNo });
  const ofBob = await givenKey(operator, { organizationNo, customerNo: bob.no });
  const ofAnn = await givenKey(operator, { organizationNo, customerNo: ann.no });
  return { organizationNo, noOf, idOf, ingester, nowMs, key: key.text, ofAnn: ofAnn.text, ofBob: ofBob.text };
}
