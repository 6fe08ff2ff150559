import { HOUR_MS } from '../../../values/time.ts';
import { nextAdvanceMs } from '../dips/dip_state.ts';
import { assessReading } from '../estimator/assess_reading.ts';
import type { AssessedReading } from '../estimator/assessed_reading.ts';
import { acceptHeldOutliers, type HeldOutliers } from '../estimator/held_outliers.ts';
import { restartLeakDetector } from '../estimator/leak_detector.ts';
import { initialEstimate, type LevelEstimate, type LevelReading } from '../estimator/level_filter.ts';
import { isTooOld, restartLevel } from '../estimator/reset_level.ts';
import { endUnusualUse } from '../estimator/unusual_use.ts';
import { initialHistory, restartHistory, type UseHistory, updateHistory } from '../estimator/use_history.ts';
import { endEstimate, evaluateEstimated, isEstimated } from './evaluate_estimated.ts';
import { isJudgeable, watchGauge } from './gauge_events.ts';
import { dropLoss, judgeReading } from './judge_reading.ts';
import { judgeUse } from './judge_use.ts';
import { evaluateLowFill, raiseLow, raiseRecovered } from './low_alert.ts';
import { smoothMovingContent } from './moving_content.ts';
import { applyOrderThreshold } from './order_threshold.ts';
import { reportRefill } from './overfill.ts';
import { isDelivery } from './refill.ts';
import { type EvaluationOutput, rememberReported, reportedAfter, retractReported } from './retraction.ts';
import {
  announcedGapMs,
  learnCadence,
  maybeSilent,
  raiseSilent,
  silentAfterOutagesMs,
  silentDueAtMs,
} from './silence.ts';
import { deviceReporting, eventReadings, type RetractedEvent, refilled, type TankEvent } from './tank_event.ts';
import { type AlertSettings, type EvaluationInput, latestReading, type TankState } from './tank_state.ts';

export interface Evaluation {
  state: TankState;
  events: readonly TankEvent[];
  /** Earlier events that this input has shown to be wrong. */
  retracted: readonly RetractedEvent[];
}

const NO_RETRACTIONS: readonly RetractedEvent[] = [];

/**
 * How long a low reading waits for a second one. A daily device confirms within this time; waiting for a weekly device would be too late.
 */
const CONFIRM_WITHIN_MS = 30 * HOUR_MS;

/**
 * Computes the next state and the events from one input. Inputs come in the order of time; settings come before a reading of the same time.
 * Timers that were due before the input fire first, so that the result does not depend on the frequency of ticks.
 */
export function evaluate(settings: AlertSettings, state: TankState, input: EvaluationInput): Evaluation {
  if (isEstimated(settings, state, input)) return evaluateWithoutSensor(settings, state, input);
  const events: TankEvent[] = [];
  const now = rememberReported(fireDueTimers(settings, state, input.atMs, events), events);
  // Delivery notes are ignored for a tank with a sensor, because its gauge shows the delivery.
  if (input.kind === 'tick' || input.kind === 'delivery' || isRepeated(now, input))
    return { state: now, events, retracted: NO_RETRACTIONS };
  assertInOrder(now, input);
  if (input.kind === 'settings')
    return { state: applySettings(settings, now, input, events), events, retracted: NO_RETRACTIONS };
  // Readings are rounded to a hundredth, as they are stored.
  const stored = { atMs: input.atMs, fillPercentage: Math.round(input.fillPercentage * 100) / 100 };
  const timerEvents = events.length;
  const retracted: RetractedEvent[] = [];
  const begun = now.dips === null ? now : endEstimate(now);
  const moving = settings.isMobile === true ? smoothMovingContent(begun, stored) : null;
  const from = moving?.state ?? (begun.latestFills.length === 0 ? begun : { ...begun, latestFills: [] });
  const applied = applyReading(settings, from, moving?.reading ?? stored, { events, retracted });
  const gapMs = announcedGapMs(input);
  const next = applied.announcedGapMs === gapMs ? applied : { ...applied, announcedGapMs: gapMs };
  return { state: rememberReported(next, timerEvents === 0 ? events : events.slice(timerEvents)), events, retracted };
}

function evaluateWithoutSensor(settings: AlertSettings, state: TankState, input: EvaluationInput): Evaluation {
  if (input.kind !== 'tick' && !isRepeated(state, input)) assertInOrder(state, input);
  return { ...evaluateEstimated(settings, state, input), retracted: NO_RETRACTIONS };
}

function assertInOrder(state: TankState, input: EvaluationInput): void {
  if (!isInOrder(state, input))
    throw new RangeError('the input is older than the state; re-evaluate from a checkpoint before it');
}

