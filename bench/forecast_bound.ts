import { median } from './report.ts';

/** One forecast that was asked for, with what a forecaster could have known of the tank's true use. */
export interface ForecastQuestion {
  /** True use of each day before, the latest last, each divided by its weekday's factor. */
  past: readonly number[];
  /** Mean factor of the weekdays to come. */
  weekday: number;
  /** Points truly used until the crossing, and the days it took. */
  points: number;
  days: number;
}

const TIME_CONSTANTS_DAYS = [1, 2, 3, 5, 7, 10, 14, 20, 30, 60];
const SHARES = [0, 0.15, 0.3, 0.5, 0.7, 0.85, 1];
/** Without any use so far, nobody can say when it begins; a forecaster is off by everything. */
const LEAST_USE = 0.02;

/**
 * The smallest median error of a forecaster without weather: it knows the true use of every day before without any noise
 * and the factors of the weekdays, and mixes a fast and a slow mean with the weights that turn out best on these very
 * questions.
 */
export function bestMedianError(questions: readonly ForecastQuestion[]): number {
  let best = Number.POSITIVE_INFINITY;
  const means = TIME_CONSTANTS_DAYS.map((days) => questions.map(({ past }) => fadingMean(past, days)));
  means.forEach((fast, n) => {
    for (const slow of means.slice(n + 1)) {
      for (const share of SHARES) {
        const errors = questions.map(({ points, days, weekday }, at) => {
          const use = (share * (fast[at] ?? 0) + (1 - share) * (slow[at] ?? 0)) * weekday;
          return Math.abs(points / Math.max(LEAST_USE, use) - days) / days;
        });
        best = Math.min(best, median(errors));
      }
    }
  });
  return best;
}

function fadingMean(past: readonly number[], timeConstantDays: number): number {
  const keep = Math.exp(-1 / timeConstantDays);
  let sum = 0;
  let weight = 0;
  for (const use of past) {
    sum = sum * keep + use;
    weight = weight * keep + 1;
  }
  return sum / weight;
}
