import { HOUR_MS } from '../../../values/time.ts';
import { nextLookMs } from '../dips/dip_state.ts';
import type { AssessedReading } from '../estimator/assessed_reading.ts';
import { restartLeakDetector } from '../estimator/leak_detector.ts';
import { initialEstimate, type LevelEstimate, type LevelReading } from '../estimator/level_filter.ts';
import { assessReading } from '../estimator/outliers.ts';
import { isTooOld, restartLevel } from '../estimator/reset_level.ts';
import { type SettledDoubt, settleDoubt } from '../estimator/settled_doubt.ts';
import { initialHistory, restartHistory, type UseHistory, updateHistory } from '../estimator/use_history.ts';
import { endEstimate, evaluateEstimated, isEstimated } from './evaluate_estimated.ts';
import { isJudgeable, watchGauge } from './gauge_events.ts';
import { dropLoss, isDelivery, judgeReading } from './judge_reading.ts';
import { evaluateLowFill, raiseLow, raiseRecovered } from './low_alert.ts';
import { learnCadence, raiseSilent, silentDueAtMs } from './silence.ts';
import { deviceReporting, eventReadings, refilled, type TankEvent, type WithdrawnEvent } from './tank_event.ts';
import { type AlertSettings, type EvaluationInput, latestReading, type TankState } from './tank_state.ts';
import { type Output, rememberReported, reportedAfter, withdrawReported } from './withdrawal.ts';

export interface Evaluation {
  state: TankState;
  events: readonly TankEvent[];
  /** Earlier events that this input has shown to be wrong. */
  withdrawn: readonly WithdrawnEvent[];
}

const NONE: readonly WithdrawnEvent[] = [];

/** How long a low reading waits for a second one: a daily device still confirms, for a weekly one it would be too late. */
export const CONFIRM_WITHIN_MS = 30 * HOUR_MS;
/**
 * Computes the next state and the events from one input. Inputs come in the order of time, settings before a reading of
 * the same time. Timers that were due before the input fire first, so that nothing depends on how often the clock ticks.
 */
export function evaluate(settings: AlertSettings, state: TankState, input: EvaluationInput): Evaluation {
  if (isEstimated(settings, state, input)) return evaluateWithoutSensor(settings, state, input);
  const events: TankEvent[] = [];
  const now = rememberReported(passTime(settings, state, input.atMs, events), events);
  // Nobody writes notes for the evaluation of a tank with a sensor: its gauge shows the delivery.
  if (input.kind === 'tick' || input.kind === 'delivery' || isRepeated(now, input))
    return { state: now, events, withdrawn: NONE };
  assertInOrder(now, input);
  if (input.kind === 'settings') return { state: takeSettings(settings, now, input, events), events, withdrawn: NONE };
  // A reading is kept to a hundredth where it is stored, so here too.
  const reading = { atMs: input.atMs, fillPercentage: Math.round(input.fillPercentage * 100) / 100 };
  const timers = events.length;
  const withdrawn: WithdrawnEvent[] = [];
  const from = now.dips === null ? now : endEstimate(now);
  const next = takeReading(settings, from, reading, { events, withdrawn });
  return { state: rememberReported(next, timers === 0 ? events : events.slice(timers)), events, withdrawn };
}

function evaluateWithoutSensor(settings: AlertSettings, state: TankState, input: EvaluationInput): Evaluation {
  if (input.kind !== 'tick' && !isRepeated(state, input)) assertInOrder(state, input);
  return { ...evaluateEstimated(settings, state, input), withdrawn: NONE };
}

function assertInOrder(state: TankState, input: EvaluationInput): void {
  if (!isInOrder(state, input))
    throw new RangeError('the input is older than the state; re-evaluate from a checkpoint before it');
}

/** Whether an input can be evaluated on this state. If not, evaluation must restart from an earlier state. */
export function isInOrder(state: TankState, input: EvaluationInput): boolean {
  if (input.kind === 'tick') return true;
  const latest = latestReading(state);
  if (input.kind === 'delivery') return input.atMs >= state.atMs;
  return input.atMs >= state.atMs && (latest === null || input.atMs > latest.atMs);
}

