import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

const Sample = Type.Object({ atMs: Type.Number(), usedBytes: Type.Number(), rss: Type.Number() });

const MB = 1_048_576;
const HOUR_MS = 3_600_000;

export interface MemorySlope {
  samples: number;
  /** The mean memory in use after a garbage collection, over the second half of the run. */
  usedMb: number;
  /** The growth of the memory in use after a garbage collection. */
  usedMbPerHour: number;
  /** The standard error of this growth. */
  errorMbPerHour: number;
  rssMb: number;
  rssMbPerHour: number;
}

/** Measures the growth of a process over the second half of its run. In the first half, caches and compiled code grow. */
export async function memorySlope(file: string): Promise<MemorySlope> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  const all = lines.map((line) => Value.Decode(Sample, JSON.parse(line)));
  const middleMs = ((all[0]?.atMs ?? 0) + (all.at(-1)?.atMs ?? 0)) / 2;
  const samples = all.filter(({ atMs }) => atMs >= middleMs);
  const used = fitLine(samples.map(({ atMs, usedBytes }) => [atMs / HOUR_MS, usedBytes / MB]));
  const rss = fitLine(samples.map(({ atMs, rss: bytes }) => [atMs / HOUR_MS, bytes / MB]));
  return {
    samples: samples.length,
    usedMb: used.mean,
    usedMbPerHour: used.slope,
    errorMbPerHour: used.error,
    rssMb: rss.mean,
    rssMbPerHour: rss.slope,
  };
}

/** Fits a line by least squares. `error` is the standard error of the slope. */
export function fitLine(points: readonly (readonly [number, number])[]): {
  mean: number;
  slope: number;
  error: number;
} {
  const n = points.length;
  const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / n;
  const [meanX, meanY] = [meanOf(points.map(([x]) => x)), meanOf(points.map(([, y]) => y))];
  const sum = (term: (x: number, y: number) => number): number =>
    points.reduce((total, [x, y]) => total + term(x - meanX, y - meanY), 0);
  const spread = sum((x) => x * x);
  const slope = sum((x, y) => x * y) / spread;
  const residual = sum((x, y) => (y - slope * x) ** 2);
  return { mean: meanY, slope, error: Math.sqrt(residual / (n - 2) / spread) };
}
