import { dailyUseDeviation, type LevelEstimate, type LevelReading, predict } from './level_filter.ts';

/** Days from now. Between earliest and latest it happens at least four times of five; null is not within two years. */
export interface DaysRange {
  likely: number | null;
  earliest: number | null;
  latest: number | null;
}

export interface Forecast {
  /** The reading it rests on: a forecast from an old reading is an old forecast. */
  asOfMs: number;
  fillPercentage: number;
  usePointsPerDay: number;
  daysToThreshold: DaysRange;
  daysToEmpty: DaysRange;
}

/** Four of five lie within this many deviations. */
const INTERVAL_DEVIATIONS = 1.28;
export const MAX_FORECAST_DAYS = 730;

/** When use as usual takes the tank to its threshold, and to its end. Null for a tank without a reading. */
export function forecast(
  { minFillAlertPercentage }: { minFillAlertPercentage: number },
  { believed, level }: { believed: LevelReading | null; level: LevelEstimate | null },
  nowMs: number,
): Forecast | null {
  if (believed === null || level === null) return null;
  const now = predict(level, believed.atMs, Math.max(believed.atMs, nowMs));
  const fill = Math.max(0, now.level);
  const rateSpread = INTERVAL_DEVIATIONS * Math.sqrt(now.rr);
  const daysTo = (target: number): DaysRange => {
    const likely = daysOf(fill - target, now.rate);
    // What is not known of the level now, and what the days until then will be off by.
    const wander = dailyUseDeviation(now) ** 2 * (likely ?? MAX_FORECAST_DAYS);
    const spread = INTERVAL_DEVIATIONS * Math.sqrt(now.ll + wander);
    return {
      likely,
      earliest: daysOf(fill - target - spread, now.rate + rateSpread),
      latest: daysOf(fill - target + spread, Math.max(0, now.rate - rateSpread)),
    };
  };
  return {
    asOfMs: believed.atMs,
    fillPercentage: tenth(fill),
    usePointsPerDay: Math.round(now.rate * 100) / 100,
    daysToThreshold: daysTo(minFillAlertPercentage),
    daysToEmpty: daysTo(0),
  };
}

function daysOf(points: number, rate: number): number | null {
  if (points <= 0) return 0;
  const days = points / rate;
  return days <= MAX_FORECAST_DAYS ? tenth(days) : null;
}

const tenth = (value: number): number => Math.round(value * 10) / 10;
