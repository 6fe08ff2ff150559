import { expect } from 'vitest';
import { updateTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { DueTanks, resumeWaitingTanks } from '../../src/evaluation/reevaluation_queue.ts';
import { Reevaluator, reevaluateAllTanks } from '../../src/evaluation/reevaluator.ts';
import { STATE_VERSION } from '../../src/evaluation/state_codec.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import {
  evaluationsOf,
  falling,
  givenTankNos,
  markFromTheBeginning,
  queueOf,
  readingsOf,
  settle,
} from '../support/evaluation.ts';
import { test } from '../support/test.ts';

test('a tank that cannot be evaluated does not stop others, and is retried with growing delay', async ({
  database,
}) => {
  const { nos } = await givenTankNos(database, 5);
  const [poison = 0, ...healthy] = nos;
  const ingester = new BatchIngester(database.writer);
  for (const no of nos) await ingester.ingestReadings(readingsOf(no, falling(40, 2, 12)));
  await markFromTheBeginning(database, nos);
  await database.owner.query('delete from events where tank_no = any ($1)', [nos]);
  await database.owner.query(`alter table events add constraint poison check (tank_no <> ${poison})`);
  try {
    const reevaluator = new Reevaluator(database.writer);
    const first = await reevaluator.reevaluateBatch(Date.now());
    expect(first).toMatchObject({ reevaluated: 4, dequeued: 4 });
    expect(first.failures).toEqual([{ tankNo: poison, error: expect.objectContaining({ constraint: 'poison' }) }]);
    expect(await queueOf(database, nos)).toEqual([
      expect.objectContaining({ tank_no: poison, attempts: 1, last_error: expect.stringContaining('poison') }),
    ]);
    const delays: number[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      delays.push((await queueOf(database, [poison]))[0]?.delay_seconds ?? 0);
      // An exact now() could be after the time of the batch: the column rounds up to milliseconds, the time of the batch down.
      await database.owner.query(
        `update reevaluations set next_attempt_at = now() - interval '1 second' where tank_no = $1`,
        [poison],
      );
      // A failure is reported only once, when the tank begins to fail.
      expect(await reevaluator.reevaluateBatch(Date.now())).toEqual({ reevaluated: 0, dequeued: 0, failures: [] });
    }
    expect([delays[0], delays[1], delays[2], delays.at(-1)]).toEqual([10, 20, 40, 3_600]);
  } finally {
    await database.owner.query('alter table events drop constraint poison');
  }
  await database.owner.query('update reevaluations set next_attempt_at = now() where tank_no = $1', [poison]);
  await settle(database);
  expect(await queueOf(database, nos)).toEqual([]);
  const evaluations = await evaluationsOf(database, nos);
  expect(evaluations.get(poison)).toBe(evaluations.get(healthy[0] ?? 0));
});

test('a tank of an organization does not wait for the 600 marked tanks of another one', async ({ database }) => {
  const many = await givenTankNos(database, 600);
  const one = await givenTankNos(database, 1);
  const ingester = new BatchIngester(database.writer);
  await ingester.ingestReadings([...many.nos, ...one.nos].flatMap((no) => readingsOf(no, falling(40, 2, 1))));
  await markFromTheBeginning(database, many.nos);
  const due = new DueTanks(database.writer);
  const first = await due.next(100);
  expect(first).toHaveLength(100);
  await markFromTheBeginning(database, one.nos);
  const second = await due.next(100);
  expect(second).toEqual(expect.arrayContaining(one.nos));
  // The selection continues after the selected tanks, and concurrent callers get different tanks.
  const [third, fourth] = await Promise.all([due.next(100), due.next(100)]);
  const ofMany = [first, second, third, fourth].flat().filter((no) => no !== one.nos[0]);
  expect(new Set(ofMany).size).toBe(ofMany.length);
  await settle(database);
  expect(await queueOf(database, [...many.nos, ...one.nos])).toEqual([]);
});

