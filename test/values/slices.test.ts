import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { atOnce, inSlices, type Sliced } from '../../src/values/slices.ts';

/** Takes so long, and could pause each millisecond. */
function* work(durationMs: number): Sliced<string> {
  for (const endMs = performance.now() + durationMs; performance.now() < endMs; ) {
    for (const stepMs = performance.now() + 1; performance.now() < stepMs; );
    yield;
  }
  return 'result';
}

test('work in slices has the same result as at once', async () => {
  expect(atOnce(work(2))).toBe('result');
  expect(await inSlices(work(2))).toBe('result');
});

test('others are served between the slices of all work together', async () => {
  let turns = 0;
  const served = new AbortController();
  const serving = (async () => {
    for (; !served.signal.aborted; turns++) await setImmediate();
  })();
  await Promise.all(Array.from({ length: 10 }, () => inSlices(work(50))));
  served.abort();
  await serving;
  // If each of them had a slice in every turn, a turn would last 80 ms, and one would be enough.
  expect(turns).toBeGreaterThanOrEqual(10);
});

test('an error of the work is an error of its caller, and work after it is done', async () => {
  const failing = (function* (): Sliced<string> {
    yield;
    throw new Error('no');
  })();
  await expect(inSlices(failing)).rejects.toThrow('no');
  expect(await inSlices(work(1))).toBe('result');
});
