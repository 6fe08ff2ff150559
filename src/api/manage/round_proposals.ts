import type { Static } from 'typebox';
import { type FoundProposal, findProposal } from '../../deliveries/find_proposal.ts';
import type { ProposedTank } from '../../deliveries/propose_round.ts';
import { DEFAULT_FILL_TO, DEFAULT_LIMIT } from '../../deliveries/pure/rounds/round_candidates.ts';
import { MAX_EVALUATED_TANKS, type RoundTankStatus } from '../../deliveries/round_tanks.ts';
import { shownShare } from '../../deliveries/rounds.ts';
import { fromLiters } from '../../values/capacity_unit.ts';
import { tenth } from '../../values/tenth.ts';
import { type ManageOperation, PLANNERS, write } from './manage_operation.ts';
import { MAX_LISTED, PROPOSAL_EXAMPLE, RoundProposal, RoundRequest, type ShownTank } from './round_proposal_schema.ts';

function shownProposal(date: string, { truck, proposal, evaluatedTanks }: FoundProposal): Static<typeof RoundProposal> {
  const unit = truck.capacityUnit;
  const shown = (liters: number): number => tenth(fromLiters(liters, unit));
  const withVolume = ({ tank, liters }: ProposedTank) => ({ ...shownTank(tank), volume: shown(liters) });
  const { notOffered } = proposal;
  return {
    object: 'round_proposal',
    date,
    truck_id: truck.id,
    volume_unit: unit,
    capacity: truck.capacity,
    volume: shown(proposal.liters),
    loads: proposal.loads,
    beyond_one_load: shown(proposal.beyondOneLoadLiters),
    straight_line_km: tenth(proposal.km),
    stops: proposal.stops.map((stop) => ({ ...withVolume(stop), kind: stop.kind })),
    musts_left: proposal.mustsLeft.slice(0, MAX_LISTED).map(withVolume),
    could: proposal.others.map((other) => ({ ...withVolume(other), detour_km: tenth(other.detourKm) })),
    no_forecast: proposal.noForecast.slice(0, MAX_LISTED).map(shownTank),
    not_offered: {
      losing: notOffered.losing,
      other_product: notOffered.otherProduct,
      gauge_unreliable: notOffered.gaugeUnreliable,
      planned_elsewhere: notOffered.plannedElsewhere,
      not_visited: notOffered.notVisited,
    },
    looked_at: evaluatedTanks,
    is_complete: evaluatedTanks < MAX_EVALUATED_TANKS,
  };
}

const shownTank = (tank: RoundTankStatus): ShownTank => ({
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

const DEFAULTS = { fill_to_percentage: DEFAULT_FILL_TO, chance_limit: DEFAULT_LIMIT };

export const ROUND_PROPOSAL_OPERATION: ManageOperation = write({
  method: 'POST',
  path: '/manage/v1/round-proposals',
  operationId: 'proposeRound',
  summary: 'Propose a round',
  description:
    'Proposes the stops of a truck on a day, and stores nothing: everything that must be visited, because its chance of being ' +
    'empty before the next delivery day is above the limit or its owner called, and what could be visited beside it, by the volume ' +
    'for the detour. Straight-line order, not a route. It needs no Idempotency-Key.',
  tag: 'manage rounds',
  allowedCallers: PLANNERS,
  queue: 'other',
  parameters: {},
  item: RoundProposal,
  example: PROPOSAL_EXAMPLE,
  body: RoundRequest,
  storesNothing: true,
  async handle({ tx, organizationNo, values }) {
    const request = { ...DEFAULTS, ...values };
    return { status: 200, body: shownProposal(request.date, await findProposal(tx, organizationNo, request)) };
  },
});
