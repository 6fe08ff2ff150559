import { DAY_MS } from '../../../values/time.ts';
import { expectedUse, type LevelEstimate, type LevelReading, roundToMillionth } from './level_filter.ts';

/**
 * Finds losses beyond plausible use with Page's cumulative sum (CUSUM): each reading adds what the tank lost beyond its
 * expected use and a tolerance, and the sum is never negative. It finds the loss of a tenth of the tank between two
 * readings, and also a leak of half a point an hour that no single reading shows.
 */
export interface LeakDetector {
  /** The level, smoothed over a few hours. */
  smooth: number;
  /** Points lost beyond use since `from`. */
  points: number;
  /** The reading before the sum began to grow. */
  from: LevelReading | null;
  /** When the event of the latest loss was raised. */
  raisedAtMs: number | null;
  /** When the latest loss was last detected. */
  seenAtMs: number | null;
}

export interface LeakDetection {
  loss: LeakDetector;
  /** The sum is above half of the limit, so that use is not learned from this reading. */
  isSuspected: boolean;
  /** The sum is above the limit. */
  isExceeded: boolean;
  /** The sum is above the limit, and it was above half of the limit at the previous reading. */
  isProven: boolean;
}

/** Time constant of the smoothing. It removes most of the noise of an hourly gauge and hardly changes four readings a day. */
const SMOOTHING_DAYS = 3 / 24;
/**
 * The tolerated loss beyond the expected use is the largest of three values: 6 points a day, a quarter point an hour (a cold spell, a
 * second boiler); five deviations of the tank's own days; twice the peak rate of the tank. The detector is fastest for a loss of twice the
 * tolerance, which hardly any tank reaches by use: a full tank would be empty in eight days.
 */
const TOLERATED_POINTS_PER_DAY = 6;
const TOLERATED_DEVIATIONS = 5;
const TOLERATED_PEAK_FACTOR = 2;
/** A tank that was idle for weeks may use this multiple of its peak rate. */
const IDLE_PEAK_FACTOR = 1.4;
/** A tank is idle below this rate. It may begin to use as much as the busiest tanks: 15 points a day. */
const IDLE_POINTS_PER_DAY = 0.5;
export const MAX_USE_POINTS_PER_DAY = 15;
/** The rate follows a leak within hours, so at most this much above the mean of the last weeks counts as use. */
const LEARNED_POINTS_PER_DAY = 3;
/**
 * The limit in standard deviations of the smoothed level. With the confirmation by a second reading, there is one false
 * alarm in about ten million readings.
 */
const LIMIT_DEVIATIONS = 5;
/** A smaller loss raises no event, even if the gauge is precise. */
const MIN_LOSS_POINTS = 3;
/** No loss is reported in the first 7 days of readings, because the normal use is not known yet. */
const KNOWN_DAYS = 7;
/**
 * The rate is known if its deviation is below this many points a day, or below this share of it. A known rate limits
 * how far a level may fall after a delivery.
 */
const KNOWN_RATE_DEVIATION = 1.5;
const KNOWN_RATE_SHARE = 0.2;
/** A loss that is detected again within this time is the same loss and raises no second event. */
const SAME_LOSS_MS = 3.5 * DAY_MS;
/**
 * Use is not learned for one day after a loss was last detected, and for at most three days after its event. After
 * that, the loss counts as normal use.
 */
const UNUSUAL_MS = DAY_MS;
const MAX_UNUSUAL_MS = 3 * DAY_MS;

/**
 * Adds a reading to the sum. `fill` is the reading without the daily wave; `before` is the reading that was added last,
 * and `use` the expected use since then.
 */
export function updateLeakDetector(
  loss: LeakDetector,
  level: LevelEstimate,
  fill: number,
  atMs: number,
  before: LevelReading,
  knownDays: number,
  use: number = expectedUse(level, before.atMs, atMs),
): LeakDetection {
  const days = (atMs - before.atMs) / DAY_MS;
  const weight = 1 - Math.exp(-days / SMOOTHING_DAYS);
  const known = knownRate(level);
  const expected = loss.smooth - (known / Math.max(level.rate, 0.01)) * use;
  const step = weight * (fill - expected);
  const tolerated = (plausibleUsePerDay(level) - known) * days;
  const points = Math.max(0, loss.points - step - tolerated);
  const limit = Math.max(MIN_LOSS_POINTS, LIMIT_DEVIATIONS * level.noise * Math.sqrt(weight / (2 - weight)));
  const isKnown = knownDays >= KNOWN_DAYS;
  return {
    loss: {
      smooth: roundToMillionth(expected + step),
      points: roundToMillionth(points),
      from: points === 0 ? null : (loss.from ?? before),
      raisedAtMs: loss.raisedAtMs,
      seenAtMs: loss.seenAtMs,
    },
    isSuspected: isKnown && points > limit / 2 && atMs - (loss.from ?? before).atMs < MAX_UNUSUAL_MS,
    isExceeded: isKnown && points > limit,
    isProven: isKnown && points > limit && loss.points > limit / 2,
  };
}

export const isRateKnown = ({ rr, rate }: LevelEstimate): boolean =>
  Math.sqrt(rr) < Math.max(KNOWN_RATE_DEVIATION, KNOWN_RATE_SHARE * rate);

/** The rate, limited to what the last weeks confirm. */
const knownRate = ({ rate, slowRate }: LevelEstimate): number => Math.min(rate, slowRate + LEARNED_POINTS_PER_DAY);

/** Returns true if the tank was hardly used in the last weeks. */
export const isIdle = ({ slowRate }: LevelEstimate): boolean => slowRate < IDLE_POINTS_PER_DAY;

/** The largest use that is plausible without a leak. */
export function plausibleUsePerDay(level: LevelEstimate): number {
  if (isIdle(level)) return Math.max(MAX_USE_POINTS_PER_DAY, IDLE_PEAK_FACTOR * level.peakRate);
  const known = knownRate(level);
  const share = TOLERATED_DEVIATIONS * level.irregularity;
  const ofIrregularDays = known + share * Math.max(known, level.slowRate);
  return Math.max(known + TOLERATED_POINTS_PER_DAY, ofIrregularDays, TOLERATED_PEAK_FACTOR * level.peakRate);
}

/** Restarts at another level, for example after a refill. The change of the level is not a loss. */
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
  atMs - loss.raisedAtMs < MAX_UNUSUAL_MS;
