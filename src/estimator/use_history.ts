import { DAY_MS } from '../values/time.ts';
import { type LevelEstimate, roundToTenThousandth } from './level_filter.ts';

/**
 * How well the use of this tank can be forecast. Every few days the use that was measured is compared with what the fast
 * and the slow mean had said before; their errors give the weights of the two means, and the width of the interval.
 */
export interface UseHistory {
  /** Days of believed readings, up to 60. */
  days: number;
  /** When the running comparison began, and the points used since. */
  sinceMs: number;
  used: number;
  /** What the two means said then, in points a day. */
  fast: number;
  slow: number;
  /** Mean squared errors of the logarithm of the use. */
  fastError: number;
  slowError: number;
}

const MOST_DAYS = 60;
/** A comparison takes the time for so many points, but no less than two days and no more than ten. */
const COMPARED_POINTS = 20;
const LEAST_DAYS = 2;
const LONGEST_DAYS = 10;
/** Measured tanks: one fortnight differs from the next by 18 to 23 % in the median, about 0.3 in deviation. */
const FIRST_ERROR = 0.12;
const ERROR_GAIN = 0.15;
/** No single comparison counts as more than a factor of two and a half. */
const MOST_LOG_ERROR = 0.9;
/** Use below this, in points a day, is lost in the noise: there a factor means nothing. */
const NEGLIGIBLE_USE = 0.15;

export const initialHistory = (atMs: number): UseHistory => ({
  days: 0,
  sinceMs: atMs,
  used: 0,
  fast: 0,
  slow: 0,
  fastError: FIRST_ERROR,
  slowError: FIRST_ERROR,
});

/** `used` are the points by which the level fell since the reading before, deliveries and leaks apart. */
export function updateHistory(
  history: UseHistory,
  level: LevelEstimate,
  used: number,
  fromMs: number,
  atMs: number,
): UseHistory {
  const days = Math.min(MOST_DAYS, history.days + (atMs - fromMs) / DAY_MS);
  const total = history.used + used;
  const elapsed = (atMs - history.sinceMs) / DAY_MS;
  const period = Math.min(LONGEST_DAYS, Math.max(LEAST_DAYS, COMPARED_POINTS / Math.max(level.slowRate, 0.1)));
  if (elapsed < period) {
    return { ...history, days: roundToTenThousandth(days), used: roundToTenThousandth(total) };
  }
  // The first comparison begins when the rate is no longer the one assumed for every tank.
  const isCompared = history.fast + history.slow > 0 || history.days > LEAST_DAYS + period;
  const error = (mean: number): number =>
    Math.min(
      MOST_LOG_ERROR,
      Math.abs(Math.log((Math.max(0, total / elapsed) + NEGLIGIBLE_USE) / (mean + NEGLIGIBLE_USE))),
    );
  const learn = (before: number, mean: number): number =>
    isCompared ? roundToTenThousandth(before + ERROR_GAIN * (error(mean) ** 2 - before)) : before;
  return {
    days: roundToTenThousandth(days),
    sinceMs: atMs,
    used: 0,
    fast: roundToTenThousandth(level.rate),
    slow: roundToTenThousandth(level.slowRate),
    fastError: learn(history.fastError, history.fast),
    slowError: learn(history.slowError, history.slow),
  };
}

/** The use to expect for the next days, and the standard deviation of its logarithm. */
export function expectedRate(
  history: UseHistory,
  { rate, slowRate }: LevelEstimate,
): { rate: number; logDeviation: number } {
  const fastWeight = 1 / history.fastError ** 8;
  const slowWeight = 1 / history.slowError ** 8;
  const share = fastWeight / (fastWeight + slowWeight);
  return {
    rate: share * rate + (1 - share) * slowRate,
    logDeviation: Math.sqrt(share * history.fastError + (1 - share) * history.slowError),
  };
}
