import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Reads how long the host has taken the CPUs away since the start of this machine. Empty on systems that do not count it. */
export function stolenMs(): number[] {
  const lines = readStat().matchAll(/^cpu\d+((?: \d+)+)$/gm);
  return Array.from(lines, ([, times = '']) => Number(times.split(' ')[8] ?? 0) * 10);
}

/** Starts a measurement. The returned function returns the share of the CPU time that the host has taken away since then. */
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
