import { type LevelEstimate, roundToMillionth } from './level_filter.ts';
import type { WeatherView } from './place_weather.ts';
import { MEMORY_DAYS, type Means, meansOf, trendedMeans, type UseHistory, weightedByError } from './use_history.ts';

/** The points that a tank had used by a time, and the means of its use at that time. */
export interface CumulativeUse {
  atMs: number;
  total: number;
  means: Means;
  trended: Means;
}

/** How tanks of the same place and use case follow the weather, or what is assumed for every tank. */
export interface SharePrior {
  /** The probability that the weather explains any of the use. */
  chance: number;
  share: number;
}

export const INITIAL_PRIOR: SharePrior = { chance: 0.5, share: 0.9 };

/** A smaller share counts as 0: the forecast is then exactly the one without weather. */
const MIN_SHARE = 0.15;
/** Above 1, the base use is negative: the tank uses nothing on mild days. */
const MAX_SHARE = 1.1;
/** Added to degrees before a division, so that degrees near zero do not give a huge share. */
export const MIN_DEGREES = 2;
/** The weight of the prior as a sum of squares: as much as two or three weeks of data. */
const PRIOR_SQUARE = 1;
const INITIAL_RESIDUAL = 0.25;
const INITIAL_RESIDUAL_COUNT = 10;
const MIN_RESIDUAL_COUNT = 5;
const MIN_RESIDUAL = 0.02;
/** Consecutive days are correlated, so n days count as n/2 independent days. */
const AUTOCORRELATION_FACTOR = 2;
const MAX_EVIDENCE = 30;

export function cumulativeUseOf(history: UseHistory, level: LevelEstimate, atMs: number): CumulativeUse {
  const [fast, week, fortnight, slow] = trendedMeans(history, level);
  return {
    atMs,
    total: history.total,
    means: meansOf(history, level),
    trended: [fast, roundToMillionth(week), fortnight, slow],
  };
}

/** What was learned from the days of a tank. */
export interface Evidence {
  /**
   * Fading sums over the days: the product of the relative deviations of the use and of the degrees, and the square of
   * the relative deviation of the degrees.
   */
  product: number;
  square: number;
  /** The squares of the use that the weather does not explain, and their number. */
  residual: number;
  count: number;
}

/**
 * The probability that the weather explains any of the use, and the share of the use that follows the weather in that
 * case.
 */
export function posteriorOf({ product, square, residual, count }: Evidence, prior: SharePrior): SharePrior {
  const share = (product + PRIOR_SQUARE * prior.share) / (square + PRIOR_SQUARE);
  const variance =
    count > MIN_RESIDUAL_COUNT
      ? (residual + INITIAL_RESIDUAL_COUNT * INITIAL_RESIDUAL) / (count + INITIAL_RESIDUAL_COUNT)
      : INITIAL_RESIDUAL;
  const noise = AUTOCORRELATION_FACTOR * Math.max(MIN_RESIDUAL, variance);
  // How much better the deviations are explained with the share than without it (Bayes factor).
  const evidence =
    0.5 * Math.log(PRIOR_SQUARE / (square + PRIOR_SQUARE)) +
    ((square + PRIOR_SQUARE) * share ** 2 - PRIOR_SQUARE * prior.share ** 2) / (2 * noise);
  const chance = 1 / (1 + (1 / prior.chance - 1) * Math.exp(-Math.min(MAX_EVIDENCE, evidence)));
  return { chance, share: Math.min(MAX_SHARE, Math.max(0, share)) };
}

/** The share of the use that follows the weather; 0 if the weather explains no use. */
export function shareOf(evidence: Evidence, prior: SharePrior): number {
  const { chance, share } = posteriorOf(evidence, prior);
  return chance * share < MIN_SHARE ? 0 : chance * share;
}

/** Base and slope of use against degrees for each of the four means; null if the weather of that time is unknown. */
export function fitUseByDegrees(
  { means, trended, atMs }: CumulativeUse,
  share: number,
  view: WeatherView,
): { bases: Means; slopes: Means } | null {
  const day = view.dayOf(atMs);
  const lineOf = (n: 0 | 1 | 2 | 3): { base: number; slope: number } | null => {
    const reference = view.reference(MEMORY_DAYS[n], day);
    if (reference === null) return null;
    const rate = means[n];
    // Growth that the weather explains is not a trend.
    const kept = rate <= 0 ? 0 : rate * (trended[n] / rate) ** (1 - Math.min(1, share));
    const slope = (share * kept) / (reference + MIN_DEGREES);
    return { base: kept - slope * reference, slope };
  };
  const [a, b, c, d] = [lineOf(0), lineOf(1), lineOf(2), lineOf(3)];
  if (a === null || b === null || c === null || d === null) return null;
  return { bases: [a.base, b.base, c.base, d.base], slopes: [a.slope, b.slope, c.slope, d.slope] };
}

/** Base and slope for the next days, in points a day and points a degree day. */
export function baseAndSlope(
  cumulative: CumulativeUse,
  share: number,
  errors: Means,
  view: WeatherView,
): { base: number; slope: number } | null {
  const lines = fitUseByDegrees(cumulative, share, view);
  return lines && { base: weightedByError(errors, lines.bases), slope: weightedByError(errors, lines.slopes) };
}
