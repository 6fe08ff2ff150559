import { dueAtMs, fold, isInOrder } from './fold.ts';
import { packState, unpackState } from './pack.ts';
import { isCheckpoint, isStillTrue } from './refold.ts';
import { type CapacityUnit, type Input, NO_STATE, type Settings, type State } from './state.ts';
import type { TankEvent } from './tank_event.ts';
import type { NewEvent } from './types.ts';

/** A tank as its row says, under its lock. */
export interface JudgedTank {
  tankNo: number;
  organizationNo: number;
  settings: Settings;
  /** Packed; null for a tank of which nothing was folded yet. */
  meaning: string | null;
  refoldFromMs: number | null;
}

/** For a statement in which tank_states is s and tank_facts is f. */
export const JUDGED_COLUMNS = `s.meaning, date_part('epoch', s.refold_from) * 1000 as refold_from_ms,
  f.organization_no, f.min_fill_alert_percentage, f.capacity, f.capacity_unit`;

export interface JudgedRow {
  tank_no: number;
  meaning: string | null;
  refold_from_ms: number | null;
  /** This and the rest are null for a tank that is in no catalog. */
  organization_no: number | null;
  min_fill_alert_percentage: number | null;
  capacity: number | null;
  capacity_unit: CapacityUnit | null;
}

/** Before every reading. */
export const BEGINNING_MS = 0;

/** A tank whose readings were stored without being judged is to be folded from its first one. */
export function judgedTank(row: JudgedRow, hasReadings: boolean): JudgedTank | null {
  const { organization_no, min_fill_alert_percentage, capacity, capacity_unit } = row;
  if (organization_no === null || min_fill_alert_percentage === null || capacity === null || capacity_unit === null)
    return null;
  return {
    tankNo: row.tank_no,
    organizationNo: organization_no,
    settings: { minFillAlertPercentage: min_fill_alert_percentage, capacity, capacityUnit: capacity_unit },
    meaning: row.meaning,
    refoldFromMs: row.meaning === null && hasReadings ? BEGINNING_MS : row.refold_from_ms,
  };
}

/** What is to be written of a tank after its readings were judged. */
export interface Judgement {
  tankNo: number;
  meaning: string | null;
  dueMs: number | null;
  refoldFromMs: number | null;
  events: NewEvent[];
  checkpoints: Checkpoint[];
}

export interface Checkpoint {
  tankNo: number;
  atMs: number;
  meaning: string;
}

/** What new readings of a tank mean, oldest first. What comes out of order is left to be folded again. */
export function judgeReadings(
  tank: JudgedTank,
  readings: readonly { atMs: number; fillPercentage: number }[],
  nowMs: number,
): Judgement {
  const { tankNo, settings, meaning } = tank;
  const firstMs = readings[0]?.atMs ?? nowMs;
  const later = (refoldFromMs: number): Judgement => ({
    tankNo,
    meaning,
    dueMs: null,
    refoldFromMs,
    events: [],
    checkpoints: [],
  });
  if (tank.refoldFromMs !== null) return later(Math.min(tank.refoldFromMs, firstMs));

  let state = meaning === null ? NO_STATE : unpackState(meaning);
  const found: TankEvent[] = [];
  const checkpoints: Checkpoint[] = [];
  for (const { atMs, fillPercentage } of readings) {
    const input: Input = { kind: 'reading', atMs, fillPercentage };
    if (!isInOrder(state, input)) return later(firstMs);
    const folded = fold(settings, state, input);
    if (isCheckpoint(state, input)) checkpoints.push({ tankNo, atMs, meaning: packState(folded.state) });
    state = folded.state;
    found.push(...folded.events);
  }
  const events = found.map((event) => newEvent(tank, event, state, nowMs));
  return { tankNo, meaning: packState(state), dueMs: dueAtMs(state), refoldFromMs: null, events, checkpoints };
}

export function newEvent(
  { tankNo, organizationNo }: Pick<JudgedTank, 'tankNo' | 'organizationNo'>,
  event: TankEvent,
  state: State,
  nowMs: number,
): NewEvent {
  const { atMs, ...told } = event;
  const occurredAt = new Date(atMs).toISOString();
  return { ...told, organizationNo, tankNo, occurredAt, notify: isStillTrue(event, state, nowMs) };
}
