import { type LevelEstimate, type LevelReading, readingDeviation } from '../estimator/level_filter.ts';
import { isLowConfirmed } from './low_confirmation.ts';
import { eventReadings, type TankEvent } from './tank_event.ts';
import { type AlertSettings, latestReading, type TankState } from './tank_state.ts';
import { type Output, withdrawLow } from './withdrawal.ts';

/** An alert ends when the level is this far above the threshold, or four and a half deviations of gauge and level together. */
const HYSTERESIS = 5;
const HYSTERESIS_DEVIATIONS = 4.5;
const MOST_HYSTERESIS = 15;

interface JudgedReading {
  /** The states around the reading. */
  before: TankState;
  state: TankState;
  reading: LevelReading;
  reached: number;
  isStep: boolean;
  /** If the level is clear of the threshold, the alert that is open was wrong. */
  isLowWrong: boolean;
}

/**
 * Low is a reading at or below the threshold that fits the level known before, or one that is confirmed. The alert ends
 * when the level, which no single reading moves far, has `reached` a point clear of the threshold.
 */
export function evaluateLowFill(
  settings: AlertSettings,
  { before, state, reading, reached, isStep, isLowWrong }: JudgedReading,
  output: Output,
): TankState {
  const { events } = output;
  const threshold = settings.minFillAlertPercentage;
  const { level, firstLow } = state;
  if (level === null) return state;
  if (reading.fillPercentage <= threshold) {
    if (state.isLow) return state;
    const next = firstLow === null ? { ...state, firstLow: reading } : state;
    return isStep || isLowConfirmed(threshold, before, state, reading)
      ? raiseLow(settings, next, reading.atMs, events)
      : next;
  }
  const next = firstLow === null ? state : { ...state, firstLow: null };
  const isClear = state.doubt === null && reached >= threshold + hysteresis(threshold, level);
  if (!state.isLow || !isClear) return next;
  return isLowWrong ? withdrawLow(before, next, reading, output) : raiseRecovered(settings, next, reading.atMs, events);
}

function hysteresis(threshold: number, level: LevelEstimate): number {
  const deviation = Math.sqrt(readingDeviation(level) ** 2 + level.ll);
  const wide = Math.min(MOST_HYSTERESIS, Math.max(HYSTERESIS, HYSTERESIS_DEVIATIONS * deviation));
  return Math.min(wide, (100 - threshold) / 2);
}

export function raiseLow(settings: AlertSettings, state: TankState, atMs: number, events: TankEvent[]): TankState {
  // Settings changed twice within one millisecond would raise one event twice.
  if (state.lowAtMs === atMs) return state;
  const { firstLow } = state;
  const fill = firstLow === null ? state.believed : latestReading(state);
  events.push({
    type: 'tank.low_fill',
    atMs,
    data: { fill_percentage: fill?.fillPercentage ?? 0, threshold_percentage: settings.minFillAlertPercentage },
    readings: eventReadings(firstLow, fill),
  });
  return { ...state, atMs, isLow: true, lowAtMs: atMs };
}

export function raiseRecovered(
  settings: AlertSettings,
  state: TankState,
  atMs: number,
  events: TankEvent[],
): TankState {
  if (state.recoveredAtMs === atMs) return state;
  events.push({
    type: 'tank.fill_recovered',
    atMs,
    data: {
      fill_percentage: state.believed?.fillPercentage ?? 0,
      threshold_percentage: settings.minFillAlertPercentage,
    },
    readings: eventReadings(state.believed),
  });
  return { ...state, atMs, isLow: false, recoveredAtMs: atMs };
}
