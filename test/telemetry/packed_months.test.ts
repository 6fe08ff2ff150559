import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { listTelemetryOperation } from '../../src/api/v1/telemetry.ts';
import { deleteTank } from '../../src/catalog/tanks.ts';
import type { CatalogRef } from '../../src/catalog/upsert_rows.ts';
import { transaction } from '../../src/db/pool.ts';
import { checkPackedMonths } from '../../src/doctor/packed_months.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { exportReadings } from '../../src/telemetry/export_readings.ts';
import {
  allowPacking,
  dropPackedPartitions,
  FULL_BUDGET,
  packMonths,
  unpackMonth,
} from '../../src/telemetry/pack_months.ts';
import type { TankReading } from '../../src/telemetry/reading.ts';
import { eraseDeletedTanks } from '../../src/worker/retention.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { counterFaults } from '../support/ingest.ts';
import { askList } from '../support/lists.ts';
import { randomRuns } from '../support/random_runs.ts';
import { givenFleet, iso } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';

const MONTHS = ['2024-12-01', '2025-01-01', '2025-02-01', '2025-03-01'].map((day) => `${day}T00:00:00.000Z`);

/** The borders of months and of parts. The tested times are on a border, one millisecond beside it, and between two. */
const BORDERS = [
  '2024-12-01T00:00:00.000Z',
  '2024-12-31T23:59:59.999Z',
  '2025-01-01T00:00:00.000Z',
  '2025-01-31T23:59:59.999Z',
  '2025-02-14T12:00:00.000Z',
  '2025-03-31T23:59:59.999Z',
].map((time) => Date.parse(time));

interface Fleet {
  organizationNo: number;
  tank: CatalogRef;
}

let serial = 0;
async function givenTank(database: TestDatabase): Promise<Fleet> {
  const { organizationNo, tanks } = await givenFleet(database, [`P${serial++}`]);
  return { organizationNo, tank: tanks[0] };
}

/** Packs one month of one tank, as its owner. */
const packTank = ({ owner }: TestDatabase, tankNo: number, month: string) =>
  owner.query('select ensure_packed_year($2), pack_tank_months(array[$1::int], $2)', [tankNo, month]);

/** Lets partitions be dropped at once that were packed within the last ten minutes. */
const agePacking = ({ owner }: TestDatabase) =>
  owner.query(`update packed_months set packed_at = now() - interval '11 minutes'`);

