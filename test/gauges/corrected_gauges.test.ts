import { expect } from 'vitest';
import { listTelemetryOperation } from '../../src/api/v1/telemetry.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import type { CatalogRef } from '../../src/catalog/upsert_rows.ts';
import { transaction } from '../../src/db/pool.ts';
import type { Readers } from '../../src/db/readers.ts';
import { checkPackedMonths } from '../../src/doctor/packed_months.ts';
import type { TankGauge } from '../../src/gauges/gauge_schema.ts';
import { Recomputer, recomputeAllTanks } from '../../src/gauges/recomputation_loop.ts';
import { type NewGauge, readTankGauges, setTankGauges } from '../../src/gauges/set_gauges.ts';
import { gaugePercentage } from '../../src/gauges/tank_gauge.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { readChangeFeed, TANK_SOURCE } from '../../src/status/change_feed.ts';
import { exportReadings } from '../../src/telemetry/export_readings.ts';
import { unpackMonth } from '../../src/telemetry/pack_months.ts';
import type { MeasureKind, TankReading } from '../../src/telemetry/reading.ts';
import { encodeMeasure } from '../../src/telemetry/stored_measure.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { evaluationsOf, markFromTheBeginning, settle } from '../support/evaluation.ts';
import { counterFaults } from '../support/ingest.ts';
import { askList } from '../support/lists.ts';
import { givenFleet, importText, iso } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';

/** A wrong description of the tank, which is a cylinder with a diameter of 1 m. */
const BOX: NewGauge = { shape: { form: 'box', height_mm: 1_000 }, measures: 'distance', offset_mm: 0, from_at: null };
const CYLINDER: NewGauge = {
  ...BOX,
  shape: { form: 'horizontal_cylinder', diameter_mm: 1_000, length_mm: 3_000, heads: 'elliptical' },
};

let serial = 0;
async function givenTank(database: TestDatabase): Promise<{ organizationNo: number; tank: CatalogRef }> {
  const { organizationNo, tanks } = await givenFleet(database, [`G${serial++}`]);
  return { organizationNo, tank: tanks[0] };
}

const setGauges = (database: TestDatabase, organizationNo: number, no: number, gauges: readonly NewGauge[]) =>
  transaction(database.operator, (tx) => setTankGauges(operatorChange(tx, organizationNo), { no }, gauges));

/** Distances every six hours until now. They grow by 6 mm a day and begin again when the tank is filled. */
function distances(days: number, kind: MeasureKind = 'distance'): { atMs: number; kind: MeasureKind; value: number }[] {
  const nowMs = Math.floor(Date.now() / 60_000) * 60_000;
  return Array.from({ length: days * 4 }, (_, n) => ({
    atMs: nowMs - (days * 4 - 1 - n) * 6 * HOUR_MS,
    kind,
    value: 2_000 + ((n * 15) % 7_500),
  }));
}
type Measured = ReturnType<typeof distances>[number];

const levelBy = (gauge: TankGauge, { kind, value }: Measured): number => {
  const level = gaugePercentage(gauge, { kind, value });
  if (typeof level !== 'number') throw new Error(level.detail);
  return level;
};

/** The readings of the device, with the levels by this gauge. */
const readingsBy = (tankNo: number, gauge: TankGauge, measured: readonly Measured[]): TankReading[] =>
  measured.map(({ atMs, kind, value }) => ({
    tankNo,
    atMs,
    fillPercentage: levelBy(gauge, { atMs, kind, value }),
    measure: { kind, value },
  }));

const readTelemetry = async (
  readers: Readers,
  organizationNo: number,
  tank: CatalogRef,
): Promise<[string, number][]> => {
  const readings: [string, number][] = [];
  let [page, pages] = [0, 1];
  while (page < pages) {
    page += 1;
    const list = await askList(readers, listTelemetryOperation, { organizationNo, id: tank.id }, `page=${page}`);
    for (const { created_at, fill_percentage } of list.data)
      readings.push([String(created_at), Number(fill_percentage)]);
    pages = list.total_pages;
  }
  return readings.toReversed();
};

