import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect } from 'vitest';

const TICK_MS = 10;

/**
 * How many processes share a CPU at this moment, at least 1. Whatever a test waits for takes so many times as long as on a
 * machine without other work.
 */
function processesPerCpu(): number {
  const [, running = '1'] = / (\d+)\/\d+ /.exec(readFileSync('/proc/loadavg', 'utf8')) ?? [];
  return Math.max(1, Number(running) / availableParallelism());
}

/**
 * Counts for how long this process has run, in milliseconds of a machine without other work, for guarantees such as "within a
 * second". A machine that stalls does not count: a turn of the event loop that comes late counts as two ticks, or as the CPU
 * time of this process in it, if that is more.
 */
export function startStopwatch(): { ranMs(): number; stop(): void } {
  let lastAt = performance.now();
  let lastCpu = process.cpuUsage();
  let ranMs = 0;
  const count = (): void => {
    const passedMs = performance.now() - lastAt;
    const { user, system } = process.cpuUsage(lastCpu);
    ranMs += Math.min(passedMs, Math.max(2 * TICK_MS, (user + system) / 1_000)) / processesPerCpu();
    lastAt = performance.now();
    lastCpu = process.cpuUsage();
  };
  const timer = setInterval(count, TICK_MS).unref();
  return {
    ranMs() {
      count();
      return ranMs;
    },
    stop: () => clearInterval(timer),
  };
}

/** Waits, and fails if this process ran for longer than the guarantee meanwhile. */
export async function within(limitMs: number, wait: () => PromiseLike<unknown>, what = 'milliseconds'): Promise<void> {
  const stopwatch = startStopwatch();
  try {
    await wait();
    expect(stopwatch.ranMs(), what).toBeLessThan(limitMs);
  } finally {
    stopwatch.stop();
  }
}
