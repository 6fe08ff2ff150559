import { expect } from 'vitest';
import { OutdatedStateScan } from '../../src/evaluation/outdated_states.ts';
import { Reevaluator, reevaluateAllTanks } from '../../src/evaluation/reevaluator.ts';
import { STATE_VERSION } from '../../src/evaluation/state_codec.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { evaluationsOf, falling, givenTankNos, queueOf, readingsOf, settle } from '../support/evaluation.ts';
import { givenEndpoint, givenWorker } from '../support/events.ts';
import { ingestEnvironment, startWriter } from '../support/ingest.ts';
import { type TestDatabase, test, untilTestEnds } from '../support/test.ts';

/** Levels that fall by two points a day to 25 % now, above the threshold of 20 %. About 30 days ago the tank was low and was refilled. */
const healthy = (): (readonly [number, number])[] => [
  ...falling(45, 3, 12).map(([atMs, fill]) => [atMs - 30 * DAY_MS, fill] as const),
  ...falling(85, 2, 30),
];

/** Levels that fall by 1.5 points a day, of which the last but one reaches the threshold. */
const nowLow = (): (readonly [number, number])[] => falling(64, 1.5, 30);

/** Makes the states and checkpoints of these tanks those of an older release, which wrote another format. */
async function writeAsOlderRelease(database: TestDatabase, tankNos: readonly number[]): Promise<void> {
  for (const table of ['tank_states', 'tank_checkpoints']) {
    await database.owner.query(`update ${table} set encoded_state = $2 where tank_no = any ($1)`, [
      tankNos,
      `[${STATE_VERSION - 1},1750550400000,0,20000000,null]`,
    ]);
  }
}

interface EventRow {
  type: string;
  occurred_at: string;
  notify: boolean;
  is_retracted: boolean;
}

async function eventsOf(database: TestDatabase, tankNo: number): Promise<EventRow[]> {
  const { rows } = await database.owner.query<EventRow>(
    `select type, occurred_at, notify, retracted_at is not null as is_retracted from events
     where tank_no = $1 order by occurred_at, type`,
    [tankNo],
  );
  return rows;
}

const deleteEvents = (database: TestDatabase, tankNo: number) =>
  database.owner.query('delete from events where tank_no = $1', [tankNo]);

test('after an upgrade tanks are re-evaluated without notifications of old events, and with one of each current event', async ({
  database,
}) => {
  const { organizationNo, nos } = await givenTankNos(database, 5);
  const [missedOld = 0, missedNow = 0, notifiedNow = 0, wrong = 0, reporting = 0] = nos;
  const ingester = new BatchIngester(database.writer);
  for (const no of [missedOld, wrong, reporting]) await ingester.ingestReadings(readingsOf(no, healthy()));
  for (const no of [missedNow, notifiedNow]) await ingester.ingestReadings(readingsOf(no, nowLow()));
  await settle(database);
  const expected = await evaluationsOf(database, nos);
  const history = await eventsOf(database, missedOld);
  expect(history.map(({ type }) => type)).toEqual(['tank.low_fill', 'tank.fill_recovered', 'tank.refilled']);
  const [low] = await eventsOf(database, missedNow);
  expect(low).toMatchObject({ type: 'tank.low_fill', notify: true });

  // The older release has recorded no events for two tanks, an alert two hours later for another one, and a loss that the
  // new estimator does not find.
  await deleteEvents(database, missedOld);
  await deleteEvents(database, missedNow);
  await database.owner.query(
    `update events set occurred_at = occurred_at + interval '2 hours', id = gen_random_uuid() where tank_no = $1`,
    [notifiedNow],
  );
  await database.owner.query(
    `insert into events (id, organization_no, tank_no, type, occurred_at, data, readings, notify)
     values (gen_random_uuid(), $1, $2, 'tank.rapid_loss', now() - interval '10 days', '{}', '[]', true)`,
    [organizationNo, wrong],
  );
  await writeAsOlderRelease(database, nos);
  await database.owner.query('delete from graphile_worker._private_jobs');
  const { receiver } = await givenEndpoint(database, organizationNo);
  await givenWorker(database);

  // A reading arrives before its tank is re-evaluated. It is stored, and nothing fails.
  const atMs = Date.now();
  const stored = await ingester.ingestReadings([
    { tankNo: reporting, atMs: atMs - 1_000, fillPercentage: 19.9 },
    { tankNo: reporting, atMs, fillPercentage: 19.8 },
  ]);
  expect(stored).toMatchObject({ stored: 2 });
  expect((await queueOf(database, nos)).map((row) => row.tank_no)).toEqual([reporting]);

  const scan = new OutdatedStateScan(database.writer);
  expect(await scan.queueBatch()).toEqual({ queued: 4, isMore: false });
  expect(await queueOf(database, nos)).toHaveLength(5);
  // The tanks are re-evaluated in parts. The second part has to know that the first one began with a state of an older release.
  const limits = { tanks: 10, readings: 100, minReadingsPerTank: 1 };
  const failures = await new Reevaluator(database.writer, limits).reevaluateBatch(Date.now());
  expect(failures).toMatchObject({ reevaluated: 5, dequeued: 0, failures: [] });
  await reevaluateAllTanks(database.writer, Date.now(), limits);
  expect(await queueOf(database, nos)).toEqual([]);

  expect(await eventsOf(database, missedOld)).toEqual(history.map((event) => ({ ...event, notify: false })));
  expect(await eventsOf(database, missedNow)).toEqual([low]);
  expect((await eventsOf(database, notifiedNow)).map(({ notify, is_retracted }) => [notify, is_retracted])).toEqual([
    [false, false],
    [true, false],
  ]);
  expect((await eventsOf(database, wrong)).filter(({ type }) => type === 'tank.rapid_loss')).toMatchObject([
    { is_retracted: true },
  ]);
  expect((await eventsOf(database, reporting)).filter(({ notify }) => notify)).toMatchObject([
    { type: 'tank.low_fill', occurred_at: new Date(atMs).toISOString() },
  ]);
  const after = await evaluationsOf(database, nos);
  for (const no of [missedOld, missedNow, wrong]) expect(after.get(no)).toBe(expected.get(no));

  await expect.poll(() => receiver.received.length).toBe(2);
  await expect
    .poll(async () => (await database.owner.query('select from graphile_worker._private_jobs')).rowCount)
    .toBe(0);
  const notified = receiver.received.map(({ body }) => JSON.parse(body) as { type: string; timestamp: string });
  expect(new Set(notified.map(({ type, timestamp }) => `${type} ${timestamp}`))).toEqual(
    new Set([`tank.low_fill ${low?.occurred_at}`, `tank.low_fill ${new Date(atMs).toISOString()}`]),
  );
});

