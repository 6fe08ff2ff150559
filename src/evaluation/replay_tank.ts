import { nextTimerMs } from '../alerts/evaluate.ts';
import { compareInputs, type Reevaluation, reevaluate } from '../alerts/reevaluate.ts';
import type { TankEvent } from '../alerts/tank_event.ts';
import { INITIAL_STATE, type TankState } from '../alerts/tank_state.ts';
import { BEFORE_ALL_READINGS_MS, type StoredCheckpoint } from './evaluate_readings.ts';
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

/** The last readable checkpoint before a time, or the beginning if there is none. */
export function startFromCheckpoint(checkpoints: readonly StoredCheckpoint[], fromMs: number): ReplayStart {
  const before = checkpoints.filter(({ atMs }) => atMs < fromMs).toSorted((a, b) => b.atMs - a.atMs);
  for (const { atMs, encodedState } of before) {
    const state = decodeReadable(encodedState);
    if (state !== null) return { state, atMs, eventsAfterMs: atMs };
  }
  return { state: INITIAL_STATE, atMs: BEFORE_ALL_READINGS_MS, eventsAfterMs: BEFORE_ALL_READINGS_MS };
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
  differences: Pick<Reevaluation, 'added' | 'changed' | 'retracted'>;
  checkpoints: StoredCheckpoint[];
}

/**
 * Evaluates a tank again from a start. With readings that are not all (`isPart`), it stops at the last of them, and the
 * tank stays marked from there on.
 */
export function replayTank(
  tank: TankSettingsHistory,
  start: ReplayStart,
  { readings, isPart }: { readings: readonly ReadingInput[]; isPart: boolean },
  recorded: readonly TankEvent[],
  upToMs: number,
): Replay {
  const { tankNo } = tank;
  const untilMs = isPart ? (readings.at(-1)?.atMs ?? start.atMs) : Number.POSITIVE_INFINITY;
  const changes = tank.changes.filter(({ atMs }) => atMs > start.atMs && atMs <= untilMs);
  const tick = { kind: 'tick', atMs: upToMs } as const;
  const inputs = [...readings, ...changes, ...(isPart ? [] : [tick])].toSorted(compareInputs);
  const { state, checkpoints, added, changed, retracted } = reevaluate(
    { settings: settingsAt(tank, start.atMs), state: start.state },
    inputs,
    recorded.filter(({ atMs }) => atMs > start.eventsAfterMs && atMs <= untilMs),
  );
  return {
    tank,
    state,
    saved: {
      tankNo,
      encodedState: encodeState(state),
      timerMs: isPart || tank.isDeleted ? null : nextTimerMs(state),
      reevaluateFromMs: isPart ? untilMs + 1 : null,
    },
    differences: { added, changed, retracted },
    checkpoints: checkpoints.map((checkpoint) => ({
      tankNo,
      atMs: checkpoint.state.atMs,
      encodedState: encodeState(checkpoint.state),
    })),
  };
}