const isRepeated = (state: TankState, input: EvaluationInput): boolean =>
  input.kind === 'reading' && input.atMs === latestReading(state)?.atMs;

/** When the tank must next be evaluated even without a reading; null if never. */
export function nextTimerMs(state: TankState): number | null {
  if (state.dips !== null) return nextLookMs(state.dips);
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

function takeReading(settings: AlertSettings, state: TankState, reading: LevelReading, output: Output): TankState {
  const { events } = output;
  const { believed, level, doubt, history } = state;
  if (believed === null || level === null || history === null) return takeFirstReading(settings, state, reading);
  const latest = doubt?.latest ?? believed;
  const { cadenceMs, loss, gauge } = state;
  if (isTooOld(latest.atMs, reading.atMs))
    return takeReadingAfterGap(settings, state, { believed, latest, level, history }, reading, output);
  const threshold = settings.minFillAlertPercentage;
  const isBatchTank = settings.isBatchTank === true;
  const known = { believed, doubt, cadenceMs, threshold, isBatchTank, knownDays: history.days, level, loss, gauge };
  const settled = doubt === null ? null : settleDoubt(known, reading);
  if (settled !== null)
    return takeReading(settings, believeDoubt(settings, state, settled, reading, events), reading, output);
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
    reported: reportedAfter(state, assessed, reading),
    dips: null,
  };
  if (state.isSilent) events.push(deviceReporting(latest, reading));
  const isFailureValue = (verdict.kind === 'doubted' || verdict.kind === 'followed') && verdict.isFailureValue;
  const watched = watchGauge(next, { latest, believed, reading, isFailureValue }, events);
  const isFault = verdict.kind === 'step' && verdict.stepReturn === 'gauge_fault';
  const corrected = isFault ? withdrawReported(state, watched, reading, output) : watched;
  if (isFailureValue || !isJudgeable(corrected, reading))
    return assessed.isLossProven ? dropLoss(corrected) : corrected;
  return judgeReading(settings, state, corrected, assessed, reading, output);
}

/** Believes a level that was doubted, and goes on from its last reading. A delivery is reported with the reading after it. */
function believeDoubt(
  settings: AlertSettings,
  state: TankState,
  { doubt, level, loss, gauge, used, rise }: SettledDoubt,
  reading: LevelReading,
  events: TankEvent[],
): TankState {
  const { believed, history } = state;
  if (believed === null || history === null) return state;
  if (rise !== null && isDelivery(rise, state.level) && isJudgeable(state, reading)) {
    events.push(refilled(settings, rise, reading.atMs, eventReadings(believed, doubt.first, doubt.latest)));
  }
  const learned = updateHistory(history, level, used, believed.atMs, doubt.latest.atMs);
  const verdict = { kind: 'step', step: doubt, stepReturn: 'none' } as const;
  const reported = reportedAfter(state, { verdict, gauge }, doubt.latest);
  return { ...state, believed: doubt.latest, doubt: null, loss, gauge, reported, ...learned };
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
  output: Output,
): TankState {
  const { events } = output;
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
    reported: null,
  };
  events.push(deviceReporting(latest, reading));
  const watched = watchGauge(next, { latest, believed, reading, isFailureValue: false }, events);
  if (!isJudgeable(watched, reading)) return watched;
  // Without a level before it, a low reading is not confirmed by use.
  const unknown = { ...state, believed: null, level: null };
  const judged = { before: unknown, state: watched, reading, reached: level.level, isStep: false, isLowWrong: false };
  return evaluateLowFill(settings, judged, output);
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
  // What was reported by the threshold before is not withdrawn.
  const next: TankState = { ...state, atMs, firstLow, reported: null };
  if (isLow === state.isLow) return next;
  return isLow ? raiseLow(settings, next, atMs, events) : raiseRecovered(settings, next, atMs, events);
}
