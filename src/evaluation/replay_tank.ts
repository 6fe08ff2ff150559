import { DAY_MS } from '../values/time.ts';
import { BEFORE_ALL_READINGS_MS, type StoredCheckpoint } from './evaluate_readings.ts';
import { differencesAfterUpgrade, type EventDifferences } from './events_after_upgrade.ts';
import { nextTimerMs } from './pure/alerts/evaluate.ts';
import { compareInputs, reevaluate } from './pure/alerts/reevaluate.ts';
import type { TankEvent } from './pure/alerts/tank_event.ts';
import { INITIAL_STATE, type TankState } from './pure/alerts/tank_state.ts';
import { newerVersion } from './reevaluation_queue.ts';
import type { SavedState } from './save_states.ts';
import { decodeState, encodeState } from './state_codec.ts';
import type { ReadingInput } from './stored_readings.ts';
import { settingsAt, type TankSettingsHistory } from './tank_settings.ts';

/** The state from which a tank is evaluated again. It includes all inputs up to its time. */
export interface ReplayStart {
  state: TankState;
  atMs: number;
  /** Events after this time are compared with those of the replay. */
  eventsAfterMs: number;
  /** Events up to `eventsAfterMs` that the replay finds are ignored, because it knows too little about that time. */
  isWarmingUp?: true;
}

/** Without the readings before, the estimator needs about this time to learn the use and the noise of a tank. */
const WARM_UP_MS = 30 * DAY_MS;

export interface ReplayInputs {
  readings: readonly ReadingInput[];
  /** The readings are not all: the replay stops at the last of them. */
  isPart: boolean;
  /** Recorded events of the tank. */
  recorded: readonly TankEvent[];
  /** An older release recorded the events. */
  isAfterUpgrade: boolean;
}

/**
 * The stored state itself, if everything to evaluate is newer: after a change of the settings, and to continue a replay.
 * Null if the state includes something newer or cannot be read. Throws if a newer release wrote it.
 */
export function startFromState(encodedState: string | null, fromMs: number): ReplayStart | null {
  if (encodedState === null) return null;
  const state = decodeReadable(encodedState);
  if (state === null) return null;
  const includesMs = Math.max(state.atMs, state.lowAtMs ?? 0, state.recoveredAtMs ?? 0);
  return includesMs < fromMs ? { state, atMs: state.atMs, eventsAfterMs: fromMs - 1 } : null;
}

/**
 * The last readable checkpoint before a time, or the beginning if there is none. If retention has deleted readings, the
 * beginning is the base checkpoint, and the events before it stay as they are. If an older release wrote the base
 * checkpoint, evaluation begins there with nothing known, and the events of the time until it has learned stay too.
 */
export function startFromCheckpoint(checkpoints: readonly StoredCheckpoint[], fromMs: number): ReplayStart {
  const base = checkpoints.find(({ isBase }) => isBase);
  const baseMs = base?.atMs ?? BEFORE_ALL_READINGS_MS;
  const usable = checkpoints
    .filter(({ atMs }) => atMs >= baseMs && atMs < Math.max(fromMs, baseMs + 1))
    .toSorted((a, b) => b.atMs - a.atMs);
  for (const { atMs, encodedState } of usable) {
    const state = decodeReadable(encodedState);
    if (state !== null) return { state, atMs, eventsAfterMs: atMs };
  }
  if (base === undefined)
    return { state: INITIAL_STATE, atMs: BEFORE_ALL_READINGS_MS, eventsAfterMs: BEFORE_ALL_READINGS_MS };
  return { state: INITIAL_STATE, atMs: baseMs, eventsAfterMs: baseMs + WARM_UP_MS, isWarmingUp: true };
}

function decodeReadable(encodedState: string): TankState | null {
  try {
    return decodeState(encodedState);
  } catch (error) {
    if (newerVersion(error) !== null) throw error;
    return null;
  }
}

export interface Replay {
  tank: TankSettingsHistory;
  saved: SavedState;
  state: TankState;
  differences: EventDifferences;
  isAfterUpgrade: boolean;
  checkpoints: StoredCheckpoint[];
}

/** Evaluates a tank again from a start. With a part of the readings, the tank stays marked from the last of them on. */
export function replayTank(
  tank: TankSettingsHistory,
  start: ReplayStart,
  { readings, isPart, recorded, isAfterUpgrade }: ReplayInputs,
  upToMs: number,
): Replay {
  const { tankNo } = tank;
  const untilMs = isPart ? (readings.at(-1)?.atMs ?? start.atMs) : Number.POSITIVE_INFINITY;
  const changes = tank.changes.filter(({ atMs }) => atMs > start.atMs && atMs <= untilMs);
  const tick = { kind: 'tick', atMs: upToMs } as const;
  const inputs = [...readings, ...changes, ...(isPart ? [] : [tick])].toSorted(compareInputs);
  const compared = recorded.filter(({ atMs }) => atMs > start.eventsAfterMs && atMs <= untilMs);
  const from = { settings: settingsAt(tank, start.atMs), state: start.state };
  const reevaluation = reevaluate(from, inputs, compared, tankNo);
  const { state, checkpoints, changed, retracted } = reevaluation;
  const added = start.isWarmingUp
    ? reevaluation.added.filter(({ atMs }) => atMs > start.eventsAfterMs)
    : reevaluation.added;
  const times = { firstReadingMs: start.state.believed?.atMs ?? readings[0]?.atMs ?? Infinity, nowMs: Date.now() };
  return {
    tank,
    state,
    saved: {
      tankNo,
      encodedState: encodeState(state),
      timerMs: isPart || tank.isDeleted ? null : nextTimerMs(state),
      reevaluateFromMs: isPart ? untilMs + 1 : null,
    },
    differences: isAfterUpgrade
      ? differencesAfterUpgrade({ ...reevaluation, added }, compared, times)
      : { added, changed, retracted, known: new Set() },
    isAfterUpgrade,
    checkpoints: checkpoints.map((checkpoint) => ({
      tankNo,
      atMs: checkpoint.state.atMs,
      encodedState: encodeState(checkpoint.state),
    })),
  };
}
