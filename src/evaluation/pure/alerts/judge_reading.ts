import { DAY_MS } from '../../../values/time.ts';
import type { AssessedReading } from '../estimator/assessed_reading.ts';
import { cannotProveLoss } from '../estimator/gauge_health.ts';
import { isSameLeak } from '../estimator/leak_detector.ts';
import { type LevelEstimate, type LevelReading, roundToTenThousandth } from '../estimator/level_filter.ts';
import { evaluateLowFill } from './low_alert.ts';
import { judgeOrder } from './order_threshold.ts';
import { judgeOverfill, reportRefill } from './overfill.ts';
import { isDelivery, refillOf } from './refill.ts';
import { type EvaluationOutput, isLowWrong } from './retraction.ts';
import { eventReadings, rapidLoss, type TankEvent } from './tank_event.ts';
import type { AlertSettings, TankState } from './tank_state.ts';

/** Raises the events that a reading of a reliable gauge shows: a refill, an overfill, a low level, an order, a loss. */
export function judgeReading(
  settings: AlertSettings,
  before: TankState,
  state: TankState,
  assessed: AssessedReading,
  reading: LevelReading,
  output: EvaluationOutput,
): TankState {
  const { events } = output;
  const { assessment, rise, level, isLossProven } = assessed;
  const { accepted, outliers } = before;
  // A gauge that was stuck at 0 and works again is not a delivery.
  const isFromFault = state.gauge.fault !== null && accepted?.fillPercentage === 0;
  const isRefill = rise !== null && isDelivery(settings, rise, before.level) && !isFromFault;
  const filled = isRefill
    ? reportRefill(settings, state, refillOf(settings, before, rise, reading), before.level, events)
    : judgeOverfill(settings, state, reading, events);
  const reached = Math.max(level.level, rise === null ? 0 : rise.before + rise.points);
  const isStep = assessment.kind === 'step';
  const judged = { before, state: filled, reading, reached, isStep, isLowWrong: isLowWrong(before, assessed) };
  const isReturn = isStep && assessment.stepReturn === 'gauge_fault';
  const next = judgeOrder(settings, evaluateLowFill(settings, judged, output), { reading, reached, isReturn }, events);
  if (!isLossProven) return next;
  return cannotProveLoss(state.gauge) || settings.isBatchTank === true || settings.isMobile === true
    ? dropLoss(next)
    : raiseLoss(settings, next, outliers?.latest ?? null, reading, events);
}

/** Discards a loss that a faulty gauge shows, so that it raises no event later. */
export const dropLoss = (state: TankState): TankState => ({ ...state, loss: { ...state.loss, points: 0, from: null } });

/** A faster loss is never use. After a slower loss, this share of its speed counts as the peak rate. */
const MAX_REPORTED_USE_POINTS_PER_DAY = 20;
const REPORTED_PEAK_SHARE = 0.8;

/**
 * A slow loss may be use, for example of a generator that runs for two days from time to time, which is too short to
 * learn. The event has already reported this use, so equal use raises neither a loss nor unusual use for some months.
 */
function withReportedPeak(
  level: LevelEstimate | null,
  from: LevelReading | null,
  { atMs, fillPercentage }: LevelReading,
): LevelEstimate | null {
  if (level === null || from === null) return level;
  const perDay = ((from.fillPercentage - fillPercentage) / (atMs - from.atMs)) * DAY_MS;
  const peakRate = roundToTenThousandth(REPORTED_PEAK_SHARE * perDay);
  return perDay > MAX_REPORTED_USE_POINTS_PER_DAY || peakRate <= level.peakRate ? level : { ...level, peakRate };
}

/** Raises a loss and resets the sum to zero. A loss that continues is the same loss and raises no second event. */
function raiseLoss(
  settings: AlertSettings,
  state: TankState,
  outlier: LevelReading | null,
  reading: LevelReading,
  events: TankEvent[],
): TankState {
  const { loss } = state;
  const { atMs } = reading;
  const isNew = !isSameLeak(loss, atMs);
  if (isNew && loss.from !== null) {
    events.push(rapidLoss(settings, loss.from, reading, eventReadings(loss.from, outlier, reading)));
  }
  const raisedAtMs = isNew ? atMs : loss.raisedAtMs;
  const level = isNew ? withReportedPeak(state.level, loss.from, reading) : state.level;
  return { ...state, level, loss: { ...loss, points: 0, from: null, raisedAtMs, seenAtMs: atMs } };
}
