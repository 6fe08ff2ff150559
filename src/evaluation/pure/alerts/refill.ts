import type { Rise } from '../estimator/assessed_reading.ts';
import type { LevelEstimate, LevelReading } from '../estimator/level_filter.ts';
import { eventReadings, refilled, type TankEvent } from './tank_event.ts';
import type { AlertSettings, TankState } from './tank_state.ts';

/** Smaller rises are not reported: a truck does not deliver so little, and weather alone moves a gauge by some points. */
const MIN_REFILL_POINTS = 5;
/** The limit for a tank on a vehicle, whose content moves. */
const MIN_MOBILE_REFILL_POINTS = 12;
/**
 * The level is uncertain during the first 20 readings, so only a clear rise is a delivery: 8 points at the second
 * reading, then from 15 points down to 5.
 */
const MAX_UNSETTLED_REFILL_POINTS = 15;
const SECOND_READING_REFILL_POINTS = 8;
const SETTLED_READINGS = 20;

/** Returns true if a rise is a delivery: the level is above the last level, and not only above the level expected after use. */
export function isDelivery(
  { isMobile }: AlertSettings,
  { before, points }: { before: number; points: number },
  level: LevelEstimate | null,
): boolean {
  const seen = level?.seen ?? 1;
  const above = before + points - Math.max(before, level?.level ?? 0);
  if (isMobile === true && above < MIN_MOBILE_REFILL_POINTS) return false;
  if (seen === 1) return above >= SECOND_READING_REFILL_POINTS;
  return (
    above >=
    Math.max(MIN_REFILL_POINTS, Math.min(MAX_UNSETTLED_REFILL_POINTS, (MIN_REFILL_POINTS * SETTLED_READINGS) / seen))
  );
}

/** Returns the event of a delivery. */
export const refillOf = (
  settings: AlertSettings,
  { accepted, outliers }: TankState,
  rise: Rise,
  reading: LevelReading,
): TankEvent =>
  refilled(
    settings,
    rise,
    reading.atMs,
    eventReadings(accepted, outliers?.first ?? null, outliers?.latest ?? null, reading),
  );
