import { HOUR_MS } from '../../../values/time.ts';
import type { AssessedReading } from '../estimator/assessed_reading.ts';
import { isDoubtful } from '../estimator/gauge_health.ts';
import { isSameLeak, restartLeakDetector } from '../estimator/leak_detector.ts';
import { initialEstimate, type LevelEstimate, type LevelReading } from '../estimator/level_filter.ts';
import { assessReading } from '../estimator/outliers.ts';
import { isTooOld, restartLevel } from '../estimator/reset_level.ts';
import { initialHistory, restartHistory, type UseHistory, updateHistory } from '../estimator/use_history.ts';
import { isJudgeable, watchGauge } from './gauge_events.ts';
import { evaluateLowFill, raiseLow, raiseRecovered } from './low_alert.ts';
import { learnCadence, raiseSilent, silentDueAtMs } from './silence.ts';
import { deviceReporting, eventReadings, rapidLoss, refilled, type TankEvent, type WithdrawnEvent } from './tank_event.ts';
import { type AlertSettings, type EvaluationInput, latestReading, type TankState } from './tank_state.ts';

export interface Evaluation {
  state: TankState;
  events: readonly TankEvent[];
  /** Earlier events that this input has shown to be wrong. */
  withdrawn: readonly WithdrawnEvent[];
}

const NONE: readonly WithdrawnEvent[] = [];

/** How long a low reading waits for a second one: a daily device still confirms, for a weekly one it would be too late. */
export const CONFIRM_WITHIN_MS = 30 * HOUR_MS;
/** Nobody sends a truck for less, and weather alone moves a gauge by some points. */
const LEAST_REFILL = 5;
/** After the first readings the level itself is uncertain: then only a clear rise is a delivery. */
const LEAST_FIRST_REFILL = 15;
const LEAST_SECOND_REFILL = 8;
const SETTLED_READINGS = 20;

/**
 * Computes the next state and the events from one input. Inputs come in the order of time, settings before a reading of
 * the same time. Timers that were due before the input fire first, so that nothing depends on how often the clock ticks.
 */
export function evaluate(settings: AlertSettings, state: TankState, input: EvaluationInput): Evaluation {
  const events: TankEvent[] = [];
  const now = passTime(settings, state, input.atMs, events);
  if (input.kind === 'tick' || isRepeated(now, input)) return { state: now, events, withdrawn: NONE };
  if (!isInOrder(now, input))
    throw new RangeError('the input is older than the state; re-evaluate from a checkpoint before it');
  if (input.kind === 'settings') return { state: takeSettings(settings, now, input, events), events, withdrawn: NONE };
  // A reading is kept to a hundredth where it is stored, so here too.
  const reading = { atMs: input.atMs, fillPercentage: Math.round(input.fillPercentage * 100) / 100 };
  return { state: takeReading(settings, now, reading, events), events, withdrawn: NONE };
}

/** Whether an input can be evaluated on this state. If not, evaluation must restart from an earlier state. */
export function isInOrder(state: TankState, input: EvaluationInput): boolean {
  if (input.kind === 'tick') return true;
  const latest = latestReading(state);
  return input.atMs >= state.atMs && (latest === null || input.atMs > latest.atMs);
}

const isRepeated = (state: TankState, input: EvaluationInput): boolean =>
  input.kind === 'reading' && input.atMs === latestReading(state)?.atMs;

/** When the tank must next be evaluated even without a reading; null if never. */
export function nextTimerMs(state: TankState): number | null {
  const low = lowDueAtMs(state);
  const silent = silentDueAtMs(state);
  return low === null || silent === null ? (low ?? silent) : Math.min(low, silent);
}

export function lowDueAtMs({ isLow, firstLow }: TankState): number | null {
  return isLow || firstLow === null ? null : firstLow.atMs + CONFIRM_WITHIN_MS;
}

