import { type LevelEstimate, type LevelReading, readingDeviation } from '../estimator/level_filter.ts';
import { eventReadings, type TankEvent } from './tank_event.ts';
import type { OverfillSettings, TankState } from './tank_state.ts';

const MIN_MARGIN_POINTS = 2;
/** 0.1 % of the readings of a gauge are off by more than 3 standard deviations upwards. */
const MARGIN_DEVIATIONS = 3;
/**
 * An unused tank warms by up to 40 °C from a delivery in winter to a summer day, twice as much as is allowed right
 * after a delivery. This is 9.3 points for propane: a tank that was correctly filled to 80 % may show 89 %.
 */
const SEASONAL_WARMING_FACTOR = 2;

interface Limits {
  overfill?: OverfillSettings;
}

const marginOf = (warmingPoints: number, level: LevelEstimate | null): number =>
  Math.max(MIN_MARGIN_POINTS, warmingPoints, level === null ? 0 : MARGIN_DEVIATIONS * readingDeviation(level));

/**
 * Reports a delivery, and an overfill if it ended above the limit by more than the largest of: 2 points, three standard
 * deviations of the gauge, and the rise of the content if it warms by 20 °C (4.6 points for propane). Each delivery
 * above the limit has its own event.
 */
export function reportRefill(
  { overfill }: Limits,
  state: TankState,
  refill: TankEvent,
  level: LevelEstimate | null,
  events: TankEvent[],
): TankState {
  events.push(refill);
  if (overfill === undefined || refill.type !== 'tank.refilled' || refill.atMs < overfill.fromMs) return state;
  const { limitPercentage: limit, warmingPoints } = overfill;
  const { after_percentage: after, maybe_gauge_fault } = refill.data;
  if (maybe_gauge_fault === true || after <= limit + marginOf(warmingPoints, level)) return state;
  const { atMs, readings } = refill;
  const data = { fill_percentage: after, limit_percentage: limit };
  events.push({ type: 'tank.overfilled', atMs, data, readings });
  return { ...state, overfilledAtMs: atMs };
}

/**
 * Reports a level that is above the limit without a delivery, by more than warming explains. It is reported once until
 * the level was at or below the limit. Soon after a step nothing is reported: a delivery reports itself, and the step
 * may be retracted.
 */
export function judgeOverfill(
  { overfill }: Limits,
  state: TankState,
  reading: LevelReading,
  events: TankEvent[],
): TankState {
  const { level, outliers, reported, overfilledAtMs } = state;
  if (overfill === undefined || level === null || outliers !== null) return state;
  const { limitPercentage: limit, warmingPoints, fromMs } = overfill;
  if (overfilledAtMs !== null) return level.level <= limit ? { ...state, overfilledAtMs: null } : state;
  const { atMs, fillPercentage } = reading;
  if (reported !== null || atMs < fromMs) return state;
  const margin = marginOf(SEASONAL_WARMING_FACTOR * warmingPoints, level);
  if (Math.min(level.level, fillPercentage) <= limit + margin) return state;
  const data = { fill_percentage: fillPercentage, limit_percentage: limit, without_delivery: true as const };
  events.push({ type: 'tank.overfilled', atMs, data, readings: eventReadings(reading) });
  return { ...state, overfilledAtMs: atMs };
}
