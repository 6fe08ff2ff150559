import { DAY_MS } from '../values/time.ts';
import type { StoredCheckpoint } from './checkpoints.ts';
import { mayRetract } from './pure/alerts/retraction.ts';
import { INITIAL_STATE, latestReading, type TankState } from './pure/alerts/tank_state.ts';
import { decodeState, newerVersion } from './state_codec.ts';
import { BEFORE_ALL_READINGS_MS } from './stored_readings.ts';

/** The state from which a tank is evaluated again. It includes all inputs up to its time. */
export interface ReevaluationStart {
  state: TankState;
  atMs: number;
  /** Recorded events after this time are compared with the events of the re-evaluation. */
  eventsAfterMs: number;
  /** Events up to `eventsAfterMs` that the re-evaluation finds are ignored, because it has too few readings until then. */
  isWarmingUp?: true;
}

/** The time that the estimator needs to learn the use and the noise of a tank without the earlier readings. */
const WARM_UP_MS = 30 * DAY_MS;

/**
 * Starts from the stored state if all inputs to evaluate are newer than it, as after a change of the settings or if a re-evaluation
 * continues. Null if the state includes a newer input or cannot be read. Throws if a newer release wrote the state.
 */
export function startFromState(encodedState: string | null, fromMs: number): ReevaluationStart | null {
  if (encodedState === null) return null;
  const state = decodeReadable(encodedState);
  if (state === null) return null;
  const includesMs = Math.max(state.atMs, state.lowAtMs ?? 0, state.recoveredAtMs ?? 0);
  return includesMs < fromMs ? { state, atMs: state.atMs, eventsAfterMs: fromMs - 1 } : null;
}

/**
 * Starts from the last readable checkpoint before a time, or from the first reading if there is none. If retention has
 * deleted readings, the earliest start is the base checkpoint, and earlier events stay as they are. If an older release
 * wrote the base checkpoint, evaluation starts there with an initial state, and the events of the next 30 days stay too.
 */
export function startFromCheckpoint(checkpoints: readonly StoredCheckpoint[], fromMs: number): ReevaluationStart {
  const base = checkpoints.find(({ isBase }) => isBase);
  const baseMs = base?.atMs ?? BEFORE_ALL_READINGS_MS;
  const usable = checkpoints
    .filter(({ atMs }) => atMs >= baseMs && atMs < Math.max(fromMs, baseMs + 1))
    .toSorted((a, b) => b.atMs - a.atMs);
  for (const { atMs, encodedState, isBase } of usable) {
    const state = decodeReadable(encodedState);
    // If a late reading shows that an event was retracted wrongly, only a start before the event finds it again.
    if (state !== null && (isBase || !mayRetract(state))) return { state, atMs, eventsAfterMs: atMs };
  }
  if (base === undefined)
    return { state: INITIAL_STATE, atMs: BEFORE_ALL_READINGS_MS, eventsAfterMs: BEFORE_ALL_READINGS_MS };
  return { state: INITIAL_STATE, atMs: baseMs, eventsAfterMs: baseMs + WARM_UP_MS, isWarmingUp: true };
}

/** The next report that a device announced with a reading. */
export interface Announcement {
  /** The time of the reading. */
  atMs: number;
  nextReportMs: number;
}

/** The announcement with the latest reading, from the state, because stored readings do not contain it. */
export function latestAnnouncement(encodedState: string | null): Announcement | null {
  const state = encodedState === null ? null : decodeReadable(encodedState);
  const latest = state === null ? null : latestReading(state);
  if (state === null || latest === null || state.announcedGapMs === 0) return null;
  return { atMs: latest.atMs, nextReportMs: latest.atMs + state.announcedGapMs };
}

function decodeReadable(encodedState: string): TankState | null {
  try {
    return decodeState(encodedState);
  } catch (error) {
    if (newerVersion(error) !== null) throw error;
    return null;
  }
}
