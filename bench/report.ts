import { upperMedian } from '../src/evaluation/pure/score/back_test.ts';

export { upperMedian };

/** A measured figure and its target. */
export interface Check {
  what: string;
  value: number;
  /** Such as ">= 300" or "<= 90"; empty if the figure has no target. */
  target: string;
  ok: boolean;
}

export interface Report {
  name: string;
  checks: Check[];
  [detail: string]: unknown;
}

export interface BenchOptions {
  isQuick: boolean;
  /** Prints progress to standard error. */
  log: (line: string) => void;
}

/** An infinite value has no measurement, such as the longest of no delays, and misses its target. */
export const atLeast = (what: string, value: number, target: number): Check => ({
  what,
  value: round(value),
  target: `>= ${target}`,
  ok: value >= target && Number.isFinite(value),
});

export const atMost = (what: string, value: number, target: number): Check => ({
  what,
  value: round(value),
  target: `<= ${target}`,
  ok: value <= target && Number.isFinite(value),
});

/** A share above a few hundredths explains late answers: the host gave the CPUs to other machines. */
export const STOLEN_SHARE = 'share of the CPU time that the host took away';

/** A figure without a target. */
export const figure = (what: string, value: number): Check => ({ what, value: round(value), target: '', ok: true });

export const round = (value: number): number => Number(value.toPrecision(4));

/** The value that this share of all values does not exceed. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

/** The largest number of times within an interval of this length. */
export const mostWithin = (times: readonly number[], intervalMs: number): number =>
  Math.max(0, ...times.map((fromMs) => times.filter((ms) => ms >= fromMs && ms < fromMs + intervalMs).length));

/** Median milliseconds of a call, after one call that warms caches and plans. */
export const medianMs = async (runs: number, work: () => Promise<unknown>): Promise<number> =>
  upperMedian(await timesMs(runs, work));

/** Milliseconds of each call, after one call that warms caches and plans. */
export async function timesMs(runs: number, work: () => Promise<unknown>): Promise<number[]> {
  await work();
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times;
}

export function printReport(report: Report, isJson: boolean): void {
  if (isJson) {
    console.log(JSON.stringify(report));
    return;
  }
  for (const check of report.checks) {
    const target = check.target === '' ? '' : `  (target ${check.target})`;
    console.log(`${check.ok ? 'ok  ' : 'MISS'} ${check.what}: ${check.value}${target}`);
  }
}
