import { predict } from './level.ts';
import type { Settings, State } from './state.ts';

/** Days from now, with an interval that holds four times of five. Null: not within two years, as far as can be seen. */
export interface DaysUntil {
  likely: number | null;
  earliest: number | null;
  latest: number | null;
}

export interface Forecast {
  /** The reading it rests on: a forecast from an old one is an old one. */
  asOfMs: number;
  levelPercentage: number;
  usePointsPerDay: number;
  daysToThreshold: DaysUntil;
  daysToEmpty: DaysUntil;
}

/** Four of five lie within this many deviations. */
const INTERVAL_DEVIATIONS = 1.28;
const FARTHEST_DAYS = 730;

/** When use as usual takes the tank to its threshold and to its end; null before there are two days of readings. */
export function forecast(settings: Settings, state: State, nowMs: number): Forecast | null {
  const { believed, level } = state;
  if (believed === null || level === null) return null;
  const now = predict(level, believed.atMs, Math.max(believed.atMs, nowMs));
  const daysTo = (target: number): DaysUntil => {
    const margin = Math.max(0, now.level) - target;
    return {
      likely: daysUntil(margin, now.rate),
      earliest: crossing(1),
      latest: crossing(-1),
    };
    function crossing(side: 1 | -1): number | null {
      const at = margin - side * INTERVAL_DEVIATIONS * Math.sqrt(now.ll);
      return daysUntil(at, Math.max(0, now.rate + side * INTERVAL_DEVIATIONS * Math.sqrt(now.rr)));
    }
  };
  return {
    asOfMs: believed.atMs,
    levelPercentage: Math.max(0, now.level),
    usePointsPerDay: now.rate,
    daysToThreshold: daysTo(settings.minFillAlertPercentage),
    daysToEmpty: daysTo(0),
  };
}

function daysUntil(points: number, rate: number): number | null {
  if (points <= 0) return 0;
  const days = points / rate;
  return days <= FARTHEST_DAYS ? days : null;
}
