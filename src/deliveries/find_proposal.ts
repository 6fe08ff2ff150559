import { readTimeZone } from '../catalog/organizations.ts';
import type { Db } from '../db/pool.ts';
import { readsOf } from '../db/readers.ts';
import { InvalidValuesError } from '../values/change_refusal.ts';
import { inSlices } from '../values/slices.ts';
import { isUuid } from '../values/uuid7.ts';
import { proposeRound, type RoundProposal } from './propose_round.ts';
import type { RoundTruck } from './round.ts';
import { dateProblems } from './round_changes.ts';
import { readRoundTanks } from './round_tanks.ts';
import { findRound, type Round, readRoundTruck } from './rounds.ts';
import { findUsable } from './usable_transport.ts';

export interface ProposalRequest extends Pick<Round, 'date' | 'truck_id' | 'fill_to_percentage' | 'chance_limit'> {
  /** The round that is planned again. */
  round_id?: string | undefined;
  /** Undefined for all cities to which a truck comes on this day. */
  cities?: readonly string[] | undefined;
  /** The tanks whose owners called. */
  called_tank_ids?: readonly string[] | undefined;
}

export interface FoundProposal {
  truck: RoundTruck;
  proposal: RoundProposal;
  /** The number of tanks that were evaluated for their urgency. Called tanks that are not among them are not counted. */
  evaluatedTanks: number;
}

/** Proposes a round from the current state of the tanks. Stores nothing. */
export async function findProposal(
  db: Db,
  organizationNo: number,
  { truck_id, round_id, cities, called_tank_ids = [], ...plan }: ProposalRequest,
): Promise<FoundProposal> {
  const { date, fill_to_percentage: fillToPercentage, chance_limit: limit } = plan;
  const problems = dateProblems(date);
  const found = await findUsable(db, organizationNo, 'truck', truck_id, problems);
  const round = round_id === undefined ? undefined : await findRound(db, organizationNo, round_id);
  if (round_id !== undefined && round === undefined)
    problems.push({ field: 'round_id', reason: 'must be the ID of a round' });
  const calledTankIds = called_tank_ids.map((id) => id.toLowerCase());
  if (!calledTankIds.every(isUuid)) problems.push({ field: 'called_tank_ids', reason: 'must be IDs of tanks' });
  if (problems.length > 0 || found === undefined) throw new InvalidValuesError(problems);
  const [truck, timeZone] = [await readRoundTruck(db, found.no), await readTimeZone(db, organizationNo)];
  const [nowMs, selection] = [Date.now(), { organizationNo, date, timeZone, roundNo: round?.no }];
  const urgent = await readRoundTanks(readsOf(db), { ...selection, cities: cities && [...cities] }, nowMs);
  const known = new Set(urgent.map(({ id }) => id));
  const missing = calledTankIds.filter((id) => !known.has(id));
  const called =
    missing.length === 0 ? [] : await readRoundTanks(readsOf(db), { ...selection, tankIds: missing }, nowMs);
  const options = { limit, fillToPercentage, calledTankIds, areCitiesChosen: cities !== undefined };
  const proposal = await inSlices(proposeRound([...urgent, ...called], truck, options));
  return { truck, proposal, evaluatedTanks: urgent.length };
}
