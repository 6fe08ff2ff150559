import { median } from '../../../values/statistics.ts';
import type { LevelReading } from '../estimator/level_filter.ts';
import { isTooOld } from '../estimator/reset_level.ts';
import { latestReading, type TankState } from './tank_state.ts';

/** The number of readings whose median is the level of a tank on a vehicle. Its content moves by several points. */
const MEDIAN_READINGS = 7;

/** The state with the latest fills of a tank on a vehicle, none from before a long gap, and the reading with their median in place of its own fill. */
export function smoothMovingContent(
  state: TankState,
  { atMs, fillPercentage }: LevelReading,
): { state: TankState; reading: LevelReading } {
  const latest = latestReading(state);
  const known = latest === null || isTooOld(latest.atMs, atMs) ? [] : state.latestFills;
  const latestFills = [...known, fillPercentage].slice(-MEDIAN_READINGS);
  return { state: { ...state, latestFills }, reading: { atMs, fillPercentage: median(latestFills) } };
}
