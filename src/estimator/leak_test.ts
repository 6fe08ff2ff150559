import { DAY_MS } from '../values/time.ts';
import { expectedUse, type LevelEstimate, type LevelReading, roundToMillionth } from './level_filter.ts';

/**
 * LeakTest beyond any plausible use, found by a cumulative sum (Page's test): each reading adds what the tank lost beyond its usual
 * use and a tolerance, and never goes below nothing. It finds a tenth of the tank gone between two readings as well as a
 * leak of half a point an hour that no single reading shows.
 */
export interface LeakTest {
  /** The level, smoothed over a few hours. */
  smooth: number;
  /** Points lost beyond use since `from`. */
  points: number;
  /** The reading before the sum began to grow. */
  from: LevelReading | null;
  /** When the event of the loss that goes on, or went on last, was raised, and when it was seen last. */
  raisedAtMs: number | null;
  seenAtMs: number | null;
}

export interface LeakTestResult {
  loss: LeakTest;
  /** Half the limit is passed: what the tank loses now is no measure of its use. */
  isSuspected: boolean;
  /** The limit is passed, and the reading before had passed half of it. */
  isProven: boolean;
}

/** Readings of a few hours are taken together, so that an hourly gauge's noise is mostly gone and four a day stay sharp. */
const SMOOTHING_DAYS = 3 / 24;
/**
 * What usual use may be exceeded by, in points a day: a quarter point an hour (a cold snap, a second boiler), or five
 * deviations of the tank's own days, if that is more. The test is quickest for a loss of twice the tolerance, which is
 * where no household and hardly a factory is: a full tank empty in eight days.
 */
const TOLERATED_PER_DAY = 6;
const TOLERATED_DEVIATIONS = 5;
/** Deviations of the smoothed level; with the second reading's confirmation, a false alarm in some ten million readings. */
const LIMIT_DEVIATIONS = 5;
/** Points under which a loss is not worth a word, whatever the gauge's precision. */
const LEAST_LOSS = 3;
/** Before use is known to within this, in points a day or as a share of it, nothing can be said to exceed it. */
const KNOWN_RATE_DEVIATION = 1.5;
const KNOWN_RATE_SHARE = 0.2;
/** A loss seen again within this is the same loss, and raises no second event. */
const SAME_LOSS_MS = 2 * DAY_MS;
/** Nothing is learned of use for a day after each sight of a loss, but for three days at most: then it is the new use. */
const UNUSUAL_MS = DAY_MS;
const MOST_UNUSUAL_MS = 3 * DAY_MS;

/** `fill` is the reading without the daily wave; `before` the reading up to which the loss was followed. */
export function updateLeakTest(
  loss: LeakTest,
  level: LevelEstimate,
  fill: number,
  atMs: number,
  before: LevelReading,
): LeakTestResult {
  const days = (atMs - before.atMs) / DAY_MS;
  const weight = 1 - Math.exp(-days / SMOOTHING_DAYS);
  const expected = loss.smooth - expectedUse(level, before.atMs, atMs);
  const step = weight * (fill - expected);
  const rateDeviation = Math.sqrt(level.rr);
  const ofItsDays = TOLERATED_DEVIATIONS * level.irregularity * level.rate;
  const tolerated = (Math.max(TOLERATED_PER_DAY, ofItsDays) + 2 * rateDeviation) * days;
  const points = Math.max(0, loss.points - step - tolerated);
  const limit = Math.max(LEAST_LOSS, LIMIT_DEVIATIONS * level.noise * Math.sqrt(weight / (2 - weight)));
  const isKnown = rateDeviation < Math.max(KNOWN_RATE_DEVIATION, KNOWN_RATE_SHARE * level.rate);
  return {
    loss: {
      smooth: roundToMillionth(expected + step),
      points: roundToMillionth(points),
      from: points === 0 ? null : (loss.from ?? { atMs: before.atMs, fillPercentage: before.fillPercentage }),
      raisedAtMs: loss.raisedAtMs,
      seenAtMs: loss.seenAtMs,
    },
    isSuspected: isKnown && points > limit / 2,
    isProven: isKnown && points > limit && loss.points > limit / 2,
  };
}

/** The level is another one from here on, and that is no loss. */
export const restartLeakTest = (loss: LeakTest, level: number): LeakTest => ({
  ...loss,
  smooth: level,
  points: 0,
  from: null,
});

export const isSameLeak = (loss: LeakTest, atMs: number): boolean =>
  loss.seenAtMs !== null && atMs - loss.seenAtMs < SAME_LOSS_MS;

export const isLeakRecent = (loss: LeakTest, atMs: number): boolean =>
  loss.seenAtMs !== null &&
  loss.raisedAtMs !== null &&
  atMs - loss.seenAtMs < UNUSUAL_MS &&
  atMs - loss.raisedAtMs < MOST_UNUSUAL_MS;
