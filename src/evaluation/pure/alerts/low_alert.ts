import { type LevelEstimate, type LevelReading, readingDeviation } from '../estimator/level_filter.ts';
import { isLowConfirmed } from './low_confirmation.ts';
import { type EvaluationOutput, retractLow } from './retraction.ts';
import { eventReadings, type TankEvent } from './tank_event.ts';
import { type AlertSettings, latestReading, type TankState } from './tank_state.ts';

/**
 * An alert ends when the level is above the threshold by the larger of 5 points and 4.5 standard deviations of gauge and level, but
 * at most 15 points and half of the distance from the threshold to 100 %.
 */
const HYSTERESIS_POINTS = 5;
const HYSTERESIS_DEVIATIONS = 4.5;
const MAX_HYSTERESIS_POINTS = 15;

interface JudgedReading {
  /** The state before the reading. `state` is the state after it. */
  before: TankState;
  state: TankState;
  reading: LevelReading;
  /** The level after the reading, or after the delivery that the reading shows. */
  reached: number;
  isStep: boolean;
  /** True if a spike raised the open alert. The alert is retracted if the level is clear of the threshold. */
  isLowWrong: boolean;
}

/**
 * A reading at or below the threshold raises the alert if it confirms a new level (`isStep`) or if `isLowConfirmed`. The alert ends
 * when `reached` is above the threshold by the hysteresis and no outlier waits for confirmation. No single reading moves the level
 * far.
 */
export function evaluateLowFill(
  settings: AlertSettings,
  { before, state, reading, reached, isStep, isLowWrong }: JudgedReading,
  output: EvaluationOutput,
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
  const isClear = state.outliers === null && reached >= threshold + hysteresis(threshold, level);
  if (!state.isLow || !isClear) return next;
  return isLowWrong ? retractLow(before, next, reading, output) : raiseRecovered(settings, next, reading.atMs, events);
}

/** By how many points the level must be above a threshold to end the condition that was reported at the threshold. */
export function hysteresis(threshold: number, level: LevelEstimate): number {
  const deviation = Math.sqrt(readingDeviation(level) ** 2 + level.ll);
  const wide = Math.min(MAX_HYSTERESIS_POINTS, Math.max(HYSTERESIS_POINTS, HYSTERESIS_DEVIATIONS * deviation));
  return Math.min(wide, (100 - threshold) / 2);
}

export function raiseLow(settings: AlertSettings, state: TankState, atMs: number, events: TankEvent[]): TankState {
  // Settings changed twice within one millisecond would raise one event twice.
  if (state.lowAtMs === atMs) return state;
  const { firstLow } = state;
  const fill = firstLow === null ? state.accepted : latestReading(state);
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
      fill_percentage: state.accepted?.fillPercentage ?? 0,
      threshold_percentage: settings.minFillAlertPercentage,
    },
    readings: eventReadings(state.accepted),
  });
  return { ...state, atMs, isLow: false, recoveredAtMs: atMs };
}
