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
import { decodeState, encodeState } from './state_codec.ts';

/** A tank as its row says, under its lock. */
export interface TankToEvaluate {
  tankNo: number;
  organizationNo: number;
  settings: AlertSettings;
  /** Packed; null for a tank of which nothing was folded yet. */
  encodedState: string | null;
  reevaluateFromMs: number | null;
}

/** For a statement in which tank_states is s and tank_settings is f. */
export const TANK_STATE_COLUMNS = `s.encoded_state, date_part('epoch', s.reevaluate_from) * 1000 as reevaluate_from_ms,
  f.organization_no, f.min_fill_alert_percentage, f.capacity, f.capacity_unit`;

export interface TankStateRow {
  tank_no: number;
  encoded_state: string | null;
  reevaluate_from_ms: number | null;
  /** This and the rest are null for a tank that is in no catalog. */
  organization_no: number | null;
  min_fill_alert_percentage: number | null;
  capacity: number | null;
  capacity_unit: CapacityUnit | null;
}

/** Before every reading. */
export const BEFORE_ALL_READINGS_MS = 0;

/** A tank whose readings were stored without being judged is to be folded from its first one. */
export function tankToEvaluate(row: TankStateRow, hasReadings: boolean): TankToEvaluate | null {
  const { organization_no, min_fill_alert_percentage, capacity, capacity_unit } = row;
  if (organization_no === null || min_fill_alert_percentage === null || capacity === null || capacity_unit === null)
    return null;
  return {
    tankNo: row.tank_no,
    organizationNo: organization_no,
    settings: { minFillAlertPercentage: min_fill_alert_percentage, capacity, capacityUnit: capacity_unit },
    encodedState: row.encoded_state,
    reevaluateFromMs: row.encoded_state === null && hasReadings ? BEFORE_ALL_READINGS_MS : row.reevaluate_from_ms,
  };
}

/** What is to be written of a tank after its readings were judged. */
export interface TankUpdate {
  tankNo: number;
  encodedState: string | null;
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

/** What new readings of a tank mean, oldest first. What comes out of order is left to be folded again. */
export function evaluateReadings(
  tank: TankToEvaluate,
  readings: readonly { atMs: number; fillPercentage: number }[],
  nowMs: number,
): TankUpdate {
  const { tankNo, settings, encodedState } = tank;
  const firstMs = readings[0]?.atMs ?? nowMs;
  const later = (reevaluateFromMs: number): TankUpdate => ({
    tankNo,
    encodedState,
    timerMs: null,
    reevaluateFromMs,
    events: [],
    checkpoints: [],
  });
  if (tank.reevaluateFromMs !== null) return later(Math.min(tank.reevaluateFromMs, firstMs));

  let state = encodedState === null ? INITIAL_STATE : decodeState(encodedState);
  const found: TankEvent[] = [];
  const checkpoints: StoredCheckpoint[] = [];
  for (const { atMs, fillPercentage } of readings) {
    const input: EvaluationInput = { kind: 'reading', atMs, fillPercentage };
    if (!isInOrder(state, input)) return later(firstMs);
    const folded = evaluate(settings, state, input);
    if (isCheckpoint(state, input)) checkpoints.push({ tankNo, atMs, encodedState: encodeState(folded.state) });
    state = folded.state;
    found.push(...folded.events);
  }
  const events = found.map((event) => newEvent(tank, event, state, nowMs));
  return {
    tankNo,
    encodedState: encodeState(state),
    timerMs: nextTimerMs(state),
    reevaluateFromMs: null,
    events,
    checkpoints,
  };
}

export function newEvent(
  { tankNo, organizationNo }: Pick<TankToEvaluate, 'tankNo' | 'organizationNo'>,
  event: TankEvent,
  state: TankState,
  nowMs: number,
): NewEvent {
  const { atMs, ...told } = event;
  const occurredAt = new Date(atMs).toISOString();
  return { ...told, organizationNo, tankNo, occurredAt, notify: isStillCurrent(event, state, nowMs) };
}
