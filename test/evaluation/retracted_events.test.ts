import { expect } from 'vitest';
import { updateTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { evaluationsOf, givenTankNos, markFromTheBeginning, readingsOf, settle } from '../support/evaluation.ts';
import { type TestDatabase, test } from '../support/test.ts';

/** Hourly readings until now: 72 for 12 days, 9 for some hours, and 72 again. */
function fault(hours: number, after: number): [number, number][] {
  const nowMs = Math.floor(Date.now() / 60_000) * 60_000;
  const before = 12 * 24;
  const fills = [...Array<number>(before).fill(72), ...Array<number>(hours).fill(9), ...Array<number>(after).fill(72)];
  return fills.map((fill, n) => [nowMs - (fills.length - 1 - n) * HOUR_MS, fill]);
}

const eventsOf = async (database: TestDatabase, tankNo: number): Promise<unknown[]> =>
  (
    await database.owner.query(
      `select type, retracted_at is not null as is_retracted, retracted_because from events where tank_no = $1
       order by occurred_at, type`,
      [tankNo],
    )
  ).rows;

test('events of a gauge fault are recorded, and retracted with their reason when the level is back', async ({
  database,
}) => {
  const { nos } = await givenTankNos(database, 2);
  const [tankNo = 0, atOnce = 0] = nos;
  const ingester = new BatchIngester(database.writer);
  const series = fault(14, 12);
  await ingester.ingestReadings(readingsOf(tankNo, series.slice(0, -26)));
  for (const reading of series.slice(-26, -12)) await ingester.ingestReadings(readingsOf(tankNo, [reading]));
  expect(await eventsOf(database, tankNo)).toMatchObject([
    { type: 'tank.low_fill', is_retracted: false },
    { type: 'tank.rapid_loss', is_retracted: false },
  ]);
  const { rows: losing } = await database.owner.query(
    'select losing_seen_at, is_low from fleet_tanks where tank_no = $1',
    [tankNo],
  );
  expect(losing).toEqual([{ losing_seen_at: expect.stringMatching(/^20/), is_low: true }]);

  for (const reading of series.slice(-12)) await ingester.ingestReadings(readingsOf(tankNo, [reading]));
  expect(await eventsOf(database, tankNo)).toEqual([
    { type: 'tank.low_fill', is_retracted: true, retracted_because: 'gauge_fault' },
    { type: 'tank.rapid_loss', is_retracted: true, retracted_because: 'gauge_fault' },
    { type: 'tank.gauge_unreliable', is_retracted: false, retracted_because: null },
  ]);
  const { rows } = await database.owner.query('select losing_seen_at, is_low from fleet_tanks where tank_no = $1', [
    tankNo,
  ]);
  expect(rows).toEqual([{ losing_seen_at: '-infinity', is_low: false }]);

  // All readings at once record nothing that is wrong, and both end in the same state.
  await ingester.ingestReadings(readingsOf(atOnce, series));
  expect(await eventsOf(database, atOnce)).toMatchObject([{ type: 'tank.gauge_unreliable', is_retracted: false }]);
  await settle(database);
  const evaluations = await evaluationsOf(database, nos);
  expect(evaluations.get(tankNo)).toBe(evaluations.get(atOnce));
  await markFromTheBeginning(database, nos);
  await settle(database);
  expect(await evaluationsOf(database, nos)).toEqual(evaluations);
});

test('a late reading that shows a real fall makes the retracted loss valid again', async ({ database }) => {
  const { nos } = await givenTankNos(database, 2);
  const [late = 0, inOrder = 0] = nos;
  const ingester = new BatchIngester(database.writer);
  const series = fault(14, 12);
  const [fellMs = 0] = series.at(-26) ?? [];
  // The late readings show that the level fell step by step within the hour before.
  const between = [60, 48, 36, 22].map((fill, n): [number, number] => [fellMs - HOUR_MS + (n + 1) * 11 * 60_000, fill]);
  await ingester.ingestReadings(readingsOf(late, series));
  await ingester.ingestReadings(readingsOf(late, between));
  await settle(database);
  await ingester.ingestReadings(
    readingsOf(
      inOrder,
      [...series, ...between].toSorted((a, b) => a[0] - b[0]),
    ),
  );
  await settle(database);
  const evaluations = await evaluationsOf(database, nos);
  expect(evaluations.get(late)).toBe(evaluations.get(inOrder));
  expect(await eventsOf(database, late)).toEqual(
    expect.arrayContaining([expect.objectContaining({ type: 'tank.rapid_loss', is_retracted: false })]),
  );
});

test('a tank has no losses since it was marked as a batch tank, also after a re-evaluation', async ({ database }) => {
  const { organizationNo, nos } = await givenTankNos(database, 2);
  const [batch = 0, other = 0] = nos;
  const ingester = new BatchIngester(database.writer);
  const nowMs = Math.floor(Date.now() / 60_000) * 60_000;
  const before = Array.from({ length: 60 }, (_, n): [number, number] => [nowMs - (60 - n) * 6 * HOUR_MS, 84]);
  for (const no of nos) await ingester.ingestReadings(readingsOf(no, before));
  await transaction(database.operator, (tx) => updateTank(tx, organizationNo, batch, { is_batch_tank: true }));
  await settle(database);
  const after = Array.from({ length: 8 }, (_, n): [number, number] => [Date.now() + 1_000 + n * 6 * HOUR_MS, 31]);
  for (const no of nos) await ingester.ingestReadings(readingsOf(no, after));
  const typesOf = async (no: number) => (await eventsOf(database, no)).map((event) => (event as { type: string }).type);
  expect([await typesOf(batch), await typesOf(other)]).toEqual([[], ['tank.rapid_loss']]);
  await markFromTheBeginning(database, nos);
  await settle(database);
  expect([await typesOf(batch), await typesOf(other)]).toEqual([[], ['tank.rapid_loss']]);
});
