import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import {
  DELIVERY_CONFIRMATION_MS,
  LONG_CADENCE_MS,
  readingsWithin,
  requiredReadings,
  STEP_DAILY_CADENCE_MS,
} from '../estimator/gauge_health.ts';
import { plausibleUsePerDay } from '../estimator/leak_detector.ts';
import { type LevelReading } from '../estimator/level_filter.ts';
import type { TankState } from './tank_state.ts';

/** Two outliers this many points below the threshold and less than 50 minutes apart confirm each other. */
const FAR_BELOW_POINTS = 5;
const WITHIN_MS = (5 / 6) * HOUR_MS;
/** The number of false alerts that spikes may cause in a year. One spike in five is low. */
const FALSE_LOWS_PER_YEAR = 0.42;

/**
 * Returns true if a reading at or below the threshold raises the alert. An accepted reading does if use explains it or if
 * another low reading came before it. An outlier does if use explains it and the device reports once a day, or if
 * enough low readings came before it. `before` and `after` are the states around the reading.
 */
export function isLowConfirmed(threshold: number, before: TankState, after: TankState, reading: LevelReading): boolean {
  const { level, outliers, firstLow, cadenceMs } = after;
  if (level === null || before.level === null || before.accepted === null) return false;
  const days = (reading.atMs - before.accepted.atMs) / DAY_MS;
  const fallen = before.level.level - reading.fillPercentage;
  const isUse = fallen <= plausibleUsePerDay(before.level) * days + 3 * level.noise;
  if (outliers === null) {
    return firstLow !== null || (isUse && level.level <= threshold + level.noise);
  }
  if (isUse && cadenceMs >= STEP_DAILY_CADENCE_MS) return true;
  // Outliers that disagree with each other confirm nothing.
  if (firstLow === null || outliers.count > outliers.agreeing + 1) return false;
  const isFarBelow = outliers.agreeing >= 2 && reading.fillPercentage <= threshold - FAR_BELOW_POINTS;
  if (isFarBelow && outliers.latest.atMs - outliers.first.atMs <= WITHIN_MS) return true;
  const required = requiredReadings(level.spikeShare, cadenceMs, FALSE_LOWS_PER_YEAR);
  // With a long cadence, the readings of 13 hours are enough.
  const maxRequired = cadenceMs < LONG_CADENCE_MS ? required : readingsWithin(DELIVERY_CONFIRMATION_MS, cadenceMs);
  return outliers.agreeing >= Math.min(maxRequired, required);
}
