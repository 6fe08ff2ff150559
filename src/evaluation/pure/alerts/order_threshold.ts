import type { LevelReading } from '../estimator/level_filter.ts';
import { hysteresis } from './low_alert.ts';
import { eventReadings, type TankEvent } from './tank_event.ts';
import type { AlertSettings, TankState } from './tank_state.ts';

/** The order threshold; null if the tank has none, or one that is not above its alert threshold. */
export const orderThresholdOf = ({ orderPercentage, minFillAlertPercentage }: AlertSettings): number | null =>
  typeof orderPercentage === 'number' && orderPercentage > minFillAlertPercentage ? orderPercentage : null;

interface JudgedLevel {
  reading: LevelReading;
  /** The level after the reading, or after the delivery that the reading shows. */
  reached: number;
  /** True if the level is back where it was before a wrong step: it did not fall to the threshold now. */
  isReturn: boolean;
}

/**
 * Raises the event when the level falls to the order threshold. The condition ends by the same hysteresis as a low
 * alert. An order is not urgent: only accepted readings count, so it needs no confirmation and no timer.
 */
export function judgeOrder(
  settings: AlertSettings,
  state: TankState,
  { reading, reached, isReturn }: JudgedLevel,
  events: TankEvent[],
): TankState {
  const threshold = orderThresholdOf(settings);
  const { level, outliers } = state;
  if (threshold === null) return endOrder(state);
  if (level === null || outliers !== null) return state;
  if (state.orderDueAtMs !== null) return reached >= threshold + hysteresis(threshold, level) ? endOrder(state) : state;
  const { atMs, fillPercentage } = reading;
  if (fillPercentage > threshold || level.level > threshold + level.noise) return state;
  return isReturn ? { ...state, orderDueAtMs: atMs } : beginOrder(state, atMs, { fillPercentage, threshold }, events);
}

/** A changed threshold takes effect at once, with the latest accepted reading. */
export function applyOrderThreshold(
  before: AlertSettings,
  settings: AlertSettings,
  state: TankState,
  events: TankEvent[],
): TankState {
  const threshold = orderThresholdOf(settings);
  const { atMs, accepted, orderDueAtMs } = state;
  if (threshold === orderThresholdOf(before) || accepted === null) return state;
  const { fillPercentage } = accepted;
  if (threshold === null || fillPercentage > threshold) return endOrder(state);
  return orderDueAtMs === null ? beginOrder(state, atMs, { fillPercentage, threshold }, events) : state;
}

/** Begins the condition. A low tank gets no event, because its alert is more urgent. */
export function beginOrder<State extends TankState>(
  state: State,
  atMs: number,
  { fillPercentage, threshold, isEstimated }: { fillPercentage: number; threshold: number; isEstimated?: true },
  events: TankEvent[],
): State {
  const fill = { fill_percentage: fillPercentage, threshold_percentage: threshold };
  const data = { ...fill, ...(isEstimated && { estimated: true as const }) };
  if (!state.isLow) events.push({ type: 'tank.order_due', atMs, data, readings: eventReadings(state.accepted) });
  return { ...state, orderDueAtMs: atMs };
}

export const endOrder = <State extends TankState>(state: State): State =>
  state.orderDueAtMs === null ? state : { ...state, orderDueAtMs: null };
