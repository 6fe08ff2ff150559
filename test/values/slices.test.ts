import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { atOnce, inSlices, type Sliced } from '../../src/values/slices.ts';

/** Work that takes this long and can pause every millisecond. */
function* work(durationMs: number): Sliced<string> {
  const endMs = performance.now() + durationMs;
  let pausedMs = performance.now();
  while (performance.now() < endMs) {
    if (performance.now() < pausedMs + 1) continue;
    yield;
    pausedMs = performance.now();
  }
  return 'result';
}

test('work in slices has the same result as at once', async () => {
  expect(atOnce(work(2))).toBe('result');
  expect(await inSlices(work(2))).toBe('result');
});

test('the event loop turns between the slices of all work together', async () => {
  let turns = 0;
  const workEnd = new AbortController();
  const counting = (async () => {
    while (!workEnd.signal.aborted) {
      await setImmediate();
      turns++;
    }
  })();
  await Promise.all(Array.from({ length: 10 }, () => inSlices(work(50))));
  workEnd.abort();
  await counting;
  // If every work had a slice in each turn, a turn would last 80 ms, and all would end within a few turns.
  expect(turns).toBeGreaterThanOrEqual(10);
});

test('an error of the work reaches its caller, and later work is done', async () => {
  const failing = (function* (): Sliced<string> {
    yield;
    throw new Error('no');
  })();
  await expect(inSlices(failing)).rejects.toThrow('no');
  expect(await inSlices(work(1))).toBe('result');
});
