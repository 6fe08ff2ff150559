import { clamp, mean, median, robustDeviation } from '../../../values/statistics.ts';
import { type ComparedDelivery, logRatio, type RefillSpread } from '../notes/refill_spread.ts';

/** With spreads learned from 30 tanks, 1.5 of 1,000 correct trucks were flagged in a year; from 60 tanks, none. */
export const MIN_TANKS_FOR_TRUCKS = 60;
const MIN_DELIVERIES_PER_TANK = 3;
/** The factor for a learned spread, which may be too small by chance. */
const SPREAD_SAFETY_FACTOR = 1.15;
const MIN_BETWEEN_TANKS = 0.01;
const MAX_DEVIATIONS = 3.5;
/** No tank is farther from the others than this. Beyond it, notes are matched wrongly. */
const MAX_TANK_ERROR = 0.3;
/** The variance of a median relative to the variance of a mean. */
const MEDIAN_VARIANCE = 1.25;

/** Learns the spreads that trucks are compared with. Returns the number of tanks with three deliveries if it is below 60. */
export function learnTruckSpread(deliveries: readonly ComparedDelivery[]): RefillSpread | { tanks: number } {
  const byTank = [...Map.groupBy(deliveries, ({ tankId }) => tankId).values()]
    .filter((list) => list.length >= MIN_DELIVERIES_PER_TANK)
    .map((list) => list.map(logRatio));
  if (byTank.length < MIN_TANKS_FOR_TRUCKS) return { tanks: byTank.length };
  const within = byTank.flatMap((ratios) => {
    const centre = median(ratios);
    return ratios.map((ratio) => (ratio - centre) * Math.sqrt(ratios.length / (ratios.length - 1)));
  });
  const limit = MAX_DEVIATIONS * robustDeviation(within);
  const withinTank = Math.sqrt(mean(within.map((distance) => clamp(distance, -limit, limit) ** 2)));
  // The medians of few deliveries differ by more than the tanks do.
  const ofMedians = MEDIAN_VARIANCE * withinTank ** 2 * mean(byTank.map((ratios) => 1 / ratios.length));
  const medians = byTank.map(median);
  const centre = median(medians);
  // If some of the tanks have sensors of another kind, the robust deviation misses how far these are off.
  const ofAll = mean(medians.map((value) => clamp(value - centre, -MAX_TANK_ERROR, MAX_TANK_ERROR) ** 2));
  const between = Math.max(robustDeviation(medians) ** 2, ofAll) - ofMedians;
  return {
    betweenTanks: SPREAD_SAFETY_FACTOR * Math.sqrt(Math.max(MIN_BETWEEN_TANKS ** 2, between)),
    withinTank: SPREAD_SAFETY_FACTOR * withinTank,
  };
}
