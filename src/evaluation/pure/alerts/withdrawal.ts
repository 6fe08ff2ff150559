import type { AssessedReading } from '../estimator/assessed_reading.ts';
import { isSoonAfterStep, LONG_CADENCE_MS } from '../estimator/gauge_health.ts';
import type { LevelReading } from '../estimator/level_filter.ts';
import type { EventReading } from './event_types.ts';
import { type ReportedSinceStep, WITHDRAWABLE_TYPES, type WithdrawableType } from './reported_events.ts';
import { eventReadings, gaugeUnreliable, type TankEvent, type WithdrawnEvent } from './tank_event.ts';
import type { TankState } from './tank_state.ts';

/** A gauge that causes more events within a day and a half is found by its contradictions. Then nothing is withdrawn. */
const MOST_REPORTED = 6;

/** Adds events to those that may be withdrawn. */
export function rememberReported(state: TankState, events: readonly TankEvent[]): TankState {
  const { reported } = state;
  if (reported === null || events.length === 0) return state;
  const added = events.filter(isWithdrawable).map(({ type, atMs }) => ({ type, atMs }));
  if (added.length === 0) return state;
  const all = [...reported.events, ...added];
  return { ...state, reported: all.length > MOST_REPORTED ? null : { ...reported, events: all } };
}

const isWithdrawable = (event: TankEvent): event is TankEvent & { type: WithdrawableType } =>
  WITHDRAWABLE_TYPES.some((type) => type === event.type);

/** The events that may be withdrawn after a reading. A new step begins anew, with the alert that its readings have raised. */
export function reportedAfter(
  before: TankState,
  { verdict, gauge }: Pick<AssessedReading, 'verdict' | 'gauge'>,
  reading: LevelReading,
): ReportedSinceStep | null {
  const { reported, isLow, lowAtMs } = before;
  if (verdict.kind === 'step' && gauge.stepAtMs !== null && gauge.stepAtMs !== before.gauge.stepAtMs) {
    if (isLowOfDoubt(before) && lowAtMs !== null)
      return { lowAtMs: null, events: [{ type: 'tank.low_fill', atMs: lowAtMs }] };
    return { lowAtMs: isLow ? lowAtMs : null, events: [] };
  }
  return reported !== null && verdict.kind !== 'doubted' && !isSoonAfterStep(gauge, reading) ? null : reported;
}

/** Whether doubted readings have raised the low-fill alert that is open. */
export const isLowOfDoubt = ({ isLow, lowAtMs, doubt, believed }: TankState): boolean =>
  isLow && lowAtMs !== null && doubt !== null && believed !== null && lowAtMs > believed.atMs;

/** Whether a later reading may withdraw an event. Evaluation never restarts from such a state: it could not restore the event. */
export const mayWithdraw = (state: TankState): boolean =>
  (state.reported !== null && state.reported.events.length > 0) || isLowOfDoubt(state);

/** Whether a believed reading shows that the open low-fill alert was raised by a spike. */
export const isLowWrong = (before: TankState, { verdict }: Pick<AssessedReading, 'verdict'>): boolean =>
  verdict.kind === 'believed' && before.cadenceMs < LONG_CADENCE_MS && isLowOfDoubt(before);

/** Withdraws the open low-fill alert. */
export function withdrawLow(
  before: TankState,
  state: TankState,
  reading: LevelReading,
  { events, withdrawn }: Output,
): TankState {
  if (state.lowAtMs === null || before.doubt === null) return state;
  withdrawn.push({ type: 'tank.low_fill', atMs: state.lowAtMs, reason: 'gauge_fault' });
  const reported = state.reported && {
    ...state.reported,
    events: state.reported.events.filter(({ atMs }) => atMs !== state.lowAtMs),
  };
  const next = { ...state, isLow: false, lowAtMs: null, firstLow: null, reported };
  return reportFault(
    next,
    before.doubt.first.atMs,
    eventReadings(before.believed, before.doubt.latest, reading),
    reading,
    events,
  );
}

/** The level is back where it was before the latest step: withdraws what was reported since. */
export function withdrawReported(
  before: TankState,
  state: TankState,
  reading: LevelReading,
  { events, withdrawn }: Output,
): TankState {
  const { reported } = before;
  const sinceMs = before.gauge.stepAtMs;
  if (reported === null || sinceMs === null || reported.events.length === 0) return { ...state, reported: null };
  for (const { type, atMs } of reported.events) withdrawn.push({ type, atMs, reason: 'gauge_fault' });
  const isLossWrong = reported.events.some(({ type }) => type === 'tank.rapid_loss');
  const next: TankState = {
    ...state,
    isLow: reported.lowAtMs !== null,
    lowAtMs: reported.lowAtMs,
    firstLow: null,
    loss: isLossWrong ? { ...state.loss, raisedAtMs: null, seenAtMs: null } : state.loss,
    reported: null,
  };
  // The level that was believed last is the wrong one. Those that are back come first: they can be relied on.
  return reportFault(next, sinceMs, eventReadings(before.doubt?.first ?? null, reading), reading, events);
}

/** What one input causes. */
export interface Output {
  events: TankEvent[];
  withdrawn: WithdrawnEvent[];
}

/** The gauge was wrong for hours. That is reported, unless it is known already. The first of the readings is believable. */
function reportFault(
  state: TankState,
  sinceMs: number,
  readings: readonly EventReading[],
  reading: LevelReading,
  events: TankEvent[],
): TankState {
  if (state.gauge.fault !== null) return state;
  events.push(gaugeUnreliable('contradictory_readings', sinceMs, reading, readings));
  const { atMs } = reading;
  const fault = { fault: 'contradictory_readings', sinceMs, changedAtMs: atMs, badAtMs: atMs } as const;
  return { ...state, gauge: { ...state.gauge, ...fault } };
}
