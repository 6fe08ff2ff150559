import { DAY_MS } from '../../../values/time.ts';
import { learnIrregularity } from './learning.ts';
import { expectedUse, type LevelEstimate, roundToTenThousandth } from './level_filter.ts';

/**
 * How well the use of this tank can be forecast. Every few days, the measured use is compared with the earlier
 * predictions of four means of the use. Their errors give the weights of the means and the width of the interval. The
 * fast mean remembers about 3 days, the slow one 30. On measured heating, those two alone were worse than a plain mean
 * of 14 days.
 */
export interface UseHistory {
  /** Days of accepted readings, up to 60. */
  days: number;
  /** When the current comparison began, and the points used since then. */
  sinceMs: number;
  used: number;
  /** The predictions of the fast and the slow mean at that time, in points a day. */
  fast: number;
  slow: number;
  /**
   * Mean absolute errors of the logarithm of the use. A mean square would be dominated by the few days when use begins
   * or ends.
   */
  fastError: number;
  slowError: number;
  /**
   * The mean use of about the last week and fortnight, their predictions at that time (the week with its trend), and
   * their errors.
   */
  week: number;
  weekPredicted: number;
  weekError: number;
  fortnight: number;
  fortnightPredicted: number;
  fortnightError: number;
  /** The points used since the first reading. The weather model reads this total once a day. */
  total: number;
  /** When the current day began, the points used since then, and the rate at that time. */
  dayMs: number;
  dayUsed: number;
  dayRate: number;
  /** The use of the day before, in points a day. */
  yesterday: number;
}

const MAX_COUNTED_DAYS = 60;
/** A comparison lasts until the tank has used about 20 points, but at least two and at most ten days. */
const COMPARED_POINTS = 20;
const MIN_COMPARED_DAYS = 2;
const MAX_COMPARED_DAYS = 10;
/**
 * On measured tanks, one fortnight differs from the next by 18 to 23 % in the median, which is a deviation of about
 * 0.3.
 */
const INITIAL_FAST_ERROR = 0.28;
const INITIAL_WEEK_ERROR = 0.26;
const INITIAL_FORTNIGHT_ERROR = 0.29;
const INITIAL_SLOW_ERROR = 0.31;
const ERROR_GAIN = 0.08;
/** Time constants of the two means between the fast and the slow mean. */
const WEEK_DAYS = 6;
const FORTNIGHT_DAYS = 12;
/**
 * The share of the weekly growth over the slow mean (as a logarithm) that is assumed to continue. It rises from 0 to
 * this value during the first 20 days.
 */
const TREND_SHARE = 0.4;
const TREND_KNOWN_DAYS = 20;
const MAX_GROWTH_FACTOR = 2.5;
/** The initial rate of the level filter. */
const INITIAL_USE_POINTS_PER_DAY = 1;
/** The logarithm of about 2.5: one comparison counts as at most this error. */
const MAX_LOG_ERROR = 0.9;
/** Use below this rate is smaller than the noise. It is added to both sides of a ratio. */
export const NEGLIGIBLE_POINTS_PER_DAY = 0.15;

export const initialHistory = (atMs: number): UseHistory => ({
  days: 0,
  sinceMs: atMs,
  used: 0,
  fast: 0,
  slow: 0,
  fastError: INITIAL_FAST_ERROR,
  slowError: INITIAL_SLOW_ERROR,
  week: INITIAL_USE_POINTS_PER_DAY,
  weekPredicted: 0,
  weekError: INITIAL_WEEK_ERROR,
  fortnight: INITIAL_USE_POINTS_PER_DAY,
  fortnightPredicted: 0,
  fortnightError: INITIAL_FORTNIGHT_ERROR,
  total: 0,
  dayMs: atMs,
  dayUsed: 0,
  dayRate: 0,
  yesterday: 0,
});

/** Begins new comparisons after a gap of months, whose use is unknown. */
export const restartHistory = (history: UseHistory, level: LevelEstimate, atMs: number): UseHistory => ({
  ...history,
  sinceMs: atMs,
  used: 0,
  fast: roundToTenThousandth(level.rate),
  slow: roundToTenThousandth(level.slowRate),
  weekPredicted: roundToTenThousandth(withTrend(history, level)),
  fortnightPredicted: history.fortnight,
  dayMs: atMs,
  dayUsed: 0,
  dayRate: roundToTenThousandth(level.rate),
  yesterday: roundToTenThousandth(level.rate),
});

/** The length of a comparison in days. */
export const comparedDays = (slowRate: number): number =>
  Math.min(MAX_COMPARED_DAYS, Math.max(MIN_COMPARED_DAYS, COMPARED_POINTS / Math.max(slowRate, 0.1)));

/**
 * Adds the use since the previous reading. `used` is the fall of the level in points, without deliveries and leaks. At
 * the end of a day, the estimate learns how irregular the days are.
 */
