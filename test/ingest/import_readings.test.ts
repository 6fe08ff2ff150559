import { expect } from 'vitest';
import { listTelemetryOperation } from '../../src/api/v1/telemetry.ts';
import type { CatalogRef } from '../../src/catalog/upsert_rows.ts';
import type { ColumnNames } from '../../src/telemetry/reading_file.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { askList } from '../support/lists.ts';
import { givenFleet, type Imported, importText, iso, readingsOf } from '../support/readings.ts';
import { test } from '../support/test.ts';

test('rows in any order and with repetitions give exact counters, and a second import of the file changes nothing', async ({
  database,
  readers,
}) => {
  const { organizationNo, tanks } = await givenFleet(database, ['A', 'B', 'C']);
  const startMs = Date.parse('2024-12-20T00:00:00.000Z');
  const rows = Array.from({ length: 9_000 }, (_, n) => {
    const at = iso(startMs + Math.floor(n / 3) * 480_000);
    return `${'ABC'[n % 3]},${at},${(n % 1000) / 10}`;
  });
  const given = [...rows, ...rows.slice(0, 4_000)];
  const shuffled = given.map((_, n) => given[(n * 7_919) % given.length]); // 7,919 is a prime
  const text = `device_id,created_at,fill_percentage\n${shuffled.join('\n')}`;
  const first = await importText(database, organizationNo, text);
  expect(first).toEqual({ read: 13_000, stored: 9_000, duplicates: 4_000, rejected: 0, rejections: [] });
  const second = await importText(database, organizationNo, text);
  expect(second).toEqual({ read: 13_000, stored: 0, duplicates: 13_000, rejected: 0, rejections: [] });

  const nos = tanks.map((tank) => tank.no);
  const { rows: months } = await database.owner.query<{ n: number; recount: number }>(
    `select n, count_telemetry_items(tank_no, month, next_utc_month(month)) as recount
     from telemetry_month_counters where tank_no = any ($1)`,
    [nos],
  );
  expect(months.length).toBe(6);
  expect(months.filter((month) => month.n !== month.recount)).toEqual([]);
  const { rows: buckets } = await database.owner.query<{ n: number; recount: number }>(
    `select n, count_telemetry_items(tank_no, starts_at, ends_at) as recount from (
       select tank_no, n, starts_at, lead(starts_at, 1, next_utc_month(starts_at)) over (partition by tank_no order by starts_at) as ends_at
       from telemetry_buckets where tank_no = any ($1)) p`,
    [nos],
  );
  expect(buckets.length).toBeGreaterThan(3);
  expect(buckets.filter((bucket) => bucket.n !== bucket.recount)).toEqual([]);
  for (const tank of tanks) {
    const page = await askList(readers, listTelemetryOperation, { organizationNo, id: tank.id }, 'size=1');
    expect(page.total_items).toBe(3_000);
  }
});

test('an older reading of a device that moved yesterday goes to the tank it was on', async ({ database }) => {
  const { organizationNo, tanks } = await givenFleet(database, ['MOVED', 'OTHER']);
  const [before, after] = tanks;
  await database.operator.query(
    `update tanks set assigned_device_id = case no when $1 then 'OTHER' else 'MOVED' end where no in ($1, $2)`,
    [before?.no, after?.no],
  );
  const movedAt = iso(Date.now() - 24 * HOUR_MS);
  await database.operator.query(
    `update device_assignments set from_at = case when from_at = '-infinity' then from_at else $2 end,
       to_at = case when to_at = 'infinity' then to_at else $2 end
     where organization_no = $1`,
    [organizationNo, movedAt],
  );
  const at = (shiftMs: number): string => iso(Date.parse(movedAt) + shiftMs);
  const rows = [at(1), at(-1), at(0), at(-48 * HOUR_MS)].map((time) => `MOVED,${time},50`);
  await importText(database, organizationNo, `device_id,created_at,fill_percentage\n${rows.join('\n')}\n`);
  const times = async (tank: CatalogRef | undefined) => (await readingsOf(database, tank)).map((row) => row.created_at);
  expect(await times(before)).toEqual([at(-48 * HOUR_MS), at(-1)]);
  expect(await times(after)).toEqual([at(0), at(1)]);
});

