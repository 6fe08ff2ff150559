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
  refoldFrom: string | null;
}

/** For a statement in which tank_states is s and tank_facts is f. */
export const JUDGED_COLUMNS = `s.meaning, s.refold_from, f.organization_no, f.min_fill_alert_percentage, f.capacity,
  f.capacity_unit`;

export interface JudgedRow {
  tank_no: number;
  meaning: string | null;
  refold_from: string | null;
  /** This and the rest are null for a tank that is in no catalog. */
  organization_no: number | null;
  min_fill_alert_percentage: number | null;
  capacity: number | null;
  capacity_unit: CapacityUnit | null;
}

/** Before every reading. */
export const BEGINNING = '0001-01-01T00:00:00.000Z';

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
    refoldFrom: row.meaning === null && hasReadings ? BEGINNING : row.refold_from,
  };
}

/** What is to be written of a tank after its readings were judged. */
export interface Judgement {
  tankNo: number;
  meaning: string | null;
  dueAt: string | null;
  refoldFrom: string | null;
  events: NewEvent[];
  checkpoints: Checkpoint[];
}

export interface Checkpoint {
  tankNo: number;
  at: string;
  meaning: string;
}

/** What new readings of a tank mean, oldest first. What comes out of order is left to be folded again. */
export function judgeReadings(
  tank: JudgedTank,
  readings: readonly { createdAt: string; fillPercentage: number }[],
  nowMs: number,
): Judgement {
  const { tankNo, settings, meaning } = tank;
  const firstAt = readings[0]?.createdAt ?? '';
  const later = (refoldFrom: string): Judgement => ({
    tankNo,
    meaning,
    dueAt: null,
    refoldFrom,
    events: [],
    checkpoints: [],
  });
  if (tank.refoldFrom !== null) return later(tank.refoldFrom < firstAt ? tank.refoldFrom : firstAt);

  let state = meaning === null ? NO_STATE : unpackState(meaning);
  const found: TankEvent[] = [];
  const checkpoints: Checkpoint[] = [];
  for (const { createdAt, fillPercentage } of readings) {
    const input: Input = { kind: 'reading', atMs: Date.parse(createdAt), fillPercentage };
    if (!isInOrder(state, input)) return later(firstAt);
    const folded = fold(settings, state, input);
    if (isCheckpoint(state, input)) checkpoints.push({ tankNo, at: createdAt, meaning: packState(folded.state) });
    state = folded.state;
    found.push(...folded.events);
  }
  const events = found.map((event) => newEvent(tank, event, state, nowMs));
  return { tankNo, meaning: packState(state), dueAt: dueAt(state), refoldFrom: null, events, checkpoints };
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

export function dueAt(state: State): string | null {
  const atMs = dueAtMs(state);
  return atMs === null ? null : new Date(atMs).toISOString();
}
