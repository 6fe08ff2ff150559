import { median } from '../../../values/statistics.ts';
import { HOUR_MS } from '../../../values/time.ts';
import type { LevelReading } from '../estimator/level_filter.ts';
import { isTooOld } from '../estimator/reset_level.ts';
import { latestReading, type TankState } from './tank_state.ts';

/**
 * The number of readings whose median is the level of a tank on a vehicle. Its content moves by several points. With readings every
 * few minutes, more of them delay nothing.
 */
const MEDIAN_READINGS = 7;
const OFTEN_MEDIAN_READINGS = 11;
const OFTEN_CADENCE_MS = HOUR_MS / 2;

/** The state with the latest fills of a tank on a vehicle, none from before a long gap, and the reading with their median in place of its own fill. */
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
