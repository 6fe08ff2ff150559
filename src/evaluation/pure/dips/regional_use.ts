import { clamp, deviation, mean } from '../../../values/statistics.ts';
import type { ScalePrior } from './dip_filter.ts';
import type { ExpectedUse } from './dip_forecast.ts';

/** A leak or a new estimate must not raise the mean of a region: points a day. */
const MOST_RATE = 12;
const LEAST_SCALE = 0.1;
const LEAST_PRIOR_DEVIATION = 0.3;
/** The season of last year at most triples the use, or divides it by three. */
const MOST_SEASON = 3;

/** The use of a region on one day: the mean rate of its tanks with sensors. Null without tanks. */
export const regionalRate = (rates: readonly number[]): number | null =>
  rates.length === 0 ? null : mean(rates.map((rate) => Math.min(MOST_RATE, rate)));

/** What is known of a tank before its first delivery: how the tanks with sensors of the same use and place differ. */
export function scalePrior(meanRates: readonly number[], regionalMean: number): ScalePrior {
  const logs = meanRates.map((rate) => Math.log(Math.max(LEAST_SCALE, rate / regionalMean)));
  return { log: mean(logs), deviation: Math.max(LEAST_PRIOR_DEVIATION, deviation(logs)) };
}

/**
 * The use to expect: that of the last week, changed as the season changed last year. `lastYear` is the smoothed regional use
 * so many days from today a year ago, `lastYearNow` the one of these last days then.
 */
export function expectedRegionalUse(
  lastWeek: number,
  lastYear: ((daysAhead: number) => number) | null,
  lastYearNow: number,
): ExpectedUse {
  if (lastYear === null) return () => lastWeek;
  return (daysAhead) => lastWeek * clamp(lastYear(daysAhead) / lastYearNow, 1 / MOST_SEASON, MOST_SEASON);
}
