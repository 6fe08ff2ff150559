import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Value } from 'typebox/value';
import { atMost, type BenchOptions, type Check, figure, type Report, round } from '../report.ts';
import { drawGrowth } from './plot.ts';
import { factorPerTenfold, GrowthResults, type SizeResult } from './results.ts';
import { readSettings } from './settings_file.ts';
import { measureSize } from './size.ts';

export const RESULTS_FOLDER = fileURLToPath(new URL('../results/', import.meta.url));
export const GROWTH_IMAGE = fileURLToPath(new URL('../../docs/images/growth.svg', import.meta.url));
/** The largest number of tanks that get a filled month. More would need 31 GB for a million tanks. */
const MAX_SAMPLE = 20_000;
const MAX_FACTOR = 1.3;

export interface GrowthOptions extends BenchOptions {
  /** Also measures 5 million tanks. */
  isFull: boolean;
  /** Measures only this size. */
  tanks: number | null;
  /** A file with PostgreSQL settings to measure too. */
  settingsFile: string | null;
  /** Saves the results under this name. */
  label: string | null;
}

/** How the cost of a reading and of a request grows with the number of tanks. */
export async function benchGrowth({
  isQuick,
  isFull,
  tanks: onlySize,
  settingsFile,
  label,
  log,
}: GrowthOptions): Promise<Report> {
  const allSizes = isQuick ? [1_000, 20_000] : [1_000, 100_000, 1_000_000, ...(isFull ? [5_000_000] : [])];
  const sizes = onlySize === null ? allSizes : [onlySize];
  const readingsPerTank = isQuick ? 30 : 350;
  const settings = settingsFile === null ? null : await readSettings(settingsFile);
  const results: SizeResult[] = onlySize === null || label === null ? [] : await otherSizes(label, onlySize);
  const all = (): GrowthResults => ({
    label: label ?? 'growth',
    measured_on: new Date().toISOString().slice(0, 10),
    readings_per_tank: readingsPerTank,
    settings,
    sizes: results.map(rounded),
  });
  for (const tanks of sizes) {
    log(`${tanks} tanks`);
    const sample = Math.min(tanks, MAX_SAMPLE);
    results.push(...(await measureSize({ tanks, sample, readingsPerTank, isQuick, settings, log })));
    results.sort((a, b) => a.tanks - b.tanks);
    if (label !== null) await save(all());
  }
  return { name: 'growth', checks: checksOf(results), ...all() };
}

/** The saved results of the other sizes, so that the sizes of a label can be measured one by one. */
async function otherSizes(label: string, tanks: number): Promise<SizeResult[]> {
  const text = await readFile(fileOf(label), 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  return Value.Parse(GrowthResults, JSON.parse(text)).sizes.filter((size) => size.tanks !== tanks);
}

const fileOf = (label: string): string => join(RESULTS_FOLDER, `growth_${label}.json`);

async function save(results: GrowthResults): Promise<void> {
  await mkdir(RESULTS_FOLDER, { recursive: true });
  await writeFile(fileOf(results.label), `${JSON.stringify(results, null, 2)}\n`);
  await mkdir(dirname(GROWTH_IMAGE), { recursive: true });
  await writeFile(GROWTH_IMAGE, await drawGrowth(RESULTS_FOLDER));
}

function checksOf(results: readonly SizeResult[]): Check[] {
  const checks: Check[] = [];
  for (const variant of ['default', 'settings'] as const) {
    const sizes = results.filter((result) => result.variant === variant);
    for (const [at, size] of sizes.entries()) {
      const title = `${variant}, ${size.tanks} tanks`;
      checks.push(
        figure(`${title}: readings/s`, size.readings_per_second),
        figure(`${title}: CPU time per reading, us`, size.cpu_us_per_reading),
        figure(`${title}: buffer misses per reading`, size.misses_per_reading),
        figure(`${title}: WAL bytes per reading`, size.wal_bytes_per_reading),
        figure(`${title}: bytes per reading on disk`, size.bytes_per_reading),
      );
      const before = sizes[at - 1];
      if (before === undefined) continue;
      const grows = (what: string, cost: (of: SizeResult) => number): Check =>
        atMost(
          `${title}: ${what}, factor per tenfold`,
          factorPerTenfold({ tanks: before.tanks, cost: cost(before) }, { tanks: size.tanks, cost: cost(size) }),
          MAX_FACTOR,
        );
      checks.push(grows('CPU time of ingest', (of) => of.cpu_us_per_reading));
      for (const { what } of size.reads) {
        const readOf = (of: SizeResult) => of.reads.find((read) => read.what === what);
        checks.push(
          grows(`${what}, warm`, (of) => readOf(of)?.warm_server_ms ?? 0),
          grows(`${what}, buffers read cold`, (of) => readOf(of)?.cold_misses ?? 0),
        );
      }
    }
  }
  return checks;
}

const rounded = (result: SizeResult): SizeResult => ({
  ...roundNumbers(result),
  reads: result.reads.map((read) => roundNumbers(read)),
});

function roundNumbers<T extends object>(values: T): T {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? round(value) : value,
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names and types
  return Object.fromEntries(entries) as T;
}
