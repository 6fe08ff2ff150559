import { toLiters } from '../values/capacity_unit.ts';
import { isDeliveredBy } from '../values/products.ts';
import type { Sliced } from '../values/slices.ts';
import { type Coordinates, distancesBetween, tourKm } from './pure/rounds/distances.ts';
import { fitToTruck } from './pure/rounds/fit_to_truck.ts';
import { type CandidateOptions, listCandidates, type RoundCandidate } from './pure/rounds/round_candidates.ts';
import { orderStops } from './pure/rounds/stop_order.ts';
import { MAX_STOPS, type RoundTruck } from './round.ts';
import type { RoundTankStatus } from './round_tanks.ts';

/** A tank of a proposal, with the volume that it would get. */
export interface ProposedTank {
  tank: RoundTankStatus;
  liters: number;
}

export interface RoundProposal {
  /** The stops in straight-line order; stops without coordinates come last. */
  stops: (ProposedTank & { kind: 'must' | 'could' })[];
  /** Musts beyond the largest number of stops of a round. */
  mustsLeft: ProposedTank[];
  /** Other tanks that could be visited, those with the most liters for their detour first. */
  others: (ProposedTank & { detourKm: number })[];
  noForecast: RoundTankStatus[];
  liters: number;
  /** The length of the straight lines from the depot through all stops and back. */
  km: number;
  loads: number;
  beyondOneLoadLiters: number;
  /** The numbers of tanks that are not offered, by reason. */
  notOffered: {
    losing: number;
    otherProduct: number;
    gaugeUnreliable: number;
    plannedElsewhere: number;
    notVisited: number;
  };
}

export interface ProposalOptions extends CandidateOptions {
  /** The tanks of customers who asked for a delivery. They are visited on any day. */
  calledTankIds?: readonly string[];
  /** True if the caller chose the cities. All their tanks are then offered, on any day. */
  areCitiesChosen?: boolean;
}

/**
 * Proposes a round for one truck: everything that must be visited, and what could be visited beside it. Tanks that lose
 * gas or are on another round, and tanks with another product than the truck delivers, are not offered. A tank with an
 * unreliable gauge is offered only if its customer asked for a delivery, because the volume that fits is unknown.
 */
export function* proposeRound(
  tanks: readonly RoundTankStatus[],
  truck: RoundTruck,
  { calledTankIds = [], areCitiesChosen = false, ...options }: ProposalOptions,
): Sliced<RoundProposal> {
  const called = new Set(calledTankIds);
  const notOffered = { losing: 0, otherProduct: 0, gaugeUnreliable: 0, plannedElsewhere: 0, notVisited: 0 };
  const offered = tanks.filter((tank) => {
    const reason = reasonNotOffered(tank, truck, called.has(tank.id), areCitiesChosen);
    if (reason !== null) notOffered[reason]++;
    return reason === null;
  });
  const byId = new Map(offered.map((tank) => [tank.id, tank]));
  const lists = listCandidates(
    offered.map((tank) => ({ ...tank, isCalled: called.has(tank.id) })),
    options,
  );
  const proposed = ({ id, liters }: RoundCandidate): ProposedTank[] => {
    const tank = byId.get(id);
    return tank === undefined ? [] : [{ tank, liters }];
  };
  const must = lists.must.slice(0, MAX_STOPS);
  yield;
  const fit = yield* fitToTruck(
    { must, could: lists.could },
    { depot: truck.depot, truckLiters: toLiters(truck.capacity, truck.capacityUnit), maxStops: MAX_STOPS },
  );
  const chosen = [
    ...must.map((stop) => ({ ...stop, kind: 'must' as const })),
    ...fit.could.map((stop) => ({ ...stop, kind: 'could' as const })),
  ];
  const { stops, km } = yield* inOrder(truck.depot, chosen);
  return {
    stops: stops.flatMap((stop) => proposed(stop).map((one) => ({ ...one, kind: stop.kind }))),
    mustsLeft: lists.must.slice(MAX_STOPS).flatMap(proposed),
    others: fit.others.flatMap(({ candidate, detourKm }) => proposed(candidate).map((one) => ({ ...one, detourKm }))),
    noForecast: lists.noForecast.flatMap(({ id }) => byId.get(id) ?? []),
    liters: chosen.reduce((sum, { liters }) => sum + liters, 0),
    km,
    loads: fit.loads,
    beyondOneLoadLiters: fit.beyondOneLoadLiters,
    notOffered,
  };
}

function reasonNotOffered(
  tank: RoundTankStatus,
  truck: RoundTruck,
  isCalled: boolean,
  areCitiesChosen: boolean,
): keyof RoundProposal['notOffered'] | null {
  if (tank.isLosing) return 'losing';
  // This also holds for a customer who called, because this truck cannot deliver the product.
  if (!isDeliveredBy(truck.product, tank.contents.product)) return 'otherProduct';
  if (tank.plannedOn !== null) return 'plannedElsewhere';
  if (isCalled) return null;
  if (tank.isGaugeUnreliable) return 'gaugeUnreliable';
  return tank.isVisited || areCitiesChosen ? null : 'notVisited';
}

/** Sorts stops in straight-line order, and returns the length of the tour. Stops without coordinates come last. */
function* inOrder<Stop extends { id: string; place: Coordinates | null }>(
  depot: Coordinates,
  stops: readonly Stop[],
): Sliced<{ stops: Stop[]; km: number }> {
  const placed = stops.flatMap((stop) => (stop.place === null ? [] : [{ id: stop.id, place: stop.place, stop }]));
  const ordered = yield* orderStops(depot, placed);
  return {
    stops: [...ordered.map(({ stop }) => stop), ...stops.filter(({ place }) => place === null)],
    km: straightLineKm(
      depot,
      ordered.map(({ place }) => place),
    ),
  };
}

/** The length from the depot through these places in their order, and back. */
export function straightLineKm(depot: Coordinates, places: readonly Coordinates[]): number {
  return tourKm(
    distancesBetween([depot, ...places]),
    places.map((_, index) => index + 1),
  );
}
