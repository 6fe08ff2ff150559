import type { Series, TankStatus } from '@tankwatch/client';
import { DAY_MS } from '../format.ts';
import { isLosing, isOutdated } from '../status.ts';

/** One point of the chart. A point without a level breaks the line. */
export interface ChartPoint {
  ms: number;
  level: number | null;
  low: number | null;
  high: number | null;
}

/** The points of a series, oldest first, with a break in every silence. */
export function chartPoints({ readings, buckets, gaps }: Series): ChartPoint[] {
  const points: ChartPoint[] =
    readings !== null
      ? readings.times.map((time, index) => point(time, readings.levels[index], readings.levels[index]))
      : (buckets?.times ?? []).map((time, index) => ({
          ...point(time, buckets?.lasts[index], buckets?.lowests[index]),
          high: buckets?.highests[index] ?? null,
        }));
  const breaks = gaps.map(({ from, to }) => ({
    ms: (Date.parse(from) + Date.parse(to)) / 2,
    level: null,
    low: null,
    high: null,
  }));
  return [...points, ...breaks].toSorted((a, b) => a.ms - b.ms);
}

const point = (time: string, level: number | undefined, low: number | undefined): ChartPoint => ({
  ms: Date.parse(time),
  level: level ?? null,
  low: low ?? null,
  high: level ?? null,
});

export interface Cone {
  fromMs: number;
  level: number;
  toMs: number;
  /** Where the lines for the likely, fastest and slowest use end: at `toMs`, or earlier if the tank is empty. */
  likely: ConeEnd;
  fastest: ConeEnd;
  slowest: ConeEnd;
}

interface ConeEnd {
  ms: number;
  level: number;
}

const MAX_FORECAST_MS = 60 * DAY_MS;

/**
 * The forecast from the latest reading until 1.25 times the time to the threshold. For a tank that is low or loses gas,
 * until the tank is empty. At most 60 days. Null without a forecast, if the level of the tank is not known, or if its
 * latest reading is older than 7 days.
 */
export function forecastCone(status: TankStatus, nowMs: number): Cone | null {
  const { reading, threshold, empty, tank } = status;
  if (reading === null || threshold === null || isOutdated(status)) return null;
  if (!reading.is_confirmed && !isLosing(status)) return null;
  const fromMs = Date.parse(reading.created_at);
  const isLow = isLosing(status) || reading.fill_percentage <= tank.min_fill_alert_percentage;
  const [target, times] = isLow ? [0, empty] : [tank.min_fill_alert_percentage, threshold];
  if (times === null || times.likely_at === null || nowMs - fromMs > 7 * DAY_MS) return null;
  const likelyMs = Date.parse(times.likely_at) - fromMs;
  if (likelyMs <= 0) return null;
  const level = reading.fill_percentage;
  // For a low tank, the band ends at the latest time. A band up to the likely time would be only above the line.
  const latestMs = times.latest_at === null ? 0 : Date.parse(times.latest_at) - fromMs;
  const lengthMs = Math.min(MAX_FORECAST_MS, isLow ? Math.max(likelyMs, latestMs) : likelyMs * 1.25);
  const endAt = (time: string | null): ConeEnd => {
    if (time === null) return { ms: fromMs + lengthMs, level }; // more than two years away
    const targetMs = Math.max(1, Date.parse(time) - fromMs);
    const emptyMs = level === target ? lengthMs : (targetMs * level) / (level - target);
    const endMs = Math.min(lengthMs, emptyMs);
    return { ms: fromMs + endMs, level: Math.max(0, level - ((level - target) * endMs) / targetMs) };
  };
  return {
    fromMs,
    level,
    toMs: fromMs + lengthMs,
    likely: endAt(times.likely_at),
    fastest: endAt(times.earliest_at),
    slowest: endAt(times.latest_at),
  };
}
