import { findCommonOffset } from '../notes/common_offset.ts';
import { type ComparedDelivery, logRatio, type RefillSpread } from '../notes/refill_spread.ts';
import { confidenceSequenceHalfWidth } from './confidence_sequence.ts';
import { learnTruckSpread } from './truck_spread.ts';
import { type TruckSolution, TruckTotals } from './truck_totals.ts';

/** A delivery with its driver. */
export interface DriverDelivery extends ComparedDelivery {
  driverId: string | null;
}

/** A delivery of a party: a truck, or a driver with the truck. */
interface PartyDelivery {
  partyId: string;
  truckOfDriver?: string | undefined;
  delivery: ComparedDelivery;
}

/** Two legal meters, each 1 % off, differ by 2 %. */
export const TOLERANCE = 0.02;
/** Only parties for which an excess of 5 % could be shown are compared: a driver with three deliveries is not. */
const MAX_RANGE_OF_COMPARED = 0.05 - TOLERANCE;

/** The parties of some deliveries, and their estimated differences. */
export interface PartyTotals {
  ids: readonly string[];
  spread: RefillSpread;
  totals: TruckTotals;
  solution: TruckSolution;
}

/** What the deliveries show about their parties. */
export interface FoundParties {
  /** By how much all gauges differ from the notes. If it is not null, no party is taken out. */
  commonOffset: number | null;
  /** The parties that are off, the worst first, each with the parties that it was compared with. */
  takenOut: { id: string; among: PartyTotals }[];
  rest: PartyTotals;
  /** True if some of the rest differ: the data does not show which of them is off. */
  areDifferent: boolean;
}

export const findTrucks = (deliveries: readonly ComparedDelivery[]): FoundParties | { tanks: number } =>
  findParties(deliveries, (delivery) => (delivery.truckId === null ? [] : [{ partyId: delivery.truckId, delivery }]));

/**
 * The effect of the truck is taken out before drivers are compared: a driver is not flagged for the wrong meter of a
 * truck. If a note names no truck, it counts as a truck that only this driver drives.
 */
export const findDrivers = (deliveries: readonly DriverDelivery[]): FoundParties | { tanks: number } =>
  findParties(deliveries, (delivery) => {
    const { driverId, truckId } = delivery;
    return driverId === null ? [] : [{ partyId: driverId, truckOfDriver: truckId ?? `of ${driverId}`, delivery }];
  });

/**
 * Takes out the worst party until the data shows no other party that is off. In the mean of the others, one wrong truck would make correct
 * trucks look wrong in the other direction. If too few tanks have three deliveries, only their number is returned.
 */
function findParties<Delivery extends ComparedDelivery>(
  deliveries: readonly Delivery[],
  partyOf: (delivery: Delivery) => PartyDelivery[],
): FoundParties | { tanks: number } {
  const inOrder = deliveries.toSorted((a, b) => a.atMs - b.atMs || (a.noteId < b.noteId ? -1 : 1));
  const learned = learnTruckSpread(inOrder);
  if ('tanks' in learned) return learned;
  const { offset, isOff } = findCommonOffset(inOrder);
  const takenOut: FoundParties['takenOut'] = [];
  let left = inOrder.flatMap(partyOf);
  let rest = sumUp(left, learned);
  if (isOff) return { commonOffset: offset, takenOut, rest, areDifferent: false };
  let { areDifferent, worst } = findWorst(rest);
  while (worst !== null) {
    const { id } = worst;
    takenOut.push({ id, among: rest });
    left = left.filter(({ partyId }) => partyId !== id);
    // The spread is learned again without the deliveries of the worst party.
    const relearned = learnTruckSpread(left.map(({ delivery }) => delivery));
    rest = sumUp(left, 'tanks' in relearned ? rest.spread : relearned);
    ({ areDifferent, worst } = findWorst(rest));
  }
  return { commonOffset: null, takenOut, rest, areDifferent };
}

function sumUp(deliveries: readonly PartyDelivery[], spread: RefillSpread): PartyTotals {
  const positions = (ids: Iterable<string>) => new Map([...new Set(ids)].toSorted().map((id, index) => [id, index]));
  const parties = positions(deliveries.map(({ partyId }) => partyId));
  const trucks = positions(deliveries.flatMap(({ truckOfDriver }) => truckOfDriver ?? []));
  const totals = new TruckTotals(parties.size, spread, trucks.size);
  for (const { partyId, truckOfDriver, delivery } of deliveries) {
    const truck = truckOfDriver === undefined ? undefined : trucks.get(truckOfDriver);
    totals.add(delivery.tankId, parties.get(partyId) ?? 0, logRatio(delivery), truck);
  }
  return { ids: [...parties.keys()], spread, totals, solution: totals.solve() };
}

/**
 * Looks for the party that is off. A party differs from another one if the range of their difference lies beyond the
 * tolerance. It is named only if more than half of all agree with each other, and it differs from more than half in the
 * same direction. So a correct party is named only if most of the others are wrong; of two parties none is ever named.
 */
export function findWorst({ ids, solution }: Pick<PartyTotals, 'ids' | 'solution'>): {
  areDifferent: boolean;
  worst: { id: string } | null;
} {
  const comparable = ids.flatMap((id, index) => {
    const { difference, information } = solution.againstOthers(index);
    const isKnown = confidenceSequenceHalfWidth(information) <= MAX_RANGE_OF_COMPARED;
    return isKnown ? [{ id, index, excess: Math.abs(difference) }] : [];
  });
  const isMajority = (count: number): boolean => 2 * count > comparable.length;
  const compared = comparable.map((party) => {
    const signs = comparable.map(({ index }) => (index === party.index ? 0 : provenSign(solution, party.index, index)));
    const count = (sign: number): number => signs.filter((one) => one === sign).length;
    return { ...party, alike: count(0), isOff: isMajority(count(1)) || isMajority(count(-1)) };
  });
  const hasMajority = compared.some(({ alike }) => isMajority(alike));
  const off = compared.filter(({ isOff }) => isOff && hasMajority).toSorted((a, b) => b.excess - a.excess);
  return { areDifferent: compared.some(({ alike }) => alike < comparable.length), worst: off[0] ?? null };
}

/** 1 or -1 if the range of the difference between two parties lies beyond the tolerance, otherwise 0. */
function provenSign(solution: TruckSolution, party: number, other: number): number {
  const { difference, information } = solution.against(party, other);
  return Math.abs(difference) - confidenceSequenceHalfWidth(information) > TOLERANCE ? Math.sign(difference) : 0;
}