test('a scan whose commit fails queues the same tanks again', async ({ database }) => {
  const { nos } = await givenTankNos(database, 3);
  await new BatchIngester(database.writer).ingestReadings(nos.flatMap((no) => readingsOf(no, falling(60, 1, 2))));
  await settle(database);
  await writeAsOlderRelease(database, nos);
  await database.owner.query(`
    create function refuse_commit() returns trigger language plpgsql as $$ begin raise 'the commit fails'; end $$;
    create constraint trigger refuse_commit after insert on reevaluations deferrable initially deferred
    for each row execute function refuse_commit()`);
  const scan = new OutdatedStateScan(database.writer);
  await expect(scan.queueBatch()).rejects.toThrow('the commit fails');
  expect(await queueOf(database, nos)).toEqual([]);
  await database.owner.query('drop function refuse_commit cascade');
  expect(await scan.queueBatch()).toEqual({ queued: 3, isMore: false });
  await settle(database);
});

test('the scan keeps the queue short, and finds the states that timers and readings do not', async ({ database }) => {
  const { nos } = await givenTankNos(database, 450);
  const ingester = new BatchIngester(database.writer);
  const old = falling(60, 1, 2).map(([atMs, fill]) => [atMs - 20 * HOUR_MS, fill] as const);
  await ingester.ingestReadings(nos.flatMap((no) => readingsOf(no, old)));
  await settle(database);
  const scan = new OutdatedStateScan(database.writer);
  expect(await scan.queueBatch()).toEqual({ queued: 0, isMore: false });

  const before = await evaluationsOf(database, nos);
  await writeAsOlderRelease(database, nos);
  const later = new OutdatedStateScan(database.writer);
  expect(await later.queueBatch()).toEqual({ queued: 450, isMore: false });
  // 450 tanks are queued, so no more are added for now.
  expect(await new OutdatedStateScan(database.writer).queueBatch()).toEqual({ queued: 0, isMore: false });
  await settle(database);
  expect(await evaluationsOf(database, nos)).toEqual(before);
  expect(await queueOf(database, nos)).toEqual([]);

  // A writer that starts does all of this.
  await writeAsOlderRelease(database, nos);
  const writer = await untilTestEnds(startWriter(ingestEnvironment(database)));
  await expect.poll(() => evaluationsOf(database, nos)).toEqual(before);
  expect(await writer.registry.metrics()).not.toMatch(/tankwatch_evaluation_failures_total\S* [1-9]/);
});
