import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { raiseChangeEpoch, recordEvents, retractEvents } from '../../src/evaluation/record_events.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { type TestApi, type TestDatabase, test } from '../support/test.ts';

const FIRST_MS = Date.UTC(2026, 0);
const lowFill = (organizationNo: number, tankNo: number, minute: number) => ({
  organizationNo,
  tankNo,
  type: 'tank.low_fill' as const,
  occurredAt: new Date(FIRST_MS + minute * 60_000).toISOString(),
  data: { fill_percentage: 10, threshold_percentage: 20 },
  readings: [],
  notify: false,
});

async function givenTwoTanks({ operator }: TestDatabase) {
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo);
  const [tankA, tankB] = await givenTanks(operator, organizationNo, customer.no, [{}, {}]);
  const { text: key } = await givenKey(operator, { organizationNo });
  return { organizationNo, tankA, tankB, key };
}

interface Feed {
  data: { id: string; occurred_at: string; retracted_at: string | null; retracted_because: string | null }[];
  next: string | null;
  has_more: boolean;
}
const read = async (api: TestApi, key: string, after: string | null, size = 50): Promise<Feed> =>
  (await api.call(`/fleet/v1/events?size=${size}${after === null ? '' : `&after=${after}`}`, { key })).json;

test('a reader that follows the feed gets every event of concurrent writers exactly once', async ({
  database,
  api,
}) => {
  const { organizationNo, tankA, tankB, key } = await givenTwoTanks(database);
  const eventsPerWriter = 40;
  const progress = { writing: 4 };
  const writers = Array.from({ length: progress.writing }, async (_, writer) => {
    for (let n = 0; n < eventsPerWriter; n++) {
      await transaction(database.writer, async (tx) => {
        const tankNo = writer % 2 === 0 ? tankA.no : tankB.no;
        await recordEvents(tx, [lowFill(organizationNo, tankNo, writer * 1_000 + n)]);
        // Transactions end in a different order than they began.
        await sleep(Math.random() * 15);
      });
    }
    progress.writing--;
  });
  const seen: string[] = [];
  let after: string | null = null;
  const readOn = async (): Promise<boolean> => {
    const page: Feed = await read(api, key, after, 7);
    seen.push(...page.data.map(({ id }) => id));
    after = page.next;
    return page.has_more;
  };
  while (progress.writing > 0) await readOn();
  await Promise.all(writers);
  // Transactions of other tests on the same server delay the feed too.
  await expect
    .poll(async () => {
      let hasMore = true;
      while (hasMore) hasMore = await readOn();
      return seen.length;
    })
    .toBeGreaterThanOrEqual(4 * eventsPerWriter);
  const { rows } = await database.owner.query<{ id: string }>('select id from events where organization_no = $1', [
    organizationNo,
  ]);
  expect(seen.length).toBe(4 * eventsPerWriter);
  expect(new Set(seen)).toEqual(new Set(rows.map(({ id }) => id)));
});

test('an event waits while an older transaction runs, and a retracted event is returned again', async ({
  database,
  api,
}) => {
  const { organizationNo, tankA, tankB, key } = await givenTwoTanks(database);
  const older = await database.writer.connect();
  await older.query('begin');
  await recordEvents(older, [lowFill(organizationNo, tankA.no, 1)]);
  await transaction(database.writer, (tx) => recordEvents(tx, [lowFill(organizationNo, tankB.no, 2)]));
  expect((await read(api, key, null)).data).toEqual([]);
  await older.query('commit');
  older.release();

  const first = await readUntil(api, key, null, 2);
  expect((await read(api, key, first.next)).data).toEqual([]);
  await transaction(database.writer, (tx) => retractEvents(tx, [lowFill(organizationNo, tankA.no, 1)]));
  const second = await readUntil(api, key, first.next, 1);
  expect(second.data.map(({ id }) => id)).toEqual([first.data[0]?.id]);
  expect([first.data[0]?.retracted_because, second.data[0]?.retracted_because]).toEqual([null, 'late_readings']);
  expect(second.data[0]?.retracted_at).not.toBeNull();
});

test('after a restore that begins with lower transaction ids, a reader gets the events recorded since', async ({
  database,
  api,
}) => {
  const { organizationNo, tankA, tankB, key } = await givenTwoTanks(database);
  const record = (tankNo: number, minute: number) =>
    transaction(database.writer, (tx) => recordEvents(tx, [lowFill(organizationNo, tankNo, minute)]));
  await record(tankA.no, 1);
  // The event is from a server whose transaction ids were far ahead.
  await database.owner.query(
    'update events set change_number = change_number + 1000000 - 2 ^ 44 where organization_no = $1',
    [organizationNo],
  );
  const { data, next } = await readUntil(api, key, null, 1);
  expect(data).toHaveLength(1);

  await transaction(database.operator, raiseChangeEpoch);
  await record(tankB.no, 2);
  expect((await readUntil(api, key, next, 1)).data).toMatchObject([{ occurred_at: '2026-01-01T00:02:00.000Z' }]);
});

test('a reader gets each of the first changes of parallel writers after pg_upgrade once', async ({ database, api }) => {
  const { organizationNo, tankA, tankB, key } = await givenTwoTanks(database);
  const record = (tankNo: number, minute: number) =>
    transaction(database.writer, async (tx) => {
      await recordEvents(tx, [lowFill(organizationNo, tankNo, minute)]);
      await tx.query('select pg_sleep(random() / 10)');
    });
  await record(tankA.no, 1);
  // After pg_upgrade of a server that was promoted twice, stored events have a higher epoch than the timeline gives now.
  await database.owner.query('update events set change_number = change_number + 2 * 2::bigint ^ 44');
  await database.owner.query('update change_epochs set used_epoch = used_epoch + 2');
  const { next } = await readUntil(api, key, null, 1);
  const numberOf = async (select: string): Promise<bigint> =>
    BigInt((await database.owner.query<{ n: string }>(`select (${select})::text as n`)).rows[0]?.n ?? '');
  const highest = await numberOf('select max(change_number) from events');

  await Promise.all(Array.from({ length: 8 }, (_, n) => record(n % 2 === 0 ? tankA.no : tankB.no, 10 + n)));
  const { data } = await readUntil(api, key, next, 8);
  expect(new Set(data.map(({ occurred_at }) => occurred_at)).size).toBe(8);
  const lowestNew = `select min(change_number) from events
    where organization_no = ${organizationNo} and occurred_at >= '2026-01-01 00:10Z'`;
  expect(await numberOf(lowestNew)).toBeGreaterThan(highest);
});

/** Waits for this many events, because transactions of other tests on the same server can delay the feed. */
async function readUntil(api: TestApi, key: string, after: string | null, events: number): Promise<Feed> {
  await expect.poll(async () => (await read(api, key, after)).data.length).toBe(events);
  return read(api, key, after);
}
