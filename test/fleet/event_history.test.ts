import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { recordEvents, retractEvents } from '../../src/evaluation/record_events.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank, givenTanks } from '../support/fleet.ts';
import { readPages } from '../support/lists.ts';
import { test } from '../support/test.ts';

const FIRST_MS = Date.UTC(2026, 0);

interface Listed {
  id: string;
  tank: { name: string };
  type: string;
  retracted_because: string | null;
}

test('the history has every valid event once, newest first, by type, time and customer', async ({ database, api }) => {
  const { operator, writer } = database;
  const organizationNo = await givenOrganization(operator);
  const [maria, juan] = [
    await givenCustomer(operator, organizationNo, { name: 'María' }),
    await givenCustomer(operator, organizationNo, { name: 'Juan' }),
  ];
  const house = await givenTank(operator, organizationNo, maria.no, { name: 'House' });
  const hotel = await givenTank(operator, organizationNo, juan.no, { name: 'Hotel' });
  // Every third event has the time of the one before it, so that a page ends between two of the same time.
  const events = Array.from({ length: 30 }, (_, n) => {
    const common = {
      organizationNo,
      tankNo: n % 2 === 0 ? house.no : hotel.no,
      occurredAt: new Date(FIRST_MS + (n - (n % 3 === 2 ? 1 : 0)) * HOUR_MS).toISOString(),
      data: { fill_percentage: 10, threshold_percentage: 20 },
      readings: [],
      notify: false,
    };
    return n % 5 === 0
      ? { ...common, type: 'tank.fill_recovered' as const }
      : { ...common, type: 'tank.low_fill' as const };
  });
  await transaction(writer, (tx) => recordEvents(tx, events));
  const retracted = events.filter((_, n) => n === 20).map((event) => ({ ...event, reason: 'gauge_fault' as const }));
  await transaction(writer, (tx) => retractEvents(tx, retracted));
  const { rows } = await database.owner.query<{ id: string }>(
    'select id from events where organization_no = $1 and retracted_at is null order by occurred_at desc, no desc',
    [organizationNo],
  );
  expect(rows).toHaveLength(29);

  const { text: key } = await givenKey(operator, { organizationNo });
  const walk = async (query: string) => {
    const pages = await readPages<{ events: Listed[]; next: string | null }>(
      async (after) => (await api.call(`/fleet/v1/history?size=4${query}${after}`, { key })).json,
    );
    return pages.flatMap(({ events: listed }) => listed);
  };
  expect((await walk('')).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  const all = await walk('&retracted=include');
  expect(all).toHaveLength(30);
  expect(all.filter(({ retracted_because }) => retracted_because !== null)).toMatchObject([
    { occurred_at: retracted[0]?.occurredAt, retracted_because: 'gauge_fault' },
  ]);
  const ofTank = (query: string) => api.call(`/fleet/v1/tanks/${house.id}/events?size=50${query}`, { key });
  expect((await ofTank('')).json.events).toHaveLength(14);
  expect((await ofTank('&retracted=include')).json.events).toHaveLength(15);
  expect((await ofTank('&retracted=yes')).status).toBe(422);
  const [newest] = (await ofTank('')).json.events;
  const countBefore = async (time: string) => (await ofTank(`&before=${time}`)).json.events.length;
  expect(await countBefore(newest.occurred_at)).toBe(13);
  expect(await countBefore(newest.occurred_at.replace('Z', '5Z'))).toBe(14);
  const ofJuan = await walk(`&owner_id=${juan.id}`);
  expect(new Set(ofJuan.map(({ tank }) => tank.name))).toEqual(new Set(['Hotel']));
  const recovered = await walk('&type=tank.fill_recovered');
  expect(new Set(recovered.map(({ type }) => type))).toEqual(new Set(['tank.fill_recovered']));
  const since = new Date(FIRST_MS + 20 * HOUR_MS).toISOString();
  expect((await walk(`&since=${since}`)).length).toBeLessThan(12);
  const page = await api.call('/fleet/v1/history?size=4', { key });
  const foreign = await api.call(`/fleet/v1/history?type=tank.fill_recovered&after=${page.json.next}`, { key });
  expect(foreign.status).toBe(422);
});

test('the use of a customer is the sum of its tanks, liters and gallons apart', async ({ database, api }) => {
  const { operator, writer } = database;
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo);
  const tanks = await givenTanks(operator, organizationNo, customer.no, [
    { capacity: 1_000 },
    { capacity: 500 },
    { capacity: 200, capacity_unit: 'gallons' },
  ]);
  const fromMs = Date.now() - 70 * DAY_MS;
  const readings = tanks.flatMap(({ no }) =>
    Array.from({ length: 70 * 4 }, (_, index) => ({
      tankNo: no,
      atMs: fromMs + index * 6 * HOUR_MS,
      fillPercentage: 90 - index * 0.25,
    })),
  );
  await new BatchIngester(writer).ingestReadings(readings);
  const { text: key } = await givenKey(operator, { organizationNo });
  const { json } = await api.call(`/fleet/v1/customers/${customer.id}/usage?zone=America/Mexico_City`, { key });
  const each = await Promise.all(
    tanks.map(async ({ id }) => (await api.call(`/fleet/v1/tanks/${id}/usage?zone=America/Mexico_City`, { key })).json),
  );
  const [gallons, liters] = json.volumes;
  expect([json.tanks, gallons.unit, liters.unit]).toEqual([3, 'gallons', 'liters']);
  expect(liters.periods.length).toBeGreaterThanOrEqual(3);
  for (const [index, period] of liters.periods.entries()) {
    const sum = each[0].periods[index].used_volume + each[1].periods[index].used_volume;
    expect(period.used_volume).toBeCloseTo(sum, 1);
  }
  expect(gallons.periods.map((period: { used_volume: number }) => period.used_volume)).toEqual(
    each[2].periods.map((period: { used_volume: number }) => period.used_volume),
  );
});
