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
  const usual = weightedByError(errors, trendedMeans(history, level));
  const usualDeviation = DEVIATION_PER_ERROR * weightedByError(errors, errors);
  const recent = recentUse(history, level, atMs);
  const change = changeOf(history, level, recent);
  return {
    rate: usual + change * (recent.rate - usual),
    logDeviation: usualDeviation + change * (recentDeviation(history, recent) - usualDeviation),
  };
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
  const share = (deviations - CHANGE_BEGINS_DEVIATIONS) / (CHANGE_CLEAR_DEVIATIONS - CHANGE_BEGINS_DEVIATIONS);
  return Math.min(1, Math.max(0, share));
}
