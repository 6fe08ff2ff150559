import { clamp } from '../../../values/statistics.ts';
import { DAY_MS } from '../../../values/time.ts';

/**
 * What is known about a tank without a sensor: a Kalman filter over its level and the logarithm of its use relative to the
 * region. It learns from dips and delivery notes. The use of the region comes from tanks with sensors.
 */
export interface DipEstimate {
  atMs: number;
  /** Percent. */
  level: number;
  /** log(use of this tank / use of the region). */
  logScale: number;
  /** Variances of the level and of the scale, and their covariance. */
  levelVariance: number;
  covariance: number;
  scaleVariance: number;
  /** How much more irregular its days are than those of most tanks: 1 until dips say otherwise. */
  irregularity: number;
}

/** The use of the region in points a day, by the number of the day since 1970. */
export type RegionalUse = (day: number) => number;

/** How tanks of the same use and place differ from the region: mean and deviation of the logarithm of their scale. */
export interface ScalePrior {
  log: number;
  deviation: number;
}

/** A dip is read by eye on a dial that is itself a few points off. */
export const DIP_DEVIATION = 3.5;
/** A driver who fills "to 80 %" stops within so many points. */
export const FILLED_TO_DEVIATION = 2;
/** The truck's meter, as a share. */
const METER_SHARE = 0.02;
/** Deviation of a day's use, as a share, and for how many days it lasts. */
const DAY_DEVIATION = 0.35;
const DAY_MEMORY = 4;
/** Change of the scale in a day, as a deviation of its logarithm. */
const SCALE_DRIFT = 0.025;
const IRREGULARITY_LEARNING = 0.4;
const LEAST_IRREGULARITY = 0.6;
const MOST_IRREGULARITY = 6;
/** One wrong dip must not ruin the rate. */
const MOST_DEVIATIONS = 3;
const MOST_LOG_STEP = 0.7;
const LEAST_SCALE_VARIANCE = 1e-4;
/** A tank is never filled higher. */
const FULLEST = 90;

/** The first level that somebody saw. */
export const beginWithLevel = (atMs: number, level: number, deviation: number, prior: ScalePrior): DipEstimate => ({
  atMs,
  level,
  logScale: prior.log,
  levelVariance: deviation ** 2,
  covariance: 0,
  scaleVariance: prior.deviation ** 2,
  irregularity: 1,
});

/** The estimate after the use of the days until then. */
export function passDays(estimate: DipEstimate, toMs: number, regionalUse: RegionalUse): DipEstimate {
  let next = estimate;
  while (next.atMs < toMs) {
    const day = Math.floor(next.atMs / DAY_MS);
    const untilMs = Math.min(toMs, (day + 1) * DAY_MS);
    next = { ...useUp(next, (untilMs - next.atMs) / DAY_MS, regionalUse(day)), atMs: untilMs };
  }
  return next;
}

function useUp(at: DipEstimate, days: number, regionalUse: number): DipEstimate {
  // Half of the bias of an exponential: the filter lies between the median and the mean.
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

/** The irregularity of so many days. */
export const dayVariance = ({ irregularity }: DipEstimate, perDay: number, days: number): number =>
  (perDay * DAY_DEVIATION) ** 2 * days * DAY_MEMORY * irregularity;

/** The variance of the scale so many days ahead. */
export const scaleVarianceAfter = ({ scaleVariance }: DipEstimate, days: number): number =>
  scaleVariance + SCALE_DRIFT ** 2 * days;

/** Somebody saw the level: a dip, or what a note proves. */
export function seeLevel(at: DipEstimate, level: number, deviation: number): DipEstimate {
  const variance = at.levelVariance + deviation ** 2;
  const surprise = level - at.level;
  const most = MOST_DEVIATIONS * Math.sqrt(variance);
  const believed = clamp(surprise, -most, most);
  const levelGain = at.levelVariance / variance;
  const scaleGain = at.covariance / variance;
  const learned = Math.exp(IRREGULARITY_LEARNING * (Math.min(5, surprise ** 2 / variance) - 1));
  return {
    atMs: at.atMs,
    level: at.level + levelGain * believed,
    logScale: at.logScale + clamp(scaleGain * believed, -MOST_LOG_STEP, MOST_LOG_STEP),
    levelVariance: (1 - levelGain) * at.levelVariance,
    covariance: (1 - levelGain) * at.covariance,
    scaleVariance: Math.max(LEAST_SCALE_VARIANCE, at.scaleVariance - scaleGain * at.covariance),
    irregularity: clamp(at.irregularity * learned, LEAST_IRREGULARITY, MOST_IRREGULARITY),
  };
}

/**
 * A delivery note. If the driver wrote down to which level he filled, it proves two levels: that one, and the one before,
 * which is lower by what was delivered.
 */
export function takeDelivery(at: DipEstimate, points: number, filledToPercentage: number | null): DipEstimate {
  if (filledToPercentage === null)
    return {
      ...at,
      level: Math.min(FULLEST, at.level + points),
      levelVariance: at.levelVariance + (METER_SHARE * points) ** 2,
    };
  const before = seeLevel(at, filledToPercentage - points, Math.hypot(FILLED_TO_DEVIATION, METER_SHARE * points));
  return { ...before, level: filledToPercentage, levelVariance: FILLED_TO_DEVIATION ** 2, covariance: 0 };
}