test('after a gauge is corrected, all stored levels and the evaluation are as if the gauge had always been right', async ({
  database,
  readers,
}) => {
  const { organizationNo, tank } = await givenTank(database);
  const { tank: right, organizationNo: theirs } = await givenTank(database);
  const measured = distances(400);
  const ingester = new BatchIngester(database.writer);
  await setGauges(database, organizationNo, tank.no, [BOX]);
  await ingester.ingestReadings(readingsBy(tank.no, BOX, measured));
  await setGauges(database, theirs, right.no, [CYLINDER]);
  await ingester.ingestReadings(readingsBy(right.no, CYLINDER, measured));
  await settle(database);
  // Some months are packed, and their plain rows are kept.
  await database.owner.query('select pack_telemetry($1, 0, 1000)', ['-infinity']);
  for (let month = 0; month < 5; month++)
    await database.owner.query(
      `select pack_telemetry((select max(month) + interval '1 day' from packed_months), 0, 1000)`,
    );
  expect(await readTelemetry(readers, organizationNo, tank)).toEqual(
    measured.map((one) => [iso(one.atMs), levelBy(BOX, one)]),
  );

  await setGauges(database, organizationNo, tank.no, [CYLINDER]);
  expect(await readTankGauges(database.operator, tank.no)).toMatchObject({ is_recomputing: true });
  expect(await recomputeAllTanks(database.writer)).toBeGreaterThanOrEqual(1);
  const corrected = measured.map((one) => [iso(one.atMs), levelBy(CYLINDER, one)]);
  expect(await readTelemetry(readers, organizationNo, tank)).toEqual(corrected);
  await settle(database);
  const evaluations = await evaluationsOf(database, [tank.no, right.no]);
  expect(evaluations.get(tank.no)).toBe(evaluations.get(right.no));
  const { rows: retracted } = await database.owner.query<{ because: string | null }>(
    'select distinct retracted_because as because from events where tank_no = $1 and retracted_at is not null',
    [tank.no],
  );
  expect(retracted).toEqual([{ because: 'gauge_corrected' }]);
  expect(await checkPackedMonths(database.owner)).toEqual([]);
  expect(await counterFaults(database)).toEqual([]);

  // The same messages again are duplicates, in packed months too. Another measure is a conflict.
  const again = await ingester.ingestReadings(readingsBy(tank.no, BOX, measured));
  expect(again).toMatchObject({ stored: 0, duplicates: measured.length, conflicts: [] });
  const others = measured.slice(0, 9).map((one) => ({ ...one, value: one.value + 1 }));
  expect((await ingester.ingestReadings(readingsBy(tank.no, BOX, others))).conflicts).toHaveLength(9);

  // A second computation changes nothing, and unpacking returns the same readings from the kept rows.
  await database.owner.query('insert into gauge_recomputations (tank_no, organization_no) values ($1, $2)', [
    tank.no,
    organizationNo,
  ]);
  await recomputeAllTanks(database.writer);
  expect(await evaluationsOf(database, [tank.no, right.no])).toEqual(evaluations);
  const { rows: months } = await database.owner.query<{ month: string }>('select month from packed_months');
  for (const { month } of months) await unpackMonth(database.owner, month);
  expect(await readTelemetry(readers, organizationNo, tank)).toEqual(corrected);
  await markFromTheBeginning(database, [tank.no]);
  await settle(database);
  expect(await evaluationsOf(database, [tank.no, right.no])).toEqual(evaluations);
});

test('a gauge that begins within a packed month changes only later levels, and unreadable measures keep their level', async ({
  database,
  readers,
}) => {
  const { organizationNo, tank } = await givenTank(database);
  const measured = [...distances(200), ...distances(1, 'height').map((one) => ({ ...one, atMs: one.atMs - 1 }))];
  const sorted = measured.toSorted((a, b) => a.atMs - b.atMs);
  const sent = sorted.map((one): TankReading => {
    const { atMs, kind, value } = one;
    return { tankNo: tank.no, atMs, fillPercentage: 40, measure: { kind, value } };
  });
  // Without a gauge, the levels of the device are stored together with its measures.
  const ingester = new BatchIngester(database.writer);
  await ingester.ingestReadings(sent);
  await database.owner.query('select pack_telemetry($1, 0, 1000)', ['-infinity']);
  await database.owner.query(
    `select pack_telemetry((select max(month) + interval '1 day' from packed_months), 0, 1000)`,
  );
  const { rows } = await database.owner.query<{ month: string }>('select max(month) as month from packed_months');
  const cutMs = Date.parse(rows[0]?.month ?? '') + 10 * DAY_MS + 1;
  const laterMs = cutMs + 5 * DAY_MS;
  await setGauges(database, organizationNo, tank.no, [
    { ...BOX, from_at: iso(cutMs) },
    { ...CYLINDER, from_at: iso(laterMs) },
  ]);
  await recomputeAllTanks(database.writer);
  const expected = sorted.map((one) => {
    if (one.atMs < cutMs || one.kind === 'height') return [iso(one.atMs), 40];
    return [iso(one.atMs), levelBy(one.atMs < laterMs ? BOX : CYLINDER, one)];
  });
  expect(await readTelemetry(readers, organizationNo, tank)).toEqual(expected);
  expect(await checkPackedMonths(database.owner)).toEqual([]);
  const { gauges, is_recomputing } = await readTankGauges(database.operator, tank.no);
  expect(is_recomputing).toBe(false);
  expect(gauges.map(({ unreadable_measures }) => unreadable_measures)).toEqual([0, 4]);
  expect((await ingester.ingestReadings(sent)).duplicates).toBe(sent.length);

  // The change feed contains the tank with the time of the change, as soon as no older transaction runs.
  const changedTanks = async (): Promise<unknown[]> => {
    const { changes } = await readChangeFeed(readers, organizationNo, {
      sources: [TANK_SOURCE],
      kinds: undefined,
      after: undefined,
      size: 100,
      follow: () => Promise.resolve('0'),
    });
    return changes.flatMap((change) => (change.kind === 'tank' ? [change.object] : []));
  };
  await expect.poll(changedTanks).toMatchObject([{ id: tank.id, levels_changed_at: expect.stringMatching(/Z$/) }]);
});

