import type { Db } from '../db/pool.ts';
import { inSlices } from '../values/slices.ts';
import { proposeRound, type RoundProposal } from './propose_round.ts';
import type { RoundTruck } from './round.ts';
import { timeZoneOf } from './round_day.ts';
import { readRoundTanks } from './round_tanks.ts';
import { readRoundTruck } from './rounds.ts';

export interface ProposalRequest {
  date: string;
  truckNo: number;
  /** The round that is planned again. */
  roundNo: number | undefined;
  /** Undefined: wherever a truck comes on this day. */
  cities: string[] | undefined;
  calledTankIds: string[];
  fillToPercentage: number;
  limit: number;
}

export interface FoundProposal {
  truck: RoundTruck;
  proposal: RoundProposal;
  /** The number of tanks, without those whose owners called. */
  lookedAt: number;
}

/** Proposes a round from what is known of the tanks now. Stores nothing. */
export async function findProposal(
  db: Db,
  organizationNo: number,
  { date, truckNo, roundNo, cities, calledTankIds, fillToPercentage, limit }: ProposalRequest,
  nowMs: number,
): Promise<FoundProposal> {
  const [truck, timeZone] = [await readRoundTruck(db, truckNo), await timeZoneOf(db, organizationNo)];
  const selection = { organizationNo, date, timeZone, roundNo };
  const urgent = await readRoundTanks(db, { ...selection, cities }, nowMs);
  const known = new Set(urgent.map(({ id }) => id));
  const missing = calledTankIds.filter((id) => !known.has(id));
  const called = missing.length === 0 ? [] : await readRoundTanks(db, { ...selection, tankIds: missing }, nowMs);
  const options = { limit, fillToPercentage, calledTankIds, arePlacesChosen: cities !== undefined };
  const proposal = await inSlices(proposeRound([...urgent, ...called], truck, options));
  return { truck, proposal, lookedAt: urgent.length };
}
