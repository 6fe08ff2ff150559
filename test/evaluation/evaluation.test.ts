import fc from 'fast-check';
import { expect } from 'vitest';
import { updateTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { fireAllTimers } from '../../src/evaluation/fire_timers.ts';
import { reevaluateAllTanks } from '../../src/evaluation/reevaluator.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { falling, givenTankNos, markFromTheBeginning, readingsOf, settle } from '../support/evaluation.ts';
import { randomRuns } from '../support/random_runs.ts';
import { type TestDatabase, test } from '../support/test.ts';

interface Recorded {
  type: string;
  occurred_at: string;
  data: Record<string, unknown>;
  readings: unknown[];
  notify: boolean;
}

async function eventsOf(database: TestDatabase, tankNo: number): Promise<Recorded[]> {
  const { rows } = await database.owner.query<Recorded>(
    `select type, occurred_at, data, readings, notify from events where tank_no = $1 and retracted_at is null
     order by occurred_at, type`,
    [tankNo],
  );
  return rows;
}

test('a tank that falls to its threshold raises one low-fill event with a notification job', async ({ database }) => {
  const { nos } = await givenTankNos(database, 1);
  const [tankNo = 0] = nos;
  const ingester = new BatchIngester(database.writer);
  for (const reading of readingsOf(tankNo, falling(40, 2, 11))) await ingester.ingestReadings([reading]);
  await settle(database);
  const low = (await eventsOf(database, tankNo)).filter(({ type }) => type === 'tank.low_fill');
  expect(low).toHaveLength(1);
  expect(low[0]).toMatchObject({ data: { threshold_percentage: 20 }, notify: true });
  const { rows } = await database.owner.query<{ n: number }>(
    `select count(*) as n from graphile_worker.jobs where task_identifier = 'notify_events'`,
  );
  expect(rows[0]?.n).toBe(1);
  expect(low[0]?.readings.length).toBeGreaterThan(0);
});

test('an event that is old when its readings arrive is recorded without a notification', async ({ database }) => {
  const { nos } = await givenTankNos(database, 1);
  const [tankNo = 0] = nos;
  const old = falling(40, 2, 15).map(([atMs, fill]) => [atMs - 90 * DAY_MS, fill] as const);
  await new BatchIngester(database.operator).ingestReadings(readingsOf(tankNo, old));
  await settle(database);
  const events = await eventsOf(database, tankNo);
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['tank.low_fill', 'tank.device_silent']));
  expect(events.filter(({ notify }) => notify)).toEqual([]);
});

test('a changed threshold is evaluated at once, and late readings are evaluated with the threshold of their time', async ({
  database,
}) => {
  const { organizationNo, nos } = await givenTankNos(database, 1);
  const [tankNo = 0] = nos;
  await new BatchIngester(database.writer).ingestReadings(readingsOf(tankNo, falling(45, 1, 15)));
  await settle(database);
  expect(await eventsOf(database, tankNo)).toEqual([]);

  await transaction(database.operator, (tx) =>
    updateTank(tx, organizationNo, tankNo, { min_fill_alert_percentage: 35 }),
  );
  await settle(database);
  const [low] = await eventsOf(database, tankNo);
  expect(low).toMatchObject({ type: 'tank.low_fill', data: { threshold_percentage: 35 }, notify: true });

  // A late reading from before the change causes no event with the old threshold.
  const late = { tankNo, atMs: Date.now() - 5 * DAY_MS, fillPercentage: 34.9 };
  await new BatchIngester(database.writer).ingestReadings([late]);
  await settle(database);
  const after = await eventsOf(database, tankNo);
  expect(after.map(({ type, occurred_at }) => [type, occurred_at])).toEqual([[low?.type, low?.occurred_at]]);
});

