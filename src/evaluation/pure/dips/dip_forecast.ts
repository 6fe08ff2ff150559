import { shareBelow } from '../../../values/normal_distribution.ts';
import { type DaysRange, MAX_FORECAST_DAYS } from '../estimator/forecast.ts';
import { type DipEstimate, dayVariance, scaleVarianceAfter } from './dip_filter.ts';

/** The expected use of the region in points a day, so many days from now. */
export type ExpectedUse = (daysAhead: number) => number;

/** Earliest and latest are the 10 % and 90 % points. */
const RANGE_DEVIATIONS = 1.2816;
/** The use of the region in the days ahead is not known: deviation of its logarithm, less for a longer time. */
const REGION_DEVIATION = 0.22;
const REGION_DAYS = 10;
/** A season differs from that of last year. */
const SEASON_DEVIATION = 0.1;
const SEASON_DAYS = 30;
const LEAST_VARIANCE = 0.25;
const MOST_DAYS = 120;
/** An 80 % range of the level that is wider than 20 points plans badly: somebody should look. */
const WIDE_DEVIATION = 20 / (2 * RANGE_DEVIATIONS);

/** The level with its 80 % range. */
export function levelRange({ level, levelVariance }: DipEstimate): { level: number; low: number; high: number } {
  const range = RANGE_DEVIATIONS * Math.sqrt(levelVariance);
  return { level, low: Math.max(0, level - range), high: Math.min(100, level + range) };
}

/** Whether to ask for a dip. Without dips, the filter plans worse than a K-factor. */
export const isDipWanted = ({ levelVariance }: DipEstimate): boolean => Math.sqrt(levelVariance) > WIDE_DEVIATION;

/** The chance that the tank is empty within so many days. */
export function chanceOfDippedEmpty(at: DipEstimate, days: number, expectedUse: ExpectedUse): number {
  const perDay = Math.exp(at.logScale) * meanUse(expectedUse, days);
  const use = perDay * days;
  const variance =
    at.levelVariance -
    2 * use * at.covariance +
    use ** 2 * (scaleVarianceAfter(at, days) + regionDeviation(days) ** 2) +
    dayVariance(at, perDay, days);
  return shareBelow((use - at.level) / Math.sqrt(Math.max(LEAST_VARIANCE, variance)));
}

function meanUse(expectedUse: ExpectedUse, days: number): number {
  const whole = Math.max(1, Math.round(days));
  let sum = 0;
  for (let day = 0; day < whole; day++) sum += expectedUse(day);
  return sum / whole;
}

/** When the level reaches the target. A rate that is off by a factor and a level that is off by points add up. */
export function daysToLevel(at: DipEstimate, target: number, expectedUse: ExpectedUse): DaysRange {
  const scale = Math.exp(at.logScale);
  const left = at.level - target;
  const now = Math.max(1e-6, scale * expectedUse(0));
  if (left <= 0) return { likely: 0, earliest: 0, latest: (RANGE_DEVIATIONS * Math.sqrt(at.levelVariance)) / now };
  const likely = daysOfUse(left, scale, expectedUse);
  const days = Math.min(likely ?? MOST_DAYS, MOST_DAYS);
  const perDay = left / Math.max(days, 1);
  const points = Math.max(
    LEAST_VARIANCE,
    at.levelVariance - 2 * perDay * days * at.covariance + dayVariance(at, perDay, days),
  );
  const region = regionDeviation(days) + SEASON_DEVIATION * Math.min(1, days / SEASON_DAYS);
  const logRange =
    RANGE_DEVIATIONS * Math.sqrt(scaleVarianceAfter(at, Math.min(days, 30)) + region ** 2 + points / left ** 2);
  return {
    likely,
    earliest: daysOfUse(left, scale * Math.exp(logRange), expectedUse),
    latest: daysOfUse(left, scale * Math.exp(-logRange), expectedUse),
  };
}

const regionDeviation = (days: number): number =>
  REGION_DEVIATION * Math.min(1, Math.sqrt(REGION_DAYS / Math.max(days, REGION_DAYS)) + 0.3);

/** Days until so many points are used; null is more than two years. */
function daysOfUse(points: number, scale: number, expectedUse: ExpectedUse): number | null {
  let left = points;
  for (let day = 0; day < MAX_FORECAST_DAYS; day++) {
    const use = scale * expectedUse(day);
    if (use >= left) return day + left / use;
    left -= use;
  }
  return null;
}