export function updateHistory(
  history: UseHistory,
  level: LevelEstimate,
  used: number,
  fromMs: number,
  atMs: number,
): { history: UseHistory; level: LevelEstimate } {
  const passed = (atMs - fromMs) / DAY_MS;
  const dayUsed = roundToTenThousandth(history.dayUsed + used);
  const dayLength = (atMs - history.dayMs) / DAY_MS;
  const isDayOver = dayLength >= MIN_DAY_LENGTH;
  const next: UseHistory = {
    days: roundToTenThousandth(Math.min(MAX_COUNTED_DAYS, history.days + passed)),
    sinceMs: history.sinceMs,
    used: roundToTenThousandth(history.used + used),
    fast: history.fast,
    slow: history.slow,
    fastError: history.fastError,
    slowError: history.slowError,
    week: nextMean(history.week, Math.min(WEEK_DAYS, history.days), used, passed),
    weekPredicted: history.weekPredicted,
    weekError: history.weekError,
    fortnight: nextMean(history.fortnight, Math.min(FORTNIGHT_DAYS, history.days), used, passed),
    fortnightPredicted: history.fortnightPredicted,
    fortnightError: history.fortnightError,
    total: roundToTenThousandth(history.total + used),
    dayMs: isDayOver ? atMs : history.dayMs,
    dayUsed: isDayOver ? 0 : dayUsed,
    dayRate: isDayOver ? roundToTenThousandth(level.rate) : history.dayRate,
    yesterday: isDayOver ? roundToTenThousandth(Math.max(0, dayUsed / dayLength)) : history.yesterday,
  };
  const elapsed = (atMs - history.sinceMs) / DAY_MS;
  const period = comparedDays(level.slowRate);
  if (elapsed >= period) {
    // The first comparison begins when the rate is no longer the initial rate that is assumed for every tank.
    if (history.fast + history.slow > 0 || history.days > MIN_COMPARED_DAYS + period) learnErrors(next, elapsed);
    next.sinceMs = atMs;
    next.used = 0;
    next.fast = roundToTenThousandth(level.rate);
    next.slow = roundToTenThousandth(level.slowRate);
    next.weekPredicted = roundToTenThousandth(withTrend(next, level));
    next.fortnightPredicted = next.fortnight;
  }
  return { history: next, level: isDayOver ? learnDay(history, level, dayUsed, atMs) : level };
}

/** The fading mean after `used` points in `passed` days. */
const nextMean = (mean: number, memoryDays: number, used: number, passed: number): number =>
  passed > 0
    ? roundToTenThousandth(Math.max(0, mean + Math.min(1, passed / (memoryDays + passed)) * (used / passed - mean)))
    : mean;

/** Compares the predictions of the means with the use that was measured since then. */
function learnErrors(next: UseHistory, elapsed: number): void {
  const measured = Math.max(0, next.used / elapsed);
  const learn = (before: number, predicted: number): number =>
    roundToTenThousandth(before + ERROR_GAIN * (logError(measured, predicted) - before));
  next.fastError = learn(next.fastError, next.fast);
  next.slowError = learn(next.slowError, next.slow);
  next.weekError = learn(next.weekError, next.weekPredicted);
  next.fortnightError = learn(next.fortnightError, next.fortnightPredicted);
}

/** The error of a predicted use, as a logarithm. */
export const logError = (measured: number, predicted: number): number =>
  Math.min(
    MAX_LOG_ERROR,
    Math.abs(Math.log((measured + NEGLIGIBLE_POINTS_PER_DAY) / (predicted + NEGLIGIBLE_POINTS_PER_DAY))),
  );

/** A day may be somewhat short, because devices are not punctual. Over more than two days, irregular days cancel out. */
const MIN_DAY_LENGTH = 0.9;
const MAX_DAY_LENGTH = 2;

/** At the end of a day in which `used` points were used, learns how irregular the days are. */
function learnDay(
  { dayMs, dayRate, days }: UseHistory,
  level: LevelEstimate,
  used: number,
  atMs: number,
): LevelEstimate {
  const length = (atMs - dayMs) / DAY_MS;
  if (length > MAX_DAY_LENGTH || days <= MIN_COMPARED_DAYS) return level;
  const surprise = used - expectedUse({ rate: dayRate, week: level.week }, dayMs, atMs);
  const irregularity = learnIrregularity(level, surprise, length);
  return irregularity === level.irregularity ? level : { ...level, irregularity };
}

/** The mean of the week with its trend: a part of the growth over the slow mean is assumed to continue. */
function withTrend({ week, days }: UseHistory, { slowRate }: LevelEstimate): number {
  const growth = (week + NEGLIGIBLE_POINTS_PER_DAY) / (slowRate + NEGLIGIBLE_POINTS_PER_DAY);
  const share = TREND_SHARE * Math.min(1, days / TREND_KNOWN_DAYS);
  return week * Math.min(MAX_GROWTH_FACTOR, Math.max(1 / MAX_GROWTH_FACTOR, growth)) ** share;
}

/** One number for each mean of the use: the fast mean, the means of a week and a fortnight, and the slow mean. */
export type Means = readonly [number, number, number, number];

/** The memory of each mean, in days. */
export const MEMORY_DAYS: Means = [3, WEEK_DAYS, FORTNIGHT_DAYS, 30];

export const meansOf = ({ week, fortnight }: UseHistory, { rate, slowRate }: LevelEstimate): Means => [
  rate,
  week,
  fortnight,
  slowRate,
];

/** The means as forecasts without weather use them. */
export const trendedMeans = (history: UseHistory, level: LevelEstimate): Means => [
  level.rate,
  withTrend(history, level),
  history.fortnight,
  level.slowRate,
];

/** With this power of the errors, the best of the means gets nearly all the weight. */
const WEIGHT_POWER = 10;
/** The standard deviation of a normal distribution is 1.25 times its mean absolute error. */
export const DEVIATION_PER_ERROR = 1.25;

/** The mean of `values`, weighted by how small the errors are. */
export function weightedByError(errors: Means, values: Means): number {
  const weight = (n: 0 | 1 | 2 | 3): number => 1 / errors[n] ** WEIGHT_POWER;
  const [a, b, c, d] = [weight(0), weight(1), weight(2), weight(3)];
  return (a * values[0] + b * values[1] + c * values[2] + d * values[3]) / (a + b + c + d);
}
