import type { TankState } from '../alerts/tank_state.ts';
import { forecast, MAX_LEVEL_FORECAST_DAYS } from '../estimator/forecast.ts';

/** The time of a past forecast, and the true number of days until the level was reached. */
export interface BackTestSample {
  atMs: number;
  days: number;
}

export interface BackTestResult {
  likely: number | null;
  /** True if the true number of days lies between earliest and latest. */
  isInside: boolean;
  /** True if earliest is not after the true time: a truck that comes at the earliest time is in time. */
  isInTime: boolean;
}

export type BackTest<Sample extends BackTestSample = BackTestSample> = Sample & BackTestResult;

/** Forecasts the days until a level from a past state, and compares them with the true number. */
export function backTestForecast(
  settings: { minFillAlertPercentage: number },
  state: TankState,
  { atMs, days }: BackTestSample,
): BackTestResult {
  const range = forecast(settings, state, atMs, null)?.daysToThreshold;
  const earliest = range?.earliest ?? Number.POSITIVE_INFINITY;
  const latest = range?.latest ?? Number.POSITIVE_INFINITY;
  return {
    likely: range?.likely ?? null,
    isInside: earliest <= days && latest >= days,
    isInTime: earliest <= days,
  };
}

/** The median error of the likely days, as a share of the true days. */
export const medianError = (tests: readonly BackTest[]): number =>
  upperMedian(tests.map(({ likely, days }) => Math.abs((likely ?? MAX_LEVEL_FORECAST_DAYS) - days) / days));

export const insideShare = (tests: readonly BackTest[]): number =>
  tests.filter(({ isInside }) => isInside).length / tests.length;

/** The upper median: for an even count, the larger of the two middle values. NaN for an empty list. */
export function upperMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
