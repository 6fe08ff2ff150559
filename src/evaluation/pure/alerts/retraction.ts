import type { AssessedReading } from '../estimator/assessed_reading.ts';
import { isSoonAfterStep, LONG_CADENCE_MS } from '../estimator/gauge_health.ts';
import type { LevelReading } from '../estimator/level_filter.ts';
import type { EventReading } from './event_types.ts';
import { raiseUnreliable } from './gauge_events.ts';
import { RETRACTABLE_TYPES, type ReportedSinceStep, type RetractableType } from './reported_events.ts';
import { eventReadings, type RetractedEvent, type TankEvent } from './tank_event.ts';
import type { TankState } from './tank_state.ts';

/* * At most 6 events since a step are remembered for retraction. If there are more before the next step, none of them is
 * retracted.
 */
const MAX_REPORTED_EVENTS = 6;

/** Remembers events that may be retracted later. */
export function rememberReported(state: TankState, events: readonly TankEvent[]): TankState {
  const { reported } = state;
  if (reported === null || events.length === 0) return state;
  const added = events.filter(isRetractable).map(({ type, atMs }) => ({ type, atMs }));
  if (added.length === 0) return state;
  const all = [...reported.events, ...added];
  return { ...state, reported: all.length > MAX_REPORTED_EVENTS ? null : { ...reported, events: all } };
}

const isRetractable = (event: TankEvent): event is TankEvent & { type: RetractableType } =>
  RETRACTABLE_TYPES.some((type) => type === event.type);

/**
 * The events that may be retracted after a reading. A new step starts a new list, with the alert that its readings have
 * raised.
 */
export function reportedAfter(
  before: TankState,
  { assessment, gauge }: Pick<AssessedReading, 'assessment' | 'gauge'>,
  reading: LevelReading,
): ReportedSinceStep | null {
  const { reported, isLow, lowAtMs } = before;
  if (assessment.kind === 'step' && gauge.stepAtMs !== null && gauge.stepAtMs !== before.gauge.stepAtMs) {
    if (isLowFromOutliers(before) && lowAtMs !== null)
      return { lowAtMs: null, events: [{ type: 'tank.low_fill', atMs: lowAtMs }] };
    return { lowAtMs: isLow ? lowAtMs : null, events: [] };
  }
  return reported !== null && assessment.kind !== 'outlier' && !isSoonAfterStep(gauge, reading) ? null : reported;
}

/** Returns true if outliers have raised the open low-fill alert. */
const isLowFromOutliers = ({ isLow, lowAtMs, outliers, accepted }: TankState): boolean =>
  isLow && lowAtMs !== null && outliers !== null && accepted !== null && lowAtMs > accepted.atMs;

/* * Returns true if a later reading may retract an event. A re-evaluation starts from such a checkpoint only if it is the base
 * checkpoint: if the retraction was wrong, only a start before the event finds the event again.
 */
export const mayRetract = (state: TankState): boolean =>
  (state.reported !== null && state.reported.events.length > 0) || isLowFromOutliers(state);

/** Returns true if an accepted reading shows that the open low-fill alert was raised by a spike. */
export const isLowWrong = (before: TankState, { assessment }: Pick<AssessedReading, 'assessment'>): boolean =>
  assessment.kind === 'accepted' && before.cadenceMs < LONG_CADENCE_MS && isLowFromOutliers(before);

/** Retracts the open low-fill alert. */
export function retractLow(
  before: TankState,
  state: TankState,
  reading: LevelReading,
  { events, retracted }: EvaluationOutput,
): TankState {
  if (state.lowAtMs === null || before.outliers === null) return state;
  retracted.push({ type: 'tank.low_fill', atMs: state.lowAtMs, reason: 'gauge_fault' });
  const reported = state.reported && {
    ...state.reported,
    events: state.reported.events.filter(({ atMs }) => atMs !== state.lowAtMs),
  };
  const next = { ...state, isLow: false, lowAtMs: null, firstLow: null, reported };
  return reportFault(
    next,
    before.outliers.first.atMs,
    eventReadings(before.accepted, before.outliers.latest, reading),
    reading,
    events,
  );
}

/** Retracts the events since the latest step, because the level is back where it was before that step. */
export function retractReported(
  before: TankState,
  state: TankState,
  reading: LevelReading,
  { events, retracted }: EvaluationOutput,
): TankState {
  const { reported } = before;
  const sinceMs = before.gauge.stepAtMs;
  if (reported === null || sinceMs === null || reported.events.length === 0) return { ...state, reported: null };
  for (const { type, atMs } of reported.events) retracted.push({ type, atMs, reason: 'gauge_fault' });
  const isWrong = (wrong: RetractableType): boolean => reported.events.some(({ type }) => type === wrong);
  const next: TankState = {
    ...state,
    isLow: reported.lowAtMs !== null,
    lowAtMs: reported.lowAtMs,
    orderDueAtMs: isWrong('tank.order_due') ? null : state.orderDueAtMs,
    overfilledAtMs: isWrong('tank.overfilled') ? null : state.overfilledAtMs,
    firstLow: null,
    loss: isWrong('tank.rapid_loss') ? { ...state.loss, raisedAtMs: null, seenAtMs: null } : state.loss,
    reported: null,
  };
  // The last accepted level was wrong, so the event names only readings after the return: its first reading must be reliable.
  return reportFault(next, sinceMs, eventReadings(before.outliers?.first ?? null, reading), reading, events);
}

/** The events and retractions that one input causes. */
export interface EvaluationOutput {
  events: TankEvent[];
  retracted: RetractedEvent[];
}

/** Reports that the gauge was wrong for hours, unless that was reported already. The first of the readings is reliable. */
function reportFault(
  state: TankState,
  sinceMs: number,
  readings: readonly EventReading[],
  reading: LevelReading,
  events: TankEvent[],
): TankState {
  if (state.gauge.fault !== null) return state;
  return raiseUnreliable(state, 'contradictory_readings', sinceMs, reading, readings, events);
}
