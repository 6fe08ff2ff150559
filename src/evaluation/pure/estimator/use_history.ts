import { DAY_MS } from '../../../values/time.ts';
import { learnIrregularity } from './learning.ts';
import { expectedUse, type LevelEstimate, roundToTenThousandth } from './level_filter.ts';

/**
 * How well the use of this tank can be forecast. Every few days the use that was measured is compared with what four means
 * of the use had said before; their errors give the weights of the means, and the width of the interval. The fast mean
 * remembers about 3 days, the slow one 30. On measured heating, those two alone were worse than a plain mean of 14 days.
 */
export interface UseHistory {
  /** Days of believed readings, up to 60. */
  days: number;
  /** When the running comparison began, and the points used since. */
  sinceMs: number;
  used: number;
  /** What the fast and the slow mean said then, in points a day. */
  fast: number;
  slow: number;
  /** Mean absolute errors of the logarithm of the use: a mean square would be that of the few days when use begins or ends. */
  fastError: number;
  slowError: number;
  /** The mean use of about the last week and fortnight, what they said then (the week with its trend), and their errors. */
  week: number;
  weekSaid: number;
  weekError: number;
  fortnight: number;
  fortnightSaid: number;
  fortnightError: number;
  /** Points used since the first reading. The weather model reads it once a day, as one reads an odometer. */
  total: number;
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
const FIRST_FAST_ERROR = 0.28;
const FIRST_WEEK_ERROR = 0.26;
const FIRST_FORTNIGHT_ERROR = 0.29;
const FIRST_SLOW_ERROR = 0.31;
const ERROR_GAIN = 0.08;
/** Time constants of the two means between the fast and the slow one. */
const WEEK_DAYS = 6;
const FORTNIGHT_DAYS = 12;
/** As much of the week's growth against the slow mean goes on, in the logarithm; all of this share after 20 days. */
const TREND_SHARE = 0.4;
const TREND_KNOWN_DAYS = 20;
const MOST_GROWTH = 2.5;
/** Points a day, as the level filter assumes of every tank. */
const FIRST_USE = 1;
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
  fastError: FIRST_FAST_ERROR,
  slowError: FIRST_SLOW_ERROR,
  week: FIRST_USE,
  weekSaid: 0,
  weekError: FIRST_WEEK_ERROR,
  fortnight: FIRST_USE,
  fortnightSaid: 0,
  fortnightError: FIRST_FORTNIGHT_ERROR,
  total: 0,
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
  weekSaid: roundToTenThousandth(withTrend(history, level)),
  fortnightSaid: history.fortnight,
  dayMs: atMs,
  dayUsed: 0,
  dayRate: roundToTenThousandth(level.rate),
});

/** How many days a comparison takes. */
export const comparedDays = (slowRate: number): number =>
  Math.min(LONGEST_DAYS, Math.max(LEAST_DAYS, COMPARED_POINTS / Math.max(slowRate, 0.1)));

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
  const passed = (atMs - fromMs) / DAY_MS;
  const next: UseHistory = {
    ...history,
    days: roundToTenThousandth(Math.min(MOST_DAYS, history.days + passed)),
    used: roundToTenThousandth(history.used + used),
    week: nextMean(history.week, Math.min(WEEK_DAYS, history.days), used, passed),
    fortnight: nextMean(history.fortnight, Math.min(FORTNIGHT_DAYS, history.days), used, passed),
    total: roundToTenThousandth(history.total + used),
    dayMs,
    dayUsed,
    dayRate,
  };
  const elapsed = (atMs - history.sinceMs) / DAY_MS;
  const period = comparedDays(level.slowRate);
  if (elapsed >= period) {
    // The first comparison begins when the rate is no longer the one assumed for every tank.
    if (history.fast + history.slow > 0 || history.days > LEAST_DAYS + period) learnErrors(next, elapsed);
    next.sinceMs = atMs;
    next.used = 0;
    next.fast = roundToTenThousandth(level.rate);
    next.slow = roundToTenThousandth(level.slowRate);
    next.weekSaid = roundToTenThousandth(withTrend(next, level));
    next.fortnightSaid = next.fortnight;
  }
  return { history: next, level: nextLevel };
}

/** The fading mean after `used` points in `passed` days. */
const nextMean = (mean: number, memoryDays: number, used: number, passed: number): number =>
  passed > 0
    ? roundToTenThousandth(Math.max(0, mean + Math.min(1, passed / (memoryDays + passed)) * (used / passed - mean)))
    : mean;

/** Compares what the means had said with the use that was measured since. */
function learnErrors(next: UseHistory, elapsed: number): void {
  const measured = Math.max(0, next.used / elapsed);
  const learn = (before: number, said: number): number =>
    roundToTenThousandth(before + ERROR_GAIN * (logError(measured, said) - before));
  next.fastError = learn(next.fastError, next.fast);
  next.slowError = learn(next.slowError, next.slow);
  next.weekError = learn(next.weekError, next.weekSaid);
  next.fortnightError = learn(next.fortnightError, next.fortnightSaid);
}

/** How far the use was off, as a logarithm. */
export const logError = (measured: number, said: number): number =>
  Math.min(MOST_LOG_ERROR, Math.abs(Math.log((measured + NEGLIGIBLE_USE) / (said + NEGLIGIBLE_USE))));

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

/** The mean of the week with its trend: use that grew or fell against the slow mean goes on doing so for some of the way. */
function withTrend({ week, days }: UseHistory, { slowRate }: LevelEstimate): number {
  const growth = (week + NEGLIGIBLE_USE) / (slowRate + NEGLIGIBLE_USE);
  const share = TREND_SHARE * Math.min(1, days / TREND_KNOWN_DAYS);
  return week * Math.min(MOST_GROWTH, Math.max(1 / MOST_GROWTH, growth)) ** share;
}

/** One number for each mean of the use: the fast one, those of a week and a fortnight, and the slow one. */
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

/** The best of the means gets nearly all the weight. */
const WEIGHT_POWER = 10;
/** Of a normal distribution, the standard deviation is 1.25 times the mean absolute error. */
export const DEVIATION_PER_ERROR = 1.25;

/** The mean of `values`, weighted by how small the errors are. */
export function weightedByError(errors: Means, values: Means): number {
  const weight = (n: 0 | 1 | 2 | 3): number => 1 / errors[n] ** WEIGHT_POWER;
  const [a, b, c, d] = [weight(0), weight(1), weight(2), weight(3)];
  return (a * values[0] + b * values[1] + c * values[2] + d * values[3]) / (a + b + c + d);
}

/** The use to expect for the next days, and the standard deviation of its logarithm. */
export function expectedRate(history: UseHistory, level: LevelEstimate): { rate: number; logDeviation: number } {
  const errors: Means = [history.fastError, history.weekError, history.fortnightError, history.slowError];
  return {
    rate: weightedByError(errors, trendedMeans(history, level)),
    logDeviation: DEVIATION_PER_ERROR * weightedByError(errors, errors),
  };
}
