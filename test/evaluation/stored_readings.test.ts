import { expect } from 'vitest';
import { BEFORE_ALL_READINGS_MS, readStoredReadings } from '../../src/evaluation/stored_readings.ts';
import { MINUTE_MS } from '../../src/values/time.ts';
import { iso } from '../support/readings.ts';
import { test } from '../support/test.ts';

const START_MS = Date.UTC(2026, 0, 1);

test('each reading of a tank is read once, oldest first, and the last chunk is marked', async ({ database }) => {
  await database.owner.query('select ensure_telemetry_month($1)', [iso(START_MS)]);
  for (const [tankNo, count, sizes] of [
    [1, 0, [0]],
    [2, 19_999, [19_999]],
    [3, 20_000, [20_000, 0]],
    [4, 40_001, [20_000, 20_000, 1]],
  ] as const) {
    await database.owner.query(
      `insert into telemetry (tank_no, created_at, fill_percentage)
       select $1, $2::timestamptz + n * interval '1 minute', n % 100 from generate_series(0, $3::int - 1) as n`,
      [tankNo, iso(START_MS), count],
    );
    await database.owner.query('insert into telemetry_month_counters (tank_no, month, n) values ($1, $2, $3)', [
      tankNo,
      iso(START_MS),
      count,
    ]);
    const chunks = await Array.fromAsync(readStoredReadings(database.operator, tankNo, BEFORE_ALL_READINGS_MS));
    expect(chunks.map(({ readings }) => readings.length)).toEqual(sizes);
    const readings = chunks.flatMap((chunk) => chunk.readings);
    expect(readings.every(({ atMs }, n) => atMs === START_MS + n * MINUTE_MS)).toBe(true);
    expect(chunks.map(({ untilMs }) => untilMs)).toEqual(
      chunks.map((chunk, index) => (index === chunks.length - 1 ? null : chunk.readings.at(-1)?.atMs)),
    );
    const [after] = await Array.fromAsync(readStoredReadings(database.operator, tankNo, START_MS));
    expect(after?.readings[0]?.atMs).toBe(count === 0 ? undefined : START_MS + MINUTE_MS);
  }
});
