import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { listCustomersOperation } from '../../src/api/v1/customers.ts';
import { listTanksOperation } from '../../src/api/v1/tanks.ts';
import { listTelemetryOperation } from '../../src/api/v1/telemetry.ts';
import { deleteTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { givenCustomer, givenCustomers, givenOrganization, givenTank, givenTanks } from '../support/fleet.ts';
import { askList } from '../support/lists.ts';
import { randomRuns } from '../support/random_runs.ts';
import { test } from '../support/test.ts';

/** Borders of months and buckets. The filters are on them, a millisecond beside them, and between them. */
const BORDERS = [
  '2024-12-31T23:59:59.999Z',
  '2025-01-01T00:00:00.000Z',
  '2025-02-01T00:00:00.000Z',
  '2025-02-14T12:00:00.000Z',
].map((at) => Date.parse(at));

const iso = (ms: number): string => new Date(ms).toISOString();

interface Question {
  gte: number | null;
  lte: number | null;
  page: number;
  size: number;
}

/** Times near the borders, times of existing items, and pages from the first to past the last. */
const questions = (times: readonly number[]): fc.Arbitrary<Question> => {
  const time = fc
    .tuple(fc.constantFrom(...BORDERS, ...(times.length > 0 ? times : [0])), fc.constantFrom(0, 0, 1, -1, 3_600_000))
    .map(([at, shift]) => at + shift);
  return fc.record({
    gte: fc.option(time),
    lte: fc.option(time),
    size: fc.constantFrom(1, 3, 10, 100),
    page: fc
      .oneof(fc.nat({ max: 30 }), fc.nat({ max: Math.max(1, times.length) }), fc.constant(9_007_199_254_740_990))
      .map((n) => n + 1),
  });
};

const asQuery = ({ gte, lte, page, size }: Question): string => {
  const query = new URLSearchParams({ page: String(page), size: String(size) });
  if (gte !== null) query.set('created_at_gte', iso(gte));
  if (lte !== null) query.set('created_at_lte', iso(lte));
  return query.toString();
};

/** The expected page: filters and cuts a slice. The items are sorted, newest first. */
function expectedPage<Item extends { atMs: number }>(newestFirst: readonly Item[], { gte, lte, page, size }: Question) {
  const matching = newestFirst.filter(({ atMs }) => (gte === null || atMs >= gte) && (lte === null || atMs <= lte));
  const start = (page - 1) * size;
  return { total_items: matching.length, slice: matching.slice(start, start + size) };
}

describe('the list engine returns the same as filtering, sorting and slicing in memory', () => {
  test('for tanks with many equal times and deletions, with filters on every border', async ({ database, readers }) => {
    const organizationNo = await givenOrganization(database.operator);
    const owner = await givenCustomer(database.operator, organizationNo);
    // 2,600 tanks of one time and 1,400 of one second force buckets that differ only in the number of the tank.
    const times = [
      ...Array.from({ length: 2_600 }, () => Date.parse('2025-02-14T12:00:00.000Z')),
      ...Array.from({ length: 1_400 }, (_, n) => Date.parse('2025-01-01T00:00:00.000Z') + (n % 1_000)),
      ...Array.from({ length: 300 }, (_, n) => Date.parse('2024-01-05T00:00:00.000Z') + n * 86_400_000 * 2),
    ];
    const created = await givenTanks(
      database.operator,
      organizationNo,
      owner.no,
      times.map((at) => ({ created_at: iso(at) })),
    );
    const gone = new Set(created.filter((_, index) => index % 97 === 0).map((tank) => tank.no));
    await transaction(database.operator, async (tx) => {
      for (const no of gone) await deleteTank(tx, organizationNo, no);
    });
    const model = created
      .map((tank, index) => ({ ...tank, atMs: times[index] ?? 0 }))
      .filter((tank) => !gone.has(tank.no))
      .toSorted((a, b) => b.atMs - a.atMs || b.no - a.no);

    for (const scope of [{ organizationNo }, { organizationNo, customerNo: owner.no }]) {
      await fc.assert(
        fc.asyncProperty(questions(times), async (question) => {
          const page = await askList(readers, listTanksOperation, scope, asQuery(question));
          const { total_items, slice } = expectedPage(model, question);
          expect(page.total_items).toBe(total_items);
          expect(page.data.map((tank) => tank['id'])).toEqual(slice.map((tank) => tank.id));
        }),
        { numRuns: randomRuns(150) },
      );
    }
  });

  test('for telemetry with busy and sparse months, late and repeated readings, with filters on every border', async ({
    database,
    readers,
  }) => {
    const organizationNo = await givenOrganization(database.operator);
    const owner = await givenCustomer(database.operator, organizationNo);
    const tank = await givenTank(database.operator, organizationNo, owner.no);
    const times = [
      ...Array.from({ length: 9_000 }, (_, n) => Date.parse('2025-02-01T00:00:00.000Z') + n * 250_000),
      ...Array.from({ length: 200 }, (_, n) => Date.parse('2024-12-31T23:59:59.900Z') + n),
      ...Array.from({ length: 60 }, (_, n) => Date.parse('2024-02-20T00:00:00.000Z') + n * 86_400_000 * 3),
    ];
    const ingester = new BatchIngester(database.writer);
    const shuffled = times.toSorted((a, b) => ((a * 7919) % 10_007) - ((b * 7919) % 10_007));
    for (let n = 0; n < shuffled.length; n += 700) {
      const batch = shuffled.slice(Math.max(0, n - 50), n + 700); // repeats 50 readings of the previous batch
      await ingester.ingestReadings(
        batch.map((at) => ({ tankNo: tank.no, atMs: at, fillPercentage: (at / 1_000) % 100 })),
      );
    }
    const model = times.map((atMs) => ({ atMs })).toSorted((a, b) => b.atMs - a.atMs);

    await fc.assert(
      fc.asyncProperty(questions(times), async (question) => {
        const page = await askList(readers, listTelemetryOperation, { organizationNo, id: tank.id }, asQuery(question));
        const { total_items, slice } = expectedPage(model, question);
        expect(page.total_items).toBe(total_items);
        expect(page.data.map((reading) => reading['created_at'])).toEqual(slice.map(({ atMs }) => iso(atMs)));
      }),
      { numRuns: randomRuns(250) },
    );
  });

  test('for customers, with and without a filter by e-mail address', async ({ database, readers }) => {
    const organizationNo = await givenOrganization(database.operator);
    const times = Array.from({ length: 120 }, (_, n) => BORDERS[n % BORDERS.length] ?? 0).map((at, n) => at + (n % 3));
    const emails = ['a@example.com', 'A@example.com', "o'hara@example.com"];
    const created = await givenCustomers(
      database.operator,
      organizationNo,
      times.map((at, n) => ({ created_at: iso(at), email: emails[n % 3] ?? '' })),
    );
    const model = created
      .map((customer, n) => ({ ...customer, atMs: times[n] ?? 0, email: emails[n % 3] ?? '' }))
      .toSorted((a, b) => b.atMs - a.atMs || b.no - a.no);
    await fc.assert(
      fc.asyncProperty(questions(times), fc.option(fc.constantFrom(...emails)), async (question, email) => {
        const query = asQuery(question) + (email === null ? '' : `&email=${encodeURIComponent(email)}`);
        const page = await askList(readers, listCustomersOperation, { organizationNo }, query);
        const { total_items, slice } = expectedPage(
          email === null ? model : model.filter((c) => c.email === email),
          question,
        );
        expect(page.total_items).toBe(total_items);
        expect(page.data.map((customer) => customer['id'])).toEqual(slice.map((customer) => customer.id));
      }),
      { numRuns: randomRuns(150) },
    );
  });
});

test('no bucket exceeds the limit and counters equal a recount after six writers stored readings of the same tanks', async ({
  database,
}) => {
  const start = Date.parse('2025-05-01T00:00:00.000Z');
  const tankNos = [900_001, 900_002, 900_003];
  const writers = Array.from({ length: 6 }, (_, writer) => async () => {
    const ingester = new BatchIngester(database.writer);
    for (let batch = 0; batch < 12; batch++) {
      const readings = Array.from({ length: 400 }, (__, n) => ({
        tankNo: tankNos[(n + writer) % 3] ?? 0,
        atMs: start + ((writer * 7 + batch * 400 + n) % 6_000) * 60_000,
        fillPercentage: 50,
      }));
      await ingester.ingestReadings(readings);
    }
  });
  await Promise.all(writers.map((write) => write()));

  const { rows: drift } = await database.owner.query(
    `select tank_no, month, m.n, count(*) from telemetry_month_counters m
     join telemetry t using (tank_no)
     where t.created_at >= month and t.created_at < next_utc_month(month) group by 1, 2, 3 having m.n <> count(*)`,
  );
  expect(drift).toEqual([]);
  const { rows: buckets } = await database.owner.query<{ n: number; recount: number; max: number }>(
    `select n, count_telemetry_items(tank_no, starts_at, ends_at) as recount, max_bucket_items() as max from (
       select tank_no, n, starts_at, lead(starts_at, 1, next_utc_month(starts_at)) over (partition by tank_no order by starts_at) as ends_at
       from telemetry_buckets) p`,
  );
  expect(buckets.length).toBeGreaterThan(3);
  expect(buckets.filter((bucket) => bucket.n !== bucket.recount || bucket.n > bucket.max)).toEqual([]);
});

test('total and page come from one snapshot while tanks are created and deleted', async ({ database, readers }) => {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo);
  const created_at = '2025-03-03T03:03:03.003Z';
  await givenTanks(
    database.operator,
    organizationNo,
    owner.no,
    Array.from({ length: 2_100 }, () => ({ created_at })),
  );
  const churned = new AbortController();
  const churn = async (): Promise<void> => {
    for (let round = 0; round < 25; round++) {
      const made = await givenTanks(
        database.operator,
        organizationNo,
        owner.no,
        Array.from({ length: 7 }, () => ({ created_at })),
      );
      await transaction(database.operator, async (tx) => {
        for (const tank of made) await deleteTank(tx, organizationNo, tank.no);
      });
    }
    churned.abort();
  };
  const check = async (): Promise<void> => {
    while (!churned.signal.aborted) {
      const last = await askList(readers, listTanksOperation, { organizationNo }, 'size=100&page=22');
      // 21 pages are full, so page 22 has the rest of the total of the same snapshot.
      expect(last.data.length).toBe(last.total_items - 2_100);
    }
  };
  await Promise.all([churn(), check(), check()]);
});
