import type { AssessedReading } from '../estimator/assessed_reading.ts';
import { isDoubtful } from '../estimator/gauge_health.ts';
import { isSameLeak } from '../estimator/leak_detector.ts';
import type { LevelEstimate, LevelReading } from '../estimator/level_filter.ts';
import { evaluateLowFill } from './low_alert.ts';
import { eventReadings, rapidLoss, refilled, type TankEvent } from './tank_event.ts';
import type { AlertSettings, TankState } from './tank_state.ts';
import { isLowWrong, type Output } from './withdrawal.ts';

/** Nobody sends a truck for less, and weather alone moves a gauge by some points. */
const LEAST_REFILL = 5;
/** After the first readings the level itself is uncertain: then only a clear rise is a delivery. */
const LEAST_FIRST_REFILL = 15;
const LEAST_SECOND_REFILL = 8;
const SETTLED_READINGS = 20;

/** Raises what a reading of a reliable gauge shows: a refill, the level at the threshold, a loss. */
export function judgeReading(
  settings: AlertSettings,
  before: TankState,
  state: TankState,
  assessed: AssessedReading,
  reading: LevelReading,
  output: Output,
): TankState {
  const { events } = output;
  const { verdict, rise, level, isLossProven } = assessed;
  const { believed, doubt } = before;
  // A gauge that was stuck at 0 and works again is not a delivery.
  const isFromFault = state.gauge.fault !== null && believed?.fillPercentage === 0;
  if (rise !== null && isDelivery(rise, before.level) && !isFromFault) {
    const readings = eventReadings(believed, doubt?.first ?? null, doubt?.latest ?? null, reading);
    events.push(refilled(settings, rise, reading.atMs, readings));
  }
  const reached = Math.max(level.level, rise === null ? 0 : rise.before + rise.points);
  const isStep = verdict.kind === 'step';
  const judged = { before, state, reading, reached, isStep, isLowWrong: isLowWrong(before, assessed) };
  const next = evaluateLowFill(settings, judged, output);
  if (!isLossProven) return next;
  return isDoubtful(state.gauge) || settings.isBatchTank === true
    ? dropLoss(next)
    : raiseLoss(settings, next, doubt?.latest ?? null, reading, events);
}

/** A delivery brings the level above the one before, and not only above what use would have left. */
export function isDelivery(
  { before, points }: { before: number; points: number },
  level: LevelEstimate | null,
): boolean {
  const seen = level?.seen ?? 1;
  const above = before + points - Math.max(before, level?.level ?? 0);
  if (seen === 1) return above >= LEAST_SECOND_REFILL;
  return above >= Math.max(LEAST_REFILL, Math.min(LEAST_FIRST_REFILL, (LEAST_REFILL * SETTLED_READINGS) / seen));
}

/** A loss that a faulty gauge shows is not raised, now or later. */
export const dropLoss = (state: TankState): TankState => ({ ...state, loss: { ...state.loss, points: 0, from: null } });

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
