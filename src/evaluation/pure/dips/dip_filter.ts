import { clamp } from '../../../values/statistics.ts';
import { DAY_MS } from '../../../values/time.ts';

/**
 * The estimate of a tank without a sensor: a Kalman filter over its level and the logarithm of its use relative to the
 * region. It learns from dips and delivery notes. The use of the region comes from tanks with sensors.
 */
export interface DipEstimate {
  atMs: number;
  /** The fill level in percent. */
  level: number;
  /** log(use of this tank / use of the region). */
  logScale: number;
  /** Variances of the level and of the scale, and their covariance. */
  levelVariance: number;
  covariance: number;
  scaleVariance: number;
  /** How irregular its days are relative to most tanks: 1 until dips show another value. */
  irregularity: number;
}

/** The use of the region in points a day, by the number of the day since 1970. */
export type RegionalUse = (day: number) => number;

/** How tanks of the same use case and place differ from the region: mean and deviation of the logarithm of their scale. */
export interface ScalePrior {
  log: number;
  deviation: number;
}

/** The standard deviation of a dip: it is read by eye, on a dial that is itself a few points off. */
export const DIP_DEVIATION_POINTS = 3.5;
/** The standard deviation of the level when a driver fills "to 80 %". */
export const FILLED_TO_DEVIATION_POINTS = 2;
/** The standard deviation of the truck's meter, as a share of the delivery. */
const METER_SHARE = 0.02;
/** The standard deviation of a day's use as a share, and the number of days that such a deviation lasts. */
const DAY_DEVIATION_SHARE = 0.35;
const DAY_MEMORY_DAYS = 4;
/** The daily change of the scale, as a standard deviation of its logarithm. */
const SCALE_DRIFT = 0.025;
const IRREGULARITY_LEARNING = 0.4;
const MIN_IRREGULARITY = 0.6;
const MAX_IRREGULARITY = 6;
/** Limits of one update, so that a wrong dip does not spoil the rate. */
const MAX_SURPRISE_DEVIATIONS = 3;
const MAX_LOG_SCALE_STEP = 0.7;
const MIN_SCALE_VARIANCE = 1e-4;
/** Tanks are not filled above this level. */
const MAX_LEVEL_PERCENT = 90;

/** The estimate after the first observed level. */
export const beginWithLevel = (atMs: number, level: number, deviation: number, prior: ScalePrior): DipEstimate => ({
  atMs,
  level,
  logScale: prior.log,
  levelVariance: deviation ** 2,
  covariance: 0,
  scaleVariance: prior.deviation ** 2,
  irregularity: 1,
});

/** Advances the estimate to a time by the use of the days until then. */
export function advanceDays(estimate: DipEstimate, toMs: number, regionalUse: RegionalUse): DipEstimate {
  let next = estimate;
  while (next.atMs < toMs) {
    const day = Math.floor(next.atMs / DAY_MS);
    const untilMs = Math.min(toMs, (day + 1) * DAY_MS);
    next = { ...useUp(next, (untilMs - next.atMs) / DAY_MS, regionalUse(day)), atMs: untilMs };
  }
  return next;
}

function useUp(at: DipEstimate, days: number, regionalUse: number): DipEstimate {
  // A quarter of the bias of the log-normal mean, so that the use lies between the median and the mean.
  const perDay = Math.exp(at.logScale + at.scaleVariance / 8) * regionalUse;
  const use = perDay * days;
  return {
    ...at,
    level: Math.max(0, at.level - use),
    levelVariance:
      at.levelVariance - 2 * use * at.covariance + use ** 2 * at.scaleVariance + dayVariance(at, perDay, days),
    covariance: at.covariance - use * at.scaleVariance,
    scaleVariance: at.scaleVariance + SCALE_DRIFT ** 2 * days,
  };
}

export const dayVariance = ({ irregularity }: DipEstimate, perDay: number, days: number): number =>
  (perDay * DAY_DEVIATION_SHARE) ** 2 * days * DAY_MEMORY_DAYS * irregularity;

export const scaleVarianceAfter = ({ scaleVariance }: DipEstimate, days: number): number =>
  scaleVariance + SCALE_DRIFT ** 2 * days;

/** Updates the estimate with an observed level: a dip, or the level that a delivery note states. */
export function updateWithLevel(at: DipEstimate, level: number, deviation: number): DipEstimate {
  const variance = at.levelVariance + deviation ** 2;
  const surprise = level - at.level;
  const maxSurprise = MAX_SURPRISE_DEVIATIONS * Math.sqrt(variance);
  const clamped = clamp(surprise, -maxSurprise, maxSurprise);
  const levelGain = at.levelVariance / variance;
  const scaleGain = at.covariance / variance;
  const learned = Math.exp(IRREGULARITY_LEARNING * (Math.min(5, surprise ** 2 / variance) - 1));
  return {
    atMs: at.atMs,
    level: at.level + levelGain * clamped,
    logScale: at.logScale + clamp(scaleGain * clamped, -MAX_LOG_SCALE_STEP, MAX_LOG_SCALE_STEP),
    levelVariance: (1 - levelGain) * at.levelVariance,
    covariance: (1 - levelGain) * at.covariance,
    scaleVariance: Math.max(MIN_SCALE_VARIANCE, at.scaleVariance - scaleGain * at.covariance),
    irregularity: clamp(at.irregularity * learned, MIN_IRREGULARITY, MAX_IRREGULARITY),
  };
}

/**
 * Updates the estimate with a delivery note. If the driver wrote down the level after filling, the note gives two
 * levels: that one, and the level before, which is lower by the delivered amount.
 */
export function updateWithDelivery(at: DipEstimate, points: number, filledToPercentage: number | null): DipEstimate {
  if (filledToPercentage === null)
    return {
      ...at,
      level: Math.min(MAX_LEVEL_PERCENT, at.level + points),
      levelVariance: at.levelVariance + (METER_SHARE * points) ** 2,
    };
  const before = updateWithLevel(
    at,
    filledToPercentage - points,
    Math.hypot(FILLED_TO_DEVIATION_POINTS, METER_SHARE * points),
  );
  return { ...before, level: filledToPercentage, levelVariance: FILLED_TO_DEVIATION_POINTS ** 2, covariance: 0 };
}
