import type { Sliced } from '../../src/values/slices.ts';

/** Does the work, and measures the most CPU time that it takes between two pauses: a clock would also measure other programs. */
export function longestStep<Result>(work: Sliced<Result>): { result: Result; longestMs: number; totalMs: number } {
  let [longestMs, totalMs] = [0, 0];
  for (;;) {
    const before = process.threadCpuUsage();
    const step = work.next();
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    totalMs += (user + system) / 1_000;
    if (step.done === true) return { result: step.value, longestMs, totalMs };
  }
}
