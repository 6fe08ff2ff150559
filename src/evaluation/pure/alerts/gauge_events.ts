import { DAY_MS } from '../../../values/time.ts';
import {
  type GaugeFault,
  isAtLimit,
  isContradictory,
  isRecovered,
  isStuck,
  watchJumps,
} from '../estimator/gauge_health.ts';
import { type LevelReading } from '../estimator/level_filter.ts';
import type { EventReading } from './event_types.ts';
import { eventReadings, gaugeReliable, gaugeUnreliable, type TankEvent } from './tank_event.ts';
import type { TankState } from './tank_state.ts';

interface WatchedReading {
  /** The previous reading, and the latest accepted reading before this one. */
  latest: LevelReading;
  accepted: LevelReading;
  reading: LevelReading;
  isFailureValue: boolean;
}

/** Updates the health of the gauge, and raises an event when the gauge becomes unreliable or reliable again. */
export function watchGauge(
  state: TankState,
  { latest, accepted, reading, isFailureValue }: WatchedReading,
  events: TankEvent[],
): TankState {
  const { level, outliers } = state;
  const days = (reading.atMs - latest.atMs) / DAY_MS;
  const use = level === null ? 0 : Math.max(level.rate, level.peakRate) * days;
  const gauge = watchJumps(state.gauge, latest, reading, use);
  if (gauge.fault === null) {
    if (isFailureValue && outliers !== null && isStuck(outliers.first, reading, outliers.agreeing)) {
      const readings = eventReadings(accepted, outliers.first, reading);
      const next = { ...state, firstLow: null, gauge };
      return raiseUnreliable(next, 'stuck_at_limit', outliers.first.atMs, reading, readings, events);
    }
    if (isContradictory(gauge)) {
      const readings = eventReadings(accepted, latest, reading);
      const next = { ...state, firstLow: null, gauge };
      return raiseUnreliable(next, 'contradictory_readings', reading.atMs, reading, readings, events);
    }
    return gauge === state.gauge ? state : { ...state, gauge };
  }
  if (gauge.fault === 'stuck_at_limit' && isAtLimit(reading)) {
    return { ...state, gauge: { ...gauge, badAtMs: reading.atMs } };
  }
  if (outliers !== null || !isRecovered(gauge, reading)) return { ...state, gauge };
  events.push(gaugeReliable(gauge.sinceMs ?? reading.atMs, reading, eventReadings(latest, reading)));
  return { ...state, gauge: { ...gauge, fault: null, changedAtMs: reading.atMs, badAtMs: null } };
}

/** Raises the event of a gauge that is unreliable since a time, as a reading has shown. */
export function raiseUnreliable(
  state: TankState,
  fault: GaugeFault,
  sinceMs: number,
  reading: LevelReading,
  readings: readonly EventReading[],
  events: TankEvent[],
): TankState {
  events.push(gaugeUnreliable(fault, sinceMs, reading, readings));
  const { atMs } = reading;
  return { ...state, gauge: { ...state.gauge, fault, sinceMs, changedAtMs: atMs, badAtMs: atMs } };
}

/**
 * Returns true if a reading can raise events. Good readings of a gauge that is stuck from time to time can; readings at the
 * limit cannot. No reading of a gauge with contradictory readings can, until its readings agree again.
 */
export const isJudgeable = ({ gauge }: TankState, reading: LevelReading): boolean =>
  gauge.fault === null || (gauge.fault === 'stuck_at_limit' ? !isAtLimit(reading) : !isContradictory(gauge));