test('a timer raises the silent event without a reading, and the next reading raises the reporting event', async ({
  database,
}) => {
  const { nos } = await givenTankNos(database, 1);
  const [tankNo = 0] = nos;
  const ingester = new BatchIngester(database.writer);
  const until = falling(80, 0.5, 10).map(([atMs, fill]) => [atMs - 2 * DAY_MS, fill] as const);
  await ingester.ingestReadings(readingsOf(tankNo, until));
  await settle(database);
  expect((await eventsOf(database, tankNo)).map(({ type, notify }) => [type, notify])).toEqual([
    ['tank.device_silent', true],
  ]);
  await ingester.ingestReadings([{ tankNo, atMs: Date.now(), fillPercentage: 74 }]);
  await settle(database);
  expect((await eventsOf(database, tankNo)).map(({ type }) => type)).toEqual([
    'tank.device_silent',
    'tank.device_reporting',
  ]);
});

test('timers are not fired beyond the stored readings, because a reading in the stream may end a silence', async ({
  database,
}) => {
  const { nos } = await givenTankNos(database, 1);
  const [tankNo = 0] = nos;
  const until = falling(80, 0.5, 10).map(([atMs, fill]) => [atMs - 2 * DAY_MS, fill] as const);
  await new BatchIngester(database.writer).ingestReadings(readingsOf(tankNo, until));
  const storedUpToMs = (until.at(-1)?.[0] ?? 0) + 12 * HOUR_MS;
  await markFromTheBeginning(database, nos);
  await reevaluateAllTanks(database.writer, storedUpToMs);
  await fireAllTimers(database.writer, storedUpToMs);
  expect(await eventsOf(database, tankNo)).toEqual([]);
  await settle(database);
  expect((await eventsOf(database, tankNo)).map(({ type }) => type)).toEqual(['tank.device_silent']);
});

test('readings in any order and batches by two writers give the events and the state of readings in order', async ({
  database,
}) => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), async (stream) => {
      const random = (): number => stream.next().value ?? 0.5;
      const nowMs = Date.now();
      let fill = 30 + random() * 60;
      const series = Array.from({ length: 80 }, (_, n): [number, number] => {
        fill = random() < 0.04 ? Math.min(95, fill + 40) : Math.max(1, fill - random() * 2);
        return [nowMs - (80 - n) * 6 * HOUR_MS + Math.floor(random() * HOUR_MS), Math.round(fill * 100) / 100];
      });
      const { nos } = await givenTankNos(database, 2);
      const [ordered = 0, shuffled = 0] = nos;
      const ingesters = [new BatchIngester(database.writer), new BatchIngester(database.writer)];
      for (const reading of readingsOf(ordered, series)) await ingesters[0]?.ingestReadings([reading]);

      // Some readings are late by up to ten positions, some are repeated, and two writers store batches at the same time.
      const late = readingsOf(shuffled, series)
        .map((reading, n) => ({ reading, position: n + (random() < 0.2 ? random() * 10 : 0) }))
        .toSorted((a, b) => a.position - b.position)
        .map(({ reading }) => reading);
      let from = 0;
      while (from < late.length) {
        const size = 1 + Math.floor(random() * 12);
        const batch = late.slice(from, from + size);
        const again = late.slice(Math.max(0, from - 3), from + 1);
        await Promise.all([ingesters[0]?.ingestReadings(batch), ingesters[1]?.ingestReadings(again)]);
        if (random() < 0.3) await reevaluateAllTanks(database.writer);
        from += size;
      }
      await settle(database);
      const withoutNotify = (events: Recorded[]) => events.map(({ notify: _notify, ...event }) => event);
      expect(withoutNotify(await eventsOf(database, shuffled))).toEqual(
        withoutNotify(await eventsOf(database, ordered)),
      );
      const { rows } = await database.owner.query<{ states: number }>(
        'select count(distinct encoded_state) as states from tank_states where tank_no = any ($1)',
        [nos],
      );
      expect(rows[0]?.states).toBe(1);
    }),
    { numRuns: randomRuns(12), endOnFailure: true },
  );
});