/** Returns true if an input can be evaluated on this state. If not, evaluation must restart from an earlier state. */
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
  if (state.dips !== null) return nextAdvanceMs(state.dips);
  const low = lowDueAtMs(state);
  const silent = silentDueAtMs(state);
  return low === null || silent === null ? (low ?? silent) : Math.min(low, silent);
}

export function lowDueAtMs({ isLow, firstLow }: TankState): number | null {
  return isLow || firstLow === null ? null : firstLow.atMs + CONFIRM_WITHIN_MS;
}

/** Fires the timers up to a time. Each event has the time of its timer, not the time of the tick. */
function fireDueTimers(settings: AlertSettings, state: TankState, nowMs: number, events: TankEvent[]): TankState {
  let next = state;
  const low = lowDueAtMs(next);
  const silent = maybeSilent(next, nowMs) ? silentAfterOutagesMs(next, settings.outages) : null;
  if (low !== null && low <= nowMs) next = raiseLow(settings, next, low, events);
  if (silent !== null && silent <= nowMs) next = raiseSilent(next, silent, events);
  return next;
}

function applyReading(
  settings: AlertSettings,
  state: TankState,
  reading: LevelReading,
  output: EvaluationOutput,
): TankState {
  const { events } = output;
  const { accepted, level, outliers, history } = state;
  if (accepted === null || level === null || history === null) return applyFirstReading(settings, state, reading);
  const latest = outliers?.latest ?? accepted;
  const { cadenceMs, loss, gauge } = state;
  if (isTooOld(latest.atMs, reading.atMs))
    return applyReadingAfterGap(settings, state, { accepted, latest, level, history }, reading, output);
  const threshold = settings.minFillAlertPercentage;
  // The level of a tank on a vehicle changes as suddenly as the level of a batch tank.
  const isBatchTank = settings.isBatchTank === true || settings.isMobile === true;
  const known = { accepted, outliers, cadenceMs, threshold, isBatchTank, knownDays: history.days, level, loss, gauge };
  const settled = outliers === null ? null : acceptHeldOutliers(known, reading);
  if (settled !== null)
    return applyReading(settings, applyHeldOutliers(settings, state, settled, reading, events), reading, output);
  const assessed = assessReading(known, reading);
  const { assessment } = assessed;
  const use = learnUse(assessed, history, accepted.atMs, reading.atMs);
  const cadence = learnCadence(level.seen, state, reading.atMs - latest.atMs);
  const next: TankState = {
    atMs: reading.atMs,
    accepted: assessment.kind === 'outlier' ? accepted : reading,
    outliers: assessment.kind === 'outlier' ? assessment.outliers : null,
    cadenceMs: cadence.cadenceMs,
    longestGapMs: cadence.longestGapMs,
    gapSpread: cadence.gapSpread,
    reportIntervalMs: settings.reportIntervalMs ?? 0,
    announcedGapMs: state.announcedGapMs,
    isSilent: false,
    isLow: state.isLow,
    lowAtMs: state.lowAtMs,
    recoveredAtMs: state.recoveredAtMs,
    orderDueAtMs: state.orderDueAtMs,
    overfilledAtMs: state.overfilledAtMs,
    firstLow: state.firstLow,
    level: use.level,
    history: use.history,
    loss: assessed.loss,
    unusual: state.unusual,
    gauge: assessed.gauge,
    reported: reportedAfter(state, assessed, reading),
    latestFills: state.latestFills,
    dips: null,
  };
  if (state.isSilent) events.push(deviceReporting(latest, reading));
  const isFailureValue =
    (assessment.kind === 'outlier' || assessment.kind === 'level_set') && assessment.isFailureValue;
  const watched =
    settings.isMobile === true ? next : watchGauge(next, { latest, accepted, reading, isFailureValue }, events);
  const isFault = assessment.kind === 'step' && assessment.stepReturn === 'gauge_fault';
  const corrected = isFault ? retractReported(state, watched, reading, output) : watched;
  if (isFailureValue || !isJudgeable(corrected, reading))
    return assessed.isLossProven ? dropLoss(corrected) : corrected;
  const judged = judgeReading(settings, state, corrected, assessed, reading, output);
  return judgeUse(settings, state, judged, assessed, reading, events);
}

