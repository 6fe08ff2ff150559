import { describe, expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { FULL_BUDGET, packMonths } from '../../src/telemetry/pack_months.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

const START = Date.UTC(2026, 2, 1);

async function givenReadings({ operator, writer }: TestDatabase, levels: readonly (readonly [number, number])[]) {
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo, { name: 'Ana', external_key: 'K-9' });
  const tank = await givenTank(operator, organizationNo, customer.no, { capacity: 1000 });
  await new BatchIngester(writer).ingestReadings(
    levels.map(([atMs, fillPercentage]) => ({ tankNo: tank.no, atMs, fillPercentage })),
  );
  const { text: key } = await givenKey(operator, { organizationNo });
  return { organizationNo, customer, tank, key };
}

/** The buckets, computed reading by reading. */
function bucketsOf(levels: readonly (readonly [number, number])[], fromMs: number, toMs: number, buckets: number) {
  const widthMs = (toMs - fromMs) / buckets;
  const filled = Array.from({ length: buckets }, (_, index) => {
    const [startMs, endMs] = [fromMs + index * widthMs, fromMs + (index + 1) * widthMs];
    return { startMs, values: levels.filter(([ms]) => ms >= startMs && ms < endMs).map(([, level]) => level) };
  }).filter(({ values }) => values.length > 0);
  return {
    times: filled.map(({ startMs }) => startMs),
    counts: filled.map(({ values }) => values.length),
    firsts: filled.map(({ values }) => values[0]),
    lowests: filled.map(({ values }) => Math.min(...values)),
    highests: filled.map(({ values }) => Math.max(...values)),
    lasts: filled.map(({ values }) => values.at(-1)),
  };
}

describe('the series of a tank', () => {
  test('few readings come as they are; many as first, lowest, highest and last of each bucket, none lost', async ({
    database,
    api,
  }) => {
    const extremes: Readonly<Record<number, number>> = { 1234: 3, 2345: 97 };
    const levels = Array.from({ length: 3_000 }, (_, index): [number, number] => [
      START + index * HOUR_MS,
      extremes[index] ?? 50 + (index % 7),
    ]);
    const { tank, key } = await givenReadings(database, levels);
    const series = async (query: string) =>
      (await api.call(`/fleet/v1/tanks/${tank.id}/series?${query}`, { key })).json;

    const day = await series('from=2026-03-02T00:00:00Z&to=2026-03-03T00:00:00Z');
    expect(day.readings.levels).toEqual(levels.slice(24, 48).map(([, level]) => level));
    expect(day.buckets).toBeNull();
    expect(day.first_reading_at).toBe('2026-03-01T00:00:00.000Z');

    const all = await series('from=2026-03-01T00:00:00Z&to=2026-07-04T00:00:00Z&buckets=100');
    expect(all.readings).toBeNull();
    expect(all.buckets.counts.reduce((sum: number, n: number) => sum + n, 0)).toBe(3_000);
    expect([Math.min(...all.buckets.lowests), Math.max(...all.buckets.highests)]).toEqual([3, 97]);
    expect(all.buckets.firsts[0]).toBe(levels[0]?.[1]);
    expect(all.buckets.lasts.at(-1)).toBe(levels.at(-1)?.[1]);
  });

  test('the buckets are those of all readings, in plain and in packed months, with any width', async ({
    database,
    api,
  }) => {
    // 3,000 readings in March and April, so that March has several packed parts; then every tenth hour until July; then plain months.
    const nowMs = Date.now();
    const readAtMs = [
      ...Array.from({ length: 3_000 }, (_, index) => START + index * 12 * MINUTE_MS),
      ...Array.from({ length: 240 }, (_, index) => START + 45 * DAY_MS + index * 10 * HOUR_MS),
      ...Array.from({ length: 500 }, (_, index) => nowMs - (500 - index) * HOUR_MS),
    ];
    const levels = readAtMs.map((ms, index): [number, number] => [
      ms,
      Math.round(5_000 + 4_000 * Math.sin(index * index)) / 100,
    ]);
    const { tank, key } = await givenReadings(database, levels);
    const series = async (fromMs: number, toMs: number, buckets: number) => {
      const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
      return (await api.call(`/fleet/v1/tanks/${tank.id}/series?from=${from}&to=${to}&buckets=${buckets}`, { key }))
        .json;
    };
    const ranges: [number, number, number][] = [
      [START - 3 * DAY_MS, nowMs, 1],
      [START - 3 * DAY_MS, nowMs, 7],
      [START, nowMs, 1200],
      [START + 3 * DAY_MS + 1, START + 20 * DAY_MS, 100],
      [START + 20 * DAY_MS, START + 100 * DAY_MS, 64],
      [nowMs - 10 * DAY_MS, nowMs, 50],
    ];
    const check = async (months: string): Promise<void> => {
      for (const [fromMs, endMs, buckets] of ranges) {
        const toMs = fromMs + buckets * Math.ceil((endMs - fromMs) / buckets); // buckets of whole milliseconds
        const { buckets: found } = await series(fromMs, toMs, buckets);
        const times = found.times.map((time: string) => Date.parse(time));
        expect({ ...found, times }, `${months}, ${buckets} buckets`).toEqual(bucketsOf(levels, fromMs, toMs, buckets));
      }
    };
    await check('plain');
    const { packed } = await packMonths(database.operator, FULL_BUDGET);
    expect(packed).toBeGreaterThanOrEqual(3);
    await check('packed');
  });

  test('a silence is a gap between two readings', async ({ database, api }) => {
    const levels = Array.from({ length: 200 }, (_, index): [number, number] => [
      START + (index < 100 ? index : index + 400) * HOUR_MS,
      80 - index * 0.1,
    ]);
    const { tank, key } = await givenReadings(database, levels);
    const { json } = await api.call(
      `/fleet/v1/tanks/${tank.id}/series?from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z`,
      {
        key,
      },
    );
    expect(json.gaps).toEqual([
      { from: new Date(START + 99 * HOUR_MS).toISOString(), to: new Date(START + 500 * HOUR_MS).toISOString() },
    ]);
  });

  test('wrong ranges and too many buckets are refused', async ({ database, api }) => {
    const { tank, key } = await givenReadings(database, [[START, 50]]);
    for (const query of [
      'from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z',
      'buckets=5000',
      'from=1650-01-01T00:00:00Z',
    ])
      expect((await api.call(`/fleet/v1/tanks/${tank.id}/series?${query}`, { key })).status, query).toBe(422);
  });
});