test('a changed threshold is applied with the next reading, before re-evaluation, and gives the same result', async ({
  database,
}) => {
  const { organizationNo, nos } = await givenTankNos(database, 2);
  const [inline = 0, queued = 0] = nos;
  const ingester = new BatchIngester(database.writer);
  const series = falling(45, 1, 15).map(([atMs, fill]) => [atMs - HOUR_MS, fill] as const);
  for (const no of nos) await ingester.ingestReadings(readingsOf(no, series));
  await settle(database);
  await transaction(database.operator, async (tx) => {
    for (const no of nos) await updateTank(tx, organizationNo, no, { min_fill_alert_percentage: 35 });
  });
  expect(await queueOf(database, nos)).toHaveLength(2);

  const next = [[Date.now() + 1_000, 31]] as const;
  await ingester.ingestReadings(readingsOf(inline, next));
  const { rows } = await database.owner.query('select type from events where tank_no = $1', [inline]);
  expect(rows).toEqual([{ type: 'tank.low_fill' }]);
  expect((await queueOf(database, nos)).map(({ tank_no }) => tank_no)).toEqual([queued]);

  await settle(database);
  await ingester.ingestReadings(readingsOf(queued, next));
  const evaluations = await evaluationsOf(database, nos);
  expect(evaluations.get(inline)).toBe(evaluations.get(queued));
  await markFromTheBeginning(database, nos);
  await reevaluateAllTanks(database.writer, Date.now() + 2_000);
  expect(await evaluationsOf(database, nos)).toEqual(evaluations);
});

test('a tank with many readings is re-evaluated in parts, with the same result', async ({ database }) => {
  const { organizationNo, nos } = await givenTankNos(database, 2);
  const series = falling(90, 0.6, 60).map(([atMs, fill], n) => [atMs, n % 90 < 45 ? fill : fill - 25] as const);
  const ingester = new BatchIngester(database.writer);
  for (const no of nos) await ingester.ingestReadings(readingsOf(no, series));
  await transaction(database.operator, (tx) =>
    updateTank(tx, organizationNo, nos[0] ?? 0, { min_fill_alert_percentage: 45 }),
  );
  await settle(database);
  const before = await evaluationsOf(database, nos);
  await markFromTheBeginning(database, nos);
  const limits = { tanks: 10, readings: 14, minReadingsPerTank: 1 };
  const first = await new Reevaluator(database.writer, limits).reevaluateBatch(Date.now());
  expect(first).toEqual({ reevaluated: 2, dequeued: 0, failures: [] });
  expect(await evaluationsOf(database, nos)).not.toEqual(before);
  expect(await reevaluateAllTanks(database.writer, Date.now(), limits)).toBe(2);
  expect(await evaluationsOf(database, nos)).toEqual(before);
});

test('readings, timers and re-evaluation do not change a state of a newer release, which that release evaluates', async ({
  database,
}) => {
  const { nos } = await givenTankNos(database, 2);
  const [newer = 0, other = 0] = nos;
  const ingester = new BatchIngester(database.writer);
  const series = falling(40, 2, 12).map(([atMs, fill]) => [atMs - 60 * HOUR_MS, fill] as const);
  for (const no of nos) await ingester.ingestReadings(readingsOf(no, series.slice(0, 30)));
  const { rows } = await database.owner.query<{ encoded_state: string }>(
    'select encoded_state from tank_states where tank_no = $1',
    [newer],
  );
  const written = (rows[0]?.encoded_state ?? '').replace(/^\[\d+/, `[${STATE_VERSION + 1}`);
  await database.owner.query('update tank_states set encoded_state = $2 where tank_no = $1', [newer, written]);

  await settle(database); // both devices are silent
  for (const no of nos) await ingester.ingestReadings(readingsOf(no, series.slice(30)));
  await settle(database);
  const { rows: after } = await database.owner.query<{ encoded_state: string; n: number; events: number }>(
    `select encoded_state, (select count(*) from telemetry t where t.tank_no = s.tank_no) as n,
            (select count(*) from events e where e.tank_no = s.tank_no) as events
     from tank_states s where tank_no = $1`,
    [newer],
  );
  expect(after).toEqual([{ encoded_state: written, n: series.length, events: 0 }]);
  expect(await queueOf(database, [newer])).toEqual([
    expect.objectContaining({ waits_for_version: STATE_VERSION + 1, delay_seconds: Number.POSITIVE_INFINITY }),
  ]);
  await resumeWaitingTanks(database.writer);
  expect(await queueOf(database, [newer])).toHaveLength(1);

  // The newer release can read the state.
  await database.owner.query('update tank_states set encoded_state = $2 where tank_no = $1', [
    newer,
    rows[0]?.encoded_state,
  ]);
  await database.owner.query('update reevaluations set waits_for_version = $2 where tank_no = $1', [
    newer,
    STATE_VERSION,
  ]);
  await resumeWaitingTanks(database.writer);
  await settle(database);
  const evaluations = await evaluationsOf(database, nos);
  expect(evaluations.get(newer)).toBe(evaluations.get(other));
});
