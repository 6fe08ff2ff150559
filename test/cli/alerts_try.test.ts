import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../support/cli_in_process.ts';
import { Series } from '../support/series.ts';

const folder = await mkdtemp(join(tmpdir(), 'tankwatch-try-'));

async function fileOf(name: string, lines: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

const rowsOf = (series: Series): string[] =>
  series.readings.map(({ atMs, fillPercentage }) => `${new Date(atMs).toISOString()},${fillPercentage}`);

/** Runs the command without a database: the environment has no address of one. */
const attempt = (...args: string[]) => runCommand(['alerts', 'try', ...args], {});

const emptied = new Series(4, 60).use(2, 20).fillTo(85).use(2, 3);

describe('alerts try', () => {
  test('shows the events of a file with two columns, with readings, one JSON object per line', async () => {
    const path = await fileOf('two.csv', ['when,level', ...rowsOf(emptied)]);
    const { code, stdout, stderr } = await attempt(
      path,
      '--threshold',
      '25',
      '--capacity',
      '500',
      '--unit',
      'gallons',
      '--json',
    );
    expect([code, stderr]).toEqual([0, '']);
    const lines: unknown[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      {
        at: '2025-01-18T18:00:00.000Z',
        type: 'tank.low_fill',
        data: { threshold_percentage: 25 },
        readings: [{ fill_percentage: 25 }],
      },
      { type: 'tank.refilled', data: { volume_unit: 'gallons', delivered_volume: expect.closeTo(325, -1) } },
      { type: 'tank.fill_recovered' },
    ]);
    expect(Object.keys(lines[0] ?? {})).toEqual(['at', 'type', 'data', 'readings']);
  });

  test('shows all kinds of events of the example file, and counts them', async () => {
    const example = fileURLToPath(new URL('../../examples/old_system.csv', import.meta.url));
    const { code, stdout, stderr } = await attempt(example, '--threshold', '25', '--capacity', '500');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    const types =
      'low_fill refilled fill_recovered device_silent device_reporting low_fill rapid_loss refilled fill_recovered gauge_unreliable gauge_reliable';
    expect(lines.slice(0, -2).map((line) => /^\d{4}-\d\d-\d\d \d\d:\d\d {2}tank\.([a-z_]+): /.exec(line)?.[1])).toEqual(
      types.split(' '),
    );
    expect(lines.at(-1)).toBe(
      `to import these readings as those of the device ID: tankwatch import ${example} --device ID ` +
        '--column created_at=time --column fill_percentage=percentage',
    );
    expect(lines.at(-2)).toMatch(
      /^346 readings of 1 tank from 2025-01-06 to 2025-04-05: 2 tank\.low_fill, .*, 1 tank\.gauge_reliable$/,
    );
  });

  test('shows a forecast per day, within the given times', async () => {
    const path = await fileOf('headless.csv', rowsOf(emptied));
    const times = ['--from', '2025-01-03T00:00:00Z', '--to', '2025-01-13T00:00:00Z'];
    const { stdout } = await attempt(path, '--threshold', '25', '--forecasts', '--json', ...times);
    const lines: unknown[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toEqual({
      at: '2025-01-12T00:00:00.000Z',
      type: 'forecast',
      fill_percentage: expect.closeTo(38.5, 0),
      use_points_per_day: expect.closeTo(2, 0),
      days_to_threshold: { likely: expect.closeTo(6.8, 0), earliest: expect.any(Number), latest: expect.any(Number) },
    });
  });

  test('takes the CSV of telemetry import with several tanks, and prints sentences', async () => {
    const rows = rowsOf(emptied).flatMap((row) => [`first,${row}`, `second,${row}`]);
    const path = await fileOf('import.csv', ['device_id,created_at,fill_percentage', ...rows.toReversed()]);
    const { code, stdout } = await attempt(path, '--threshold', '25');
    expect(code).toBe(0);
    expect(stdout).toContain(
      'first: 2025-01-18 18:00  tank.low_fill: The tank is at 25 %. Its alert threshold is 25 %.',
    );
    expect(stdout.match(/second: .*tank\.refilled: The level rose from/g)).toHaveLength(1);
  });

  test('says in a sentence what is wrong, and leaves bad rows out', async () => {
    expect(await attempt(join(folder, 'none.csv'), '--threshold', '25')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no such file'),
    });
    const empty = await fileOf('empty.csv', ['time,percentage']);
    expect((await attempt(empty, '--threshold', '25')).stderr).toContain('the file has no readings');
    const other = await fileOf('other.csv', ['a,b,c', '1,2,3']);
    expect((await attempt(other, '--threshold', '25')).stderr).toContain('the header has no');
    const path = await fileOf('bad.csv', [...rowsOf(emptied), '2025-03-01T00:00:00Z,full', 'yesterday,40']);
    const { code, stdout, stderr } = await attempt(path, '--threshold', '25', '--json');
    expect(code).toBe(1);
    expect(stdout.trim().split('\n')).toHaveLength(3);
    expect(stderr).toContain('line 93: "full" must be a number such as 45.51.');
    expect(stderr).toContain('line 94: "yesterday" must be a time');
    expect((await attempt(path, '--threshold', '250')).code).not.toBe(0);
  });

  const exported = (name: string): string => fileURLToPath(new URL(`../../examples/exports/${name}`, import.meta.url));

  test('reads a Spanish workbook with a title, a heading of two rows, decimal commas, its own names and totals', async () => {
    const columns = ['device_id=Sensor', 'created_at=Fecha y hora', 'fill_percentage=Nivel (%)'];
    const given = columns.flatMap((column) => ['--column', column]);
    const format = ['--date-order', 'dmy', '--time-zone', 'America/Mexico_City'];
    const file = exported('niveles.xlsx');
    const { code, stdout, stderr } = await attempt(file, '--threshold', '30', ...given, ...format);
    expect([code, stderr]).toEqual([
      0,
      'the table begins in line 6; the lines above it were left out.\nleft out 2 rows with totals, first in line 243.\n',
    ]);
    expect(stdout).toContain('GB-0101: 2025-02-19 06:07  tank.low_fill: The tank is at 28.9 %.');
    expect(stdout.split('\n').slice(-3)).toEqual([
      '236 readings of 2 tanks from 2025-02-01 to 2025-03-31: 2 tank.low_fill, 4 tank.refilled, 2 tank.fill_recovered',
      `to import these readings: tankwatch import ${file} --column device_id=Sensor --column 'created_at=Fecha y hora' ` +
        `--column 'fill_percentage=Nivel (%)' --date-order dmy --time-zone America/Mexico_City`,
      '',
    ]);
  });

  test('reads an English file with its own names, also with --column before the file', async () => {
    const columns = ['device_id=Monitor ID', 'created_at=Read At', 'fill_percentage=Level %'];
    const format = ['--date-order', 'mdy', '--time-zone', 'America/New_York'];
    const file = exported('tank_levels.csv');
    // 0.2 took several names after one --column. The file is not one of them.
    const { code, stdout } = await attempt('--threshold', '30', '--column', ...columns, file, ...format);
    expect(code).toBe(0);
    expect(stdout).toContain(
      '236 readings of 2 tanks from 2025-02-01 to 2025-03-31: 3 tank.low_fill, 3 tank.refilled, 3 tank.fill_recovered',
    );
    const each = columns.flatMap((column) => ['--column', column]);
    expect((await attempt(...each, file, '--threshold', '30', ...format)).stdout).toBe(stdout);
  });

  test('proposes options for a file with other names', async () => {
    const { code, stderr } = await attempt(exported('niveles.xlsx'), '--threshold', '30');
    expect(code).toBe(1);
    expect(stderr).toContain('it has Sensor, Cliente, Fecha y hora, Nivel (%), Observaciones.');
    expect(stderr).toContain(
      `Perhaps: --column device_id=Sensor --column 'created_at=Fecha y hora' --column 'fill_percentage=Nivel (%)'\n`,
    );
    const wrong = await attempt(exported('niveles.xlsx'), '--threshold', '30', '--column', 'time=Fecha');
    expect(wrong.stderr).toContain('our columns are tank_id, device_id, created_at, fill_percentage');
  });

  test('reads one tank from a file with more columns, and reports no refill after months without a reading', async () => {
    const before = rowsOf(new Series(2, 70).use(1, 30));
    const after = ['2025-11-01T06:00:00.000Z,80', '2025-11-01T18:00:00.000Z,79.6', '2025-11-02T06:00:00.000Z,79.1'];
    const rows = [...before, ...after].map((row) => `${row},3.6`);
    const path = await fileOf('three.csv', ['When,Level,Battery', ...rows]);
    const columns = ['--column', 'created_at=When', '--column', 'fill_percentage=Level'];
    const { stdout } = await attempt(path, '--threshold', '25', '--forecasts', ...columns);
    // An estimate over the gap would be "at 0 %", and the next reading a refill of about 1,000 liters.
    expect(stdout).toContain('2025-11-01 06:00  forecast: at 80 %, uses');
    expect(stdout).not.toContain('tank.refilled');
    expect(stdout).toContain(
      `tankwatch import ${path} --device ID --column created_at=When --column fill_percentage=Level`,
    );
  });
});
