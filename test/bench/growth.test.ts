import { expect, test } from 'vitest';
import { factorPerTenfold } from '../../bench/growth/results.ts';

test('a factor per tenfold compares any two sizes', () => {
  expect(factorPerTenfold({ tanks: 1_000, cost: 10 }, { tanks: 10_000, cost: 13 })).toBeCloseTo(1.3);
  expect(factorPerTenfold({ tanks: 1_000, cost: 10 }, { tanks: 100_000, cost: 16.9 })).toBeCloseTo(1.3);
});
