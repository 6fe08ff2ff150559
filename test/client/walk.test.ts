import { beforeAll, describe, expect } from 'vitest';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import type { CatalogRef } from '../../src/catalog/upsert_rows.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import type { TankReading } from '../../src/telemetry/reading.ts';
import { MINUTE_MS } from '../../src/values/time.ts';
import { type ClientProject, installClient } from '../support/client.ts';
import { givenCustomer, givenCustomers, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { iso } from '../support/readings.ts';
import { type TestApi, type TestDatabase, test } from '../support/test.ts';
import { isThorough } from '../support/whole_tests.ts';

let client: ClientProject['client'];
beforeAll(async () => {
  ({ client } = await installClient());
});

/** The readings that are stored before. During the iteration, 10 % more arrive with new times and 1 % with earlier times. */
const READINGS = isThorough() ? 50_000 : 10_000;
const MARCH = Date.parse('2025-03-01T00:00:00.000Z');

async function givenEmptyOrganization(database: TestDatabase, api: TestApi) {
  const organizationNo = await givenOrganization(database.operator);
  const key = await givenKey(database.operator, { organizationNo, burst: 100_000, requestsPerSecond: 10_000 });
  return { organizationNo, tankwatch: new client.Tankwatch({ apiKey: key.text, baseUrl: api.url }) };
}

/** Items that were seen more than once. */
const repeated = (keys: readonly string[]): string[] => keys.filter((key, index) => keys.indexOf(key) !== index);

describe('an iteration of telemetry', () => {
  test(`returns each of ${READINGS} readings once, while new and late readings arrive`, async ({ database, api }) => {
    const { organizationNo, tankwatch } = await givenEmptyOrganization(database, api);
    const owner = await givenCustomer(database.operator, organizationNo);
    const tank = await givenTank(database.operator, organizationNo, owner.no);
    const ingester = new BatchIngester(database.writer);
    const reading = (ms: number): TankReading => ({ tankNo: tank.no, atMs: ms, fillPercentage: 50 });
    const pinned = Array.from({ length: READINGS }, (_, n) => reading(MARCH + n * MINUTE_MS));
    for (let start = 0; start < pinned.length; start += 5_000)
      await ingester.ingestReadings(pinned.slice(start, start + 5_000));
    const end = MARCH + READINGS * MINUTE_MS;

    /** One of many batches: new readings, and late readings before and after the current position of the iteration. */
    const arrivals = (batch: number): TankReading[] => [
      ...Array.from({ length: 50 }, (_, n) => reading(end + (batch * 50 + n) * MINUTE_MS)),
      ...Array.from({ length: 5 }, (_, n) => reading(MARCH + (n * (READINGS / 5) + batch * 97) * MINUTE_MS + 30_000)),
    ];
    let storing = Promise.resolve({ stored: 0, duplicates: 0 });
    let arrived = 0;
    const seen: string[] = [];
    for await (const { created_at } of tankwatch.tanks.telemetry.list(tank.id)) {
      seen.push(created_at);
      if (seen.length % 490 !== 0 || seen.length > 0.98 * READINGS) continue;
      arrived += (await storing).stored;
      storing = ingester.ingestReadings(arrivals(seen.length / 490 - 1));
    }
    arrived += (await storing).stored;

    expect(arrived).toBe((READINGS * 11) / 100);
    const distinct = new Set(seen);
    expect(seen.length - distinct.size).toBe(0);
    expect(pinned.filter(({ atMs }) => !distinct.has(iso(atMs)))).toEqual([]);
    expect(seen).toEqual(seen.toSorted().toReversed());
    expect((await tankwatch.tanks.telemetry.list(tank.id)).total_items).toBe((READINGS * 111) / 100);
  });

  test('includes both ends of a time range, which can be given as Date objects', async ({ database, api }) => {
    const { organizationNo, tankwatch } = await givenEmptyOrganization(database, api);
    const owner = await givenCustomer(database.operator, organizationNo);
    const tank = await givenTank(database.operator, organizationNo, owner.no);
    const times = Array.from({ length: 50 }, (_, n) => MARCH + n * MINUTE_MS);
    await new BatchIngester(database.writer).ingestReadings(
      times.map((ms) => ({ tankNo: tank.no, atMs: ms, fillPercentage: 50 })),
    );
    const window = { created_at_gte: new Date(MARCH + 5 * MINUTE_MS), created_at_lte: iso(MARCH + 44 * MINUTE_MS) };
    for (const size of [1, 2, 7, 39, 40, 41, 100]) {
      const seen = await Array.fromAsync(tankwatch.tanks.telemetry.list(tank.id, { ...window, size }));
      expect(seen.map((reading) => reading.created_at)).toEqual(times.slice(5, 45).toReversed().map(iso));
    }
  });
});

describe('an iteration of customers, whose times can be equal', () => {
  test('returns each customer once if more have the same time than fit on a page', async ({ database, api }) => {
    const { organizationNo, tankwatch } = await givenEmptyOrganization(database, api);
    // Groups of equal times end within a page, fill many pages, or are the last group.
    const sizes = [7, 250, 1, 20, 3];
    const times = sizes.flatMap((n, minute) => Array<string>(n).fill(iso(MARCH + minute * MINUTE_MS)));
    const customers = times.map((created_at) => ({ created_at }));
    const created = await givenCustomers(database.operator, organizationNo, customers);
    for (const size of [1, 3, 20, 50, 100]) {
      const ids = (await Array.fromAsync(tankwatch.customers.list({ size }))).map((customer) => customer.id);
      expect(repeated(ids)).toEqual([]);
      expect(ids.toSorted()).toEqual(created.map((customer) => customer.id).toSorted());
    }
  });

  test('returns each customer once while others are created and deleted', async ({ database, api }) => {
    for (let round = 0; round < 4; round++) {
      const { organizationNo, tankwatch } = await givenEmptyOrganization(database, api);
      // Few times for many customers, so that pages begin and end within a group of equal times.
      const times = [0, 0, 0, 0, 1, 2, 2, 3, 4].map((minute) => iso(MARCH + minute * MINUTE_MS));
      const someTime = (n: number): object => ({ created_at: times[(n * 7 + round) % times.length] });
      const given = await givenCustomers(
        database.operator,
        organizationNo,
        Array.from({ length: 120 }, (_, n) => someTime(n)),
      );
      const gone = new Set<string>();
      const seen: string[] = [];
      for await (const { id } of tankwatch.customers.list({ size: 3 + round * 5 })) {
        seen.push(id);
        if (seen.length % 4 !== 0) continue;
        await givenCustomers(database.operator, organizationNo, [someTime(seen.length)]);
        // Delete customers before and after the current position.
        for (const victim of pickThree(given, seen.length)) {
          await transaction(database.operator, (tx) => deleteCustomer(tx, organizationNo, victim.no)).catch(() => {});
          gone.add(victim.id);
        }
      }
      expect(repeated(seen)).toEqual([]);
      expect(given.filter(({ id }) => !gone.has(id) && !seen.includes(id))).toEqual([]);
      expect(gone.size).toBeGreaterThan(20);
    }
  });

  test('applies its filter to every page', async ({ database, api }) => {
    const { organizationNo, tankwatch } = await givenEmptyOrganization(database, api);
    const customers = Array.from({ length: 60 }, (_, n) => ({
      email: n % 2 === 0 ? 'even@example.com' : 'odd@example.com',
      created_at: iso(MARCH + Math.floor(n / 20) * MINUTE_MS),
    }));
    await givenCustomers(database.operator, organizationNo, customers);
    const seen = await Array.fromAsync(tankwatch.customers.list({ email: 'odd@example.com', size: 4 }));
    expect([seen.length, new Set(seen.map(({ email }) => email))]).toEqual([30, new Set(['odd@example.com'])]);
  });
});

const pickThree = (given: readonly CatalogRef[], n: number): CatalogRef[] =>
  [n * 5, n * 11 + 3, n * 17 + 1].flatMap((index) => given[index % given.length] ?? []);

const customersOf = (count: number): object[] => Array.from({ length: count }, () => ({}));

describe('a list call', () => {
  test('returns the requested page when awaited, with one request; nothing is sent before', async ({
    database,
    api,
  }) => {
    const { organizationNo, tankwatch } = await givenEmptyOrganization(database, api);
    await givenCustomers(database.operator, organizationNo, customersOf(25));
    const list = tankwatch.customers.list({ page: 3, size: 10 });
    await givenCustomer(database.operator, organizationNo);
    const page = await list;
    expect(page).toMatchObject({ object: 'list', page: 3, size: 10, total_pages: 3, total_items: 26 });
    expect(page.data).toHaveLength(6);
    expect(await list).toBe(page);
    expect((await tankwatch.customers.list()).size).toBe(10);
  });

  test('with the parameter page cannot be iterated', async ({ database, api }) => {
    const { tankwatch } = await givenEmptyOrganization(database, api);
    await expect(Array.fromAsync(tankwatch.customers.list({ page: 2 }))).rejects.toThrow('leave it out');
  });

  test('has catch and finally, and its errors are typed', async ({ database, api }) => {
    const { tankwatch } = await givenEmptyOrganization(database, api);
    let isSettled = false;
    const error = await tankwatch.customers
      .list({ size: 0 })
      .finally(() => {
        isSettled = true;
      })
      .catch((reason: unknown) => reason);
    expect(isSettled).toBe(true);
    expect(error).toBeInstanceOf(client.InvalidParametersError);
    expect(error).toMatchObject({ code: 'invalid_parameters', errors: [{ param: 'size', code: 'out_of_range' }] });
  });

  test('stops when its signal is aborted', async ({ database, api }) => {
    const { organizationNo, tankwatch } = await givenEmptyOrganization(database, api);
    await givenCustomers(database.operator, organizationNo, customersOf(30));
    const end = new AbortController();
    const walk = async (): Promise<void> => {
      for await (const _ of tankwatch.customers.list({ size: 5 }, { signal: end.signal })) end.abort();
    };
    await expect(walk()).rejects.toThrow(/abort/);
  });
});

describe('the client', () => {
  test('retrieves an object, and a deleted object has deleted: true, also in its type', async ({ database, api }) => {
    const { organizationNo, tankwatch } = await givenEmptyOrganization(database, api);
    const owner = await givenCustomer(database.operator, organizationNo, { name: 'María' });
    const tank = await givenTank(database.operator, organizationNo, owner.no);
    const leaving = await givenCustomer(database.operator, organizationNo);
    await transaction(database.operator, (tx) => deleteCustomer(tx, organizationNo, leaving.no));

    const customer = await tankwatch.customers.retrieve(owner.id);
    expect(customer.deleted ? undefined : customer.name).toBe('María');
    expect(await tankwatch.tanks.retrieve(tank.id)).toMatchObject({ object: 'tank', owner_id: owner.id });
    expect(await tankwatch.customers.retrieve(leaving.id)).toEqual({
      id: leaving.id,
      object: 'customer',
      deleted: true,
    });
    for (const id of ['', '.', '..', 'a/b', '%', 'é'])
      await expect(tankwatch.tanks.retrieve(id)).rejects.toBeInstanceOf(client.NotFoundError);
  });

  test('throws in the constructor for an invalid key or URL', () => {
    const make = (apiKey: string, baseUrl: string) => () => new client.Tankwatch({ apiKey, baseUrl });
    expect(make('', 'https://example.com')).toThrow('apiKey is required');
    expect(make('a\nb', 'https://example.com')).toThrow(TypeError);
    for (const url of ['example.com', 'localhost:3000'])
      expect(make('key', url)).toThrow('baseUrl must begin with https:// or http://');
  });
});
