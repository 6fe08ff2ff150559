import { isSameLeak } from '../estimator/leak_test.ts';
import { initialEstimate, type LevelEstimate, type LevelReading, readingDeviation } from '../estimator/level_filter.ts';
import { assessReading } from '../estimator/outliers.ts';
import { HOUR_MS } from '../values/time.ts';
import { deviceReporting, deviceSilent, eventReadings, rapidLoss, refilled, type TankEvent } from './tank_event.ts';
import { type AlertSettings, type EvaluationInput, latestReading, type TankState } from './tank_state.ts';

export interface Evaluation {
  state: TankState;
  events: readonly TankEvent[];
}

/** Silent is who missed four reports, and never under 36 hours: many devices measure hourly and call once a day. */
const SILENT_CADENCES = 4;
const LEAST_SILENCE_MS = 36 * HOUR_MS;
/** So long a low reading waits for a second one: a daily device still confirms, for a weekly one it would be too late. */
const CONFIRM_WITHIN_MS = 30 * HOUR_MS;
/** An alert is over when the level is this far above the threshold, or three deviations of what gauge and level may err. */
const HYSTERESIS = 5;
const HYSTERESIS_DEVIATIONS = 3;
const MOST_HYSTERESIS = 15;
/** Nobody sends a truck for less, and weather alone moves a gauge by some points. */
const LEAST_REFILL = 5;

/**
 * What an input means for a tank. Inputs come in the order of time, settings before a reading of the same time. First
 * happens what the clock alone would have made happen by then, so that nothing depends on how often it ticks.
 */
export function evaluate(settings: AlertSettings, state: TankState, input: EvaluationInput): Evaluation {
  const events: TankEvent[] = [];
  const now = passTime(settings, state, input.atMs, events);
  if (input.kind === 'tick' || isRepeated(now, input)) return { state: now, events };
  if (!isInOrder(now, input))
    throw new RangeError('an input before what was folded already: evaluate again from before it');
  if (input.kind === 'settings') return { state: takeSettings(settings, now, input, events), events };
  // A reading is kept to a hundredth where it is stored, so here too.
  const reading = { atMs: input.atMs, fillPercentage: Math.round(input.fillPercentage * 100) / 100 };
  return { state: takeReading(settings, now, reading, events), events };
}

/** Whether an input can be folded into this state, or must be folded into an earlier one, with all that came after it. */
export function isInOrder(state: TankState, input: EvaluationInput): boolean {
  if (input.kind === 'tick') return true;
  const latest = latestReading(state);
  return input.atMs >= state.atMs && (latest === null || input.atMs > latest.atMs);
}

const isRepeated = (state: TankState, input: EvaluationInput): boolean =>
  input.kind === 'reading' && input.atMs === latestReading(state)?.atMs;

/** When the clock alone will next have something to say about the tank; null when never. */
export function nextTimerMs(state: TankState): number | null {
  const low = lowDueAtMs(state);
  const silent = silentDueAtMs(state);
  return low === null || silent === null ? (low ?? silent) : Math.min(low, silent);
}

function lowDueAtMs({ isLow, firstLow }: TankState): number | null {
  return isLow || firstLow === null ? null : firstLow.atMs + CONFIRM_WITHIN_MS;
}

function silentDueAtMs(state: TankState): number | null {
  const latest = latestReading(state);
  if (latest === null || state.isSilent) return null;
  return latest.atMs + Math.max(SILENT_CADENCES * state.cadenceMs, LEAST_SILENCE_MS);
}

/** Deadlines up to and at this time. Each carries its own time, not that of the tick that found it. */
function passTime(settings: AlertSettings, state: TankState, nowMs: number, events: TankEvent[]): TankState {
  let next = state;
  const low = lowDueAtMs(next);
  const silent = silentDueAtMs(next);
  if (low !== null && low <= nowMs) next = raiseLow(settings, next, low, events);
  if (silent !== null && silent <= nowMs) next = raiseSilent(next, silent, events);
  return next;
}

