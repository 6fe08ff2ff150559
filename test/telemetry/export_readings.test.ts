import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { importReadings } from '../../src/ingest/import_readings.ts';
import { exportReadings } from '../../src/telemetry/export_readings.ts';
import { type FileFormat, readRows } from '../../src/telemetry/reading_file.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { givenFleet, importText, iso, readingsOf } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';
import { isWhole } from '../support/whole_tests.ts';

async function exportText(
  database: TestDatabase,
  organizationNo: number,
  format: FileFormat,
  range = {},
): Promise<string> {
  let text = '';
  for await (const part of exportReadings(database.operator, { organizationNo, ...range }, format)) text += part;
  return text;
}

test('an export can be imported into the same organization as duplicates, and into another one by device', async ({
  database,
}) => {
  const devices = ['R1', 'R "2", odd', 'R3']; // R3 never reports
  const ours = await givenFleet(database, devices);
  const rows = Array.from({ length: 12_000 }, (_, n) => ({
    device_id: devices[Number(n % 4 === 0)], // 9,000 and 3,000 readings, more and fewer than a batch
    created_at: iso(Date.parse('2025-03-30T00:00:00Z') + n * 60_000),
    fill_percentage: (n % 10_001) / 100,
  }));
  const source = rows.map((row) => JSON.stringify(row)).join('\n');
  await importText(database, ours.organizationNo, source, { format: 'ndjson' });
  for (const format of ['csv', 'ndjson'] as const) {
    const text = await exportText(database, ours.organizationNo, format);
    expect(await importText(database, ours.organizationNo, text, { format })).toMatchObject({
      duplicates: 12_000,
      rejected: 0,
    });
    const theirs = await givenFleet(database, devices);
    expect(await importText(database, theirs.organizationNo, text, { format })).toMatchObject({ stored: 12_000 });
    for (const [index, tank] of ours.tanks.entries()) {
      expect(await readingsOf(database, theirs.tanks[index])).toEqual(await readingsOf(database, tank));
    }
  }
  const [since, until] = [rows[10]?.created_at, rows[20]?.created_at];
  const some = await exportText(database, ours.organizationNo, 'csv', { tankNo: ours.tanks[1]?.no, since, until });
  expect(some.split('\n')[1]).toBe(`${ours.tanks[1]?.id},"R ""2"", odd",${rows[12]?.created_at},0.12`);
  expect(some.trim().split('\n').length).toBe(1 + 2);
});

test.runIf(isWhole('telemetry/export_readings'))(
  '200,000 readings are imported and exported in constant memory',
  async ({ database }) => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const heapBytes = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const deviceIds = Array.from({ length: 200 }, (_, n) => `H${n}`);
    const { organizationNo } = await givenFleet(database, deviceIds);
    const startMs = Date.parse('2025-06-01T00:00:00Z');
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('device_id,created_at,fill_percentage\n');
      for (let hour = 0; hour < 1_000; hour++) {
        const at = iso(startMs + hour * HOUR_MS);
        yield Buffer.from(deviceIds.map((id, n) => `${id},${at},${((hour + n) % 1_000) / 10}\n`).join(''));
      }
    }
    const heaps: number[] = [];
    const imported = await importReadings(
      database.operator,
      readRows({ name: 'a pipe', isRepeatable: false, chunks: source }, 'csv'),
      {
        organizationNo,
        report({ read }) {
          if (read % 25_000 === 0) heaps.push(heapBytes());
        },
      },
    );
    expect(imported).toEqual({ read: 200_000, stored: 200_000, duplicates: 0, rejected: 0 });
    let lines = 0;
    for await (const text of exportReadings(database.operator, { organizationNo }, 'csv')) {
      lines += text.split('\n').length - 1;
      if (lines % 50_000 === 1) heaps.push(heapBytes());
    }
    expect(lines).toBe(200_001);
    const [first = 0, ...later] = heaps;
    expect(later.length).toBeGreaterThan(8);
    expect(Math.max(...later) - first).toBeLessThan(8_000_000); // the file has 8 MB, its rows as objects ten times that
  },
);
