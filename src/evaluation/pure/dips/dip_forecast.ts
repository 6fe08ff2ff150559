import { shareBelow, Z_SCORE_P90 } from '../../../values/normal_distribution.ts';
import { type DaysRange, MAX_LEVEL_FORECAST_DAYS } from '../estimator/forecast.ts';
import { type DipEstimate, dayVariance, scaleVarianceAfter } from './dip_filter.ts';

/** The expected use of the region in points a day, a number of days from now. */
export type ExpectedUse = (daysAhead: number) => number;

/** The standard deviation of the logarithm of the region's future use. It is smaller for a longer time. */
const REGION_DEVIATION = 0.22;
const REGION_DAYS = 10;
/** How much a season differs from the same season of the last year, as a standard deviation of the logarithm. */
const SEASON_DEVIATION = 0.1;
const SEASON_DAYS = 30;
const MIN_VARIANCE = 0.25;
const MAX_RANGE_DAYS = 120;
/** A dip is needed if the 80 % range of the level is wider than 20 points: it is too wide to plan with. */
const WIDE_DEVIATION = 20 / (2 * Z_SCORE_P90);

/** The level with its 80 % range. */
export function levelRange({ level, levelVariance }: DipEstimate): { level: number; low: number; high: number } {
  const range = Z_SCORE_P90 * Math.sqrt(levelVariance);
  return { level, low: Math.max(0, level - range), high: Math.min(100, level + range) };
}

/** Whether to ask for a dip. Without dips, the filter is worse than planning by K-factor. */
export const isDipWanted = ({ levelVariance }: DipEstimate): boolean => Math.sqrt(levelVariance) > WIDE_DEVIATION;

/** The probability that the tank is empty within a number of days. */
export function chanceOfDippedEmpty(at: DipEstimate, days: number, expectedUse: ExpectedUse): number {
  const perDay = Math.exp(at.logScale) * meanUse(expectedUse, days);
  const use = perDay * days;
  const variance =
    at.levelVariance -
    2 * use * at.covariance +
    use ** 2 * (scaleVarianceAfter(at, days) + regionDeviation(days) ** 2) +
    dayVariance(at, perDay, days);
  return shareBelow((use - at.level) / Math.sqrt(Math.max(MIN_VARIANCE, variance)));
}

function meanUse(expectedUse: ExpectedUse, days: number): number {
  const whole = Math.max(1, Math.round(days));
  let sum = 0;
  for (let day = 0; day < whole; day++) sum += expectedUse(day);
  return sum / whole;
}

/** The days until the level reaches the target. The errors of the rate (a factor) and of the level (points) add up. */
export function daysToLevel(at: DipEstimate, target: number, expectedUse: ExpectedUse): DaysRange {
  const scale = Math.exp(at.logScale);
  const left = at.level - target;
  if (left <= 0) {
    const latest = daysOfUse(Z_SCORE_P90 * Math.sqrt(at.levelVariance), scale, expectedUse);
    return { likely: 0, earliest: 0, latest };
  }
  const likely = daysOfUse(left, scale, expectedUse);
  const days = Math.min(likely ?? MAX_RANGE_DAYS, MAX_RANGE_DAYS);
  const perDay = left / Math.max(days, 1);
  const points = Math.max(
    MIN_VARIANCE,
    at.levelVariance - 2 * perDay * days * at.covariance + dayVariance(at, perDay, days),
  );
  const region = regionDeviation(days) + SEASON_DEVIATION * Math.min(1, days / SEASON_DAYS);
  const logRange =
    Z_SCORE_P90 * Math.sqrt(scaleVarianceAfter(at, Math.min(days, 30)) + region ** 2 + points / left ** 2);
  return {
    likely,
    earliest: daysOfUse(left, scale * Math.exp(logRange), expectedUse),
    latest: daysOfUse(left, scale * Math.exp(-logRange), expectedUse),
  };
}

const regionDeviation = (days: number): number =>
  REGION_DEVIATION * Math.min(1, Math.sqrt(REGION_DAYS / Math.max(days, REGION_DAYS)) + 0.3);

/** The days until a number of points are used; null for more than two years. */
function daysOfUse(points: number, scale: number, expectedUse: ExpectedUse): number | null {
  let left = points;
  for (let day = 0; day < MAX_LEVEL_FORECAST_DAYS; day++) {
    const use = scale * expectedUse(day);
    if (use >= left) return day + left / use;
    left -= use;
  }
  return null;
}
