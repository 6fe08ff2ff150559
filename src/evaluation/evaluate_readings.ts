import { evaluate, isInOrder, nextTimerMs } from '../alerts/evaluate.ts';
import type { NewEvent } from '../alerts/event_types.ts';
import { isCheckpoint, isStillCurrent } from '../alerts/reevaluate.ts';
import type { TankEvent } from '../alerts/tank_event.ts';
import {
  type AlertSettings,
  type CapacityUnit,
  type EvaluationInput,
  INITIAL_STATE,
  type TankState,
} from '../alerts/tank_state.ts';
import type { TankReading } from '../telemetry/reading.ts';
import { decodeState, encodeState } from './state_codec.ts';

/** A tank with its stored state and its alert settings, read under its lock. */
export interface TankToEvaluate {
  tankNo: number;
  organizationNo: number;
  settings: AlertSettings;
  /** Null for a tank that has not been evaluated yet. */
  encodedState: string | null;
  /** Not null if the tank is marked for re-evaluation. */
  reevaluateFromMs: number | null;
}

/** Columns of TankStateRow, for a statement in which tank_states is `s` and tank_settings is `f`. */
export const TANK_STATE_COLUMNS = `s.encoded_state, date_part('epoch', s.reevaluate_from) * 1000 as reevaluate_from_ms,
  f.organization_no, f.min_fill_alert_percentage, f.capacity, f.capacity_unit`;

export interface TankStateRow {
  tank_no: number;
  encoded_state: string | null;
  reevaluate_from_ms: number | null;
  /** This column and the following ones are null for a tank that the catalog does not contain. */
  organization_no: number | null;
  min_fill_alert_percentage: number | null;
  capacity: number | null;
  capacity_unit: CapacityUnit | null;
}

/** A time before every reading. */
export const BEFORE_ALL_READINGS_MS = 0;

/** Returns null for a tank that the catalog does not contain. */
export function tankToEvaluate(row: TankStateRow, hasReadings: boolean): TankToEvaluate | null {
  const { organization_no, min_fill_alert_percentage, capacity, capacity_unit } = row;
  if (organization_no === null || min_fill_alert_percentage === null || capacity === null || capacity_unit === null)
    return null;
  return {
    tankNo: row.tank_no,
    organizationNo: organization_no,
    settings: { minFillAlertPercentage: min_fill_alert_percentage, capacity, capacityUnit: capacity_unit },
    encodedState: row.encoded_state,
    // A tank with readings and without a state stored them while evaluation was off: evaluate it from its first reading.
    reevaluateFromMs: row.encoded_state === null && hasReadings ? BEFORE_ALL_READINGS_MS : row.reevaluate_from_ms,
  };
}

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
  timerMs: number | null;
  reevaluateFromMs: number | null;
  events: NewEvent[];
  checkpoints: StoredCheckpoint[];
}

export interface StoredCheckpoint {
  tankNo: number;
  atMs: number;
  encodedState: string;
}

/** Evaluates new readings. If one of them is out of order, the tank is marked for re-evaluation instead. */
export function evaluateReadings(tank: TankToEvaluate, newReadings: ReadingsOfTank, nowMs: number): TankUpdate {
  if (tank.reevaluateFromMs !== null) return evaluateLater(tank, newReadings);
  const { tankNo, settings, encodedState } = tank;
  let state = encodedState === null ? INITIAL_STATE : decodeState(encodedState);
  const tankEvents: TankEvent[] = [];
  const checkpoints: StoredCheckpoint[] = [];
  for (const { atMs, fillPercentage } of newReadings.readings) {
    const input: EvaluationInput = { kind: 'reading', atMs, fillPercentage };
    if (!isInOrder(state, input)) return evaluateLater(tank, newReadings);
    const next = evaluate(settings, state, input);
    if (isCheckpoint(state, input)) checkpoints.push({ tankNo, atMs, encodedState: encodeState(next.state) });
    state = next.state;
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
  };
}

/** Marks the tank for re-evaluation and keeps its state: re-evaluation restarts from a checkpoint. */
export function evaluateLater({ reevaluateFromMs }: TankToEvaluate, { firstMs, latest }: ReadingsOfTank): TankUpdate {
  return {
    latest,
    encodedState: null,
    keepsState: true,
    timerMs: null,
    reevaluateFromMs: Math.min(reevaluateFromMs ?? firstMs, firstMs),
    events: [],
    checkpoints: [],
  };
}

/** Removes the state, which does not include these readings. The next evaluation begins with the first reading. */
export function withoutEvaluation({ latest }: ReadingsOfTank): TankUpdate {
  return {
    latest,
    encodedState: null,
    keepsState: false,
    timerMs: null,
    reevaluateFromMs: null,
    events: [],
    checkpoints: [],
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
