import { tenth } from '../../../values/tenth.ts';
import { DAY_MS } from '../../../values/time.ts';
import type { GaugeHealth } from './gauge_health.ts';
import { isIdle } from './leak_detector.ts';
import { dailyUseDeviation, expectedUse, type LevelEstimate, type LevelReading, predict } from './level_filter.ts';
import type { PlaceWeather } from './place_weather.ts';
import { isTooOld } from './reset_level.ts';
import { DEVIATION_PER_ERROR, expectedRate, type Means, type UseHistory, weightedByError } from './use_history.ts';
import { WeatherWalk } from './weather_walk.ts';

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
  /** What the forecast assumes of the weather; null for one without weather. */
  weather: AssumedWeather | null;
}

export interface AssumedWeather {
  /** The share of the use that follows the weather, from 0 to 1. */
  share: number;
  /** The mean of the forecast temperatures, and the last day that they cover; null where only normals are known. */
  forecastC: number | null;
  forecastUntilMs: number | null;
  /** What the forecast would be without the weather. */
  likelyDaysWithout: number | null;
}

/** The parts of a tank state that a forecast needs. */
interface ForecastState {
  believed: LevelReading | null;
  level: LevelEstimate | null;
  history: UseHistory | null;
  gauge: GaugeHealth;
}

/** The weather of the tank's place, how much of its use follows it, and the errors of its means given the weather. */
export interface ForecastWeather {
  place: PlaceWeather;
  share: number;
  errors: Means;
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
 * of months. Without weather, or with weather that explains nothing or is not current, it is the same to the last digit.
 */
export function forecast(
  { minFillAlertPercentage }: { minFillAlertPercentage: number },
  { believed, level, history, gauge }: ForecastState,
  nowMs: number,
  weather: ForecastWeather | null,
): Forecast | null {
  if (believed === null || level === null || history === null) return null;
  if (isTooOld(believed.atMs, nowMs)) return null;
  const atMs = Math.max(believed.atMs, nowMs);
  const now = predict(level, believed.atMs, atMs);
  const fill = Math.max(0, now.level);
  const { rate, logDeviation } = expectedRate(history, now);
  const factor = Math.exp(INTERVAL_DEVIATIONS * logDeviation);
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
  const known = {
    asOfMs: believed.atMs,
    usePointsPerDay: Math.round(rate * 100) / 100,
    isGaugeReliable: gauge.fault === null,
  };
  const toThreshold = daysTo(minFillAlertPercentage);
  const without = { ...known, fillPercentage: tenth(fill), daysToThreshold: toThreshold, daysToEmpty: daysTo(0) };
  const walk = weather && WeatherWalk.begin(weather, { believed, level, history }, rate, atMs);
  if (weather === null || walk === null) return { ...without, weather: null };
  const useFactor = Math.exp(
    INTERVAL_DEVIATIONS * DEVIATION_PER_ERROR * weightedByError(weather.errors, weather.errors),
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

/** How much more or less than the mean the weekdays until then use. They cancel out over a week. */
function weekdayFactor(at: LevelEstimate, fromMs: number, days: number): number {
  if (!(days < 7)) return 1;
  const untilMs = fromMs + Math.max(1, days) * DAY_MS;
  return expectedUse({ ...at, rate: 1 }, fromMs, untilMs) / ((untilMs - fromMs) / DAY_MS);
}

const daysOf = (points: number, rate: number): number | null => (points <= 0 ? 0 : shown(points / rate));

const shown = (days: number): number | null => (days <= MAX_FORECAST_DAYS ? tenth(days) : null);
