import { HOUR_MS } from '../../../values/time.ts';
import { deviceSilent, type TankEvent } from './tank_event.ts';
import { latestReading, type TankState } from './tank_state.ts';

/** A device is silent after four missed reports, and never before 36 hours: many devices measure hourly and report daily. */
const SILENT_CADENCES = 4;
const MIN_SILENCE_MS = 36 * HOUR_MS;

/** When the device becomes silent if it does not report before; null if it is silent already, or never reported. */
export function silentDueAtMs(state: TankState): number | null {
  const latest = latestReading(state);
  // A sensor that has not reported yet is not silent: the latest reading is a dip.
  if (latest === null || state.isSilent || state.dips !== null) return null;
  return latest.atMs + Math.max(SILENT_CADENCES * state.cadenceMs, MIN_SILENCE_MS);
}

export function raiseSilent(state: TankState, atMs: number, events: TankEvent[]): TankState {
  const latest = latestReading(state);
  if (latest === null) return state;
  events.push(deviceSilent(latest, atMs));
  return { ...state, atMs, isSilent: true };
}

/** The fading mean of the time between readings. A gap counts as at most three cadences. */
export function learnCadence(seen: number, cadenceMs: number, gapMs: number): number {
  if (seen === 1) return gapMs;
  return Math.round(cadenceMs + 0.1 * (Math.min(gapMs, 3 * cadenceMs) - cadenceMs));
}
