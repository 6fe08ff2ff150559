import { expect, test } from 'vitest';
import { atLeast, atMost } from '../../bench/report.ts';

test('a check without a measurement misses its target', () => {
  const noDelays: number[] = [];
  expect(atMost('seconds of the longest delay', Math.max(...noDelays), 60).ok).toBe(false);
  expect(atLeast('readings per second', 1 / 0, 300).ok).toBe(false);
  expect(atMost('seconds of the longest delay', Number.NaN, 60).ok).toBe(false);
  expect(atMost('seconds of the longest delay', 60, 60).ok).toBe(true);
  expect(atLeast('readings per second', 300, 300).ok).toBe(true);
});
