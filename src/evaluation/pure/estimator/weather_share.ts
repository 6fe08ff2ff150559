import { type LevelEstimate, roundToMillionth } from './level_filter.ts';
import type { WeatherView } from './place_weather.ts';
import { MEMORY_DAYS, type Means, meansOf, trendedMeans, type UseHistory, weightedByError } from './use_history.ts';

/** What a tank had used at a time, and what the means of its use said. */
export interface Odometer {
  atMs: number;
  total: number;
  means: Means;
  trended: Means;
}

/** What tanks of the same place and use have shown, or what is assumed of every tank. */
export interface SharePrior {
  /** Chance that the weather explains anything at all. */
  chance: number;
  share: number;
}

export const FIRST_PRIOR: SharePrior = { chance: 0.5, share: 0.9 };

/** A share below this is none: the forecast is then exactly that without weather. */
const LEAST_SHARE = 0.15;
/** Use of more than all: a tank whose base is negative uses nothing on mild days. */
const MOST_SHARE = 1.1;
/** Degrees near zero must not make a share of anything. */
export const LEAST_DEGREES = 2;
/** The prior counts as much as this sum of squares: two or three weeks. */
const PRIOR_SQUARE = 1;
const FIRST_RESIDUAL = 0.25;
const FIRST_RESIDUAL_COUNT = 10;
const LEAST_RESIDUAL_COUNT = 5;
const LEAST_RESIDUAL = 0.02;
/** Days resemble the day before, so they show half of what they seem to. */
const ALIKE = 2;
const MOST_EVIDENCE = 30;

export function odometerOf(history: UseHistory, level: LevelEstimate, atMs: number): Odometer {
  const [fast, week, fortnight, slow] = trendedMeans(history, level);
  return {
    atMs,
    total: history.total,
    means: meansOf(history, level),
    trended: [fast, roundToMillionth(week), fortnight, slow],
  };
}

/** What the days of a tank have shown. */
export interface Evidence {
  /** Fading sums of relative deviations: of the use and the degrees (product), of the degrees (square). */
  product: number;
  square: number;
  /** Squares of what the weather does not explain, and their number. */
  residual: number;
  count: number;
}

/** The chance that the weather explains anything, and the share of the use that then follows it. */
export function posteriorOf({ product, square, residual, count }: Evidence, prior: SharePrior): SharePrior {
  const share = (product + PRIOR_SQUARE * prior.share) / (square + PRIOR_SQUARE);
  const variance =
    count > LEAST_RESIDUAL_COUNT
      ? (residual + FIRST_RESIDUAL_COUNT * FIRST_RESIDUAL) / (count + FIRST_RESIDUAL_COUNT)
      : FIRST_RESIDUAL;
  const noise = ALIKE * Math.max(LEAST_RESIDUAL, variance);
  // How much better the deviations are explained with the share than without it (Bayes factor).
  const evidence =
    0.5 * Math.log(PRIOR_SQUARE / (square + PRIOR_SQUARE)) +
    ((square + PRIOR_SQUARE) * share ** 2 - PRIOR_SQUARE * prior.share ** 2) / (2 * noise);
  const chance = 1 / (1 + (1 / prior.chance - 1) * Math.exp(-Math.min(MOST_EVIDENCE, evidence)));
  return { chance, share: Math.min(MOST_SHARE, Math.max(0, share)) };
}

/** The share of the use that follows the weather: 0 where the weather explains nothing. */
export function shareOf(evidence: Evidence, prior: SharePrior): number {
  const { chance, share } = posteriorOf(evidence, prior);
  return chance * share < LEAST_SHARE ? 0 : chance * share;
}

/** Base and slope of each mean, from its use and the weather that it has seen; null where that is not known. */
export function linesOf(
  { means, trended, atMs }: Odometer,
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
    const slope = (share * kept) / (reference + LEAST_DEGREES);
    return { base: kept - slope * reference, slope };
  };
  const [a, b, c, d] = [lineOf(0), lineOf(1), lineOf(2), lineOf(3)];
  if (a === null || b === null || c === null || d === null) return null;
  return { bases: [a.base, b.base, c.base, d.base], slopes: [a.slope, b.slope, c.slope, d.slope] };
}

/** Base and slope for the next days, in points a day and points a degree day. */
export function baseAndSlope(
  odometer: Odometer,
  share: number,
  errors: Means,
  view: WeatherView,
): { base: number; slope: number } | null {
  const lines = linesOf(odometer, share, view);
  return lines && { base: weightedByError(errors, lines.bases), slope: weightedByError(errors, lines.slopes) };
}
