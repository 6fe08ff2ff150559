import { atMost, type BenchOptions, type Check, figure, type Report, round } from '../report.ts';
import { factorPerTenfold, type SizeResult } from './results.ts';
import { measureSize } from './size.ts';

/** The largest number of tanks that get a filled month. More would need 31 GB for a million tanks. */
const MAX_SAMPLE = 20_000;
const MAX_FACTOR = 1.3;

export interface GrowthOptions extends BenchOptions {
  /** Also measures 5 million tanks. */
  isFull: boolean;
  /** Measures only this size. */
  tanks: number | null;
}

/** Measures how the cost of a reading and of a request grows with the number of tanks. */
export async function benchGrowth(options: GrowthOptions): Promise<Report> {
  const { isQuick, isFull, tanks: onlySize, log } = options;
  const allSizes = isQuick ? [1_000, 20_000] : [1_000, 100_000, 1_000_000, ...(isFull ? [5_000_000] : [])];
  const readingsPerTank = isQuick ? 30 : 350;
  const sizes: SizeResult[] = [];
  for (const tanks of onlySize === null ? allSizes : [onlySize]) {
    log(`${tanks} tanks`);
    const sample = Math.min(tanks, MAX_SAMPLE);
    sizes.push(await measureSize({ tanks, sample, readingsPerTank, isQuick, log }));
  }
  return {
    name: 'growth',
    checks: checksOf(sizes),
    readings_per_tank: readingsPerTank,
    sizes: sizes.map((size) => ({ ...roundNumbers(size), reads: size.reads.map(roundNumbers) })),
  };
}

const checksOf = (sizes: readonly SizeResult[]): Check[] =>
  sizes.flatMap((size, index) => {
    const title = `${size.tanks} tanks`;
    const before = sizes[index - 1];
    const checkGrowth = (what: string, cost: (result: SizeResult) => number): Check[] => {
      if (before === undefined) return [];
      const factor = factorPerTenfold(
        { tanks: before.tanks, cost: cost(before) },
        { tanks: size.tanks, cost: cost(size) },
      );
      return [atMost(`${title}: ${what}, factor per tenfold`, factor, MAX_FACTOR)];
    };
    const readOf = (result: SizeResult, what: string) => result.reads.find((read) => read.what === what);
    return [
      figure(`${title}: readings/s`, size.readings_per_second),
      figure(`${title}: CPU time per reading, us`, size.cpu_us_per_reading),
      figure(`${title}: buffer misses per reading`, size.misses_per_reading),
      figure(`${title}: WAL bytes per reading`, size.wal_bytes_per_reading),
      figure(`${title}: bytes per reading on disk`, size.bytes_per_reading),
      ...checkGrowth('CPU time of ingest', (result) => result.cpu_us_per_reading),
      ...size.reads.flatMap(({ what }) => [
        ...checkGrowth(`${what}, warm`, (result) => readOf(result, what)?.warm_server_ms ?? 0),
        ...checkGrowth(`${what}, buffers read cold`, (result) => readOf(result, what)?.cold_misses ?? 0),
      ]),
    ];
  });

const roundNumbers = (values: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'number' ? round(value) : value]),
  );
