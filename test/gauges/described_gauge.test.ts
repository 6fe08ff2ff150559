import { expect } from 'vitest';
import { runCommand } from '../support/cli_in_process.ts';
import { counterFaults, givenSender, postReadings, rejectedOf, test, untilCommitted } from '../support/ingest.ts';
import { iso } from '../support/readings.ts';

const AT_MS = Date.UTC(2025, 2, 1);

test('measures are rejected, stored once the gauge is described, and read again when it is corrected', async ({
  database,
  ingest,
}) => {
  const { organizationNo, organizationCode, key, tankNos } = await givenSender(database, ['U-1']);
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(args, { OPERATOR_DATABASE_URL: database.urls.operator });
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  const gauge = (...options: string[]) => run('tanks', 'gauge', 'U-1', '--organization', organizationCode, ...options);
  const send = async (...distances: number[]) => {
    const readings = distances.map((distance_mm, n) => ({
      device_id: 'U-1',
      created_at: iso(AT_MS + n * 60_000),
      distance_mm,
    }));
    expect((await postReadings(ingest.gateway.httpUrl, key, readings)).status).toBe(202);
    await untilCommitted(ingest.stream);
  };
  const levels = async () =>
    (
      await database.owner.query<{ level: number }>(
        'select fill_percentage as level from telemetry where tank_no = $1 order by created_at',
        [tankNos[0]],
      )
    ).rows.map(({ level }) => level);
  const rejected = async () =>
    (await rejectedOf(database, organizationNo)).map(({ code, detail }) => `${code}: ${detail}`);

  await send(250, 500);
  expect(await levels()).toEqual([]);
  expect(await rejected()).toEqual([
    expect.stringContaining('no_gauge: The device sent distance 250 mm'),
    expect.stringContaining('no_gauge: The device sent distance 500 mm'),
  ]);
  // Rejected readings must create no tank state: doctor counts a state without readings as drift.
  expect(await counterFaults(database)).toEqual([]);

  await gauge('--form', 'box', '--height-mm', '1000');
  await expect
    .poll(() => gauge('--json').then((text) => JSON.parse(text).is_recomputing), { timeout: 20_000 })
    .toBe(false);
  expect(await levels()).toEqual([75, 50]);
  const { rows: settled } = await database.owner.query(
    'select settlement from rejected_readings where organization_no = $1',
    [organizationNo],
  );
  expect(settled).toEqual([{ settlement: 'replayed' }, { settlement: 'replayed' }]);

  // The writer computes the stored levels again. A repeated measure is a duplicate, another measure of the same time a conflict,
  // and a measure outside of the tank is out of range.
  await gauge('--form', 'horizontal_cylinder', '--diameter-mm', '1000', '--length-mm', '3000', '--heads', 'flat');
  await expect.poll(levels, { timeout: 20_000 }).toEqual([80.45, 50]);
  await send(250, 501, 1_100, 250);
  expect(await levels()).toEqual([80.45, 50, 80.45]);
  expect((await rejected()).slice(2)).toEqual([
    'conflict: The tank already has distance 500 mm at 2025-03-01T00:01:00.000Z, not distance 501 mm; what was measured is never changed.',
    expect.stringContaining('out_of_range: distance 1100 mm would be a height of -100 mm in a tank of 1000 mm'),
  ]);

  // The offset was missing, so the third reading was out of range.
  await gauge('--form', 'box', '--height-mm', '1000', '--offset-mm', '100');
  await expect.poll(levels, { timeout: 20_000 }).toEqual([85, 60, 0, 85]);
  expect(await counterFaults(database)).toEqual([]);
  // The dial readings fit the cylinder.
  const dial = [89.7, 62.7, 0, 89.7].map((level, n) => `${iso(AT_MS + n * 60_000)}=${level}`);
  const fits = await run('tanks', 'calibrate', 'U-1', '--organization', organizationCode, '--dial', ...dial);
  expect(fits).toMatch(/as described +100 /);
  expect(fits).toContain('--form');
  const refused = async (...options: string[]): Promise<string> => {
    const args = ['tanks', 'gauge', 'U-1', '--organization', organizationCode, ...options];
    const { code, stderr } = await runCommand(args, { OPERATOR_DATABASE_URL: database.urls.operator });
    expect(code).toBe(1);
    return stderr;
  };
  expect(await refused('--offset-mm', '60')).toContain('give --form too');
  expect(await refused('--remove', '--from', '2024-01-01T00:00:00Z')).toContain('no gauge of the tank begins');
  expect(await gauge('--remove')).toContain('removed a gauge');
  expect(JSON.parse(await gauge('--json')).gauges).toEqual([]);
  expect(await levels()).toEqual([85, 60, 0, 85]);
});
