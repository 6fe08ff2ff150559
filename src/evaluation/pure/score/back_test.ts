import type { TankState } from '../alerts/tank_state.ts';
import { forecast, MAX_FORECAST_DAYS } from '../estimator/forecast.ts';

/** When a forecast is asked for, and the true days until the level was reached. */
export interface Question {
  atMs: number;
  days: number;
}

export interface ForecastAnswer {
  likely: number | null;
  /** The true days lie between the earliest and the latest ones. */
  isInside: boolean;
  /** The earliest days are not later than the true ones: who drives then is in time. */
  isInTime: boolean;
}

export type BackTest<Asked extends Question = Question> = Asked & ForecastAnswer;

/** Asks a state for the days until a level, and compares them with the true ones. */
export function askForecast(
  settings: { minFillAlertPercentage: number },
  state: TankState,
  { atMs, days }: Question,
): ForecastAnswer {
  const answer = forecast(settings, state, atMs, null)?.daysToThreshold;
  const earliest = answer?.earliest ?? Number.POSITIVE_INFINITY;
  const latest = answer?.latest ?? Number.POSITIVE_INFINITY;
  return {
    likely: answer?.likely ?? null,
    isInside: earliest <= days && latest >= days,
    isInTime: earliest <= days,
  };
}

/** The error of the likely days as a share of the true ones. */
export const medianError = (tests: readonly BackTest[]): number =>
  median(tests.map(({ likely, days }) => Math.abs((likely ?? MAX_FORECAST_DAYS) - days) / days));

export const insideShare = (tests: readonly BackTest[]): number =>
  tests.filter(({ isInside }) => isInside).length / tests.length;

/** NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
