import { tenth } from '../../../values/tenth.ts';
import { DAY_MS } from '../../../values/time.ts';
import type { GaugeHealth } from './gauge_health.ts';
import { isIdle } from './leak_detector.ts';
import { dailyUseDeviation, expectedUse, type LevelEstimate, type LevelReading, predict } from './level_filter.ts';
import { isTooOld } from './reset_level.ts';
import { expectedRate, type UseHistory } from './use_history.ts';

/** Days from now. The true number lies between earliest and latest four times out of five; null is more than two years. */
export interface DaysRange {
  likely: number | null;
  earliest: number | null;
  latest: number | null;
}

export interface Forecast {
  /** The time of the reading that the forecast is based on. */
  asOfMs: number;
  fillPercentage: number;
  usePointsPerDay: number;
  /** While the gauge is unreliable, the forecast is based on the readings before. */
  isGaugeReliable: boolean;
  daysToThreshold: DaysRange;
  daysToEmpty: DaysRange;
}

/** The parts of a tank state that a forecast needs. */
interface ForecastState {
  believed: LevelReading | null;
  level: LevelEstimate | null;
  history: UseHistory | null;
  gauge: GaugeHealth;
}

/** Four of five lie within this many deviations. */
const INTERVAL_DEVIATIONS = 1.28;
/** A tank that was used more in the last months may be so again from tomorrow: use at onset, as a share of that peak. */
const ONSET_SHARE = 0.3;
/** A tank that is hardly used may begin to be used, by this many points a day: half of what a season's tank uses at most. */
const FIRST_ONSET_USE = 5;
/** The errors of past forecasts contain most of the irregularity of the days. */
const DAILY_DEVIATIONS = 0.5;
export const MAX_FORECAST_DAYS = 730;

/**
 * When the expected use takes the tank to its threshold, and to its end. Null for a tank without a reading, and after a gap
 * of months.
 */
export function forecast(
  { minFillAlertPercentage }: { minFillAlertPercentage: number },
  { believed, level, history, gauge }: ForecastState,
  nowMs: number,
): Forecast | null {
  if (believed === null || level === null || history === null) return null;
  if (isTooOld(believed.atMs, nowMs)) return null;
  const now = predict(level, believed.atMs, Math.max(believed.atMs, nowMs));
  const fill = Math.max(0, now.level);
  const { rate, logDeviation } = expectedRate(history, now);
  const factor = Math.exp(INTERVAL_DEVIATIONS * logDeviation);
  const atMs = Math.max(believed.atMs, nowMs);
  const onset = Math.max(ONSET_SHARE * now.peakRate, isIdle(now) ? FIRST_ONSET_USE : 0);
  const most = Math.max(rate * factor, onset);
  const spread = INTERVAL_DEVIATIONS * Math.sqrt(now.ll + (DAILY_DEVIATIONS * dailyUseDeviation(now)) ** 2);
  const daysTo = (target: number): DaysRange => {
    const week = weekdayFactor(now, atMs, (fill - target) / rate);
    return {
      likely: daysOf(fill - target, rate * week),
      earliest: daysOf(fill - target - spread, most * week),
      latest: daysOf(fill - target + spread, (rate * week) / factor),
    };
  };
  return {
    asOfMs: believed.atMs,
    fillPercentage: tenth(fill),
    usePointsPerDay: Math.round(rate * 100) / 100,
    isGaugeReliable: gauge.fault === null,
    daysToThreshold: daysTo(minFillAlertPercentage),
    daysToEmpty: daysTo(0),
  };
}

/** How much more or less than the mean the weekdays until then use. They cancel out over a week. */
function weekdayFactor(at: LevelEstimate, fromMs: number, days: number): number {
  if (!(days < 7)) return 1;
  const untilMs = fromMs + Math.max(1, days) * DAY_MS;
  return expectedUse({ ...at, rate: 1 }, fromMs, untilMs) / ((untilMs - fromMs) / DAY_MS);
}

function daysOf(points: number, rate: number): number | null {
  if (points <= 0) return 0;
  const days = points / rate;
  return days <= MAX_FORECAST_DAYS ? tenth(days) : null;
}