test('plain rows are computed in pages, and an attempt is counted before it begins', async ({ database, readers }) => {
  const { organizationNo, tank } = await givenTank(database);
  const measured = distances(20);
  await setGauges(database, organizationNo, tank.no, [BOX]);
  await new BatchIngester(database.writer).ingestReadings(readingsBy(tank.no, BOX, measured));
  await setGauges(database, organizationNo, tank.no, [CYLINDER]);
  const readQueue = async () =>
    (
      await database.owner.query<{ attempts: number; is_due: boolean }>(
        'select attempts, next_attempt_at <= now() as is_due from gauge_recomputations where tank_no = $1',
        [tank.no],
      )
    ).rows;
  // While another transaction holds the tank, the computation stays due.
  await transaction(database.owner, async (tx) => {
    await tx.query('select from tank_states where tank_no = $1 for update', [tank.no]);
    expect(await recomputeAllTanks(database.writer)).toBe(0);
  });
  expect(await readQueue()).toEqual([{ attempts: 0, is_due: true }]);

  // A computation in progress is already counted, in case its process ends.
  const tanks = await transaction(database.owner, async (tx) => {
    await tx.query('select from telemetry where tank_no = $1 for update', [tank.no]);
    const computed = recomputeAllTanks(database.writer, { rows: 7, maxMs: 0 });
    await expect.poll(readQueue).toEqual([{ attempts: 1, is_due: false }]);
    return { computed };
  });
  expect(await tanks.computed).toBe(1);
  expect(await readQueue()).toEqual([]);
  expect(await readTelemetry(readers, organizationNo, tank)).toEqual(
    measured.map((one) => [iso(one.atMs), levelBy(CYLINDER, one)]),
  );
});

test('a computation is right if readings arrive, months are packed and the gauge is corrected between its transactions', async ({
  database,
  readers,
}) => {
  const { organizationNo, tank } = await givenTank(database);
  const measured = distances(300);
  const ingester = new BatchIngester(database.writer);
  const pack = () => database.owner.query('select pack_telemetry($1, 0, 1000)', ['-infinity']);
  await setGauges(database, organizationNo, tank.no, [BOX]);
  await ingester.ingestReadings(readingsBy(tank.no, BOX, measured));
  for (let month = 0; month < 4; month++) await pack();
  await setGauges(database, organizationNo, tank.no, [{ ...CYLINDER, offset_mm: 50 }]);

  // Each step computes one part, which ends within a packed month, at its kept rows, or within a plain month.
  const recomputer = new Recomputer(database.writer, { rows: 50, maxMs: 0 });
  const late: Measured[] = [];
  let steps = 0;
  while ((await recomputer.recomputeBatch()).isMore) {
    const other = measured[(steps * 397) % measured.length] ?? { atMs: 0, kind: 'distance', value: 0 };
    late.push({ ...other, atMs: other.atMs + 1_000 });
    // A late reading unpacks its month, and the next month is packed.
    if (steps % 3 === 0) await ingester.ingestReadings(readingsBy(tank.no, BOX, late.slice(-1)));
    else late.pop();
    if (steps % 3 === 1) await pack();
    if (steps === 12) await setGauges(database, organizationNo, tank.no, [CYLINDER]);
    steps += 1;
  }
  expect(steps).toBeGreaterThan(12 + 1_200 / 50);
  const sent = [...measured, ...late].toSorted((a, b) => a.atMs - b.atMs);
  expect(await readTelemetry(readers, organizationNo, tank)).toEqual(
    sent.map((one) => [iso(one.atMs), levelBy(CYLINDER, one)]),
  );
  const { rows: leftOver } = await database.owner.query(
    `select from telemetry t join packed_telemetry p on p.tank_no = t.tank_no and p.starts_at <= t.created_at
     cross join lateral (select packed_position(p.times, t.created_at) as at) as place
     where t.tank_no = $1 and utc_month(p.starts_at) = utc_month(t.created_at) and place.at is not null
       and p.levels[place.at] <> round(t.fill_percentage * 100)`,
    [tank.no],
  );
  expect(leftOver).toEqual([]);
  expect(await checkPackedMonths(database.owner)).toEqual([]);
  expect(await counterFaults(database)).toEqual([]);
});

