import { clamp } from '../../../values/statistics.ts';
import type { Coordinates } from './distances.ts';

/** What a round needs to know about a tank. */
export interface RoundTank {
  id: string;
  /** Null if nobody entered where the tank is. */
  place: Coordinates | null;
  capacityLitres: number;
  /** The estimated level now; null without a forecast. */
  fillPercentage: number | null;
  /** The chance of being empty before the place's next delivery day after the round; null without a forecast. */
  chance: number | null;
  /** The customer asked for a delivery. */
  isCalled: boolean;
}

/** A tank that a round may visit. */
export interface RoundCandidate {
  id: string;
  place: Coordinates | null;
  /** What fits into the tank. */
  litres: number;
  chance: number | null;
}

export interface RoundCandidates {
  /** Empty before the next visit with a chance above the limit, or the customer called; the most urgent first. */
  must: RoundCandidate[];
  /** Need no visit, but have room for half of their capacity. */
  could: RoundCandidate[];
  /** Nothing is known about these: no reading, or none for months. */
  noForecast: RoundCandidate[];
}

export interface CandidateOptions {
  /** A chance above this limit makes a tank a must. */
  limit?: number;
  fillToPercentage?: number;
}

/** 1.3 % of the tanks that ran empty in simulated winters had a chance below this limit. */
export const DEFAULT_LIMIT = 0.05;
export const DEFAULT_FILL_TO = 80;
/** A truck does not stop for less, unless it has to: share of the capacity. */
const LEAST_COULD_ROOM = 0.5;

export function listCandidates(
  tanks: readonly RoundTank[],
  { limit = DEFAULT_LIMIT, fillToPercentage = DEFAULT_FILL_TO }: CandidateOptions = {},
): RoundCandidates {
  const lists: RoundCandidates = { must: [], could: [], noForecast: [] };
  for (const tank of tanks) {
    const { id, place, chance, isCalled, capacityLitres } = tank;
    // Nothing is known of a tank without a forecast, so that the truck needs enough for an empty one.
    const room = clamp(fillToPercentage - (tank.fillPercentage ?? 0), 0, 100) / 100;
    const candidate = { id, place, chance, litres: room * capacityLitres };
    if (isCalled || (chance !== null && chance > limit)) lists.must.push(candidate);
    else if (chance === null) lists.noForecast.push(candidate);
    else if (room >= LEAST_COULD_ROOM) lists.could.push(candidate);
  }
  lists.must = lists.must.toSorted((a, b) => urgencyOf(b) - urgencyOf(a) || compareIds(a, b));
  return lists;
}

/** Who called without a forecast may be empty already. */
const urgencyOf = ({ chance }: RoundCandidate): number => chance ?? 1;

const compareIds = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