/** Fires the timers up to this time. Each event has the time of its timer, not that of the tick that found it. */
function passTime(settings: AlertSettings, state: TankState, nowMs: number, events: TankEvent[]): TankState {
  let next = state;
  const low = lowDueAtMs(next);
  const silent = silentDueAtMs(next);
  if (low !== null && low <= nowMs) next = raiseLow(settings, next, low, events);
  if (silent !== null && silent <= nowMs) next = raiseSilent(next, silent, events);
  return next;
}

function takeReading(settings: AlertSettings, state: TankState, reading: LevelReading, events: TankEvent[]): TankState {
  const { believed, level, doubt, history } = state;
  if (believed === null || level === null || history === null) return takeFirstReading(settings, state, reading);
  const latest = doubt?.latest ?? believed;
  const { cadenceMs, loss, gauge } = state;
  if (isTooOld(latest.atMs, reading.atMs))
    return takeReadingAfterGap(settings, state, { believed, latest, level, history }, reading, events);
  const threshold = settings.minFillAlertPercentage;
  const known = { believed, doubt, cadenceMs, threshold, knownDays: history.days, level, loss, gauge };
  const assessed = assessReading(known, reading);
  const { verdict } = assessed;
  const use = learnUse(assessed, history, believed.atMs, reading.atMs);
  const next: TankState = {
    atMs: reading.atMs,
    believed: verdict.kind === 'doubted' ? believed : reading,
    doubt: verdict.kind === 'doubted' ? verdict.doubt : null,
    cadenceMs: state.isSilent ? cadenceMs : learnCadence(level.seen, cadenceMs, reading.atMs - latest.atMs),
    isSilent: false,
    isLow: state.isLow,
    lowAtMs: state.lowAtMs,
    recoveredAtMs: state.recoveredAtMs,
    firstLow: state.firstLow,
    level: use.level,
    history: use.history,
    loss: assessed.loss,
    gauge: assessed.gauge,
  };
  if (state.isSilent) events.push(deviceReporting(latest, reading));
  const isFailureValue = (verdict.kind === 'doubted' || verdict.kind === 'followed') && verdict.isFailureValue;
  const watched = watchGauge(next, { latest, believed, reading, isFailureValue }, events);
  if (isFailureValue || !isJudgeable(watched, reading)) return assessed.isLossProven ? dropLoss(watched) : watched;
  return judgeReading(settings, state, watched, assessed, reading, events);
}

/**
 * The first reading after months begins a new level, as the first reading of a tank does: nothing that was expected
 * meanwhile can make it a refill or a loss. An alert ends, or waits for a second low reading.
 */
function takeReadingAfterGap(
  settings: AlertSettings,
  state: TankState,
  before: { believed: LevelReading; latest: LevelReading; level: LevelEstimate; history: UseHistory },
  reading: LevelReading,
  events: TankEvent[],
): TankState {
  const { believed, latest } = before;
  const level = restartLevel(before.level, reading);
  const next: TankState = {
    ...state,
    atMs: reading.atMs,
    believed: reading,
    doubt: null,
    isSilent: false,
    firstLow: null,
    level,
    history: restartHistory(before.history, level, reading.atMs),
    loss: restartLeakDetector(state.loss, level.level),
    gauge: { ...state.gauge, stepAtMs: null },
  };
  events.push(deviceReporting(latest, reading));
  const watched = watchGauge(next, { latest, believed, reading, isFailureValue: false }, events);
  if (!isJudgeable(watched, reading)) return watched;
  // Without a level before it, a low reading is not confirmed by use.
  const unknown = { ...state, believed: null, level: null };
  const judged = { before: unknown, state: watched, reading, reached: level.level, isStep: false };
  return evaluateLowFill(settings, judged, events);
}

/** What a reading teaches about the use of the tank, which a doubted one does not. */
function learnUse(
  { verdict, level, used }: AssessedReading,
  history: UseHistory,
  fromMs: number,
  atMs: number,
): { level: LevelEstimate; history: UseHistory } {
  return verdict.kind === 'doubted' ? { level, history } : updateHistory(history, level, used, fromMs, atMs);
}

