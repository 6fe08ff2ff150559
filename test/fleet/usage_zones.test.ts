import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { test } from '../support/test.ts';

const DAYS = 390;
const POINTS_PER_DAY = 0.2;
const LITERS = 1_000;

interface Period {
  starts_at: string;
  ends_at: string;
  used_volume: number | null;
}

/** A time as a clock in the zone shows it. */
function clockIn(zone: string, time: string): { day: number; weekday: string; clock: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    day: 'numeric',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(Date.parse(time));
  const part = (type: string): string => parts.find((candidate) => candidate.type === type)?.value ?? '';
  return { day: Number(part('day')), weekday: part('weekday'), clock: `${part('hour')}:${part('minute')}` };
}

/** Madrid changes its clocks twice a year. Kolkata never does, and its offset is not a whole hour. A year has all cases. */
test.for(['Europe/Madrid', 'Asia/Kolkata', 'UTC'])(
  'months and weeks begin at midnight in %s on every day of the year, and nothing is counted twice',
  async (zone, { database, api }) => {
    const { operator, writer } = database;
    const organizationNo = await givenOrganization(operator);
    const customer = await givenCustomer(operator, organizationNo);
    const tank = await givenTank(operator, organizationNo, customer.no, { capacity: LITERS });
    const nowMs = Date.now();
    await new BatchIngester(writer).ingestReadings(
      Array.from({ length: DAYS * 4 }, (_, index) => {
        const atMs = nowMs - (DAYS * 4 - 1 - index) * 6 * HOUR_MS;
        const fill = 10 + ((nowMs - atMs) / DAY_MS) * POINTS_PER_DAY;
        return { tankNo: tank.no, atMs, fillPercentage: Math.round(fill * 100) / 100 };
      }),
    );
    const { text: key } = await givenKey(operator, { organizationNo });
    const usage = async (unit: string, periods: number): Promise<Period[]> => {
      const query = `unit=${unit}&zone=${zone}&periods=${periods}`;
      return (await api.call(`/fleet/v1/tanks/${tank.id}/usage?${query}`, { key })).json.periods;
    };
    for (const [unit, count] of [
      ['month', 12],
      ['week', 52],
    ] as const) {
      const periods = await usage(unit, count);
      expect(periods).toHaveLength(count);
      for (const [index, { starts_at, ends_at, used_volume }] of periods.entries()) {
        const { day, weekday, clock } = clockIn(zone, starts_at);
        expect([clock, unit === 'month' ? day : weekday]).toEqual(['00:00', unit === 'month' ? 1 : 'Mon']);
        if (index + 1 < count) expect(ends_at).toBe(periods[index + 1]?.starts_at);
        // The reading before an edge is at most six hours old, which is half a liter.
        const days = (Date.parse(ends_at) - Date.parse(starts_at)) / DAY_MS;
        expect(Math.abs((used_volume ?? -99) - (days * POINTS_PER_DAY * LITERS) / 100)).toBeLessThan(1.5);
      }
    }
  },
);