describe('the use of a tank', () => {
  test('is level at the start plus deliveries minus level at the end, in months of the given zone', async ({
    database,
    api,
  }) => {
    // Falls 1 point a day for 100 days, with a refill of 60 points on day 50; up to today.
    const begin = Math.floor(Date.now() / DAY_MS) * DAY_MS - 100 * DAY_MS;
    const levels = Array.from({ length: 100 * 6 }, (_, index): [number, number] => {
      const day = index / 6;
      return [begin + index * 4 * HOUR_MS, Math.round((day < 50 ? 80 - day : 90 - (day - 50)) * 100) / 100];
    });
    const { tank, key } = await givenReadings(database, levels);
    const { json, status, text } = await api.call(
      `/fleet/v1/tanks/${tank.id}/usage?unit=month&zone=America/Mexico_City&periods=12`,
      { key },
    );
    expect(status, text).toBe(200);
    const sum = (name: string): number =>
      json.periods.reduce((total: number, period: Record<string, number>) => total + (period[name] ?? 0), 0);
    expect(sum('delivered_volume')).toBeGreaterThan(550);
    expect(Math.abs(sum('used_volume') - 1_000)).toBeLessThan(70);
    // The events keep the unit of their time.
    await database.owner.query(
      `update tanks set capacity = capacity / 3.785411784, capacity_unit = 'gallons' where id = $1`,
      [tank.id],
    );
    const { json: inGallons } = await api.call(
      `/fleet/v1/tanks/${tank.id}/usage?unit=month&zone=America/Mexico_City&periods=12`,
      {
        key,
      },
    );
    for (const [index, period] of json.periods.entries())
      for (const name of ['used_volume', 'delivered_volume', 'lost_volume'])
        expect(inGallons.periods[index][name], name).toBeCloseTo(period[name] / 3.785411784, 0);
    expect(json.periods.length).toBeGreaterThanOrEqual(4);
    expect(json.periods[1].starts_at).toMatch(/-01T0[56]:00:00.000Z$/);
    expect((await api.call(`/fleet/v1/tanks/${tank.id}/usage?zone=Mars/Base`, { key })).status).toBe(422);
  });
});

describe('a search for customers', () => {
  test('finds them by words and by external key, and needs three letters in a row', async ({ database, api }) => {
    const { key, customer } = await givenReadings(database, [[START, 50]]);
    const found = await api.call('/fleet/v1/search?q=ana%20k-9', { key });
    expect(found.json.customers).toMatchObject([{ id: customer.id, external_key: 'K-9', object: 'customer' }]);
    expect(found.json.tanks.length).toBe(1);
    expect((await api.call('/fleet/v1/customers?external_key=K-9', { key })).json.data).toMatchObject([
      { id: customer.id },
    ]);
    expect((await api.call('/fleet/v1/customers?external_key=K-8', { key })).json.data).toEqual([]);
    for (const path of [
      '/fleet/v1/search',
      '/fleet/v1/search?q=ab',
      '/fleet/v1/search?q=%25%25%25',
      '/fleet/v1/search?q=---',
      '/fleet/v1/search?q=a%20b%20c',
    ])
      expect((await api.call(path, { key })).status, path).toBe(422);
  });
});
