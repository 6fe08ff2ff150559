import {
  type Coordinates,
  type Distances,
  distancesBetween,
  tourKm,
} from '../../src/deliveries/pure/rounds/distances.ts';
import { joinBySavings } from '../../src/deliveries/pure/rounds/savings.ts';
import { orderStops, type PlacedStop, shortTour } from '../../src/deliveries/pure/rounds/stop_order.ts';
import { Random } from '../../src/simulation/random.ts';
import { atOnce } from '../../src/values/slices.ts';
import { atMost, type Check, figure, upperMedian } from '../report.ts';
import { DEPOT } from './region.ts';

const SEED = 260_201;
const INSTANCES = 30;

/** Compares the order of stops with the best known one. Half of the instances have their stops in six towns, half anywhere. */
export function scoreOrder(isQuick: boolean): Check[] {
  const random = new Random(SEED);
  const excessOf10 = makeInstances(random, 10).map((stops) => excessShare(stops, optimumKm(distancesOf(stops))));
  const excessOf60 = makeInstances(random, 60).map((stops) =>
    excessShare(stops, longRunKm(stops, isQuick ? 300 : 3_000)),
  );
  const cpuMs = makeInstances(random, 200).map((stops) => {
    const startUs = process.cpuUsage();
    atOnce(orderStops(DEPOT, stops));
    const { user, system } = process.cpuUsage(startUs);
    return (user + system) / 1_000;
  });
  return [
    atMost('order: 10 stops, worst of 30: share above the optimum', Math.max(...excessOf10), 0.02),
    atMost('order: 60 stops, worst of 30: share above a long run', Math.max(...excessOf60), 0.05),
    atMost('order: 200 stops, worst of 30, ms of CPU', Math.max(...cpuMs), 100),
    figure('order: 200 stops, median ms of CPU', upperMedian(cpuMs)),
  ];
}

function makeInstances(random: Random, count: number): PlacedStop[][] {
  return Array.from({ length: INSTANCES }, (_, instance) => placeStops(random, count, instance % 2 === 0));
}

/** Places stops in a square of 60 km around the depot. */
export function placeStops(random: Random, count: number, isInTowns: boolean): PlacedStop[] {
  const anywhere = (): Coordinates => ({
    latitude: DEPOT.latitude + random.between(-0.27, 0.27),
    longitude: DEPOT.longitude + random.between(-0.28, 0.28),
  });
  const towns = [anywhere(), anywhere(), anywhere(), anywhere(), anywhere(), anywhere()] as const;
  return Array.from({ length: count }, (_, number) => {
    const id = String(number).padStart(4, '0');
    if (!isInTowns) return { id, place: anywhere() };
    const town = random.pick(towns);
    const place = {
      latitude: town.latitude + 0.0135 * random.normal(),
      longitude: town.longitude + 0.0143 * random.normal(),
    };
    return { id, place };
  });
}

const distancesOf = (stops: readonly PlacedStop[]): Distances =>
  distancesBetween([DEPOT, ...stops.map(({ place }) => place)]);

/** The share by which the tour in the order that Tankwatch chooses is longer than the best one. */
function excessShare(stops: readonly PlacedStop[], bestKm: number): number {
  const ordered = atOnce(orderStops(DEPOT, stops));
  const tour = ordered.map((_, index) => index + 1);
  return tourKm(distancesOf(ordered), tour) / bestKm - 1;
}

/** Computes the length of the shortest tour (Held and Karp 1962). */
export function optimumKm({ count, km }: Distances): number {
  const stops = count - 1;
  const sets = 1 << stops;
  const best = new Float64Array(sets * stops).fill(Number.POSITIVE_INFINITY);
  for (let stop = 0; stop < stops; stop++) best[(1 << stop) * stops + stop] = km(0, stop + 1);
  for (let visited = 1; visited < sets; visited++) {
    for (let last = 0; last < stops; last++) {
      const length = best[visited * stops + last] ?? 0;
      if (length === Number.POSITIVE_INFINITY) continue;
      for (let next = 0; next < stops; next++) {
        if ((visited & (1 << next)) !== 0) continue;
        const index = (visited | (1 << next)) * stops + next;
        best[index] = Math.min(best[index] ?? 0, length + km(last + 1, next + 1));
      }
    }
  }
  return Math.min(
    ...Array.from({ length: stops }, (_, last) => (best[(sets - 1) * stops + last] ?? 0) + km(last + 1, 0)),
  );
}

/**
 * Computes the length of the shorter tour of two long runs: one starts from the tour of joinBySavings, the other one from the order
 * of the ids.
 */
export function longRunKm(stops: readonly PlacedStop[], kicks: number): number {
  const distances = distancesOf(stops);
  const starts = [joinBySavings(distances).flat(), stops.map((_, index) => index + 1)];
  return Math.min(...starts.map((start) => tourKm(distances, atOnce(shortTour(distances, start, kicks)))));
}
