import { clamp, mean } from '../../../values/statistics.ts';
import type { RegionalUse, ScalePrior } from './dip_filter.ts';
import type { ExpectedUse } from './dip_forecast.ts';
import { expectedRegionalUse } from './regional_use.ts';

/** What tanks with sensors of the same use and place show: their mean use by day, and how they differ. */
export interface Region {
  /** The number of the day (since 1970) of the last rate. */
  untilDay: number;
  /** Points a day, one for each day, without gaps. */
  rates: readonly number[];
  prior: ScalePrior;
}

/** A region whose tanks stand still for a summer still begins to use gas again. */
const LEAST_RATE = 0.02;
const YEAR = 365;
/** Days on each side of a day of last year, for a mean that one cold spell does not rule. */
const SMOOTH_DAYS = 10;
/** The last days of this year are compared with the days around the middle of them a year ago. */
const MIDDLE_OF_LAST_DAYS = 4;

/** Months of a season: the use so many times 30 days ahead, relative to now. */
export const SEASON_MONTHS = 12;
export const EVEN_SEASON: readonly number[] = Array<number>(SEASON_MONTHS).fill(1);
const MONTH_DAYS = 30;

/**
 * The use of a day. It is that of the day before: the rate of a day is known when the day is over, and evaluation must find the
 * same level whenever it looks.
 */
export const regionalUseOf =
  (region: Region): RegionalUse =>
  (day) =>
    rateOf(region, day - 1);

/** The nearest day that is known. */
function rateOf({ untilDay, rates }: Region, day: number): number {
  const at = clamp(rates.length - 1 - (untilDay - day), 0, rates.length - 1);
  return Math.max(LEAST_RATE, rates[at] ?? LEAST_RATE);
}

/** What to expect from a day on: the use of the last week, and the season of last year if the region knows it. */
export function expectationOf(region: Region, day: number): { use: number; season: number[] } {
  const lastWeek = mean(Array.from({ length: 7 }, (_, ago) => rateOf(region, day - 1 - ago)));
  const isYearKnown = region.rates.length - 1 - (region.untilDay - (day - YEAR - MIDDLE_OF_LAST_DAYS)) >= SMOOTH_DAYS;
  const lastYear = (ahead: number): number => around(region, day + (ahead % YEAR) - YEAR);
  const expected = expectedRegionalUse(
    1,
    isYearKnown ? lastYear : null,
    around(region, day - YEAR - MIDDLE_OF_LAST_DAYS),
  );
  const season = Array.from({ length: SEASON_MONTHS }, (_, month) => expected(month * MONTH_DAYS));
  return { use: lastWeek, season };
}

const around = (region: Region, day: number): number =>
  mean(Array.from({ length: 2 * SMOOTH_DAYS + 1 }, (_, at) => rateOf(region, day + at - SMOOTH_DAYS)));

/** The expected use between the months of a season, year after year. */
export function seasonalUse(use: number, season: readonly number[]): ExpectedUse {
  return (daysAhead) => {
    const months = daysAhead / MONTH_DAYS;
    const month = Math.floor(months);
    const [from = 1, to = 1] = [season[month % SEASON_MONTHS], season[(month + 1) % SEASON_MONTHS]];
    return use * (from + (to - from) * (months - month));
  };
}
