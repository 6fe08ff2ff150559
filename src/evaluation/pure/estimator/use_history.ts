import { DAY_MS } from '../../../values/time.ts';
import { learnIrregularity } from './learning.ts';
import { expectedUse, type LevelEstimate, roundToTenThousandth } from './level_filter.ts';

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
  /** Mean absolute errors of the logarithm of the use: a mean square would be that of the few days when use begins or ends. */
  fastError: number;
  slowError: number;
  /** When the running day began, the points used since, and the rate then. */
  dayMs: number;
  dayUsed: number;
  dayRate: number;
}

const MOST_DAYS = 60;
/** A comparison takes the time for so many points, but no less than two days and no more than ten. */
const COMPARED_POINTS = 20;
const LEAST_DAYS = 2;
const LONGEST_DAYS = 10;
/** Measured tanks: one fortnight differs from the next by 18 to 23 % in the median, about 0.3 in deviation. */
const FIRST_ERROR = 0.28;
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
  dayMs: atMs,
  dayUsed: 0,
  dayRate: 0,
});

/** Begins new comparisons after a gap of months. Nobody knows what was used in it. */
export const restartHistory = (history: UseHistory, level: LevelEstimate, atMs: number): UseHistory => ({
  ...history,
  sinceMs: atMs,
  used: 0,
  fast: roundToTenThousandth(level.rate),
  slow: roundToTenThousandth(level.slowRate),
  dayMs: atMs,
  dayUsed: 0,
  dayRate: roundToTenThousandth(level.rate),
});

/**
 * `used` are the points by which the level fell since the reading before, deliveries and leaks apart. At the end of a day,
 * the estimate learns how irregular the days are.
 */
export function updateHistory(
  history: UseHistory,
  level: LevelEstimate,
  used: number,
  fromMs: number,
  atMs: number,
): { history: UseHistory; level: LevelEstimate } {
  const { dayMs, dayUsed, dayRate, irregularity } = nextDay(history, level, used, atMs);
  const nextLevel = irregularity === level.irregularity ? level : { ...level, irregularity };
  const days = roundToTenThousandth(Math.min(MOST_DAYS, history.days + (atMs - fromMs) / DAY_MS));
  const total = roundToTenThousandth(history.used + used);
  const elapsed = (atMs - history.sinceMs) / DAY_MS;
  const period = Math.min(LONGEST_DAYS, Math.max(LEAST_DAYS, COMPARED_POINTS / Math.max(level.slowRate, 0.1)));
  const { sinceMs, fast, slow, fastError, slowError } = history;
  if (elapsed < period) {
    const next = { days, sinceMs, used: total, fast, slow, fastError, slowError, dayMs, dayUsed, dayRate };
    return { history: next, level: nextLevel };
  }
  // The first comparison begins when the rate is no longer the one assumed for every tank.
  const isCompared = fast + slow > 0 || history.days > LEAST_DAYS + period;
  const error = (mean: number): number =>
    Math.min(
      MOST_LOG_ERROR,
      Math.abs(Math.log((Math.max(0, total / elapsed) + NEGLIGIBLE_USE) / (mean + NEGLIGIBLE_USE))),
    );
  const learn = (before: number, mean: number): number =>
    isCompared ? roundToTenThousandth(before + ERROR_GAIN * (error(mean) - before)) : before;
  const next = {
    days,
    sinceMs: atMs,
    used: 0,
    fast: roundToTenThousandth(level.rate),
    slow: roundToTenThousandth(level.slowRate),
    fastError: learn(fastError, fast),
    slowError: learn(slowError, slow),
    dayMs,
    dayUsed,
    dayRate,
  };
  return { history: next, level: nextLevel };
}

/** A day may be somewhat short, because devices are not punctual. Over more than two, irregular days cancel out. */
const LEAST_DAY = 0.9;
const LONGEST_DAY = 2;

function nextDay(
  { dayMs, dayUsed, dayRate, days }: UseHistory,
  level: LevelEstimate,
  used: number,
  atMs: number,
): Pick<UseHistory, 'dayMs' | 'dayUsed' | 'dayRate'> & Pick<LevelEstimate, 'irregularity'> {
  const total = roundToTenThousandth(dayUsed + used);
  const elapsed = (atMs - dayMs) / DAY_MS;
  if (elapsed < LEAST_DAY) return { dayMs, dayUsed: total, dayRate, irregularity: level.irregularity };
  const isLearning = elapsed <= LONGEST_DAY && days > LEAST_DAYS;
  const surprise = total - expectedUse({ ...level, rate: dayRate }, dayMs, atMs);
  return {
    dayMs: atMs,
    dayUsed: 0,
    dayRate: roundToTenThousandth(level.rate),
    irregularity: isLearning ? learnIrregularity(level, surprise, elapsed) : level.irregularity,
  };
}

/** The better of the two means gets nearly all the weight. */
const WEIGHT_POWER = 8;
/** Of a normal distribution, the standard deviation is 1.25 times the mean absolute error. */
const DEVIATION_PER_ERROR = 1.25;

/** The use to expect for the next days, and the standard deviation of its logarithm. */
export function expectedRate(
  history: UseHistory,
  { rate, slowRate }: LevelEstimate,
): { rate: number; logDeviation: number } {
  const fastWeight = 1 / history.fastError ** WEIGHT_POWER;
  const slowWeight = 1 / history.slowError ** WEIGHT_POWER;
  const share = fastWeight / (fastWeight + slowWeight);
  return {
    rate: share * rate + (1 - share) * slowRate,
    logDeviation: DEVIATION_PER_ERROR * (share * history.fastError + (1 - share) * history.slowError),
  };
}
