import { clamp, middle } from '../../../values/statistics.ts';
import { DAY_MS } from '../../../values/time.ts';
import type { SeenRefill } from './delivery_note.ts';
import { type ComparedDelivery, logRatio, type RefillSpread } from './refill_spread.ts';

/**
 * In ten simulated winters, 0.99 of the honest deliveries are inside, and 0.87 of those that are 15 % short are outside. With 3
 * deviations 0.86 are, and with 2.7 the honest ones are 0.98.
 */
const RANGE_DEVIATIONS = 2.9;
/** Temperature, and what a driver's meter differs from one day to the next: a share of the volume. */
const EACH_TIME_SHARE = 0.015;
const NOISE_FACTOR = 1.2;
const LEAST_NOISE = 0.3;
const MOST_NOISE = 1.5;
/** The refill happened at an unknown time between two readings. */
const USE_FACTOR = 0.4;
/** Against its own earlier deliveries, a tank's constant error does not count. */
const OWN_RANGE_DEVIATIONS = 2.8;
const OWN_NOISE_FACTOR = 0.8;
const LEAST_EARLIER = 3;
const MOST_EARLIER = 8;

/**
 * How many litres around those of the gauge a right note can say, by the litres of the gauge: by those of the note, a note
 * that says too much would widen its own range. Several refills of one note: their errors are independent.
 */
export function rangeLitres(refills: readonly SeenRefill[], { betweenTanks }: RefillSpread): number {
  const variance = refills.reduce((sum, { litres, noisePoints, capacityLitres, ...refill }) => {
    const share = Math.hypot(betweenTanks, EACH_TIME_SHARE) * litres;
    const points = Math.hypot(NOISE_FACTOR * clamp(noisePoints, LEAST_NOISE, MOST_NOISE), usePoints(refill));
    return sum + share ** 2 + ((points / 100) * capacityLitres) ** 2;
  }, 0);
  return RANGE_DEVIATIONS * Math.sqrt(variance);
}

/** Whether a delivery differs from the tank's last ones by more than they differ from each other. Null with fewer than 3. */
export function isUnlikeEarlier(
  delivery: ComparedDelivery,
  refill: SeenRefill,
  earlier: readonly ComparedDelivery[],
  { withinTank }: RefillSpread,
): boolean | null {
  const last = earlier.slice(-MOST_EARLIER);
  if (last.length < LEAST_EARLIER) return null;
  const share = (points: number): number => ((points / 100) * refill.capacityLitres) / delivery.noteLitres;
  const deviation =
    Math.hypot(withinTank, share(OWN_NOISE_FACTOR * refill.noisePoints), share(usePoints(refill))) *
    Math.sqrt(1 + 1.5 / last.length);
  return Math.abs(logRatio(delivery) - middle(last.map(logRatio))) > OWN_RANGE_DEVIATIONS * deviation;
}

const usePoints = ({ usePointsPerDay, cadenceMs }: Pick<SeenRefill, 'usePointsPerDay' | 'cadenceMs'>): number =>
  (USE_FACTOR * usePointsPerDay * cadenceMs) / DAY_MS;
