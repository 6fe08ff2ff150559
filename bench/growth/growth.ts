import { atMost, type BenchOptions, type Check, figure, type Report, round } from '../report.ts';
import { factorPerTenfold, type SizeResult } from './results.ts';
import { readSettings } from './settings_file.ts';
import { measureSize } from './size.ts';

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
}

/** How the cost of a reading and of a request grows with the number of tanks. */
export async function benchGrowth(options: GrowthOptions): Promise<Report> {
  const { isQuick, isFull, tanks: onlySize, settingsFile, log } = options;
  const allSizes = isQuick ? [1_000, 20_000] : [1_000, 100_000, 1_000_000, ...(isFull ? [5_000_000] : [])];
  const readingsPerTank = isQuick ? 30 : 350;
  const settings = settingsFile === null ? null : await readSettings(settingsFile);
  const sizes: SizeResult[] = [];
  for (const tanks of onlySize === null ? allSizes : [onlySize]) {
    log(`${tanks} tanks`);
    const sample = Math.min(tanks, MAX_SAMPLE);
    sizes.push(...(await measureSize({ tanks, sample, readingsPerTank, isQuick, settings, log })));
  }
  return {
    name: 'growth',
    checks: checksOf(sizes),
    readings_per_tank: readingsPerTank,
    settings,
    sizes: sizes.map((size) => ({ ...roundNumbers(size), reads: size.reads.map(roundNumbers) })),
  };
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

const roundNumbers = (values: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'number' ? round(value) : value]),
  );