function takeReading(settings: AlertSettings, state: TankState, reading: LevelReading, events: TankEvent[]): TankState {
  const { believed, level, doubted } = state;
  if (believed === null || level === null) return takeFirstReading(settings, state, reading);
  const latest = doubted ?? believed;
  const weighed = assessReading({ believed, doubted, doubts: state.doubts, level, loss: state.loss }, reading);
  const next: TankState = {
    v: 1,
    atMs: reading.atMs,
    believed: weighed.isDoubted ? believed : reading,
    doubted: weighed.isDoubted ? reading : null,
    doubts: weighed.isDoubted ? state.doubts + 1 : 0,
    cadenceMs: state.isSilent ? state.cadenceMs : learnCadence(level.seen, state.cadenceMs, reading.atMs - latest.atMs),
    isSilent: false,
    isLow: state.isLow,
    lowAtMs: state.lowAtMs,
    recoveredAtMs: state.recoveredAtMs,
    firstLow: state.firstLow,
    level: weighed.level,
    loss: weighed.loss,
  };
  if (state.isSilent) events.push(deviceReporting(latest, reading));
  if (weighed.rise !== null && weighed.rise.points >= LEAST_REFILL) {
    events.push(refilled(settings, weighed.rise, reading.atMs, eventReadings(believed, doubted, reading)));
  }
  const reached = Math.max(weighed.level.level, weighed.rise === null ? 0 : weighed.rise.before + weighed.rise.points);
  const judged = judgeReading(settings, next, reading, reached, events);
  return weighed.isLossProven ? raiseLoss(settings, judged, doubted, reading, events) : judged;
}

/** Of a first reading nothing can be said but that it is there; if it is low, the second or the clock confirms it. */
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
    level: initialEstimate(reading.fillPercentage),
    loss: { ...state.loss, smooth: reading.fillPercentage },
  };
}

/** A mean of the time between readings in which a gap counts for three at most. */
function learnCadence(seen: number, cadenceMs: number, gapMs: number): number {
  if (seen === 1) return gapMs;
  return Math.round(cadenceMs + 0.1 * (Math.min(gapMs, 3 * cadenceMs) - cadenceMs));
}

/**
 * Low is a reading at or under the threshold that fits the level known before, or a second one in a row. The alert is
 * over when the level, which no single reading moves far, has `reached` what is clear of the threshold.
 */
function judgeReading(
  settings: AlertSettings,
  state: TankState,
  reading: LevelReading,
  reached: number,
  events: TankEvent[],
): TankState {
  const threshold = settings.minFillAlertPercentage;
  const { level, firstLow } = state;
  if (level === null) return state;
  if (reading.fillPercentage <= threshold) {
    if (state.isLow) return state;
    const isConfirmed = firstLow !== null || (state.doubted === null && level.level <= threshold + level.noise);
    const next = firstLow === null ? { ...state, firstLow: reading } : state;
    return isConfirmed ? raiseLow(settings, next, reading.atMs, events) : next;
  }
  const next = firstLow === null ? state : { ...state, firstLow: null };
  const isClear = state.doubted === null && reached >= threshold + hysteresis(threshold, level);
  return state.isLow && isClear ? raiseRecovered(settings, next, reading.atMs, events) : next;
}

function hysteresis(threshold: number, level: LevelEstimate): number {
  const deviation = Math.sqrt(readingDeviation(level) ** 2 + level.ll);
  const wide = Math.min(MOST_HYSTERESIS, Math.max(HYSTERESIS, HYSTERESIS_DEVIATIONS * deviation));
  return Math.min(wide, (100 - threshold) / 2);
}

/** A threshold changed by an operator is judged at once and afresh, by the reading believed last. */
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

function raiseLow(settings: AlertSettings, state: TankState, atMs: number, events: TankEvent[]): TankState {
  // AlertSettings changed to and fro within one millisecond would raise one event twice.
  if (state.lowAtMs === atMs) return state;
  const { believed, doubted, firstLow } = state;
  const fill = firstLow === null ? believed : (doubted ?? believed);
  events.push({
    type: 'tank.low_fill',
    atMs,
    data: { fill_percentage: fill?.fillPercentage ?? 0, threshold_percentage: settings.minFillAlertPercentage },
    readings: eventReadings(firstLow, fill),
  });
  return { ...state, atMs, isLow: true, lowAtMs: atMs };
}

function raiseRecovered(settings: AlertSettings, state: TankState, atMs: number, events: TankEvent[]): TankState {
  if (state.recoveredAtMs === atMs) return state;
  events.push({
    type: 'tank.fill_recovered',
    atMs,
    data: {
      fill_percentage: state.believed?.fillPercentage ?? 0,
      threshold_percentage: settings.minFillAlertPercentage,
    },
    readings: eventReadings(state.believed),
  });
  return { ...state, atMs, isLow: false, recoveredAtMs: atMs };
}

function raiseSilent(state: TankState, atMs: number, events: TankEvent[]): TankState {
  const latest = latestReading(state);
  if (latest === null) return state;
  events.push(deviceSilent(latest, atMs));
  return { ...state, atMs, isSilent: true };
}

/** The loss counts from anew; while it goes on it is the same loss, and no second event. */
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