test('retention waits until a corrected gauge is computed and evaluated, and events of dropped readings stay', async ({
  database,
}) => {
  const { organizationNo, tank } = await givenTank(database);
  const measured = distances(300);
  await setGauges(database, organizationNo, tank.no, [BOX]);
  await new BatchIngester(database.writer).ingestReadings(readingsBy(tank.no, BOX, measured));
  await recomputeAllTanks(database.writer);
  await settle(database);
  const { rows } = await database.owner.query<{ tank_no: number; kept_from: string }>(
    'select * from lock_expired_telemetry($1, $2, 0, 10)',
    [organizationNo, iso(Date.now() - 150 * DAY_MS)],
  );
  const keptFrom = rows[0]?.kept_from ?? '';
  const baseAt = measured.findLast(({ atMs }) => atMs < Date.parse(keptFrom))?.atMs ?? 0;
  const eventsBefore = async () =>
    (
      await database.owner.query<{ id: string }>(
        'select id from events where tank_no = $1 and occurred_at <= $2 and retracted_at is null order by id',
        [tank.no, iso(baseAt)],
      )
    ).rows;
  const before = await eventsBefore();
  expect(before.length).toBeGreaterThan(0);
  const { rows: states } = await database.owner.query<{ encoded_state: string }>(
    'select encoded_state from tank_states where tank_no = $1',
    [tank.no],
  );
  await database.owner.query(
    'select drop_expired_telemetry(array[$1::int], array[$2::timestamptz], array[$3::timestamptz], array[$4])',
    [tank.no, keptFrom, iso(baseAt), states[0]?.encoded_state],
  );
  await setGauges(database, organizationNo, tank.no, [CYLINDER]);
  // Retention waits for the computation and the evaluation.
  const expired = () =>
    database.owner.query('select from lock_expired_telemetry($1, $2, 0, 10)', [
      organizationNo,
      iso(Date.now() - 90 * DAY_MS),
    ]);
  expect((await expired()).rowCount).toBe(0);
  await recomputeAllTanks(database.writer);
  expect((await expired()).rowCount).toBe(0);
  await settle(database);
  expect((await expired()).rowCount).toBe(1);
  expect(await eventsBefore()).toEqual(before);
});

test('an export and an import in JSON keep the measures', async ({ database }) => {
  const { organizationNo, tank } = await givenTank(database);
  const { tank: other, organizationNo: theirs } = await givenTank(database);
  const readings = readingsBy(tank.no, BOX, distances(20, 'length'));
  await new BatchIngester(database.writer).ingestReadings(readings);
  const lines = (await Array.fromAsync(exportReadings(database.operator, { organizationNo }, 'ndjson'))).join('');
  expect(JSON.parse(lines.split('\n')[0] ?? '')).toMatchObject({ fill_percentage: 80, length_mm: 200 });
  await setGauges(database, theirs, other.no, [CYLINDER]);
  const moved = lines.replaceAll(tank.id, other.id);
  expect(await importText(database, theirs, moved, { format: 'ndjson' })).toMatchObject({ stored: 80, rejected: 0 });
  const { rows } = await database.owner.query<{ fill_percentage: number; gauge_value: number }>(
    'select fill_percentage, gauge_value from telemetry where tank_no = $1 order by created_at',
    [other.no],
  );
  expect(rows).toEqual(
    readings.map(({ measure = { kind: 'raw', value: 0 } }) => ({
      fill_percentage: gaugePercentage(CYLINDER, measure),
      gauge_value: encodeMeasure(measure),
    })),
  );
});
