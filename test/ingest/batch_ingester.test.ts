import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import type { TankReading } from '../../src/telemetry/reading.ts';
import { test } from '../support/test.ts';

const reading = (tankNo: number, createdAt: string, fillPercentage = 50): TankReading => ({
  tankNo,
  atMs: Date.parse(createdAt),
  fillPercentage,
});

test('a reading that is sent again is a duplicate, which is not stored or counted again', async ({ database }) => {
  const ingester = new BatchIngester(database.writer);
  const readings = [reading(1, '2025-01-01T00:00:00.000Z'), reading(1, '2025-01-01T06:00:00.000Z')];
  expect(await ingester.ingestReadings(readings)).toMatchObject({ stored: 2, duplicates: 0, conflicts: [] });
  expect(await ingester.ingestReadings([...readings, ...readings])).toMatchObject({
    stored: 0,
    duplicates: 4,
    conflicts: [],
  });
  expect(await ingester.ingestReadings([...readings, reading(1, '2025-01-01T12:00:00.000Z')])).toMatchObject({
    stored: 1,
    duplicates: 2,
    conflicts: [],
  });
  const { rows } = await database.owner.query('select n from telemetry_month_counters where tank_no = 1');
  expect(rows).toEqual([{ n: 3 }]);
});

test('a late reading never replaces the latest reading', async ({ database }) => {
  const ingester = new BatchIngester(database.writer);
  await ingester.ingestReadings([
    reading(2, '2025-03-02T00:00:00.000Z', 40),
    reading(2, '2025-03-01T00:00:00.000Z', 60),
  ]);
  await ingester.ingestReadings([reading(2, '2025-02-01T00:00:00.000Z', 90)]);
  const { rows } = await database.owner.query(
    'select latest_at, latest_fill_percentage from tank_states where tank_no = 2',
  );
  expect(rows).toEqual([{ latest_at: '2025-03-02T00:00:00.000Z', latest_fill_percentage: 40 }]);
});

test('old readings create their partitions once, also if several writers create them at the same time', async ({
  database,
}) => {
  const months = Array.from({ length: 24 }, (_, n) => new Date(Date.UTC(2014, n, 15)).toISOString());
  await Promise.all(
    Array.from({ length: 4 }, (_, writer) =>
      new BatchIngester(database.writer).ingestReadings(months.map((at) => reading(100 + writer, at))),
    ),
  );
  const { rows } = await database.owner.query<{ n: number }>(
    `select count(*) as n from telemetry where tank_no between 100 and 103`,
  );
  expect(rows[0]?.n).toBe(96);
  const partitions = await database.owner.query<{ n: number }>(
    `select count(*) as n from pg_class where relname ~ '^telemetry_201[45]_' and relispartition and relkind = 'r'`,
  );
  expect(partitions.rows[0]?.n).toBe(24);
});

test('a fill percentage is stored with two decimals', async ({ database }) => {
  const fills = [0, 0.01, 33.33, 45.51, 66.67, 99.99, 100];
  const at = (n: number): string => `2025-04-01T00:00:0${n}.000Z`;
  await new BatchIngester(database.writer).ingestReadings(
    fills.map((fill, n) => reading(3, at(n), fill + 0.0001)).with(6, reading(3, at(6), 100)),
  );
  const { rows } = await database.owner.query<{ fill_percentage: number }>(
    'select fill_percentage from telemetry where tank_no = 3 order by created_at',
  );
  expect(rows.map((row) => row.fill_percentage)).toEqual(fills);
});

test('the database rejects a reading outside 0 to 100 and the whole transaction with it', async ({ database }) => {
  const batch = [reading(4, '2025-04-01T00:00:00.000Z'), reading(4, '2025-04-02T00:00:00.000Z', 100.4)];
  await expect(new BatchIngester(database.writer).ingestReadings(batch)).rejects.toMatchObject({ code: '23514' });
  const { rows } = await database.owner.query('select from telemetry where tank_no = 4');
  expect(rows).toEqual([]);
});
