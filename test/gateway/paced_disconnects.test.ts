import { expect, onTestFinished, test, vi } from 'vitest';
import { closePaced } from '../../src/gateway/paced_disconnects.ts';

/** Closes this many connections with a fake clock, and returns the time at which each one was closed. */
async function closeTimesMs(connections: number, overMs: number): Promise<number[]> {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const startedAtMs = performance.now();
  const closedAtMs: number[] = [];
  const closing = closePaced(
    Array.from({ length: connections }, () => ({ close: () => closedAtMs.push(performance.now() - startedAtMs) })),
    overMs,
  );
  await vi.advanceTimersByTimeAsync(overMs + 1_000);
  await closing;
  return closedAtMs;
}

test('a gateway that stops disconnects 50,000 devices evenly over the time it is given', async () => {
  const timesMs = await closeTimesMs(50_000, 10_000);
  const perSecond = Array.from(
    { length: 10 },
    (_, second) => timesMs.filter((ms) => Math.floor(ms / 1_000) === second).length,
  );
  expect(timesMs.length).toBe(50_000);
  expect(perSecond.filter((n) => n < 4_700 || n > 5_300)).toEqual([]);
});

test('a gateway with 100 devices disconnects them within 600 ms, and at once if it is given no time', async () => {
  const timesMs = await closeTimesMs(100, 10_000);
  expect(timesMs.length).toBe(100);
  expect(Math.max(...timesMs)).toBeLessThan(600);
  expect(await closeTimesMs(1_000, 0)).toEqual(Array.from({ length: 1_000 }, () => 0));
});
