import { expect, test } from 'vitest';
import { shareBelow } from '../../src/values/normal_distribution.ts';
import { deviation, median, quantile, robustDeviation } from '../../src/values/statistics.ts';

test('the share of a normal distribution is right in the middle and far outside', () => {
  expect(shareBelow(0)).toBeCloseTo(0.5, 14);
  expect(shareBelow(1.281551565544601)).toBeCloseTo(0.9, 14);
  expect(shareBelow(-3) / 0.0013498980316300946).toBeCloseTo(1, 12);
  expect(shareBelow(-8) / 6.220960574271786e-16).toBeCloseTo(1, 6);
  expect(shareBelow(Number.NEGATIVE_INFINITY)).toBe(0);
  expect(shareBelow(Number.POSITIVE_INFINITY)).toBe(1);
});

test('quantiles lie between two values, and outliers do not change a robust deviation', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([1, 2, 3, 4, 5], 0.9)).toBeCloseTo(4.6, 12);
  expect(median([7])).toBe(7);
  expect(median([])).toBeNaN();
  expect(deviation([1, 3])).toBe(1);
  expect(robustDeviation([1, 2, 3, 4, 1_000])).toBeCloseTo(1.4826, 6);
});
