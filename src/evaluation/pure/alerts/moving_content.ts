import { median } from '../../../values/statistics.ts';
import { HOUR_MS } from '../../../values/time.ts';
import type { LevelReading } from '../estimator/level_filter.ts';
import { isTooOld } from '../estimator/reset_level.ts';
import { latestReading, type TankState } from './tank_state.ts';

/**
 * The level of a tank on a vehicle, whose content moves by several points, is the median of this many readings. With
 * readings at least every half hour, a median of more readings causes no relevant delay.
 */
const MEDIAN_READINGS = 7;
const OFTEN_MEDIAN_READINGS = 11;
const OFTEN_CADENCE_MS = HOUR_MS / 2;

/**
 * Adds a reading of a tank on a vehicle to the latest fills, which begin again after a long gap. Returns the reading
 * with the median of these fills instead of its own fill.
 */
export function smoothMovingContent(
  state: TankState,
  { atMs, fillPercentage }: LevelReading,
): { state: TankState; reading: LevelReading } {
  const latest = latestReading(state);
  const known = latest === null || isTooOld(latest.atMs, atMs) ? [] : state.latestFills;
  const count = state.cadenceMs <= OFTEN_CADENCE_MS ? OFTEN_MEDIAN_READINGS : MEDIAN_READINGS;
  const latestFills = [...known, fillPercentage].slice(-count);
  return { state: { ...state, latestFills }, reading: { atMs, fillPercentage: median(latestFills) } };
}
