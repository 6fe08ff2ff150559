import { DAY_MS } from '../../../values/time.ts';
import { expectedUse, type LevelEstimate, type LevelReading, roundToMillionth } from './level_filter.ts';

/**
 * Finds losses beyond plausible use with Page's cumulative sum (CUSUM): each reading adds what the tank lost beyond its
 * expected use and a tolerance, and the sum is never negative. It finds a tenth of the tank gone between two readings as
 * well as a leak of half a point an hour that no single reading shows.
 */
export interface LeakDetector {
  /** The level, smoothed over a few hours. */
  smooth: number;
  /** Points lost beyond use since `from`. */
  points: number;
  /** The reading before the sum began to grow. */
  from: LevelReading | null;
  /** When the event of the latest loss was raised, and when that loss was last seen. */
  raisedAtMs: number | null;
  seenAtMs: number | null;
}

export interface LeakDetection {
  loss: LeakDetector;
  /** Half the limit is passed: what the tank loses now says nothing about its use. */
  isSuspected: boolean;
  /** The limit is passed. */
  isExceeded: boolean;
  /** The limit is passed, and the reading before had passed half of it. */
  isProven: boolean;
}

/** Smooths the readings of a few hours, which removes most of the noise of an hourly gauge and leaves four a day as they are. */
const SMOOTHING_DAYS = 3 / 24;
/**
 * Tolerated beyond the expected use, in points a day: a quarter point an hour (a cold spell, a second boiler), or five
 * deviations of the tank's own days, or half as much again as the tank used at its busiest. The detector is quickest for a loss
 * of twice the tolerance, which hardly any user reaches: a full tank empty in eight days.
 */
const TOLERATED_PER_DAY = 6;
const TOLERATED_DEVIATIONS = 5;
const TOLERATED_PEAK = 2;
/** A tank that was hardly used for weeks may be used again as much as at its busiest. */
const AGAIN_PEAK = 1.4;
/** A tank that is hardly used may begin to be used, as much as the busiest tanks. */
const IDLE_RATE = 0.5;
export const MOST_USE_PER_DAY = 12;
/** The rate follows a leak within hours. Only this much more than the mean of the last weeks is taken for use. */
const LEARNED_PER_DAY = 3;
/** Deviations of the smoothed level; with the second reading's confirmation, a false alarm in some ten million readings. */
const LIMIT_DEVIATIONS = 5;
/** A smaller loss raises no event, however precise the gauge is. */
const LEAST_LOSS = 3;
/** Before so many days of readings, the use is not known and no loss can exceed it. */
const KNOWN_DAYS = 7;
/** A rate known to within this, in points a day or as a share of it, limits how far a level may fall after a delivery. */
const KNOWN_RATE_DEVIATION = 1.5;
const KNOWN_RATE_SHARE = 0.2;
/** A loss seen again within this is the same loss, and raises no second event. */
const SAME_LOSS_MS = 3.5 * DAY_MS;
/** Nothing is learned about use for a day after a loss was seen, but for three days at most: then it is the new use. */
const UNUSUAL_MS = DAY_MS;
const MOST_UNUSUAL_MS = 3 * DAY_MS;

/** `fill` is the reading without the daily wave; `before` the reading up to which the loss was followed. */
export function updateLeakDetector(
  loss: LeakDetector,
  level: LevelEstimate,
  fill: number,
  atMs: number,
  before: LevelReading,
  knownDays: number,
): LeakDetection {
  const days = (atMs - before.atMs) / DAY_MS;
  const weight = 1 - Math.exp(-days / SMOOTHING_DAYS);
  const known = knownRate(level);
  const expected = loss.smooth - (known / Math.max(level.rate, 0.01)) * expectedUse(level, before.atMs, atMs);
  const step = weight * (fill - expected);
  const tolerated = (plausibleUsePerDay(level) - known) * days;
  const points = Math.max(0, loss.points - step - tolerated);
  const limit = Math.max(LEAST_LOSS, LIMIT_DEVIATIONS * level.noise * Math.sqrt(weight / (2 - weight)));
  const isKnown = knownDays >= KNOWN_DAYS;
  return {
    loss: {
      smooth: roundToMillionth(expected + step),
      points: roundToMillionth(points),
      from: points === 0 ? null : (loss.from ?? { atMs: before.atMs, fillPercentage: before.fillPercentage }),
      raisedAtMs: loss.raisedAtMs,
      seenAtMs: loss.seenAtMs,
    },
    isSuspected: isKnown && points > limit / 2 && atMs - (loss.from ?? before).atMs < MOST_UNUSUAL_MS,
    isExceeded: isKnown && points > limit,
    isProven: isKnown && points > limit && loss.points > limit / 2,
  };
}

export const isRateKnown = ({ rr, rate }: LevelEstimate): boolean =>
  Math.sqrt(rr) < Math.max(KNOWN_RATE_DEVIATION, KNOWN_RATE_SHARE * rate);

/** The rate, as far as the last weeks confirm it. */
const knownRate = ({ rate, slowRate }: LevelEstimate): number => Math.min(rate, slowRate + LEARNED_PER_DAY);

/** Hardly used in the last weeks. */
export const isIdle = ({ slowRate }: LevelEstimate): boolean => slowRate < IDLE_RATE;

/** The most that the tank may use in a day, in points, without a leak. */
export function plausibleUsePerDay(level: LevelEstimate): number {
  if (isIdle(level)) return Math.max(MOST_USE_PER_DAY, AGAIN_PEAK * level.peakRate);
  const known = knownRate(level);
  const share = TOLERATED_DEVIATIONS * level.irregularity;
  const ofItsDays = known + share * Math.max(known, level.slowRate);
  return Math.max(known + TOLERATED_PER_DAY, ofItsDays, TOLERATED_PEAK * level.peakRate);
}

/** Another level from here on, which is not a loss. */
export const restartLeakDetector = (loss: LeakDetector, level: number): LeakDetector => ({
  ...loss,
  smooth: level,
  points: 0,
  from: null,
});

export const isSameLeak = (loss: LeakDetector, atMs: number): boolean =>
  loss.seenAtMs !== null && atMs - loss.seenAtMs < SAME_LOSS_MS;

export const isLeakRecent = (loss: LeakDetector, atMs: number): boolean =>
  loss.seenAtMs !== null &&
  loss.raisedAtMs !== null &&
  atMs - loss.seenAtMs < UNUSUAL_MS &&
  atMs - loss.raisedAtMs < MOST_UNUSUAL_MS;