/** Accepts the level of outliers and continues from the last one. A delivery is reported at the time of `reading`. */
function applyHeldOutliers(
  settings: AlertSettings,
  state: TankState,
  { outliers, level, loss, gauge, used, rise }: HeldOutliers,
  reading: LevelReading,
  events: TankEvent[],
): TankState {
  const { accepted, history } = state;
  if (accepted === null || history === null) return state;
  const isRefill = rise !== null && isDelivery(settings, rise, state.level) && isJudgeable(state, reading);
  const refill =
    isRefill && refilled(settings, rise, reading.atMs, eventReadings(accepted, outliers.first, outliers.latest));
  const filled = refill === false ? state : reportRefill(settings, state, refill, state.level, events);
  const learned = updateHistory(history, level, used, accepted.atMs, outliers.latest.atMs);
  const assessment = { kind: 'step', step: outliers, stepReturn: 'none' } as const;
  const reported = reportedAfter(state, { assessment, gauge }, outliers.latest);
  const unusual = endUnusualUse(state.unusual);
  return { ...filled, accepted: outliers.latest, outliers: null, loss, unusual, gauge, reported, ...learned };
}

/**
 * The first reading after a gap of months begins a new level, like the first reading of a tank. It never counts as a
 * refill or a loss. An open alert ends, or waits for a second low reading.
 */
function applyReadingAfterGap(
  settings: AlertSettings,
  state: TankState,
  before: { accepted: LevelReading; latest: LevelReading; level: LevelEstimate; history: UseHistory },
  reading: LevelReading,
  output: EvaluationOutput,
): TankState {
  const { events } = output;
  const { accepted, latest } = before;
  const level = restartLevel(before.level, reading);
  const next: TankState = {
    ...state,
    atMs: reading.atMs,
    accepted: reading,
    outliers: null,
    isSilent: false,
    firstLow: null,
    level,
    history: restartHistory(before.history, level, reading.atMs),
    loss: restartLeakDetector(state.loss, level.level),
    unusual: endUnusualUse(state.unusual),
    gauge: { ...state.gauge, stepAtMs: null },
    reported: null,
  };
  events.push(deviceReporting(latest, reading));
  const watched = watchGauge(next, { latest, accepted, reading, isFailureValue: false }, events);
  if (!isJudgeable(watched, reading)) return watched;
  // There is no previous level, so use cannot confirm a low reading.
  const unknown = { ...state, accepted: null, level: null };
  const judged = { before: unknown, state: watched, reading, reached: level.level, isStep: false, isLowWrong: false };
  return evaluateLowFill(settings, judged, output);
}

/** Learns the use of the tank from a reading, unless the reading is an outlier. */
function learnUse(
  { assessment, level, used }: AssessedReading,
  history: UseHistory,
  fromMs: number,
  atMs: number,
): { level: LevelEstimate; history: UseHistory } {
  return assessment.kind === 'outlier' ? { level, history } : updateHistory(history, level, used, fromMs, atMs);
}

/** A first reading raises no event. If it is low, the second reading or the timer confirms it. */
function applyFirstReading(
  { minFillAlertPercentage, reportIntervalMs }: AlertSettings,
  state: TankState,
  reading: LevelReading,
): TankState {
  return {
    ...state,
    atMs: reading.atMs,
    reportIntervalMs: reportIntervalMs ?? 0,
    accepted: reading,
    firstLow: reading.fillPercentage <= minFillAlertPercentage ? reading : null,
    level: initialEstimate(reading),
    history: initialHistory(reading.atMs),
    loss: { ...state.loss, smooth: reading.fillPercentage },
  };
}

/** Changed thresholds take effect at once, with the latest accepted reading, and so does a changed report interval. */
function applySettings(
  before: AlertSettings,
  state: TankState,
  { atMs, settings }: { atMs: number; settings: AlertSettings },
  events: TankEvent[],
): TankState {
  const next = { ...state, atMs, reportIntervalMs: settings.reportIntervalMs ?? 0 };
  return applyOrderThreshold(before, settings, applyThreshold(before, settings, next, events), events);
}

function applyThreshold(
  before: AlertSettings,
  settings: AlertSettings,
  state: TankState,
  events: TankEvent[],
): TankState {
  const { atMs } = state;
  const threshold = settings.minFillAlertPercentage;
  const latest = latestReading(state);
  if (threshold === before.minFillAlertPercentage || latest === null || state.accepted === null) return state;
  const firstLow = latest.fillPercentage <= threshold ? latest : null;
  const isLow =
    state.accepted.fillPercentage <= threshold || (firstLow !== null && firstLow.atMs + CONFIRM_WITHIN_MS <= atMs);
  // Events that were reported with the previous threshold are not retracted.
  const next: TankState = { ...state, firstLow, reported: null };
  if (isLow === state.isLow) return next;
  return isLow ? raiseLow(settings, next, atMs, events) : raiseRecovered(settings, next, atMs, events);
}
