import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** For how long the host has taken each CPU away from this machine since its start. Empty on systems that do not count it. */
export function stolenMs(): number[] {
  const lines = readStat().matchAll(/^cpu\d+((?: \d+)+)$/gm);
  return Array.from(lines, ([, times = '']) => Number(times.split(' ')[8] ?? 0) * 10);
}

/** Returns a function that returns the share of the CPU time that the host has taken away since this call. */
export function startStolenShare(): () => number {
  const startMs = performance.now();
  const before = sum(stolenMs());
  return () => (sum(stolenMs()) - before) / ((performance.now() - startMs) * cpus().length);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function readStat(): string {
  try {
    return readFileSync('/proc/stat', 'utf8');
  } catch {
    return ''; // not Linux
  }
}
