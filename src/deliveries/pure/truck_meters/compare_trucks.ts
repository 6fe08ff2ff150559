import type { ComparedDelivery } from '../notes/refill_spread.ts';
import { confidenceSequenceHalfWidth, informationForHalfWidth } from './confidence_sequence.ts';
import {
  type DriverDelivery,
  type FoundParties,
  findDrivers,
  findTrucks,
  type PartyTotals,
  TOLERANCE,
} from './differing_trucks.ts';
import { MIN_TANKS_FOR_TRUCKS } from './truck_spread.ts';
import type { TruckSolution } from './truck_totals.ts';

/** The comparison of a truck, or of a driver. Values are shares: 0.02 is 2 %. */
export interface TruckComparison {
  truckId: string;
  /**
   * By how much more its notes exceed the gauges than the notes of the other trucks do. For the only truck, by how much
   * its notes exceed the gauges. Trucks that were flagged before are not among the others.
   */
  excess: number;
  /** The confidence sequence of the excess: it stays valid however often it is checked. */
  from: number;
  to: number;
  deliveries: number;
  tanks: number;
  /** True if the data shows that this truck is off: the meter should be checked. */
  isFlagged: boolean;
  missing: MissingDeliveries;
}

/** The data that would be needed to show an excess beyond the tolerance. */
export interface MissingDeliveries {
  /** The excess that could be shown: 3 %. */
  excess: number;
  /** The approximate number of additional deliveries to the same tanks; null if no number of them is enough. */
  deliveries: number | null;
  /** The number of tanks that would be enough if every truck serves its own. Trucks that share tanks need far fewer. */
  ownTanks: number;
}

export type TruckComparisons =
  | {
      isAgainstOthers: boolean;
      /** True if trucks that are not flagged differ: the data does not show which of them is off. */
      areDifferent: boolean;
      /** By how much all gauges differ from the notes. If it is not null, no truck is flagged. */
      commonOffset: number | null;
      trucks: TruckComparison[];
    }
  /** Too few tanks have three deliveries: the number that is needed, and the current number. */
  | { tanksNeeded: number; tanks: number };

const EXCESS_TO_SHOW = 0.03;
/** Missing deliveries are searched in steps of 2 %, up to 1,000 times as many as there are. */
const TIMES_STEP = 1.02;
const MAX_STEPS = 350;

/** Compares trucks by the deliveries of one period, such as a year. */
export const compareTrucks = (deliveries: readonly ComparedDelivery[]): TruckComparisons =>
  comparisonsOf(findTrucks(deliveries));

export const compareDrivers = (deliveries: readonly DriverDelivery[]): TruckComparisons =>
  comparisonsOf(findDrivers(deliveries));

function comparisonsOf(found: FoundParties | { tanks: number }): TruckComparisons {
  if ('tanks' in found) return { tanksNeeded: MIN_TANKS_FOR_TRUCKS, tanks: found.tanks };
  const { takenOut, rest, areDifferent, commonOffset } = found;
  const trucks = [
    ...takenOut.flatMap(({ id, among }) => compareAll(among, [id], true)),
    ...compareAll(rest, rest.ids, false),
  ];
  return {
    isAgainstOthers: trucks.length > 1,
    areDifferent,
    commonOffset,
    trucks: trucks.toSorted((a, b) => (a.truckId < b.truckId ? -1 : 1)),
  };
}

/** Compares some trucks with the others of the same totals. */
function compareAll(parties: PartyTotals, truckIds: readonly string[], isFlagged: boolean): TruckComparison[] {
  const { ids, totals, solution } = parties;
  const missingOf = missingDeliveries(parties);
  return truckIds.map((truckId) => {
    const truck = ids.indexOf(truckId);
    const { difference, information } = solution.againstOthers(truck);
    const range = confidenceSequenceHalfWidth(information);
    return {
      truckId,
      excess: -difference,
      from: -difference - range,
      to: -difference + range,
      deliveries: totals.deliveriesOf(truck),
      tanks: totals.tanksOf(truck),
      isFlagged,
      missing: missingOf(truck),
    };
  });
}

/** The information grows with the deliveries, but with own tanks only up to what the errors of the tanks allow. */
function missingDeliveries({ ids, spread, totals }: PartyTotals): (truck: number) => MissingDeliveries {
  const excess = EXCESS_TO_SHOW;
  const needed = informationForHalfWidth(excess - TOLERANCE);
  const ownTanks = Math.ceil(needed * spread.betweenTanks ** 2 * (ids.length > 1 ? 2 : 1));
  // All trucks share the solutions, because one takes milliseconds with many trucks.
  const solutions = new Map<number, TruckSolution>();
  const solutionAfter = (step: number): TruckSolution => {
    const solution = solutions.get(step) ?? totals.solve(TIMES_STEP ** step);
    solutions.set(step, solution);
    return solution;
  };
  return (truck) => {
    const isEnough = (step: number): boolean => decidingInformation(solutionAfter(step), ids.length, truck) >= needed;
    if (isEnough(0)) return { excess, deliveries: 0, ownTanks };
    if (!isEnough(MAX_STEPS)) return { excess, deliveries: null, ownTanks };
    let [low, high] = [0, MAX_STEPS];
    while (high - low > 1) {
      const between = Math.floor((low + high) / 2);
      if (isEnough(between)) high = between;
      else low = between;
    }
    return { excess, deliveries: Math.ceil((TIMES_STEP ** high - 1) * totals.deliveriesOf(truck)), ownTanks };
  };
}

/**
 * The information of the least certain of the comparisons that are needed to name this truck: those with more than half
 * of all trucks. With two trucks, there is only one comparison.
 */
function decidingInformation(solution: TruckSolution, trucks: number, truck: number): number {
  if (trucks === 1) return solution.againstOthers(truck).information;
  const needed = trucks === 2 ? 1 : Math.floor(trucks / 2) + 1;
  const pairs = Array.from({ length: trucks }, (_, other) =>
    other === truck ? 0 : solution.against(truck, other).information,
  );
  return pairs.toSorted((a, b) => b - a)[needed - 1] ?? 0;
}
