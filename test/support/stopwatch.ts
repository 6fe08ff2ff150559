import { expect } from 'vitest';

const TICK_MS = 10;

/**
 * Measures for how long this process has run, in milliseconds, for guarantees such as "within a second". A machine that stalls
 * does not count: a turn of the event loop that comes late counts as two ticks, or as the CPU time of this process in it, if
 * that is more.
 */
export function startStopwatch(): () => number {
  let lastAt = performance.now();
  let lastCpu = process.cpuUsage();
  let ranMs = 0;
  const count = (): void => {
    const passedMs = performance.now() - lastAt;
    const { user, system } = process.cpuUsage(lastCpu);
    ranMs += Math.min(passedMs, Math.max(2 * TICK_MS, (user + system) / 1_000));
    lastAt = performance.now();
    lastCpu = process.cpuUsage();
  };
  const timer = setInterval(count, TICK_MS).unref();
  return () => {
    clearInterval(timer);
    count();
    return ranMs;
  };
}

/** Waits, and fails if this process ran for longer than the guarantee meanwhile. */
export async function within(limitMs: number, wait: () => PromiseLike<unknown>): Promise<void> {
  const stopwatch = startStopwatch();
  await wait();
  expect(stopwatch(), 'milliseconds').toBeLessThan(limitMs);
}