test('each bad row is reported with its line and its reason, and the good rows are stored', async ({ database }) => {
  const { organizationNo, tanks } = await givenFleet(database, ['GOOD', 'GONE']);
  const { tanks: theirs } = await givenFleet(database, ['THEIRS']);
  await database.operator.query(
    'update tanks set deleted_at = now(), name = null, assigned_device_id = null where no = $1',
    [tanks[1]?.no],
  );
  const soon = iso(Date.now() + 9 * 60_000);
  const rows: [string, string?][] = [
    ['Sensor,tank_id,"Zeit",note,Wert'],
    ['GOOD,,2025-01-01T00:00:00Z,,45.506'],
    ['GOOD,,2025-01-01T00:00:00.000Z,the same to a hundredth,45.51'],
    ['GOOD,,2025-01-01T00:00:00Z,"in the same batch, another value",45.52', 'conflict'],
    ['THEIRS,,2025-01-01T00:00:00Z,,1', 'unknown_device'],
    ['GONE,,2025-01-01T00:00:00Z,,1', 'unknown_device'],
    [`,${theirs[0]?.id},2025-01-01T00:00:00Z,,1`, 'unknown_tank'],
    [`,${tanks[1]?.id},2025-01-01T00:00:00Z,,1`, 'unknown_tank'],
    [',x,2025-01-01T00:00:00Z,,1', 'unknown_tank'],
    [',,2025-01-01T00:00:00Z,,1', 'malformed'],
    ['GOOD,,yesterday,,1', 'malformed_time'],
    ['GOOD,,2025-02-30T00:00:00Z,,1', 'malformed_time'],
    [`GOOD,,${iso(Date.now() + 11 * 60_000)},,1`, 'future'],
    [`GOOD,,${soon},,1`],
    ['GOOD,,1999-12-31T23:59:59Z,,1', 'before_2000'],
    ['GOOD,,2000-01-01 01:00:00+01:00,,1'],
    ['GOOD,,2025-01-02T00:00:00Z,,-0.1', 'out_of_range'],
    ['GOOD,,2025-01-02T00:00:00Z,,100.1', 'out_of_range'],
    ['GOOD,,2025-01-02T00:00:00Z,,', 'malformed_level'],
    ['GOOD,,2025-01-02T00:00:00Z,,"45,5,5"', 'malformed_level'],
    ['GOOD,,2025-01-02T00:00:00Z,,45,5', 'malformed'],
    [`,${tanks[0]?.id.toUpperCase()},2025-01-02T00:00:00Z,5" pipe,100`],
    ['GOOD,,2025-01-03T00:00:00Z,"never closed,1', 'malformed'],
    ['GOOD,,2025-01-04T00:00:00Z,,1'],
  ];
  const names = { device_id: 'Sensor', created_at: 'Zeit', fill_percentage: 'Wert' };
  const text = `\uFEFF${rows.map(([row]) => row).join('\r\n')}`;
  const expected = rows.flatMap(([, code], index) => (code === undefined ? [] : [{ line: index + 1, code }]));
  const codes = ({ rejections }: Imported) => rejections.map(({ line, code }) => ({ line, code }));

  const dry = await importText(database, organizationNo, text, { names, dryRun: true });
  expect([codes(dry), await readingsOf(database, tanks[0])]).toEqual([expected, []]);
  const imported = await importText(database, organizationNo, text, { names });
  expect(codes(imported)).toEqual(expected);
  expect({ ...imported, rejections: [] }).toEqual({ ...dry, rejections: [] });
  expect(imported).toMatchObject({ read: 22, stored: 4, duplicates: 1, rejected: 17 });
  expect(imported.rejections.every(({ reason }) => reason.endsWith('.'))).toBe(true);
  expect(await readingsOf(database, tanks[0])).toEqual([
    { created_at: '2000-01-01T00:00:00.000Z', fill_percentage: 1 },
    { created_at: '2025-01-01T00:00:00.000Z', fill_percentage: 45.51 },
    { created_at: '2025-01-02T00:00:00.000Z', fill_percentage: 100 },
    { created_at: soon, fill_percentage: 1 },
  ]);
  // A conflict with an earlier import names the stored value.
  const later = await importText(database, organizationNo, `${rows[0]?.[0]}\nGOOD,,2025-01-02T00:00:00Z,,99`, {
    names,
  });
  expect(later.rejections[0]?.reason).toMatch(/has 100 at 2025-01-02T00:00:00.000Z, not 99/);
});

test('NDJSON follows the same rules as CSV', async ({ database }) => {
  const { organizationNo, tanks } = await givenFleet(database, ['J', '42']);
  const lines = [
    '{"device_id":"J","created_at":"2025-01-01T00:00:00Z","fill_percentage":1.5,"note":"\u2028"}',
    '',
    '{"device_id":42,"tank_id":null,"created_at":"2025-01-01T00:00:00Z","fill_percentage":"2"}',
    '{"device_id":"J"',
    '["J"]',
    '{"device_id":"J\\u0000","created_at":"2025-01-01T00:00:00Z","fill_percentage":1}',
    '{"device_id":"J","created_at":1735689600000,"fill_percentage":1}',
    '{"device_id":"J","created_at":"2025-01-02T00:00:00Z","fill_percentage":true}',
    'x'.repeat(70_000),
  ];
  const imported = await importText(database, organizationNo, lines.join('\r\n'), { format: 'ndjson' });
  expect(imported.rejections.map(({ line, code }) => [line, code])).toEqual([
    [4, 'malformed'],
    [5, 'malformed'],
    [6, 'unknown_device'],
    [7, 'malformed_time'],
    [8, 'malformed_level'],
    [9, 'malformed'],
  ]);
  expect(imported.stored).toBe(2);
  expect((await readingsOf(database, tanks[0]))[0]?.fill_percentage).toBe(1.5);
});

test('a file without the required columns is refused before anything is stored', async ({ database }) => {
  const { organizationNo } = await givenFleet(database, ['A']);
  const attempt = (text: string, names: ColumnNames = {}) => importText(database, organizationNo, text, { names });
  await expect(attempt('Sensor;Zeit\n')).rejects.toThrow(/no created_at, no fill_percentage, no device_id or tank_id/);
  await expect(attempt('tank_id,created_at,fill_percentage\n', { device_id: 'Sensor' })).rejects.toThrow(/no Sensor/);
  await expect(attempt('')).rejects.toThrow(/the file is empty/);
});
