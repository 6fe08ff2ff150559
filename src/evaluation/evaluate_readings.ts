import type { TankReading } from '../telemetry/reading.ts';
import { changedFleetRow, type FleetRow } from './fleet_rows.ts';
import { evaluate, isInOrder, nextTimerMs } from './pure/alerts/evaluate.ts';
import type { NewEvent } from './pure/alerts/event_types.ts';
import { compareInputs, isCheckpoint, isStillCurrent } from './pure/alerts/reevaluate.ts';
import type { TankEvent } from './pure/alerts/tank_event.ts';
import { type AlertSettings, type EvaluationInput, INITIAL_STATE, type TankState } from './pure/alerts/tank_state.ts';
import type { AppliedSettings, QueuedTank } from './reevaluation_queue.ts';
import { decodeState, encodeState } from './state_codec.ts';
import type { SettingsChange } from './tank_settings.ts';

/** A tank with its stored state and its alert settings, read under its lock. */
export interface TankToEvaluate {
  tankNo: number;
  organizationNo: number;
  settings: AlertSettings;
  /** Changes of the settings that the state may not include yet, oldest first. */
  changes: readonly SettingsChange[];
  /** Null for a tank that has not been evaluated yet. */
  encodedState: string | null;
  /** Not null if the tank is marked for re-evaluation. */
  reevaluateFromMs: number | null;
}

/** A time before every reading. */
export const BEFORE_ALL_READINGS_MS = 0;

/** The new readings of one tank, oldest first; at least one. */
export interface ReadingsOfTank {
  tankNo: number;
  readings: TankReading[];
  firstMs: number;
  latest: TankReading;
}

/** The new values of a row of tank_states, with the events and checkpoints to store beside it. */
export interface TankUpdate {
  latest: TankReading;
  encodedState: string | null;
  /** True if the stored state stays as it is; `encodedState` is null then. */
  keepsState: boolean;
  /** Null if the tank needs no timer. */
  timerMs: number | null;
  reevaluateFromMs: number | null;
  events: NewEvent[];
  checkpoints: StoredCheckpoint[];
  /** The new row of fleet_tanks; null if it stays as it is. */
  fleetRow: FleetRow | null;
  /** The tank was not marked before: it must be added to the queue of re-evaluation. */
  newMark: QueuedTank | null;
  /** Changes of the settings that the new state includes. */
  appliedSettings: AppliedSettings | null;
}

export interface StoredCheckpoint {
  tankNo: number;
  atMs: number;
  encodedState: string;
  /** The state at the last reading that retention has deleted. Evaluation never begins before it. */
  isBase?: true;
}

/**
 * Evaluates new readings, and before them changes of the settings that no writer has applied to the state yet. If one of
 * the readings is out of order, the tank is marked for re-evaluation instead.
 */
export function evaluateReadings(tank: TankToEvaluate, newReadings: ReadingsOfTank, nowMs: number): TankUpdate {
  if (tank.reevaluateFromMs !== null) return evaluateLater(tank, newReadings);
  const { tankNo, encodedState } = tank;
  let state = encodedState === null ? INITIAL_STATE : decodeState(encodedState);
  const before = state;
  const changes = encodedState === null ? [] : tank.changes.filter(({ atMs }) => atMs > before.atMs);
  const [firstChange] = changes;
  const settingsBefore = firstChange?.before ?? tank.settings;
  let settings = settingsBefore;
  const tankEvents: TankEvent[] = [];
  const checkpoints: StoredCheckpoint[] = [];
  for (const input of inputsOf(newReadings, changes)) {
    if (!isInOrder(state, input)) return evaluateLater(tank, newReadings);
    const next = evaluate(settings, state, input);
    if (isCheckpoint(tankNo, state, input))
      checkpoints.push({ tankNo, atMs: input.atMs, encodedState: encodeState(next.state) });
    state = next.state;
    if (input.kind === 'settings') settings = input.settings;
    tankEvents.push(...next.events);
  }
  return {
    latest: newReadings.latest,
    encodedState: encodeState(state),
    keepsState: false,
    timerMs: nextTimerMs(state),
    reevaluateFromMs: null,
    events: tankEvents.map((event) => newEvent(tank, event, state, nowMs)),
    checkpoints,
    fleetRow: changedFleetRow(tankNo, { settings: settingsBefore, state: before }, { settings, state }),
    newMark: null,
    appliedSettings:
      firstChange === undefined
        ? null
        : { tankNo, fromMs: firstChange.atMs, toMs: (changes.at(-1) ?? firstChange).atMs },
  };
}

function inputsOf({ readings }: ReadingsOfTank, changes: readonly SettingsChange[]): EvaluationInput[] {
  const inputs = readings.map(
    ({ atMs, fillPercentage }): EvaluationInput => ({ kind: 'reading', atMs, fillPercentage }),
  );
  return changes.length === 0 ? inputs : [...changes, ...inputs].toSorted(compareInputs);
}

/** Marks the tank for re-evaluation and keeps its state: re-evaluation restarts from a checkpoint. */
export function evaluateLater(tank: TankToEvaluate, { firstMs, latest }: ReadingsOfTank): TankUpdate {
  const { tankNo, organizationNo, reevaluateFromMs } = tank;
  return {
    ...withoutEvaluation({ latest }),
    keepsState: true,
    reevaluateFromMs: Math.min(reevaluateFromMs ?? firstMs, firstMs),
    newMark: reevaluateFromMs === null || tank.encodedState === null ? { tankNo, organizationNo } : null,
  };
}

/** Removes the state, which does not include these readings. The next evaluation begins with the first reading. */
export function withoutEvaluation({ latest }: Pick<ReadingsOfTank, 'latest'>): TankUpdate {
  return {
    latest,
    encodedState: null,
    keepsState: false,
    timerMs: null,
    reevaluateFromMs: null,
    events: [],
    checkpoints: [],
    fleetRow: null,
    newMark: null,
    appliedSettings: null,
  };
}

export function newEvent(
  { tankNo, organizationNo }: Pick<TankToEvaluate, 'tankNo' | 'organizationNo'>,
  event: TankEvent,
  state: TankState,
  nowMs: number,
): NewEvent {
  const { atMs, ...content } = event;
  const occurredAt = new Date(atMs).toISOString();
  return { ...content, organizationNo, tankNo, occurredAt, notify: isStillCurrent(event, state, nowMs) };
}
