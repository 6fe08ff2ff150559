import { shareBetween } from '../../../values/statistics.ts';
import { DAY_MS } from '../../../values/time.ts';
import type { LevelEstimate } from './level_filter.ts';
import {
  DEVIATION_PER_ERROR,
  type Means,
  NEGLIGIBLE_POINTS_PER_DAY,
  trendedMeans,
  type UseHistory,
  weightedByError,
} from './use_history.ts';

/** The expected use of the next days, and the standard deviation of its logarithm. `atMs` is the time of the level. */
export function expectedRate(
  history: UseHistory,
  level: LevelEstimate,
  atMs: number,
): { rate: number; logDeviation: number } {
  const errors: Means = [history.fastError, history.weekError, history.fortnightError, history.slowError];
  const recent = recentUse(history, level, atMs);
  const turns = turnsOf(history, level);
  const weighted = weightedByError(errors, trendedMeans(history, level));
  const followed = level.rate + RECENT_SHARE * (recent.rate - level.rate);
  const usual = weighted + turns * (followed - weighted);
  const usualDeviation = DEVIATION_PER_ERROR * weightedByError(errors, errors) * (1 - turns * (1 - TURNING_DEVIATION));
  const change = changeOf(history, level, recent);
  return {
    rate: usual + change * (recent.rate - usual),
    logDeviation: usualDeviation + change * (recentDeviation(history, recent) - usualDeviation),
  };
}

/** Below the first of these errors of the fast mean, use does not turn; above the second, it does. */
const STEADY_ERROR = 0.31;
const TURNING_ERROR = 0.36;
/** Days that are more irregular than this explain the error: a tank that is used on some days only. */
const REGULAR_DAYS = 0.4;
const IRREGULAR_DAYS = 0.46;

/** The fast mean is at least nearly as good as the others. */
const COMPARABLE_ERROR = 1.2;
/** Of a silo, the use since yesterday counts more than the fast mean. */
const RECENT_SHARE = 0.75;
/** The days of a turn make the learned errors larger than those of the days between. */
const TURNING_DEVIATION = 0.88;

/**
 * How clearly the use turns again and again, from 0 to 1: days resemble each other, the forecasts were wrong anyway, and the
 * fast mean not more than the others. So the use of a silo grows for weeks and then ends. Only the fast mean follows it; the others count too
 * much, because the days of a turn make the errors of all means alike.
 */
function turnsOf({ fastError, weekError, fortnightError }: UseHistory, { irregularity }: LevelEstimate): number {
  if (fastError >= COMPARABLE_ERROR * Math.min(weekError, fortnightError)) return 0;
  return (
    shareBetween(fastError, STEADY_ERROR, TURNING_ERROR) * shareBetween(irregularity, IRREGULAR_DAYS, REGULAR_DAYS)
  );
}

interface RecentUse {
  /** The mean use since yesterday began, in points a day, and its standard deviation by the noise of the gauge. */
  rate: number;
  deviation: number;
}

function recentUse({ dayMs, dayUsed, yesterday }: UseHistory, { noise }: LevelEstimate, atMs: number): RecentUse {
  const days = 1 + (atMs - dayMs) / DAY_MS;
  return { rate: Math.max(0, (yesterday + dayUsed) / days), deviation: noise / days };
}

/** The deviation of the last days: how the fast mean was wrong before, and how uncertain so few days are. */
const recentDeviation = ({ fastError }: UseHistory, { rate, deviation }: RecentUse): number =>
  Math.sqrt((DEVIATION_PER_ERROR * fastError) ** 2 + Math.min(1, deviation / (rate + NEGLIGIBLE_POINTS_PER_DAY)) ** 2);

/** Between these multiples of the usual deviation, the last days take over: the use has clearly changed. */
const CHANGE_BEGINS_DEVIATIONS = 2.75;
const CHANGE_CLEAR_DEVIATIONS = 3.75;
/** Before, the predictions of the means say little. */
const MIN_CHANGED_DAYS = 7;
/** A change must be larger than this multiple of what the noise of the gauge can cause. */
const CHANGE_NOISE_DEVIATIONS = 1.5;

/** How clearly the last days differ from the use before, from 0 to 1. After a clear change only the last days count. */
function changeOf(
  { days, fortnightPredicted, fortnightError }: UseHistory,
  { irregularity }: LevelEstimate,
  { rate, deviation }: RecentUse,
): number {
  const change = Math.abs(rate - fortnightPredicted);
  if (days < MIN_CHANGED_DAYS || change <= CHANGE_NOISE_DEVIATIONS * deviation) return 0;
  const ratio = (rate + NEGLIGIBLE_POINTS_PER_DAY) / (fortnightPredicted + NEGLIGIBLE_POINTS_PER_DAY);
  // A tank that is used on some days only is often idle for some days.
  const usual = DEVIATION_PER_ERROR * fortnightError * (ratio < 1 ? 1 + irregularity : 1);
  const deviations = Math.abs(Math.log(ratio)) / usual;
  return shareBetween(deviations, CHANGE_BEGINS_DEVIATIONS, CHANGE_CLEAR_DEVIATIONS);
}