/** Raises what a reading of a reliable gauge shows: a refill, the level at the threshold, a loss. */
function judgeReading(
  settings: AlertSettings,
  before: TankState,
  state: TankState,
  { verdict, rise, level, isLossProven }: AssessedReading,
  reading: LevelReading,
  events: TankEvent[],
): TankState {
  const { believed, doubt } = before;
  // A gauge that was stuck at 0 and works again is not a delivery.
  const isFromFault = state.gauge.fault !== null && believed?.fillPercentage === 0;
  if (rise !== null && isDelivery(rise, before.level) && !isFromFault) {
    const readings = eventReadings(believed, doubt?.first ?? null, doubt?.latest ?? null, reading);
    events.push(refilled(settings, rise, reading.atMs, readings));
  }
  const reached = Math.max(level.level, rise === null ? 0 : rise.before + rise.points);
  const next = evaluateLowFill(settings, { before, state, reading, reached, isStep: verdict.kind === 'step' }, events);
  if (!isLossProven) return next;
  return isDoubtful(state.gauge) ? dropLoss(next) : raiseLoss(settings, next, doubt?.latest ?? null, reading, events);
}

/** A delivery brings the level above the one before, and not only above what use would have left. */
function isDelivery({ before, points }: { before: number; points: number }, level: LevelEstimate | null): boolean {
  const seen = level?.seen ?? 1;
  const above = before + points - Math.max(before, level?.level ?? 0);
  if (seen === 1) return above >= LEAST_SECOND_REFILL;
  return above >= Math.max(LEAST_REFILL, Math.min(LEAST_FIRST_REFILL, (LEAST_REFILL * SETTLED_READINGS) / seen));
}

/** A loss that a faulty gauge shows is not raised, now or later. */
const dropLoss = (state: TankState): TankState => ({ ...state, loss: { ...state.loss, points: 0, from: null } });

/** A first reading raises nothing. If it is low, the second reading or the timer confirms it. */
function takeFirstReading(
  { minFillAlertPercentage }: AlertSettings,
  state: TankState,
  reading: LevelReading,
): TankState {
  return {
    ...state,
    atMs: reading.atMs,
    believed: reading,
    firstLow: reading.fillPercentage <= minFillAlertPercentage ? reading : null,
    level: initialEstimate(reading),
    history: initialHistory(reading.atMs),
    loss: { ...state.loss, smooth: reading.fillPercentage },
  };
}

/** A changed threshold takes effect at once, by the latest believed reading. */
function takeSettings(
  before: AlertSettings,
  state: TankState,
  { atMs, settings }: { atMs: number; settings: AlertSettings },
  events: TankEvent[],
): TankState {
  const threshold = settings.minFillAlertPercentage;
  const latest = latestReading(state);
  if (threshold === before.minFillAlertPercentage || latest === null || state.believed === null)
    return { ...state, atMs };
  const firstLow = latest.fillPercentage <= threshold ? latest : null;
  const isLow =
    state.believed.fillPercentage <= threshold || (firstLow !== null && firstLow.atMs + CONFIRM_WITHIN_MS <= atMs);
  const next: TankState = { ...state, atMs, firstLow };
  if (isLow === state.isLow) return next;
  return isLow ? raiseLow(settings, next, atMs, events) : raiseRecovered(settings, next, atMs, events);
}

/** The sum starts again at zero. While the loss goes on it is the same loss, and raises no second event. */
function raiseLoss(
  settings: AlertSettings,
  state: TankState,
  doubted: LevelReading | null,
  reading: LevelReading,
  events: TankEvent[],
): TankState {
  const { loss } = state;
  const { atMs } = reading;
  const isNew = !isSameLeak(loss, atMs);
  if (isNew && loss.from !== null) {
    events.push(rapidLoss(settings, loss.from, reading, eventReadings(loss.from, doubted, reading)));
  }
  const raisedAtMs = isNew ? atMs : loss.raisedAtMs;
  return { ...state, loss: { ...loss, points: 0, from: null, raisedAtMs, seenAtMs: atMs } };
}
