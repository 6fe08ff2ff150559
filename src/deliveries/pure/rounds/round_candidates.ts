import { fillToOf, type TankContents } from '../../../values/products.ts';
import { clamp } from '../../../values/statistics.ts';
import type { Coordinates } from './distances.ts';

/** The fields of a tank that a round needs. */
export interface RoundTank {
  id: string;
  /** Null if the location of the tank is unknown. */
  place: Coordinates | null;
  capacityLiters: number;
  /** The product, and the level to which the tank may be filled. */
  contents: TankContents;
  /** The estimated level now; null without a forecast. */
  fillPercentage: number | null;
  /** The chance of being empty before the next delivery day after the round; null without a forecast. */
  chance: number | null;
  /** True if the level is at or below the order threshold. */
  isOrderDue?: boolean;
  /** True if the customer asked for a delivery. */
  isCalled: boolean;
}

/** A tank that a round may visit. */
export interface RoundCandidate extends Pick<RoundTank, 'id' | 'place' | 'chance'> {
  /** The volume that fits into the tank. */
  liters: number;
}

export interface RoundCandidates {
  /**
   * Tanks that are empty before the next visit with a chance above the limit, or whose customer called; the most urgent
   * first.
   */
  must: RoundCandidate[];
  /** Tanks that can wait, but have room for half of their capacity or are at their order threshold. */
  could: RoundCandidate[];
  /** Tanks without a reading, or without one for months. */
  noForecast: RoundCandidate[];
}

export interface CandidateOptions {
  /** A chance above this limit makes a tank a must. */
  limit?: number;
  /** The level to which tanks of liquefied gas are filled. Other tanks are filled to their limits. */
  fillToPercentage?: number;
}

/** 1.3 % of the tanks that ran empty in simulated winters had a chance below this limit. */
export const DEFAULT_LIMIT = 0.05;
export const DEFAULT_FILL_TO = 80;
/** The smallest room of a could, as a share of the capacity. A truck does not stop for less unless it has to. */
const MIN_COULD_ROOM_SHARE = 0.5;

export function listCandidates(
  tanks: readonly RoundTank[],
  { limit = DEFAULT_LIMIT, fillToPercentage = DEFAULT_FILL_TO }: CandidateOptions = {},
): RoundCandidates {
  const lists: RoundCandidates = { must: [], could: [], noForecast: [] };
  for (const tank of tanks) {
    const { id, place, chance, isCalled, capacityLiters } = tank;
    // A tank without a forecast may be empty, so the truck needs enough for that.
    const room = clamp(fillToOf(tank.contents, fillToPercentage) - (tank.fillPercentage ?? 0), 0, 100) / 100;
    const candidate = { id, place, chance, liters: room * capacityLiters };
    if (isCalled || (chance !== null && chance > limit)) lists.must.push(candidate);
    else if (chance === null) lists.noForecast.push(candidate);
    else if (room >= MIN_COULD_ROOM_SHARE || tank.isOrderDue === true) lists.could.push(candidate);
  }
  lists.must = lists.must.toSorted((a, b) => urgencyOf(b) - urgencyOf(a) || compareIds(a, b));
  return lists;
}

/** A tank without a forecast whose customer called may be empty already. */
const urgencyOf = ({ chance }: RoundCandidate): number => chance ?? 1;

export const compareIds = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
