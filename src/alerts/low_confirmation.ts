import { isAtLimit } from '../estimator/gauge_health.ts';
import { plausibleUsePerDay } from '../estimator/leak_test.ts';
import { DAY_MS, HOUR_MS, type LevelReading } from '../estimator/level_filter.ts';
import type { TankState } from './tank_state.ts';

/** Two doubted readings this far below the threshold, less than an hour apart, confirm each other. */
const FAR_BELOW = 5;
const WITHIN_MS = (5 / 6) * HOUR_MS;
/** A gauge with lasting spikes needs more than two readings for everything. */
const LASTING_SPIKES = 0.3;

/**
 * Whether a reading at or below the threshold is enough for an alert. It is if it is believed and fits the level, if use
 * explains it, if it is the second believed one, or if two doubted ones far below agree within the hour. `state` is the
 * state after the reading, with the low readings before it in `firstLow`.
 */
export function isLowConfirmed(threshold: number, state: TankState, reading: LevelReading): boolean {
  const { level, doubt, firstLow, believed, gauge } = state;
  if (level === null || believed === null) return false;
  if (doubt === null) return firstLow !== null || level.level <= threshold + level.noise;
  if (gauge.spikes > LASTING_SPIKES || isAtLimit(reading)) return false;
  const days = (reading.atMs - believed.atMs) / DAY_MS;
  const fallen = level.level - reading.fillPercentage;
  if (fallen <= plausibleUsePerDay(level) * days + 3 * level.noise) return true;
  return (
    doubt.agreeing >= 2 &&
    doubt.latest.atMs - doubt.first.atMs <= WITHIN_MS &&
    reading.fillPercentage <= threshold - FAR_BELOW
  );
}
