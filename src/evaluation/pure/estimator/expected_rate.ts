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
  const reversalShare = reversalShareOf(history, level);
  const weighted = weightedByError(errors, trendedMeans(history, level));
  const followed = level.rate + RECENT_SHARE * (recent.rate - level.rate);
  const usual = weighted + reversalShare * (followed - weighted);
  const usualDeviation =
    DEVIATION_PER_ERROR * weightedByError(errors, errors) * (1 - reversalShare * (1 - REVERSAL_DEVIATION_FACTOR));
  const change = changeOf(history, level, recent);
  return {
    rate: usual + change * (recent.rate - usual),
    logDeviation: usualDeviation + change * (recentDeviation(history, recent) - usualDeviation),
  };
}

/** Below the first error of the fast mean, the trend of the use does not reverse; above the second, it does. */
const STEADY_ERROR = 0.31;
const REVERSAL_ERROR = 0.36;
/** Irregular days explain the error instead, above the second limit completely: the tank is used on some days only. */
const REGULAR_DAYS = 0.4;
const IRREGULAR_DAYS = 0.46;

/** Above this ratio of its error to the errors of the other means, the fast mean is worse than they are. */
const COMPARABLE_ERROR = 1.2;
/** The weight of the use since yesterday if the trend reverses often, as in a silo. The current rate has the rest. */
const RECENT_SHARE = 0.75;
/** The learned errors include the days of reversals. On the days between, the deviation is smaller by this factor. */
const REVERSAL_DEVIATION_FACTOR = 0.88;

/**
 * How clearly the trend of the use reverses again and again, from 0 to 1: consecutive days are alike, but the forecasts
 * were wrong, and the fast mean was not worse than the other means. An example is a silo, whose use grows for weeks and
 * then ends. Only the fast mean follows such use. Weights by error would be too high for the other means, because the
 * days of a reversal make the errors of all means alike.
 */
function reversalShareOf(
  { fastError, weekError, fortnightError }: UseHistory,
  { irregularity }: LevelEstimate,
): number {
  if (fastError >= COMPARABLE_ERROR * Math.min(weekError, fortnightError)) return 0;
  return (
    shareBetween(fastError, STEADY_ERROR, REVERSAL_ERROR) * shareBetween(irregularity, IRREGULAR_DAYS, REGULAR_DAYS)
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

/** The standard deviation of the use of the last days: from the past errors of the fast mean, and from gauge noise. */
const recentDeviation = ({ fastError }: UseHistory, { rate, deviation }: RecentUse): number =>
  Math.sqrt((DEVIATION_PER_ERROR * fastError) ** 2 + Math.min(1, deviation / (rate + NEGLIGIBLE_POINTS_PER_DAY)) ** 2);

/** Between these multiples of the usual deviation, the last days take over: the use has clearly changed. */
const CHANGE_BEGINS_DEVIATIONS = 2.75;
const CHANGE_CLEAR_DEVIATIONS = 3.75;
/** No change is detected with fewer days of readings, because the predictions of the means are too uncertain. */
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
