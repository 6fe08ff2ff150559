import { clamp, mean } from '../../../values/statistics.ts';
import type { RegionalUse, ScalePrior } from './dip_filter.ts';
import type { ExpectedUse } from './dip_forecast.ts';
import { expectedRegionalUse } from './regional_use.ts';

/** The daily use of the tanks with sensors that have the same use case and place: their mean, and how they differ. */
export interface Region {
  /** The number of the day (since 1970) of the last rate. */
  untilDay: number;
  /** The mean use in points a day, one value for each day, without gaps. */
  rates: readonly number[];
  prior: ScalePrior;
}

/** The smallest rate. With 0, the estimated levels of tanks would not fall, and the season would be divided by 0. */
const MIN_RATE_POINTS_PER_DAY = 0.02;
const YEAR_DAYS = 365;
/** Days on each side of a day of the last year that are averaged, so that one cold spell does not dominate. */
const SMOOTH_DAYS = 10;
/** The last week is compared with the days around its middle a year ago. */
const DAYS_SINCE_MIDDLE_OF_LAST_WEEK = 4;

/** A season has 12 values: the use 0, 30, 60, ... days ahead, relative to now. */
const SEASON_MONTHS = 12;
export const EVEN_SEASON: readonly number[] = Array<number>(SEASON_MONTHS).fill(1);
const MONTH_DAYS = 30;

/**
 * The use of a day, which is the rate of the day before: the rate of a day is known only after the day, and evaluation
 * must compute the same level at every time.
 */
export const regionalUseOf =
  (region: Region): RegionalUse =>
  (day) =>
    rateOf(region, day - 1);

/** The rate of a day, or of the nearest day that is known. */
function rateOf({ untilDay, rates }: Region, day: number): number {
  const index = clamp(rates.length - 1 - (untilDay - day), 0, rates.length - 1);
  return Math.max(MIN_RATE_POINTS_PER_DAY, rates[index] ?? MIN_RATE_POINTS_PER_DAY);
}

/** The expected use from a day on: the use of the last week, and the season of the last year if it is known. */
export function expectationOf(region: Region, day: number): { use: number; season: number[] } {
  const lastWeek = mean(Array.from({ length: 7 }, (_, ago) => rateOf(region, day - 1 - ago)));
  const isYearKnown =
    region.rates.length - 1 - (region.untilDay - (day - YEAR_DAYS - DAYS_SINCE_MIDDLE_OF_LAST_WEEK)) >= SMOOTH_DAYS;
  const lastYear = (ahead: number): number => meanAround(region, day + (ahead % YEAR_DAYS) - YEAR_DAYS);
  const expected = expectedRegionalUse(
    1,
    isYearKnown ? lastYear : null,
    meanAround(region, day - YEAR_DAYS - DAYS_SINCE_MIDDLE_OF_LAST_WEEK),
  );
  const season = Array.from({ length: SEASON_MONTHS }, (_, month) => expected(month * MONTH_DAYS));
  return { use: lastWeek, season };
}

const meanAround = (region: Region, day: number): number =>
  mean(Array.from({ length: 2 * SMOOTH_DAYS + 1 }, (_, index) => rateOf(region, day + index - SMOOTH_DAYS)));

/** The expected use, interpolated between the months of a season that repeats every year. */
export function seasonalUse(use: number, season: readonly number[]): ExpectedUse {
  return (daysAhead) => {
    const months = daysAhead / MONTH_DAYS;
    const month = Math.floor(months);
    const [from = 1, to = 1] = [season[month % SEASON_MONTHS], season[(month + 1) % SEASON_MONTHS]];
    return use * (from + (to - from) * (months - month));
  };
}
