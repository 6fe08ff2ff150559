import type { TankState } from '../evaluation/pure/alerts/tank_state.ts';
import {
  estimatedLevel,
  type NoEstimateReason,
  noEstimateReason,
  wantsDip,
} from '../evaluation/pure/dips/dip_state.ts';
import { isManualDevice } from '../values/manual_device.ts';
import { formatIsoTime } from '../values/time.ts';

/** Where the level of a tank comes from: its sensor, or an estimate from dips. */
export type LevelSource = 'sensor' | 'estimated';

/** The level of a tank without a sensor, with the field names of the API. */
export interface EstimatedFields {
  source: LevelSource;
  /** Null for a tank with a sensor, and if there is no estimate. */
  level_range: { low_percentage: number; likely_percentage: number; high_percentage: number } | null;
  /** Null for a tank with a sensor. */
  dip: { last_at: string | null; is_wanted: boolean; cannot_be_told: NoEstimateReason | null } | null;
}

const SENSOR_FIELDS: EstimatedFields = { source: 'sensor', level_range: null, dip: null };

/** Returns the fields at a time. The device of a tank without a state, which has no dip yet, shows whether the tank has a sensor. */
export function estimatedFields(state: TankState | null, deviceId: string, atMs: number): EstimatedFields {
  const dips = state?.dips ?? null;
  if (dips === null) {
    if (state !== null || !isManualDevice(deviceId)) return SENSOR_FIELDS;
    return {
      source: 'estimated',
      level_range: null,
      dip: { last_at: null, is_wanted: true, cannot_be_told: 'no_level' },
    };
  }
  const range = estimatedLevel(dips, atMs);
  return {
    source: 'estimated',
    level_range: range && {
      low_percentage: range.low,
      likely_percentage: range.likely,
      high_percentage: range.high,
    },
    dip: {
      last_at: dips.seenAtMs === null ? null : formatIsoTime(dips.seenAtMs),
      is_wanted: wantsDip(dips, atMs),
      cannot_be_told: noEstimateReason(dips, atMs),
    },
  };
}
