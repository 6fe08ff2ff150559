import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import {
  HALF_DAY_MS,
  LONG_CADENCE_MS,
  readingsWithin,
  requiredReadings,
  SELDOM_MS,
} from '../estimator/gauge_health.ts';
import { plausibleUsePerDay } from '../estimator/leak_detector.ts';
import { type LevelReading } from '../estimator/level_filter.ts';
import type { TankState } from './tank_state.ts';

/** Two doubted readings this far below the threshold, less than an hour apart, confirm each other. */
const FAR_BELOW = 5;
const WITHIN_MS = (5 / 6) * HOUR_MS;
/** How many false alerts spikes may cause in a year; a fifth of all spikes are low. */
const FALSE_LOWS = 0.42;

/**
 * Whether a reading at or below the threshold is enough for an alert. A believed one is if use explains it or if another
 * low one came before it. A doubted one is if use explains it and the device reports once a day, or if enough low ones came
 * before it. `before` and `after` are the states around the reading.
 */
export function isLowConfirmed(threshold: number, before: TankState, after: TankState, reading: LevelReading): boolean {
  const { level, doubt, firstLow, cadenceMs } = after;
  if (level === null || before.level === null || before.believed === null) return false;
  const days = (reading.atMs - before.believed.atMs) / DAY_MS;
  const fallen = before.level.level - reading.fillPercentage;
  const isUse = fallen <= plausibleUsePerDay(before.level) * days + 3 * level.noise;
  if (doubt === null) {
    return firstLow !== null || (isUse && level.level <= threshold + level.noise);
  }
  if (isUse && cadenceMs >= SELDOM_MS) return true;
  // Readings that disagree with each other show nothing.
  if (firstLow === null || doubt.count > doubt.agreeing + 1) return false;
  const isFarBelow = doubt.agreeing >= 2 && reading.fillPercentage <= threshold - FAR_BELOW;
  if (isFarBelow && doubt.latest.atMs - doubt.first.atMs <= WITHIN_MS) return true;
  const required = requiredReadings(level.spikeShare, cadenceMs, FALSE_LOWS);
  // Where readings are far apart, half a day is enough.
  const most = cadenceMs < LONG_CADENCE_MS ? required : readingsWithin(HALF_DAY_MS, cadenceMs);
  return doubt.agreeing >= Math.min(most, required);
}
