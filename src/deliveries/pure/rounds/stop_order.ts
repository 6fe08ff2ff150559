import type { Sliced } from '../../../values/slices.ts';
import { type Coordinates, type Distances, distancesBetween, tourKm } from './distances.ts';
import { improveTour } from './improve_tour.ts';
import { compareIds } from './round_candidates.ts';
import { joinBySavings } from './savings.ts';

/** A stop with coordinates. */
export interface PlacedStop {
  id: string;
  place: Coordinates;
}

export interface Load<Stop> {
  stops: Stop[];
  /** The length of the straight lines from the depot and back. */
  km: number;
  liters: number;
}

/**
 * With 60 kicks, 60 stops are within 1 % of a long run. A kick of 200 stops costs 20 times as much, so there are fewer.
 */
const MAX_KICKS = 60;
const MIN_KICKS = 8;
const KICK_BUDGET = 60 * 60 * 60;
/** A kick exchanges two neighbouring parts of the tour with up to this many stops together. */
const KICK_STOPS = 50;

/**
 * The order of the stops of a round on straight lines: savings, then 2-opt and Or-opt, then kicks. It is not a route.
 * The number of kicks depends on the number of stops and not on the clock, and the stops are sorted by id first, so
 * that the same stops have the same order on every machine.
 */
export function* orderStops<Stop extends PlacedStop>(depot: Coordinates, stops: readonly Stop[]): Sliced<Stop[]> {
  const sorted = sortById(stops);
  const distances = distancesBetween([depot, ...sorted.map(({ place }) => place)]);
  yield;
  const start = joinBySavings(distances).flat();
  yield;
  return stopsAt(sorted, yield* shortTour(distances, start));
}

/**
 * Divides stops into loads of a truck, each in its order. A stop that needs more than the truck holds has its own load.
 */
export function* planLoads<Stop extends PlacedStop & { liters: number }>(
  depot: Coordinates,
  stops: readonly Stop[],
  { truckLiters, maxStops = Number.POSITIVE_INFINITY }: { truckLiters: number; maxStops?: number },
): Sliced<Load<Stop>[]> {
  const sorted = sortById(stops);
  const distances = distancesBetween([depot, ...sorted.map(({ place }) => place)]);
  const liters = [0, ...sorted.map((stop) => Math.min(truckLiters, stop.liters))];
  yield;
  const loads: Load<Stop>[] = [];
  for (const tour of joinBySavings(distances, { liters, maxLiters: truckLiters, maxStops })) {
    yield;
    const order = yield* improveTour(distances, tour);
    const inOrder = stopsAt(sorted, order);
    loads.push({
      stops: inOrder,
      km: tourKm(distances, order),
      liters: inOrder.reduce((sum, stop) => sum + stop.liters, 0),
    });
  }
  return loads;
}

/**
 * A tour that neither 2-opt nor Or-opt makes shorter, nor any of the tried kicks. Exported for measurements with another
 * number of kicks.
 */
export function* shortTour(
  distances: Distances,
  start: readonly number[],
  kicks = kicksFor(start.length),
): Sliced<number[]> {
  let best = yield* improveTour(distances, start);
  if (best.length < 5) return best;
  let bestKm = tourKm(distances, best);
  const next = wholeNumbers();
  for (let kick = 0; kick < kicks; kick++) {
    yield;
    const tried = yield* improveTour(distances, kickTour(best, next));
    const km = tourKm(distances, tried);
    if (km >= bestKm) continue;
    best = tried;
    bestKm = km;
  }
  return best;
}

const kicksFor = (stops: number): number =>
  Math.min(MAX_KICKS, Math.max(MIN_KICKS, Math.round(KICK_BUDGET / stops ** 2)));

/** A double bridge: exchanges two neighbouring parts. 2-opt and Or-opt cannot undo it in one move. */
function kickTour(tour: readonly number[], next: (below: number) => number): number[] {
  const span = Math.min(tour.length, KICK_STOPS);
  const start = next(tour.length - span + 1);
  const cuts = [next(span + 1), next(span + 1), next(span + 1)].map((cut) => start + cut).toSorted((a, b) => a - b);
  const [first = 0, second = 0, third = 0] = cuts;
  return [...tour.slice(0, first), ...tour.slice(second, third), ...tour.slice(first, second), ...tour.slice(third)];
}

/** Pseudo-random whole numbers, always in the same sequence (the high bits of a linear congruential generator). */
function wholeNumbers(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

const sortById = <Stop extends PlacedStop>(stops: readonly Stop[]): Stop[] => stops.toSorted(compareIds);

/** Point 0 is the depot, so that stop 0 is point 1. */
const stopsAt = <Stop>(stops: readonly Stop[], points: readonly number[]): Stop[] =>
  points.flatMap((point) => {
    const stop = stops[point - 1];
    return stop === undefined ? [] : [stop];
  });
