import { FORECAST_Z_SCORE_P90 } from '../../../values/normal_distribution.ts';
import { tenth } from '../../../values/tenth.ts';
import { DAY_MS } from '../../../values/time.ts';
import { expectedRate } from './expected_rate.ts';
import type { GaugeHealth } from './gauge_health.ts';
import { isIdle } from './leak_detector.ts';
import { dailyUseDeviation, expectedUse, type LevelEstimate, type LevelReading, predict } from './level_filter.ts';
import type { PlaceWeather } from './place_weather.ts';
import { isTooOld } from './reset_level.ts';
import { DEVIATION_PER_ERROR, type Means, type UseHistory, weightedByError } from './use_history.ts';
import { WeatherWalk } from './weather_walk.ts';

/** Days from now. The true number lies between earliest and latest in 80 % of all cases. Null means more than two years. */
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
  /** False while the gauge is unreliable. The forecast is then based on the readings before the fault. */
  isGaugeReliable: boolean;
  daysToThreshold: DaysRange;
  daysToEmpty: DaysRange;
  /** What the forecast assumes about the weather; null for a forecast without weather. */
  weather: AssumedWeather | null;
}

export interface AssumedWeather {
  /** The share of the use that follows the weather, from 0 to 1. */
  share: number;
  /** The mean of the forecast temperatures and the last day that they cover; null if only normals are known. */
  forecastC: number | null;
  forecastUntilMs: number | null;
  /** The likely days to the threshold without the weather. */
  likelyDaysWithout: number | null;
}

/** The parts of a tank state that a forecast needs. */
interface ForecastState {
  accepted: LevelReading | null;
  level: LevelEstimate | null;
  history: UseHistory | null;
  gauge: GaugeHealth;
}

/** The weather of the tank's place, the share of the use that follows it, and the errors of the means with it. */
export interface ForecastWeather {
  place: PlaceWeather;
  share: number;
  errors: Means;
}

/** Use can begin again tomorrow at this share of the peak rate of the last months. */
const ONSET_SHARE = 0.3;
/** The use that an idle tank may begin with: half of the largest use of a seasonal tank. */
const IDLE_ONSET_POINTS_PER_DAY = 5;
/** The weight of the irregularity of days. The errors of past forecasts already contain most of it. */
const DAILY_DEVIATIONS = 0.5;
export const MAX_LEVEL_FORECAST_DAYS = 730;

/**
 * When the tank reaches its threshold and when it is empty, by its expected use. Null for a tank without a reading, and
 * after a gap of months. Weather that explains no use or is not current does not change the forecast at all.
 */
export function forecast(
  { minFillAlertPercentage }: { minFillAlertPercentage: number },
  { accepted, level, history, gauge }: ForecastState,
  nowMs: number,
  weather: ForecastWeather | null,
): Forecast | null {
  if (accepted === null || level === null || history === null) return null;
  if (isTooOld(accepted.atMs, nowMs)) return null;
  const atMs = Math.max(accepted.atMs, nowMs);
  const now = predict(level, accepted.atMs, atMs);
  const fill = Math.max(0, now.level);
  const { rate, logDeviation } = expectedRate(history, now, accepted.atMs);
  const factor = Math.exp(FORECAST_Z_SCORE_P90 * logDeviation);
  const onset = Math.max(ONSET_SHARE * now.peakRate, isIdle(now) ? IDLE_ONSET_POINTS_PER_DAY : 0);
  const maxRate = Math.max(rate * factor, onset);
  const spread = FORECAST_Z_SCORE_P90 * Math.sqrt(now.ll + (DAILY_DEVIATIONS * dailyUseDeviation(now)) ** 2);
  const daysTo = (target: number): DaysRange => {
    const week = weekdayFactor(now, atMs, (fill - target) / rate);
    return {
      likely: daysOf(fill - target, rate * week),
      earliest: daysOf(fill - target - spread, maxRate * week),
      latest: daysOf(fill - target + spread, (rate * week) / factor),
    };
  };
  const known = {
    asOfMs: accepted.atMs,
    usePointsPerDay: Math.round(rate * 100) / 100,
    isGaugeReliable: gauge.fault === null,
  };
  const toThreshold = daysTo(minFillAlertPercentage);
  const without = { ...known, fillPercentage: tenth(fill), daysToThreshold: toThreshold, daysToEmpty: daysTo(0) };
  const walk = weather && WeatherWalk.begin(weather, { accepted, level, history }, rate, atMs);
  if (weather === null || walk === null) return { ...without, weather: null };
  const useFactor = Math.exp(
    FORECAST_Z_SCORE_P90 * DEVIATION_PER_ERROR * weightedByError(weather.errors, weather.errors),
  );
  const walkTo = (target: number): DaysRange => {
    const { likely, earliest, latest } = walk.daysTo(target, { useFactor, spread });
    const atOnset = onset > 0 ? Math.max(0, (walk.fillPercentage - target - spread) / onset) : Infinity;
    return { likely: shown(likely), earliest: shown(Math.min(earliest, atOnset)), latest: shown(latest) };
  };
  return {
    ...known,
    fillPercentage: tenth(walk.fillPercentage),
    daysToThreshold: walkTo(minFillAlertPercentage),
    daysToEmpty: walkTo(0),
    weather: {
      share: Math.min(1, weather.share),
      forecastC: walk.forecastC,
      forecastUntilMs: walk.forecastUntilMs,
      likelyDaysWithout: toThreshold.likely,
    },
  };
}

/** The use of the next days, relative to the mean of a week. From 7 days on it is 1, because weekdays nearly cancel out. */
function weekdayFactor(at: LevelEstimate, fromMs: number, days: number): number {
  if (!(days < 7)) return 1;
  const untilMs = fromMs + Math.max(1, days) * DAY_MS;
  return expectedUse({ ...at, rate: 1 }, fromMs, untilMs) / ((untilMs - fromMs) / DAY_MS);
}

const daysOf = (points: number, rate: number): number | null => (points <= 0 ? 0 : shown(points / rate));

const shown = (days: number): number | null => (days <= MAX_LEVEL_FORECAST_DAYS ? tenth(days) : null);
