import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { askWinters } from '../../bench/deliveries/dip_fleets.ts';
import { coverageOf } from '../../bench/deliveries/dip_scores.ts';
import {
  advanceDays,
  beginWithLevel,
  DIP_DEVIATION_POINTS,
  type DipEstimate,
  updateWithDelivery,
  updateWithLevel,
} from '../../src/evaluation/pure/dips/dip_filter.ts';
import {
  chanceOfDippedEmpty,
  daysToLevel,
  isDipWanted,
  levelRange,
} from '../../src/evaluation/pure/dips/dip_forecast.ts';
import { expectedRegionalUse, regionalRate, scalePrior } from '../../src/evaluation/pure/dips/regional_use.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { randomRuns } from '../support/random_runs.ts';

const PRIOR = { log: 0, deviation: 0.4 };
const begin = (level = 80): DipEstimate => beginWithLevel(0, level, DIP_DEVIATION_POINTS, PRIOR);
const days = (count: number): number => count * DAY_MS;

describe('the estimate of a tank without a sensor', () => {
  test('falls by the use of the region, and becomes less certain', () => {
    const after = advanceDays(begin(), days(20), () => 1.5);
    expect(after.level).toBeGreaterThan(46);
    expect(after.level).toBeLessThan(50.5);
    expect(after.levelVariance).toBeGreaterThan(4 * begin().levelVariance);
  });

  test('learns from a dip how much the tank uses relative to its region', () => {
    const dipped = updateWithLevel(
      advanceDays(begin(), days(20), () => 1.5),
      30,
      DIP_DEVIATION_POINTS,
    );
    expect(dipped.level).toBeLessThan(36);
    expect(dipped.logScale).toBeGreaterThan(0.25);
    expect(dipped.levelVariance).toBeLessThan(DIP_DEVIATION_POINTS ** 2);
  });

  test('takes the level from a note that names it, and becomes less certain with a note of only a volume', () => {
    const before = advanceDays(begin(), days(20), () => 1.5);
    const filled = updateWithDelivery(before, 55, 80);
    expect(filled.level).toBe(80);
    expect(filled.logScale).toBeGreaterThan(before.logScale + 0.2);
    const withoutLevel = updateWithDelivery(before, 30, null);
    expect(withoutLevel.level).toBeCloseTo(before.level + 30, 6);
    expect(withoutLevel.levelVariance).toBeGreaterThan(before.levelVariance);
  });

  test('changes the scale of the use by at most a factor of two after one absurd dip', () => {
    const before = advanceDays(begin(), days(10), () => 1.5);
    const dipped = updateWithLevel(before, 0, DIP_DEVIATION_POINTS);
    expect(Math.abs(dipped.logScale - before.logScale)).toBeLessThanOrEqual(0.7);
  });

  test('wants a dip after 30 days, and not on the day after a dip', () => {
    expect(isDipWanted(advanceDays(begin(), days(1), () => 1.5))).toBe(false);
    expect(isDipWanted(advanceDays(begin(), days(30), () => 1.5))).toBe(true);
  });

  test('has a range around the level that does not go below empty', () => {
    const { low, level, high } = levelRange(begin());
    expect([low, level, high]).toEqual([expect.closeTo(75.5, 1), 80, expect.closeTo(84.5, 1)]);
    expect(levelRange({ ...begin(3), levelVariance: 100 }).low).toBe(0);
  });

  test('is empty on the day on which the expected use has consumed the level, with an earliest and a latest day', () => {
    const { likely, earliest, latest } = daysToLevel(begin(60), 0, () => 2);
    expect(likely).toBeCloseTo(30, 6);
    expect(earliest).toBeLessThan(24);
    expect(earliest).toBeGreaterThan(10);
    expect(latest).toBeGreaterThan(38);
    expect(daysToLevel(begin(0), 0, () => 2)).toMatchObject({ likely: 0, earliest: 0 });
    expect(daysToLevel(begin(60), 0, () => 0)).toEqual({ likely: null, earliest: null, latest: null });
  });

  test('is the same in one step and in two, and has positive variances and possible chances, for any history', () => {
    const step = fc.record({
      hours: fc.integer({ min: 1, max: 2_000 }),
      rate: fc.double({ min: 0, max: 12, noNaN: true }),
      level: fc.integer({ min: 0, max: 100 }),
      kind: fc.constantFrom('dip', 'delivery', 'filled'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let estimate = begin();
        for (const { hours, rate, level, kind } of steps) {
          const toMs = estimate.atMs + hours * (DAY_MS / 24);
          const midnightMs = Math.min(toMs, (Math.floor(estimate.atMs / DAY_MS) + 1) * DAY_MS);
          const whole = advanceDays(estimate, toMs, () => rate);
          expect(
            advanceDays(
              advanceDays(estimate, midnightMs, () => rate),
              toMs,
              () => rate,
            ),
          ).toEqual(whole);
          if (kind === 'dip') estimate = updateWithLevel(whole, level, DIP_DEVIATION_POINTS);
          else estimate = updateWithDelivery(whole, Math.min(level, 80), kind === 'filled' ? 80 : null);
          expect(estimate.levelVariance).toBeGreaterThan(0);
          expect(estimate.scaleVariance).toBeGreaterThan(0);
          const [soon, late] = [2, 20].map((ahead) => chanceOfDippedEmpty(estimate, ahead, () => rate));
          expect(soon).toBeGreaterThanOrEqual(0);
          expect(late).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: randomRuns(300) },
    );
  });
});

test('the day on which a tank is truly empty is inside the range in 75 to 92 % of the cases, for heating and cooking', () => {
  const [isQuick, hasDips] = [true, true];
  const questionsByUse = askWinters(isQuick, hasDips);
  for (const use of ['heating', 'cooking']) {
    const { questions, inside } = coverageOf(questionsByUse.get(use) ?? []);
    expect(questions).toBeGreaterThan(100);
    expect(inside).toBeGreaterThan(0.75);
    expect(inside).toBeLessThan(0.92);
  }
});

describe('the use of a region', () => {
  test('is the mean rate of its sensors, each with at most 12 points a day', () => {
    expect(regionalRate([1, 2, 60])).toBe(5);
    expect(regionalRate([])).toBeNull();
  });

  test('gives a new tank the mean scale and the spread of the other tanks', () => {
    const prior = scalePrior([1, 2, 4], 2);
    expect(prior.log).toBeCloseTo(0, 6);
    expect(prior.deviation).toBeCloseTo(Math.log(2) * Math.sqrt(2 / 3), 6);
    expect(scalePrior([2, 2], 2).deviation).toBe(0.3);
  });

  test('is forecast from the last week and the change of last year from this week on, at most by a factor of three', () => {
    const expected = expectedRegionalUse(2, (ahead) => 1 + ahead / 10, 1);
    expect(expected(0)).toBe(2);
    expect(expected(10)).toBe(4);
    expect(expected(100)).toBe(6);
    expect(expectedRegionalUse(2, null, 1)(50)).toBe(2);
  });
});
