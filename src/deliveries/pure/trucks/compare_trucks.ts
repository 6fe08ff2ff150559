import { type ComparedDelivery, logRatio, type RefillSpread } from '../notes/refill_spread.ts';
import { confidenceSequenceHalfWidth, informationForHalfWidth } from './confidence_sequence.ts';
import { learnTruckSpread, MIN_TANKS_FOR_TRUCKS } from './truck_spread.ts';
import { TruckTotals } from './truck_totals.ts';

/** The comparison of a truck. Values are shares: 0.02 is 2 %. */
export interface TruckComparison {
  truckId: string;
  /**
   * By how much more its notes exceed the gauges than those of the other trucks do. For the only truck, by how much
   * they exceed the gauges.
   */
  excess: number;
  /** The confidence sequence of the excess: it stays valid however often it is checked. */
  from: number;
  to: number;
  deliveries: number;
  tanks: number;
  /** True if the range lies beyond the tolerance: the meter should be checked. */
  isFlagged: boolean;
  missing: MissingDeliveries;
}

/** The data that would be needed to show an excess beyond the tolerance. */
export interface MissingDeliveries {
  /** The excess that could be shown: 2 % against other trucks, 3 % for the only truck. */
  excess: number;
  /** The approximate number of additional deliveries to the same tanks; null if no number of them is enough. */
  deliveries: number | null;
  /** The number of tanks that would be enough if every truck serves its own. Trucks that share tanks need far fewer. */
  ownTanks: number;
}

export type TruckComparisons =
  | { isAgainstOthers: boolean; trucks: TruckComparison[] }
  /** Too few tanks have three deliveries: the number that is needed, and the current number. */
  | { tanksNeeded: number; tanks: number };

/** A legal meter may be 1 % off, to either side. */
const TOLERANCE_AGAINST_OTHERS = 0.01;
/** All gauges together were off by up to 0.9 % in simulated winters, beside the meter. */
const TOLERANCE_ALONE = 0.02;
const EXCESS_TO_SHOW = 0.02;
const EXCESS_TO_SHOW_ALONE = 0.03;
const MAX_TIMES = 1_000;

/** Compares trucks by the deliveries of one period, such as a year. The spreads may come from a longer period. */
export function compareTrucks(deliveries: readonly ComparedDelivery[], known?: RefillSpread): TruckComparisons {
  const inOrder = deliveries.toSorted((a, b) => a.atMs - b.atMs || (a.noteId < b.noteId ? -1 : 1));
  const spread = known ?? learnTruckSpread(inOrder);
  if ('tanks' in spread) return { tanksNeeded: MIN_TANKS_FOR_TRUCKS, tanks: spread.tanks };
  const truckIds = [...new Set(inOrder.flatMap(({ truckId }) => truckId ?? []))].toSorted();
  const totals = new TruckTotals(truckIds.length, spread);
  for (const delivery of inOrder)
    if (delivery.truckId !== null) totals.add(delivery.tankId, truckIds.indexOf(delivery.truckId), logRatio(delivery));
  const isAgainstOthers = truckIds.length > 1;
  const tolerance = isAgainstOthers ? TOLERANCE_AGAINST_OTHERS : TOLERANCE_ALONE;
  const estimates = totals.estimates();
  const trucks = truckIds.map((truckId, truck) => {
    const { difference, information } = estimates[truck] ?? { difference: 0, information: 0 };
    const range = confidenceSequenceHalfWidth(information);
    const excess = -difference;
    return {
      truckId,
      excess,
      from: excess - range,
      to: excess + range,
      deliveries: totals.deliveriesOf(truck),
      tanks: totals.tanksOf(truck),
      isFlagged: Math.abs(excess) - range > tolerance,
      missing: missingDeliveries(totals, truck, truckIds.length, spread),
    };
  });
  return { isAgainstOthers, trucks };
}

/** The information grows with the deliveries, but with own tanks only up to what the errors of the tanks allow. */
function missingDeliveries(
  totals: TruckTotals,
  truck: number,
  trucks: number,
  { betweenTanks }: RefillSpread,
): MissingDeliveries {
  const excess = trucks > 1 ? EXCESS_TO_SHOW : EXCESS_TO_SHOW_ALONE;
  const needed = informationForHalfWidth(excess - (trucks > 1 ? TOLERANCE_AGAINST_OTHERS : TOLERANCE_ALONE));
  const ownTanks = Math.ceil(needed * betweenTanks ** 2 * (trucks > 1 ? trucks / (trucks - 1) : 1));
  const isEnough = (times: number): boolean => totals.informationAfter(truck, times) >= needed;
  if (isEnough(1)) return { excess, deliveries: 0, ownTanks };
  if (!isEnough(MAX_TIMES)) return { excess, deliveries: null, ownTanks };
  let [low, high] = [1, MAX_TIMES];
  while (high / low > 1.01) {
    const between = Math.sqrt(low * high);
    if (isEnough(between)) high = between;
    else low = between;
  }
  return { excess, deliveries: Math.ceil((high - 1) * totals.deliveriesOf(truck)), ownTanks };
}
