import { DAY_MS } from '../../../values/time.ts';
import { isAtLimit, isContradictory, isRecovered, isStuck, watchJumps } from '../estimator/gauge_health.ts';
import { type LevelReading } from '../estimator/level_filter.ts';
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
      events.push(
        gaugeUnreliable(
          'stuck_at_limit',
          outliers.first.atMs,
          reading,
          eventReadings(accepted, outliers.first, reading),
        ),
      );
      const sinceMs = outliers.first.atMs;
      const since = { fault: 'stuck_at_limit', sinceMs, changedAtMs: reading.atMs, badAtMs: reading.atMs } as const;
      return { ...state, firstLow: null, gauge: { ...gauge, ...since } };
    }
    if (isContradictory(gauge)) {
      const sinceMs = reading.atMs;
      events.push(
        gaugeUnreliable('contradictory_readings', sinceMs, reading, eventReadings(accepted, latest, reading)),
      );
      const since = { fault: 'contradictory_readings', sinceMs, changedAtMs: sinceMs, badAtMs: sinceMs } as const;
      return { ...state, firstLow: null, gauge: { ...gauge, ...since } };
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

/**
 * Returns true if a reading can raise events. Good readings of a gauge that is stuck from time to time can; readings at the
 * limit cannot. No reading of a gauge with contradictory readings can, until its readings agree again.
 */
export const isJudgeable = ({ gauge }: TankState, reading: LevelReading): boolean =>
  gauge.fault === null || (gauge.fault === 'stuck_at_limit' ? !isAtLimit(reading) : !isContradictory(gauge));
