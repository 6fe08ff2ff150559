import { type LevelEstimate, readingDeviation } from '../estimator/level_filter.ts';
import type { TankEvent } from './tank_event.ts';
import type { OverfillSettings } from './tank_state.ts';

const MIN_MARGIN_POINTS = 2;
/** 0.1 % of the readings of a gauge are off by more than 3 standard deviations upwards. */
const MARGIN_DEVIATIONS = 3;

/**
 * The overfill that a delivery is, if it ended above the limit by more than the largest of: 2 points, three standard deviations of
 * the gauge, and the rise of the content if it warms by 20 °C (4.6 points for propane).
 * Only a delivery overfills a tank, so an event belongs to one delivery and needs no state: a tank of propane that was filled to
 * 80 % on a cold day and shows 86 % on a hot one was filled correctly.
 */
export function overfillOf(
  { overfill }: { overfill?: OverfillSettings },
  refill: TankEvent,
  level: LevelEstimate | null,
): TankEvent[] {
  if (overfill === undefined || refill.type !== 'tank.refilled' || refill.atMs < overfill.fromMs) return [];
  const { after_percentage: after, maybe_gauge_fault } = refill.data;
  const noise = level === null ? 0 : MARGIN_DEVIATIONS * readingDeviation(level);
  const margin = Math.max(MIN_MARGIN_POINTS, overfill.warmingPoints, noise);
  if (maybe_gauge_fault === true || after <= overfill.limitPercentage + margin) return [];
  return [
    {
      type: 'tank.overfilled',
      atMs: refill.atMs,
      data: { fill_percentage: after, limit_percentage: overfill.limitPercentage },
      readings: refill.readings,
    },
  ];
}
