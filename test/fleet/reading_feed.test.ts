import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { deleteTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { raiseChangeEpoch } from '../../src/evaluation/record_events.ts';
import { ingestReadings } from '../../src/ingest/ingest_batch.ts';
import { Random } from '../../src/simulation/random.ts';
import type { TankReading } from '../../src/telemetry/reading.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { deleteExpiredRows } from '../../src/worker/retention.ts';
import { givenKey } from '../support/fleet.ts';
import { givenFleet, importText, iso } from '../support/readings.ts';
import { FOREVER } from '../support/retention.ts';
import { type TestApi, type TestDatabase, test } from '../support/test.ts';

interface Feed {
  data: { tank_id: string; created_at: string; fill_percentage: number }[];
  next: string;
  has_more: boolean;
}

async function read(api: TestApi, key: string, after: string | null, size = 200): Promise<Feed> {
  const path = `/fleet/v1/readings?size=${size}${after === null ? '' : `&after=${after}`}`;
  const { status, json } = await api.call(path, { key });
  expect([status, json]).toEqual([200, json]);
  return json;
}

async function givenFollowedFleet(database: TestDatabase, tanks: number) {
  const fleet = await givenFleet(
    database,
    Array.from({ length: tanks }, (_, n) => `FEED-${n}`),
  );
  await database.owner.query(`select ensure_telemetry_month(now() - interval '3 days'), ensure_telemetry_month(now())`);
  const { text: key } = await givenKey(database.operator, { organizationNo: fleet.organizationNo });
  return { ...fleet, key };
}

const store = (database: TestDatabase, readings: readonly TankReading[]): Promise<unknown> =>
  transaction(database.writer, (tx) => ingestReadings(tx, readings));

test('a reader that begins while writers store readings gets every reading exactly once, also late ones', async ({
  database,
  api,
}) => {
  const { organizationNo, tanks, key } = await givenFollowedFleet(database, 150);
  const numbers = new Random(20261118);
  const beginMs = Date.now() - 2 * DAY_MS;
  // The first reading of a tank adds a row. Concurrent writers would add them in other orders, and repeat after deadlocks.
  await store(
    database,
    tanks.map(({ no }) => ({ tankNo: no, atMs: beginMs - HOUR_MS, fillPercentage: 50 })),
  );
  const progress = { writing: 4 };
  const write = async (writer: number): Promise<void> => {
    for (let round = 0; round < 20; round++) {
      await transaction(database.writer, async (tx) => {
        // It gets its number now, so that transactions with later numbers commit before it.
        await tx.query('select pg_current_xact_id()');
        await sleep(numbers.next() * 10);
        const wanted = tanks.filter(() => numbers.next() < (round === 7 ? 1 : 0.1));
        // Half of the readings are older than those that are stored.
        const atMs = beginMs + (round % 2 === 0 ? round : 20 - round) * HOUR_MS + writer * 1_000;
        await ingestReadings(
          tx,
          wanted.map(({ no }) => ({ tankNo: no, atMs, fillPercentage: Math.round(numbers.next() * 10_000) / 100 })),
        );
        await sleep(numbers.next() * 10);
      });
    }
  };
  const writers = Array.from({ length: progress.writing }, (_, writer) =>
    write(writer).finally(() => progress.writing--),
  );
  const copy: string[] = [];
  let after: string | null = null;
  const readOn = async (size: number): Promise<boolean> => {
    const page: Feed = await read(api, key, after, size);
    copy.push(
      ...page.data.map(({ tank_id, created_at, fill_percentage }) => `${tank_id} ${created_at} ${fill_percentage}`),
    );
    after = page.next;
    return page.has_more;
  };
  // Writers have stored readings before the first request, and store others while it is answered.
  await sleep(30 + numbers.next() * 100);
  while (progress.writing > 0) await readOn(37);
  await Promise.all(writers);
  const { rows } = await database.owner.query<{ reading: string }>(
    `select t.id || ' ' || to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' ' || r.fill_percentage as reading
     from telemetry r join tanks t on t.no = r.tank_no where t.organization_no = $1`,
    [organizationNo],
  );
  expect(rows.length).toBeGreaterThan(800);
  // Transactions of other tests on the same server delay the feed too.
  await expect
    .poll(
      async () => {
        let hasMore = true;
        while (hasMore) hasMore = await readOn(1_000);
        return copy.length;
      },
      { interval: 500 },
    )
    .toBeGreaterThanOrEqual(rows.length);
  expect(copy.toSorted()).toEqual(rows.map(({ reading }) => reading).toSorted());
});

test('the first reader loses nothing of transactions in progress, and organizations without a reader store no batches', async ({
  database,
  api,
}) => {
  const { organizationNo, tanks, key } = await givenFollowedFleet(database, 4);
  const other = await givenFollowedFleet(database, 1);
  const nowMs = Date.now();
  const readingOf = (n: number): TankReading => ({
    tankNo: tanks[n]?.no ?? 0,
    atMs: nowMs - DAY_MS + n * HOUR_MS,
    fillPercentage: 10 + n,
  });
  const ours = [[organizationNo, other.organizationNo]];
  const batches = async (): Promise<number | null> =>
    (await database.owner.query('select from reading_batches where organization_no = any ($1::int[])', ours)).rowCount;
  // The first transaction has stored a reading, the second one only has its number.
  const [stored, numbered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [end, endNumbered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The transactions end also if the test fails, because the database is not closed while they run.
  onTestFinished(() => {
    end.resolve();
    endNumbered.resolve();
  });
  const first = transaction(database.writer, async (tx) => {
    await ingestReadings(tx, [readingOf(0)]);
    stored.resolve();
    await end.promise;
  });
  const second = transaction(database.writer, async (tx) => {
    await tx.query('select pg_current_xact_id()');
    numbered.resolve();
    await endNumbered.promise;
    await ingestReadings(tx, [readingOf(1)]);
  });
  await Promise.all([stored.promise, numbered.promise]);
  await store(database, [readingOf(2)]);
  await store(
    database,
    other.tanks.map(({ no }) => ({ tankNo: no, atMs: nowMs - HOUR_MS, fillPercentage: 50 })),
  );

  let page = await read(api, key, null);
  expect([page.data, page.has_more, await batches()]).toEqual([[], false, 0]);
  const { json: levels } = await api.call('/fleet/v1/changes?types=level', { key });
  expect([levels.data, levels.has_more]).toEqual([[], false]);
  await store(database, [readingOf(3)]);
  expect(await batches()).toBe(1);
  endNumbered.resolve();
  await second;
  expect(await batches()).toBe(2);
  end.resolve();
  await first;

  const copy: number[] = [];
  await expect
    .poll(
      async () => {
        page = await read(api, key, page.next, 2);
        copy.push(...page.data.map(({ fill_percentage }) => fill_percentage));
        return copy.length;
      },
      { interval: 500 },
    )
    .toBe(4);
  do page = await read(api, key, page.next, 2);
  while (page.has_more);
  expect([copy.toSorted((a, b) => a - b), page.data]).toEqual([[10, 11, 12, 13], []]);
  const { json } = await api.call(`/fleet/v1/changes?types=level&after=${levels.next}`, { key });
  const byLevel = json.data.map((change: { level: { fill_percentage: number } }) => change.level.fill_percentage);
  expect(byLevel.toSorted((a: number, b: number) => a - b)).toEqual([10, 11, 12, 13]);

  const following = async (): Promise<unknown[]> =>
    (
      await database.owner.query(
        'select organization_no from reading_followers where organization_no = any ($1::int[])',
        ours,
      )
    ).rows;
  expect(await following()).toEqual([{ organization_no: organizationNo }]);
  // The last request was more than a week ago. A second request within an hour is not recorded.
  await database.owner.query(
    `update reading_followers set asked_at = now() - interval '9 days' where organization_no = $1`,
    [organizationNo],
  );
  await deleteExpiredRows(database.worker, FOREVER);
  expect(await following()).toEqual([]);
  await store(database, [{ ...readingOf(3), atMs: nowMs }]);
  expect(await batches()).toBe(2);
  for (const path of [`readings?after=${page.next}`, `changes?types=level&after=${levels.next}`])
    expect((await api.call(`/fleet/v1/${path}`, { key })).json.code).toBe('gone');
  // Another reader begins. The reader that was away has missed readings, and still gets "gone".
  await expect.poll(async () => (await read(api, key, null)).data.length, { interval: 500 }).toBe(5);
  expect((await api.call(`/fleet/v1/readings?after=${page.next}`, { key })).json.code).toBe('gone');
});

test('the feed has imported readings, but not those of a deleted tank or of other organizations', async ({
  database,
  api,
}) => {
  const { organizationNo, tanks, key } = await givenFollowedFleet(database, 2);
  const [kept, deleted] = tanks;
  const at = iso(Date.now() - DAY_MS);
  await importText(
    database,
    organizationNo,
    `tank_id,created_at,fill_percentage\n${kept?.id},${at},50\n${deleted?.id},${at},60\n`,
  );
  await expect.poll(async () => (await read(api, key, null)).data.length).toBe(2);
  await transaction(database.operator, (tx) => deleteTank(tx, organizationNo, deleted?.no ?? 0));
  expect((await read(api, key, null)).data.map(({ tank_id }) => tank_id)).toEqual([kept?.id]);
  const other = await givenFollowedFleet(database, 1);
  expect((await read(api, other.key, null)).data).toEqual([]);
});

test('a reader that was away for more than 7 days, or before a restore, gets "gone" and must begin again', async ({
  database,
  api,
}) => {
  const { organizationNo, tanks, key } = await givenFollowedFleet(database, 1);
  const [tank] = tanks;
  const nowMs = Date.now();
  const { next: begin } = await read(api, key, (await read(api, key, null)).next);
  await store(
    database,
    [1, 2, 3].map((n) => ({ tankNo: tank?.no ?? 0, atMs: nowMs - n * HOUR_MS, fillPercentage: 40 + n })),
  );
  const code = async (after: string): Promise<string> =>
    (await api.call(`/fleet/v1/readings?after=${after}`, { key })).json.code ?? 'ok';
  await expect.poll(async () => (await read(api, key, begin)).data.length, { interval: 500 }).toBe(3);
  const { next: newest } = await read(api, key, begin);
  const { next: first } = await read(api, key, begin, 1);
  // The readings count as stored nine days ago.
  await database.owner.query(
    `update reading_batches set stored_at = now() - interval '9 days' where organization_no = $1`,
    [organizationNo],
  );
  const { next: second } = await read(api, key, first, 1);
  expect([await code(second), await code(newest)]).toEqual(['gone', 'ok']);
  await database.owner.query(
    `insert into feed_removals (organization_no, change_number, kind, id, removed_at)
     select $1, 1, 'stop', days, now() - make_interval(days => days) from unnest(array[80, 92]) as days`,
    [organizationNo],
  );
  expect(await deleteExpiredRows(database.worker, FOREVER)).toMatchObject({ reading_batches: 1, feed_removals: 1 });

  await transaction(database.operator, raiseChangeEpoch);
  expect(await code(newest)).toBe('gone');
  const { text: narrowed } = await givenKey(database.operator, {
    organizationNo,
    customerNo: (await ownerOf(database, tank?.no ?? 0)) ?? 0,
  });
  expect((await api.call('/fleet/v1/readings', { key: narrowed })).status).toBe(403);
});

const ownerOf = async (database: TestDatabase, tankNo: number): Promise<number | undefined> =>
  (await database.owner.query<{ owner_no: number }>('select owner_no from tanks where no = $1', [tankNo])).rows[0]
    ?.owner_no;
