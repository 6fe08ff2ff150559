import { type GaugeFault, isAtLimit, requiredForStep } from '../estimator/gauge_health.ts';
import { type LevelReading, predict } from '../estimator/level_filter.ts';
import { lowDueAtMs } from './evaluate.ts';
import { isGaugeReliable, type TankState } from './tank_state.ts';

/** Something that the next readings or the clock decide. */
export type Waiting =
  /**
   * Low readings that are not confirmed: the first one, their number so far, and the level that was predicted for the
   * latest one. Another low reading, or the time `untilMs`, raises the alert.
   */
  | {
      kind: 'low_confirmation';
      reading: LevelReading;
      readings: number;
      expectedPercentage: number | null;
      untilMs: number;
    }
  /** A reading far from its prediction. So far, `agreeing` of `required` readings agree. */
  | { kind: 'doubted_reading'; reading: LevelReading; expectedPercentage: number; agreeing: number; required: number }
  /** A gauge that is unreliable since `sinceMs`. */
  | { kind: 'gauge'; fault: GaugeFault; reading: LevelReading | null; sinceMs: number };

/** Everything that a tank's state waits for, the most important first. Empty for most tanks. */
export function waitingFor(state: TankState): Waiting[] {
  const { gauge, outliers, firstLow, level, accepted, cadenceMs } = state;
  const waiting: Waiting[] = [];
  if (!isGaugeReliable(state) && gauge.fault !== null) {
    const reading = outliers?.latest ?? accepted;
    waiting.push({ kind: 'gauge', fault: gauge.fault, reading, sinceMs: gauge.sinceMs ?? state.atMs });
  }
  const expectedPercentage = expectedFill(state);
  const untilMs = lowDueAtMs(state);
  if (firstLow !== null && untilMs !== null) {
    const readings = outliers?.agreeing ?? 1;
    waiting.push({ kind: 'low_confirmation', reading: firstLow, readings, expectedPercentage, untilMs });
  } else if (outliers !== null && expectedPercentage !== null && isGaugeReliable(state)) {
    const { latest, agreeing } = outliers;
    const isRise = latest.fillPercentage > expectedPercentage;
    const required = Math.max(agreeing + 1, requiredForStep(level?.spikeShare ?? 0, cadenceMs, isRise, isRise));
    waiting.push({ kind: 'doubted_reading', reading: latest, expectedPercentage, agreeing, required });
  }
  return waiting;
}

/** The level that was predicted for the latest outlier; null if there is none. */
function expectedFill({ outliers, level, accepted }: TankState): number | null {
  if (outliers === null || level === null || accepted === null) return null;
  return Math.round(Math.max(0, predict(level, accepted.atMs, outliers.latest.atMs).level) * 10) / 10;
}

/** A `Waiting` with the field names of the API. Fields that do not belong to the kind are left out. */
export interface WaitingFields {
  kind: Waiting['kind'];
  /** An English sentence. */
  text: string;
  reading: { created_at: string; fill_percentage: number } | null;
  reason?: GaugeFault;
  since?: string;
  expected_percentage?: number | null;
  until?: string;
  agreeing_readings?: number;
  required_readings?: number;
}

/** Converts a `Waiting` to the fields of the API, with its sentence. */
export function waitingFields(waiting: Waiting): WaitingFields {
  const { kind, reading } = waiting;
  const fields = {
    kind,
    text: describeWaiting(waiting),
    reading: reading && { created_at: iso(reading.atMs), fill_percentage: reading.fillPercentage },
  };
  if (kind === 'gauge') return { ...fields, reason: waiting.fault, since: iso(waiting.sinceMs) };
  const expected = { ...fields, expected_percentage: waiting.expectedPercentage };
  if (kind === 'low_confirmation') return { ...expected, until: iso(waiting.untilMs) };
  return { ...expected, agreeing_readings: waiting.agreeing, required_readings: waiting.required };
}

/** Describes a `Waiting` as an English sentence. Times are UTC. */
export function describeWaiting(waiting: Waiting): string {
  if (waiting.kind === 'low_confirmation') {
    const { reading, readings, expectedPercentage, untilMs } = waiting;
    const low = expectedPercentage === null ? 'is low' : `is low, but ${expectedPercentage} % was expected`;
    const next = readings === 1 ? 'a second reading' : 'another low reading';
    return `${shown(reading)} ${low}; waiting for ${next}, at the latest until ${minute(untilMs)}`;
  }
  if (waiting.kind === 'doubted_reading') {
    const { reading, expectedPercentage, agreeing, required } = waiting;
    const more = required - agreeing;
    const readings = more === 1 ? '1 more reading that agrees' : `${more} more readings that agree`;
    return `${shown(reading)} differs from the expected ${expectedPercentage} %; waiting for ${readings}`;
  }
  const { fault, sinceMs, reading } = waiting;
  const stuckAt = reading !== null && isAtLimit(reading) ? `${reading.fillPercentage} %` : '0 % or 100 %';
  const reason =
    fault === 'stuck_at_limit'
      ? `shows exactly ${stuckAt}, which nothing explains`
      : 'shows readings that contradict each other';
  return `since ${minute(sinceMs)} the gauge ${reason}; waiting for plausible readings`;
}

const shown = ({ atMs, fillPercentage }: LevelReading): string => `${fillPercentage} % at ${minute(atMs)}`;
const iso = (ms: number): string => new Date(ms).toISOString();
/** Writes a time to the minute, such as `2026-11-14 07:27 UTC`. */
export const minute = (ms: number): string => `${iso(ms).slice(0, 16).replace('T', ' ')} UTC`;
