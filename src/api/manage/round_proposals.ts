import type { Static } from 'typebox';
import type { Tx } from '../../db/pool.ts';
import { findProposal, type ProposalRequest } from '../../deliveries/find_proposal.ts';
import type { ProposedTank } from '../../deliveries/propose_round.ts';
import { DEFAULT_FILL_TO, DEFAULT_LIMIT } from '../../deliveries/pure/rounds/round_candidates.ts';
import { isDate } from '../../deliveries/round_day.ts';
import { MAX_LOOKED_AT, type SeenTank } from '../../deliveries/round_tanks.ts';
import { findRound, shownShare } from '../../deliveries/rounds.ts';
import { findTransport } from '../../deliveries/transport.ts';
import { invalidParameters, type ParameterError } from '../../http/problem.ts';
import { fromLiters } from '../../values/capacity_unit.ts';
import { tenth } from '../../values/tenth.ts';
import { isUuid } from '../../values/uuid7.ts';
import { textOf } from './body.ts';
import type { ManageOperation, WriteRequest } from './operation.ts';
import { MAX_LISTED, PROPOSAL_EXAMPLE, RoundProposal, RoundRequest, type ShownTank } from './round_proposal_schema.ts';
import { PLANNERS } from './transport.ts';

/** Throws 422. */
async function readRequest(tx: Tx, organizationNo: number, body: WriteRequest['body']): Promise<ProposalRequest> {
  const errors: ParameterError[] = [];
  const refuse = (param: string, detail: string): void => {
    errors.push({ param, code: 'invalid', detail });
  };
  const texts = (given: unknown): string[] => (Array.isArray(given) ? given.map(String) : []);
  const { fill_to_percentage: fillTo, chance_limit: limit, cities } = body;
  const date = textOf(body['date']) ?? '';
  const roundId = textOf(body['round_id']);
  if (!isDate(date)) refuse('date', 'Must be a date such as 2026-11-17.');
  const truck = await findTransport(tx, organizationNo, 'truck', String(body['truck_id']));
  if (truck === undefined || truck.object.is_archived) refuse('truck_id', 'Must be the ID of a truck that is in use.');
  const round = roundId === undefined ? undefined : await findRound(tx, organizationNo, roundId);
  if (roundId !== undefined && round === undefined) refuse('round_id', 'Must be the ID of a round.');
  const calledTankIds = texts(body['called_tank_ids']).map((id) => id.toLowerCase());
  if (!calledTankIds.every(isUuid)) refuse('called_tank_ids', 'Must be IDs of tanks.');
  const fillToPercentage = typeof fillTo === 'number' ? fillTo : DEFAULT_FILL_TO;
  if (!(fillToPercentage >= 1 && fillToPercentage <= 100))
    refuse('fill_to_percentage', 'Must be a number from 1 to 100.');
  const chanceLimit = typeof limit === 'number' ? limit : DEFAULT_LIMIT;
  if (!(chanceLimit >= 0 && chanceLimit <= 1)) refuse('chance_limit', 'Must be a number from 0 to 1.');
  if (errors.length > 0 || truck === undefined) throw invalidParameters(errors);
  return {
    date,
    truckNo: truck.no,
    roundNo: round?.no,
    cities: cities === undefined ? undefined : texts(cities),
    calledTankIds,
    fillToPercentage,
    limit: chanceLimit,
  };
}

async function propose(
  tx: Tx,
  organizationNo: number,
  request: ProposalRequest,
  nowMs: number,
): Promise<Static<typeof RoundProposal>> {
  const { truck, proposal, lookedAt } = await findProposal(tx, organizationNo, request, nowMs);
  const unit = truck.capacityUnit;
  const shown = (litres: number): number => tenth(fromLiters(litres, unit));
  const withVolume = ({ tank, litres }: ProposedTank) => ({ ...shownTank(tank), volume: shown(litres) });
  const { notOffered } = proposal;
  return {
    object: 'round_proposal',
    date: request.date,
    truck_id: truck.id,
    volume_unit: unit,
    capacity: truck.capacity,
    volume: shown(proposal.litres),
    loads: proposal.loads,
    beyond_one_load: shown(proposal.beyondOneLoadLitres),
    straight_line_km: tenth(proposal.km),
    stops: proposal.stops.map((stop) => ({ ...withVolume(stop), kind: stop.kind })),
    musts_left: proposal.mustsLeft.slice(0, MAX_LISTED).map(withVolume),
    could: proposal.others.map((other) => ({ ...withVolume(other), detour_km: tenth(other.detourKm) })),
    no_forecast: proposal.noForecast.slice(0, MAX_LISTED).map(shownTank),
    not_offered: {
      losing: notOffered.losing,
      gauge_unreliable: notOffered.gaugeUnreliable,
      planned_elsewhere: notOffered.plannedElsewhere,
      not_visited: notOffered.notVisited,
    },
    looked_at: lookedAt,
    is_complete: lookedAt < MAX_LOOKED_AT,
  };
}

const shownTank = (tank: SeenTank): ShownTank => ({
  tank_id: tank.id,
  name: tank.name,
  custom_id: tank.customId,
  city: tank.city,
  latitude: tank.place?.latitude ?? null,
  longitude: tank.place?.longitude ?? null,
  owner_name: tank.owner.name,
  owner_phone: tank.owner.phone,
  fill_percentage: tank.fillPercentage,
  days_to_empty: tank.daysToEmpty,
  earliest_days_to_empty: tank.earliestDaysToEmpty,
  chance: tank.chance === null ? null : shownShare(tank.chance),
  is_silent: tank.isSilent,
  reading: tank.reading,
  estimate: tank.estimate,
});

export const ROUND_PROPOSAL_OPERATION: ManageOperation = {
  kind: 'write',
  method: 'POST',
  path: '/manage/v1/round-proposals',
  pathParameters: {},
  operationId: 'proposeRound',
  summary: 'Propose a round',
  description:
    'Proposes the stops of a truck on a day, and stores nothing: everything that must be visited, because its chance of being ' +
    'empty before the next delivery day is above the limit or its owner called, and what could be visited beside it, by the volume ' +
    'for the detour. Straight-line order, not a route. It needs no Idempotency-Key.',
  tag: 'manage rounds',
  who: PLANNERS,
  line: 'other',
  parameters: {},
  item: RoundProposal,
  example: PROPOSAL_EXAMPLE,
  statuses: [200],
  body: RoundRequest,
  condition: 'none',
  storesNothing: true,
  async handle({ tx, organizationNo, body }) {
    const request = await readRequest(tx, organizationNo, body);
    return { status: 200, body: await propose(tx, organizationNo, request, Date.now()) };
  },
};
