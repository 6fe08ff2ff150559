import { clamp, deviation, mean } from '../../../values/statistics.ts';
import type { ScalePrior } from './dip_filter.ts';
import type { ExpectedUse } from './dip_forecast.ts';

/** A higher rate counts as this one, so that a leak or a new estimate does not raise the mean of a region. */
const MAX_RATE_POINTS_PER_DAY = 12;
const MIN_SCALE = 0.1;
const MIN_PRIOR_DEVIATION = 0.3;
/** The season of the last year changes the use by at most this factor. */
const MAX_SEASON_FACTOR = 3;

/** The use of a region on one day: the mean of the rates of its tanks with sensors. Null if there are no rates. */
export const regionalRate = (rates: readonly number[]): number | null =>
  rates.length === 0 ? null : mean(rates.map((rate) => Math.min(MAX_RATE_POINTS_PER_DAY, rate)));

/**
 * The initial scale of a tank without a sensor, which its dips and delivery notes correct later. The scales of the tanks
 * with sensors in its region give the mean and the deviation.
 */
export function scalePrior(meanRates: readonly number[], regionalMean: number): ScalePrior {
  const logs = meanRates.map((rate) => Math.log(Math.max(MIN_SCALE, rate / regionalMean)));
  return { log: mean(logs), deviation: Math.max(MIN_PRIOR_DEVIATION, deviation(logs)) };
}

/**
 * The expected use: the use of the last week, multiplied by the change of the season one year ago. `lastYear(daysAhead)`
 * is the smoothed regional use one year before the day that is `daysAhead` from today. `lastYearNow` is the smoothed
 * regional use one year before the last week.
 */
export function expectedRegionalUse(
  lastWeek: number,
  lastYear: ((daysAhead: number) => number) | null,
  lastYearNow: number,
): ExpectedUse {
  if (lastYear === null) return () => lastWeek;
  return (daysAhead) => lastWeek * clamp(lastYear(daysAhead) / lastYearNow, 1 / MAX_SEASON_FACTOR, MAX_SEASON_FACTOR);
}
