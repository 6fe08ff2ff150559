import { clamp, mean, middle, robustDeviation } from '../../../values/statistics.ts';
import { type ComparedDelivery, logRatio, type RefillSpread } from '../notes/refill_spread.ts';

/** With spreads learned from 30 tanks, 1.5 of 1,000 honest trucks were flagged in a year; from 60 tanks, none. */
export const LEAST_TANKS = 60;
const LEAST_DELIVERIES = 3;
/** What was learned may be too small by chance. */
const SAFETY = 1.15;
const LEAST_BETWEEN = 0.01;
const MOST_DEVIATIONS = 3.5;
/** The variance of a median is so many times that of a mean. */
const MEDIAN_VARIANCE = 1.25;

/** The spreads that trucks are compared with; the number of tanks with enough deliveries if it is below 60. */
export function learnTruckSpread(deliveries: readonly ComparedDelivery[]): RefillSpread | { tanks: number } {
  const byTank = [...Map.groupBy(deliveries, ({ tankId }) => tankId).values()]
    .filter((list) => list.length >= LEAST_DELIVERIES)
    .map((list) => list.map(logRatio));
  if (byTank.length < LEAST_TANKS) return { tanks: byTank.length };
  const within = byTank.flatMap((ratios) => {
    const centre = middle(ratios);
    return ratios.map((ratio) => (ratio - centre) * Math.sqrt(ratios.length / (ratios.length - 1)));
  });
  const most = MOST_DEVIATIONS * robustDeviation(within);
  const withinTank = Math.sqrt(mean(within.map((distance) => clamp(distance, -most, most) ** 2)));
  // The medians of few deliveries differ by more than the tanks do.
  const ofMedians = MEDIAN_VARIANCE * withinTank ** 2 * mean(byTank.map((ratios) => 1 / ratios.length));
  const between = robustDeviation(byTank.map(middle)) ** 2 - ofMedians;
  return {
    betweenTanks: SAFETY * Math.sqrt(Math.max(LEAST_BETWEEN ** 2, between)),
    withinTank: SAFETY * withinTank,
  };
}