const listPartitions = async ({ owner }: TestDatabase): Promise<string[]> =>
  (
    await owner.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'telemetry'::regclass
         and inhrelid::regclass::text ~ '^telemetry_202[45]' order by 1`,
    )
  ).rows.map(({ name }) => name);

const listPackedMonths = async ({ owner }: TestDatabase, tankNo: number): Promise<string[]> =>
  (
    await owner.query<{ month: string }>(
      'select month::timestamptz from telemetry_month_counters where tank_no = $1 and is_packed order by 1',
      [tankNo],
    )
  ).rows.map(({ month }) => month);

type Model = Map<number, number>;
const newestFirst = (model: Model) =>
  [...model].map(([atMs, level]) => ({ created_at: iso(atMs), fill_percentage: level })).toReversed();
const inOrder = (model: Model): Model => new Map([...model].toSorted(([a], [b]) => a - b));

const listed = ({ data }: { data: Record<string, unknown>[] }) =>
  data.map(({ created_at, fill_percentage }) => ({ created_at, fill_percentage }));

describe('a list over packed, plain and mixed months equals filtering and slicing in memory', () => {
  test('with months in parts, deep pages and filters on every border', async ({ database, readers }) => {
    const { organizationNo, tank } = await givenTank(database);
    const times = new Set([
      ...BORDERS,
      ...BORDERS.map((atMs) => atMs + 1),
      // February has several parts, January one, and December a reading every nine hours at odd milliseconds.
      ...Array.from({ length: 5_000 }, (_, n) => Date.parse('2025-02-01T00:00:00.000Z') + n * 450_007),
      ...Array.from({ length: 700 }, (_, n) => Date.parse('2025-01-02T00:00:00.000Z') + n * 3_600_000),
      ...Array.from({ length: 80 }, (_, n) => Date.parse('2024-12-01T00:00:00.000Z') + n * 32_400_003),
      ...Array.from({ length: 9 }, (_, n) => Date.parse('2025-03-05T00:00:00.000Z') + n * 86_400_000 * 2),
    ]);
    const model = inOrder(new Map([...times].map((atMs) => [atMs, (Math.floor(atMs / 1_000) % 10_001) / 100])));
    const ingester = new BatchIngester(database.writer);
    const readings = [...model].map(([atMs, fillPercentage]) => ({ tankNo: tank.no, atMs, fillPercentage }));
    for (let n = 0; n < readings.length; n += 1_000) await ingester.ingestReadings(readings.slice(n, n + 1_000));
    const stored = newestFirst(model);

    const time = fc
      .tuple(fc.constantFrom(...BORDERS, ...times), fc.constantFrom(0, 0, 1, -1, 3_600_000))
      .map(([atMs, shiftMs]) => atMs + shiftMs);
    const questions = fc.record({
      gte: fc.option(time),
      lte: fc.option(time),
      size: fc.constantFrom(1, 10, 100),
      page: fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: stored.length }), fc.constant(9_007_199_254_740_990)),
    });
    const expectEqualLists = async (numRuns: number) =>
      fc.assert(
        fc.asyncProperty(questions, async ({ gte, lte, size, page }) => {
          const query = new URLSearchParams({ page: String(page + 1), size: String(size) });
          if (gte !== null) query.set('created_at_gte', iso(gte));
          if (lte !== null) query.set('created_at_lte', iso(lte));
          const scope = { organizationNo, id: tank.id };
          const answer = await askList(readers, listTelemetryOperation, scope, query.toString());
          const matching = stored.filter(
            ({ created_at }) => (gte === null || created_at >= iso(gte)) && (lte === null || created_at <= iso(lte)),
          );
          expect(answer.total_items).toBe(matching.length);
          expect(listed(answer)).toEqual(matching.slice(page * size, (page + 1) * size));
        }),
        { numRuns },
      );

    for (const months of [['2025-01-01'], ['2025-02-01'], ['2024-12-01', '2025-03-01']]) {
      for (const month of months) await packTank(database, tank.no, `${month}T00:00:00.000Z`);
      await expectEqualLists(randomRuns(60));
    }
    expect(await listPackedMonths(database, tank.no)).toEqual(MONTHS);
    const { rows } = await database.owner.query<{ parts: number; largest: number }>(
      'select count(*) as parts, max(cardinality(times)) as largest from packed_telemetry where tank_no = $1',
      [tank.no],
    );
    expect(rows[0]?.parts).toBeGreaterThan(5);
    expect(rows[0]?.largest).toBeLessThanOrEqual(2_000);
    expect(await counterFaults(database)).toEqual([]);
  });
});

test('after any readings, packing, unpacking and dropping, list and export equal the readings in memory', async ({
  database,
  readers,
}) => {
  const month = fc.constantFrom(...MONTHS);
  const reading = fc.record({
    atMs: fc
      .tuple(month, fc.nat({ max: 27 * 24 * 60 }), fc.constantFrom(0, 0, 1, 999))
      .map(([start, minutes, ms]) => Date.parse(start) + Math.floor(minutes / 600) * 600 * 60_000 + ms),
    level: fc.nat({ max: 10_000 }).map((hundredths) => hundredths / 100),
  });
  const anyStep = fc.oneof(
    { weight: 5, arbitrary: fc.array(reading, { minLength: 1, maxLength: 40 }).map((readings) => ({ readings })) },
    { weight: 2, arbitrary: month.map((packed) => ({ packed })) },
    { weight: 1, arbitrary: fc.constant({ packsAll: true }) },
    { weight: 1, arbitrary: month.map((unpacked) => ({ unpacked })) },
    { weight: 2, arbitrary: fc.constant({ drops: true }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 12 }), async (steps) => {
      const { organizationNo, tank } = await givenTank(database);
      const ingester = new BatchIngester(database.writer);
      let model: Model = new Map();
      for (const step of steps) {
        if ('readings' in step) {
          const readings: TankReading[] = step.readings.map(({ atMs, level }) => ({
            tankNo: tank.no,
            atMs,
            fillPercentage: level,
          }));
          const before = model.size;
          // The first value of a time wins, whether it is plain, packed or in the same batch.
          const conflicts = readings.filter(({ atMs, fillPercentage }) => {
            if (!model.has(atMs)) model.set(atMs, fillPercentage);
            return model.get(atMs) !== fillPercentage;
          });
          model = inOrder(model);
          const result = await ingester.ingestReadings(readings);
          expect(result.stored).toBe(model.size - before);
          expect(result.conflicts.length).toBe(conflicts.length);
        } else if ('packed' in step) await packTank(database, tank.no, step.packed);
        else if ('packsAll' in step) await packMonths(database.worker, FULL_BUDGET);
        else if ('unpacked' in step) {
          await unpackMonth(database.operator, step.unpacked);
          await allowPacking(database.operator, step.unpacked);
        } else {
          await agePacking(database);
          await dropPackedPartitions(database.worker);
        }
        const scope = { organizationNo, id: tank.id };
        const page = await askList(readers, listTelemetryOperation, scope, 'size=100');
        expect(page.total_items).toBe(model.size);
        expect(listed(page)).toEqual(newestFirst(model).slice(0, 100));
      }
      const lines = await Array.fromAsync(exportReadings(database.operator, { organizationNo }, 'ndjson'));
      const exported = lines
        .join('')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line));
      expect(exported).toEqual(
        newestFirst(model)
          .toReversed()
          .map((row) => expect.objectContaining(row)),
      );
    }),
    { numRuns: randomRuns(15) },
  );
  expect(await counterFaults(database)).toEqual([]);
});

test('a duplicate leaves a packed month packed, and a late reading unpacks only the month of its tank', async ({
  database,
}) => {
  const { tank } = await givenTank(database);
  const other = await givenTank(database);
  const ingester = new BatchIngester(database.writer);
  const readings = (tankNo: number, count: number) =>
    MONTHS.flatMap((month) =>
      Array.from({ length: count }, (_, n) => ({
        tankNo,
        atMs: Date.parse(month) + n * 3_600_000,
        fillPercentage: 50,
      })),
    );
  await ingester.ingestReadings([...readings(tank.no, 30), ...readings(other.tank.no, 30)]);
  await packMonths(database.worker, FULL_BUDGET);
  await agePacking(database);
  await dropPackedPartitions(database.worker);
  expect(await listPartitions(database)).toEqual([]);

  expect(await ingester.ingestReadings(readings(tank.no, 30))).toMatchObject({ stored: 0, duplicates: 120 });
  expect(await listPackedMonths(database, tank.no)).toEqual(MONTHS);
  // The ingester remembers that the partition exists, but the partition is dropped here.
  const late = { tankNo: tank.no, atMs: Date.parse('2025-01-20T00:00:00.000Z'), fillPercentage: 51 };
  await database.owner.query('drop table if exists telemetry_2025_01');
  expect(await ingester.ingestReadings([late])).toMatchObject({ stored: 1 });
  expect(await listPackedMonths(database, tank.no)).toEqual(MONTHS.filter((month) => !month.startsWith('2025-01')));
  expect(await listPackedMonths(database, other.tank.no)).toEqual(MONTHS);
  expect(await counterFaults(database)).toEqual([]);

  expect(await packMonths(database.worker, FULL_BUDGET)).toEqual({ packed: 1, left: 0 });
  expect(await listPackedMonths(database, tank.no)).toEqual(MONTHS);
  expect(await counterFaults(database)).toEqual([]);
});

test('a hot month has daily partitions and is not packed, and a cold month keeps its partition for ten minutes after packing', async ({
  database,
}) => {
  const { tank } = await givenTank(database);
  const ingester = new BatchIngester(database.writer);
  const nowMs = Date.now();
  const monthAgoMs = nowMs - 34 * 86_400_000;
  await ingester.ingestReadings([
    { tankNo: tank.no, atMs: monthAgoMs, fillPercentage: 50 },
    { tankNo: tank.no, atMs: nowMs, fillPercentage: 49 },
  ]);
  expect(await packMonths(database.worker, FULL_BUDGET)).toEqual({ packed: 0, left: 0 });
  expect(await listPackedMonths(database, tank.no)).toEqual([]);
  await expect(packTank(database, tank.no, iso(monthAgoMs))).rejects.toThrow('is hot');
  const day = `telemetry_${iso(monthAgoMs).slice(0, 10).replaceAll('-', '_')}`;
  const { rows } = await database.owner.query<{ n: number }>(`select count(*) as n from ${day}`);
  expect(rows[0]?.n).toBe(1);

  // An old month is one partition. It is dropped when all tanks are packed and ten minutes have passed.
  await ingester.ingestReadings([{ tankNo: tank.no, atMs: Date.parse('2025-01-01'), fillPercentage: 50 }]);
  await dropPackedPartitions(database.worker);
  expect(await listPartitions(database)).toContain('telemetry_2025_01');
  await packMonths(database.worker, FULL_BUDGET);
  await dropPackedPartitions(database.worker);
  expect(await listPartitions(database)).toContain('telemetry_2025_01');
  await agePacking(database);
  await dropPackedPartitions(database.worker);
  expect(await listPartitions(database)).not.toContain('telemetry_2025_01');
});

test('a month that an operator unpacked stays plain until the operator packs it', async ({ database }) => {
  const { tank } = await givenTank(database);
  const month = '2023-05-01T00:00:00.000Z';
  const readings = [{ tankNo: tank.no, atMs: Date.parse('2023-05-03'), fillPercentage: 12.34 }];
  await new BatchIngester(database.writer).ingestReadings(readings);
  await packMonths(database.worker, FULL_BUDGET);
  const run = (...args: string[]) =>
    runCommand(['telemetry', ...args], { OPERATOR_DATABASE_URL: database.urls.operator });

  expect((await run('unpack', '--month', '2023-05')).stdout).toBe('unpacked the month of 1 tanks\n');
  await packMonths(database.worker, FULL_BUDGET);
  expect(await listPackedMonths(database, tank.no)).toEqual([]);
  expect((await run('pack', '--month', '2023-05')).stdout).toBe('packed 1 months of tanks; 0 stay plain for now\n');
  expect(await listPackedMonths(database, tank.no)).toEqual([month]);
  expect((await run('pack', '--month', '2023-13')).stderr).toContain('Write the month like 2025-02.');
});

test('doctor finds damaged packed readings, and readings that are packed but counted as plain', async ({
  database,
}) => {
  const { tank } = await givenTank(database);
  const readings = [1, 2, 3].map((n) => ({
    tankNo: tank.no,
    atMs: Date.parse(`2021-05-0${n}`),
    fillPercentage: 12.34,
  }));
  await new BatchIngester(database.writer).ingestReadings(readings);
  await packMonths(database.worker, FULL_BUDGET);
  const problems = async () => (await checkPackedMonths(database.operator)).map(({ problem }) => problem);
  const change = (set: string) =>
    database.owner.query(`update packed_telemetry set ${set} where tank_no = $1`, [tank.no]);
  const subject = `the packed readings of tank ${tank.no} in 2021-05`;
  expect(await problems()).toEqual([]);

  await change('levels[2] = levels[2] + 1');
  expect(await problems()).toEqual([`${subject} do not match their checksum`]);
  await change('levels[2] = levels[2] - 1, times[1] = times[2], times[2] = times[1]');
  expect(await problems()).toEqual([`${subject} do not match their checksum`]);
  await change('checksum = packed_checksum(tank_no, starts_at, times, levels)');
  expect(await problems()).toEqual([`${subject} are not in order, or not in their month`]);
  await change('times[1] = times[2], times[2] = times[1]');
  await change('checksum = packed_checksum(tank_no, starts_at, times, levels)');
  await database.owner.query('update telemetry_month_counters set is_packed = false where tank_no = $1', [tank.no]);
  expect(await problems()).toEqual([`${subject} are packed, but telemetry_month_counters says that they are plain`]);
  expect(await packMonths(database.worker, FULL_BUDGET)).toEqual({ packed: 0, left: 1 });
  await database.owner.query('update telemetry_month_counters set is_packed = true where tank_no = $1', [tank.no]);
});

test('erasing a deleted tank deletes its packed readings', async ({ database }) => {
  const { organizationNo, tank } = await givenTank(database);
  const readings = [1, 2, 3].map((n) => ({ tankNo: tank.no, atMs: Date.parse(`2020-0${n}-01`), fillPercentage: n }));
  await new BatchIngester(database.writer).ingestReadings(readings);
  await packMonths(database.worker, FULL_BUDGET);
  const countParts = async () =>
    (await database.owner.query('select from packed_telemetry where tank_no = $1', [tank.no])).rowCount;
  expect(await countParts()).toBe(3);
  await transaction(database.operator, (tx) => deleteTank(tx, organizationNo, tank.no));
  await eraseDeletedTanks(database.worker);
  expect(await countParts()).toBe(0);
});

test('a tank whose counter is wrong stays plain', async ({ database }) => {
  const { tank } = await givenTank(database);
  await new BatchIngester(database.writer).ingestReadings([
    { tankNo: tank.no, atMs: Date.parse('2022-05-03'), fillPercentage: 12.34 },
  ]);
  await database.owner.query('update telemetry_month_counters set n = 2 where tank_no = $1', [tank.no]);
  expect(await packMonths(database.worker, FULL_BUDGET)).toEqual({ packed: 0, left: 1 });
  expect(await listPackedMonths(database, tank.no)).toEqual([]);
});
