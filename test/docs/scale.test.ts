import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { formatConstants, parseConstants, readConstants } from '../../bench/capacity/constants.ts';
import { walBytesOfReading } from '../../bench/capacity/load.ts';
import { planStage, planStages } from '../../bench/capacity/plan.ts';
import { priceStage, readPrices } from '../../bench/capacity/prices.ts';
import { recordReports } from '../../bench/capacity/record.ts';
import { renderPlan } from '../../bench/capacity/render.ts';
import { parseSettings, readShippedSettings } from '../../bench/capacity/shipped_settings.ts';
import { givenFolder } from '../support/folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const DEMAND = { tanks: 100e6, readingsPerDay: 4, years: 5, peakFactor: 10, organizations: 100e3 };
const run = (...options: string[]) =>
  promisify(execFile)(process.execPath, ['scripts/capacity.ts', ...options], { cwd: ROOT });

const [constants, prices, shipped] = [await readConstants(), await readPrices(), await readShippedSettings()];
const stageOf = (tanks: number, years = 5) => planStage({ ...DEMAND, tanks, years }, constants, shipped);

test('the plan in bench/results/capacity.md is the output of the command that stands above it', async () => {
  const text = await readFile(join(ROOT, 'bench/results/capacity.md'), 'utf8');
  const [, command, shown] = /<!-- begin: npm run capacity -- (.+?) -->\n(.+?)<!-- end -->/s.exec(text) ?? [];
  expect(command).toBe('--tanks 100e6 --per-day 4 --years 5');
  const stages = planStages(DEMAND, constants, shipped);
  // To update it: npm run capacity -- --record /dev/null
  expect(shown).toBe(`${renderPlan({ demand: DEMAND, stages, constants, prices, shipped })}\n`);
});

test('npm run capacity prints the same plan as text and as JSON, and refuses a wrong number', async () => {
  const json: unknown = JSON.parse(
    (await run('--tanks', '100e6', '--prices', 'bench/results/prices.json', '--json')).stdout,
  );
  expect(json).toMatchObject({ demand: DEMAND, constants, stages: planStages(DEMAND, constants, shipped) });
  await expect(run('--tanks', '1.5')).rejects.toMatchObject({ code: 2 });
  await expect(run('--tanks', '6e6', '--organizations', '1')).rejects.toMatchObject({
    stderr: expect.stringContaining('is not divided among cells'),
  });
});

test('a peak factor multiplies the readings per second but not the disk, and organizations are divided among the slots', () => {
  const calm = planStage({ ...DEMAND, peakFactor: 1 }, constants, shipped);
  const busy = planStage({ ...DEMAND, peakFactor: 20 }, constants, shipped);
  expect(busy.peakReadingsPerSecond).toBeCloseTo(20 * calm.peakReadingsPerSecond);
  expect(busy.machines.router).toBeGreaterThan(calm.machines.router);
  expect(busy.database.diskGb).toBe(calm.database.diskGb);
  expect(calm).toMatchObject({ organizationsPerCell: 5_000, organizationsPerSlot: 100e3 / 1_296 });
});

test('a plan needs a cell for every five million tanks, and cells and years increase the disk', () => {
  expect(stageOf(2_000)).toMatchObject({ kind: 'one machine', cells: 1 });
  expect(stageOf(5_000_000)).toMatchObject({ kind: 'replicas', cells: 1 });
  expect(stageOf(5_000_001)).toMatchObject({ kind: 'cells', cells: 2 });
  const perYear = constants.packed_reading_bytes.value * 4 * 365 * 5e6;
  expect(stageOf(5e6, 6).database.packedGb - stageOf(5e6, 5).database.packedGb).toBeCloseTo(perYear / 1e9);
  expect(stageOf(100e6).totalDiskTb).toBeCloseTo(20 * stageOf(5e6).totalDiskTb);
});

test('a plan reserves disk for the WAL that the shipped settings allow and for 66 days of hot readings', () => {
  expect(stageOf(2_000).database.walReserveGb).toBeCloseTo(shipped.walReserveBytes / 1e9);
  expect(stageOf(2_000).database.diskGb * 1e9).toBeGreaterThan(shipped.walReserveBytes);
  expect(stageOf(1e6).database.hotGb * 1e9).toBeCloseTo(1e6 * 4 * 66 * constants.hot_reading_bytes.value, -3);
  const text =
    '# max_wal_size = 1GB\nmax_wal_size = 16GB # why\nmax_connections = 200\nmax_slot_wal_keep_size = 512MB\n';
  expect(parseSettings(text)).toEqual({ walReserveBytes: 16.5 * 2 ** 30, maxConnections: 200 });
  expect(() => parseSettings('')).toThrow('max_wal_size');
});

test('the WAL bytes of a reading are the measured ones at each measured cadence, and interpolated between them', () => {
  expect(walBytesOfReading(4, constants)).toBe(constants.wal_bytes_4_a_day.value);
  expect(walBytesOfReading(0.1, constants)).toBe(constants.wal_bytes_1_a_day.value);
  expect(walBytesOfReading(96, constants)).toBe(constants.wal_bytes_24_a_day.value);
  expect(walBytesOfReading(8, constants)).toBeLessThan(constants.wal_bytes_4_a_day.value);
  expect(walBytesOfReading(8, constants)).toBeGreaterThan(constants.wal_bytes_24_a_day.value);
});

test('the price follows the given price list, and a list with a missing price is refused', async () => {
  const folder = await givenFolder();
  const file = join(folder, 'prices.json');
  const free = { core: 0, memory_gb: 0, disk_gb: 0, disk_iops: 0, included_disk_iops: 0, backup_gb: 0, sent_gb: 0 };
  const own = { ...free, currency: 'EUR', core: 2 };
  await writeFile(file, JSON.stringify(own));
  const stage = stageOf(1e6);
  const cores =
    stage.machines.database * stage.sizes.database.cores + stage.machines.service * stage.sizes.service.cores;
  expect(priceStage(stage, await readPrices(file))).toMatchObject({ total: cores * 2 * 12, disks: 0 });
  await writeFile(file, JSON.stringify({ ...own, core: undefined }));
  await expect(readPrices(file)).rejects.toThrow();
});

test('a constant takes the figure of a report of its benchmark and cadence, and no other constant changes', () => {
  const report = (perDay: number, value: number) =>
    JSON.stringify({
      name: 'cadence',
      per_day: perDay,
      checks: [{ what: `WAL bytes per reading at ${perDay} a day`, value }],
    });
  const recorded = recordReports(constants, [report(4, 7), report(24, 5), 'not a report'].join('\n'), '2027-01-02');
  expect(recorded.changed).toEqual(['wal_bytes_4_a_day', 'wal_bytes_24_a_day']);
  expect(recorded.constants).toEqual({
    ...constants,
    wal_bytes_4_a_day: { ...constants.wal_bytes_4_a_day, value: 7, recorded_on: '2027-01-02', note: '' },
    wal_bytes_24_a_day: { ...constants.wal_bytes_24_a_day, value: 5, recorded_on: '2027-01-02', note: '' },
  });
  expect(parseConstants(formatConstants(constants))).toEqual(constants);
});
