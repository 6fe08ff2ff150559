import type { TankReading } from '../telemetry/reading.ts';
import { type StoredCheckpoint, storedCheckpoint } from './checkpoints.ts';
import type { EvaluationFailure } from './evaluation_failures.ts';
import { changedFleetTank, type EvaluatedTank } from './fleet_rows.ts';
import { isInOrder, nextTimerMs } from './pure/alerts/evaluate.ts';
import type { EventRetraction, NewEvent } from './pure/alerts/event_types.ts';
import { foldInputs } from './pure/alerts/fold_inputs.ts';
import { type AlertSettings, compareInputs, type EvaluationInput, INITIAL_STATE } from './pure/alerts/tank_state.ts';
import { newEvent, retractionOf } from './record_events.ts';
import type { AppliedSettings, QueuedTank } from './reevaluation_queue.ts';
import { decodeState, encodeState } from './state_codec.ts';
import type { SettingsChange } from './tank_settings.ts';

/** A tank with its stored state and its alert settings, read under its lock. */
export interface TankToEvaluate {
  tankNo: number;
  organizationNo: number;
  settings: AlertSettings;
  timeZone: string;
  /** Changes of the settings that the state may not include yet, oldest first. */
  changes: readonly SettingsChange[];
  /** Null for a tank that has not been evaluated yet. */
  encodedState: string | null;
  /** Not null if the tank is marked for re-evaluation. */
  reevaluateFromMs: number | null;
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
  /** Events of earlier batches that these readings have shown to be wrong. */
  retractions: EventRetraction[];
  checkpoints: StoredCheckpoint[];
  /** The tank, if its rows for the fleet reads change; null if they stay as they are. */
  fleetTank: EvaluatedTank | null;
  /** Not null if the tank must be added to the queue of re-evaluation. */
  newMark: QueuedTank | null;
  /** Changes of the settings that the new state includes. */
  appliedSettings: AppliedSettings | null;
}

/** The new readings of one tank, oldest first; at least one. */
interface ReadingsOfTank {
  tankNo: number;
  readings: TankReading[];
  firstMs: number;
  latest: TankReading;
}

/**
 * Evaluates the new readings of each tank and returns one update per tank, sorted by tank. An error affects one tank
 * only: its update keeps the stored state and marks the tank for re-evaluation, so that readings are stored even if
 * evaluation fails. With `knownError`, no tank is evaluated and all of them are marked.
 * @param readings sorted by tank and time
 * @param toEvaluate returns null for a tank whose readings are stored without evaluation
 */
export function evaluateNewReadings(
  readings: readonly TankReading[],
  toEvaluate: (tankNo: number) => TankToEvaluate | null,
  nowMs: number,
  knownError?: Error,
): { updates: TankUpdate[]; failures: EvaluationFailure[] } {
  const updates: TankUpdate[] = [];
  const failures: EvaluationFailure[] = [];
  for (const newReadings of groupByTank(readings)) {
    const tank = toEvaluate(newReadings.tankNo);
    if (tank === null) {
      updates.push(removeState(newReadings));
      continue;
    }
    try {
      if (knownError !== undefined) throw knownError;
      updates.push(updateTank(tank, newReadings, nowMs));
    } catch (error) {
      updates.push(markForReevaluation(tank, newReadings));
      failures.push({ tankNo: tank.tankNo, error });
    }
  }
  return { updates, failures };
}

function groupByTank(sorted: readonly TankReading[]): ReadingsOfTank[] {
  const groups: ReadingsOfTank[] = [];
  for (const reading of sorted) {
    const last = groups.at(-1);
    if (last?.tankNo === reading.tankNo) {
      last.readings.push(reading);
      last.latest = reading;
    } else groups.push({ tankNo: reading.tankNo, readings: [reading], firstMs: reading.atMs, latest: reading });
  }
  return groups;
}

/**
 * Evaluates the new readings of a tank and the changes of its settings that no writer has applied to the state yet. If
 * one of these inputs is older than the state, the tank is marked for re-evaluation instead.
 */
function updateTank(tank: TankToEvaluate, newReadings: ReadingsOfTank, nowMs: number): TankUpdate {
  if (tank.reevaluateFromMs !== null) return markForReevaluation(tank, newReadings);
  const { tankNo, encodedState } = tank;
  const before = encodedState === null ? INITIAL_STATE : decodeState(encodedState);
  const changes = encodedState === null ? [] : tank.changes.filter(({ atMs }) => atMs > before.atMs);
  const inputs = inputsOf(newReadings, changes);
  const [firstInput] = inputs;
  // The inputs are sorted, and no two readings have the same time: if the first input is in order, all are.
  if (firstInput !== undefined && !isInOrder(before, firstInput)) return markForReevaluation(tank, newReadings);
  const [firstChange] = changes;
  const from = { settings: firstChange?.before ?? tank.settings, state: before };
  const { settings, state, events, retracted, checkpoints } = foldInputs(from, inputs, tankNo);
  return {
    latest: newReadings.latest,
    encodedState: encodeState(state),
    keepsState: false,
    timerMs: nextTimerMs(state),
    reevaluateFromMs: null,
    events: events.map((event) => newEvent(tank, event, state, nowMs)),
    retractions: retracted.map((event) => retractionOf(tankNo, event)),
    checkpoints: checkpoints.map((checkpoint) => storedCheckpoint(tankNo, checkpoint)),
    fleetTank: changedFleetTank(from, { tankNo, settings, state, timeZone: tank.timeZone }),
    newMark: null,
    appliedSettings:
      firstChange === undefined
        ? null
        : { tankNo, fromMs: firstChange.atMs, toMs: (changes.at(-1) ?? firstChange).atMs },
  };
}

function inputsOf({ readings }: ReadingsOfTank, changes: readonly SettingsChange[]): EvaluationInput[] {
  const inputs = readings.map(
    ({ atMs, fillPercentage, nextReportMs }): EvaluationInput =>
      nextReportMs === undefined
        ? { kind: 'reading', atMs, fillPercentage }
        : { kind: 'reading', atMs, fillPercentage, nextReportMs },
  );
  return changes.length === 0 ? inputs : [...changes, ...inputs].toSorted(compareInputs);
}

/** Marks the tank for re-evaluation and keeps its state: re-evaluation restarts from a checkpoint. */
function markForReevaluation(tank: TankToEvaluate, { firstMs, latest }: ReadingsOfTank): TankUpdate {
  const { tankNo, organizationNo, reevaluateFromMs } = tank;
  return {
    ...removeState({ latest }),
    keepsState: true,
    reevaluateFromMs: Math.min(reevaluateFromMs ?? firstMs, firstMs),
    newMark: reevaluateFromMs === null || tank.encodedState === null ? { tankNo, organizationNo } : null,
  };
}

/** Removes the state, which does not include these readings. The next evaluation begins with the first reading. */
function removeState({ latest }: Pick<ReadingsOfTank, 'latest'>): TankUpdate {
  return {
    latest,
    encodedState: null,
    keepsState: false,
    timerMs: null,
    reevaluateFromMs: null,
    events: [],
    retractions: [],
    checkpoints: [],
    fleetTank: null,
    newMark: null,
    appliedSettings: null,
  };
}
