import type { Sliced } from '../../../values/slices.ts';
import { type Coordinates, pointsKm, type SpherePoint, spherePoint } from './distances.ts';
import type { RoundCandidate } from './round_candidates.ts';
import { planLoads } from './stop_order.ts';

export interface TruckFit {
  /** All musts. They are never removed. */
  must: RoundCandidate[];
  /** The best candidates that also fit, best first. */
  could: RoundCandidate[];
  /** The best candidates that were not chosen, with the detour to each of them from the chosen stops. */
  others: { candidate: RoundCandidate; detourKm: number }[];
  liters: number;
  /** The number of times that the truck has to be loaded. */
  loads: number;
  /** The volume that must be delivered beyond one load; 0 if one load is enough. */
  beyondOneLoadLiters: number;
}

/** A road is longer than the straight line. */
const ROAD_FACTOR = 1.3;
/** The cost of a stop, in kilometers. */
const STOP_KM = 2;
/** A detour for fewer liters per kilometer is not worth it. */
const MIN_LITERS_PER_KM = 100;
/** The number of candidates that can be chosen: those with the most liters for their detour from the musts. More do not change the result. */
const MAX_CANDIDATES = 400;
/** The number of candidates listed among those that were not chosen. */
const MAX_OTHERS = 50;
/** The number of detours between two pauses: less than a millisecond with 200 stops. */
const DETOURS_PER_STEP = 100;

/** A straight line of a load. Consecutive lines share the object of the stop between them. */
interface Edge {
  from: SpherePoint;
  to: SpherePoint;
  km: number;
}

interface Detour {
  candidate: RoundCandidate;
  at: SpherePoint;
  km: number;
  edge: Edge | null;
}

/**
 * Proposes what a truck takes: everything that must be delivered, and, in the loads that are driven anyway, the tanks
 * that take the most liters for their detour. Without a must, no round is proposed.
 */
export function* fitToTruck(
  { must, could }: { must: readonly RoundCandidate[]; could: readonly RoundCandidate[] },
  { depot, truckLiters, maxStops }: { depot: Coordinates; truckLiters: number; maxStops?: number },
): Sliced<TruckFit> {
  const mustLiters = sumLiters(must);
  const loads = must.length === 0 ? 0 : Math.max(1, Math.ceil(mustLiters / truckLiters));
  const edges = yield* edgesOf(depot, must, truckLiters);
  const detours = could.flatMap((candidate): Detour[] =>
    candidate.place === null || edges.length === 0
      ? []
      : [{ candidate, at: spherePoint(candidate.place), km: Number.POSITIVE_INFINITY, edge: null }],
  );
  yield* shortenAll(detours, edges);
  const room = {
    liters: loads * truckLiters - mustLiters,
    stops: (maxStops ?? Number.POSITIVE_INFINITY) - must.length,
  };
  const chosen = yield* chooseByDetour(edges, bestFirst(detours).slice(0, MAX_CANDIDATES), room);
  const others = detours.filter((detour) => !chosen.includes(detour));
  yield* shortenAll(others, edges);
  return {
    must: [...must],
    could: chosen.map(({ candidate }) => candidate),
    others: bestFirst(others)
      .slice(0, MAX_OTHERS)
      .map(({ candidate, km }) => ({ candidate, detourKm: km })),
    liters: mustLiters + sumLiters(chosen.map(({ candidate }) => candidate)),
    loads,
    beyondOneLoadLiters: Math.max(0, mustLiters - truckLiters),
  };
}

const sumLiters = (stops: readonly RoundCandidate[]): number => stops.reduce((sum, { liters }) => sum + liters, 0);

/** The straight lines of the loads that the truck must deliver. */
function* edgesOf(depot: Coordinates, must: readonly RoundCandidate[], truckLiters: number): Sliced<Edge[]> {
  const placed = must.flatMap((stop) => (stop.place === null ? [] : [{ ...stop, place: stop.place }]));
  const loads = yield* planLoads(depot, placed, { truckLiters });
  const start = spherePoint(depot);
  return loads.flatMap(({ stops }) => {
    const points = [start, ...stops.map(({ place }) => spherePoint(place)), start];
    return points.slice(1).map((to, index) => edgeOf(points[index] ?? start, to));
  });
}

const edgeOf = (from: SpherePoint, to: SpherePoint): Edge => ({ from, to, km: pointsKm(from, to) });

/** Adds the best candidate that still fits, again and again. Only detours from the edge that it divides are computed again. */
function* chooseByDetour(
  edges: Edge[],
  candidates: readonly Detour[],
  room: { liters: number; stops: number },
): Sliced<Detour[]> {
  let open = candidates;
  let left = room.liters;
  const chosen: Detour[] = [];
  while (chosen.length < room.stops) {
    yield;
    open = open.filter(({ candidate }) => candidate.liters <= left);
    const best = open.reduce<Detour | null>((top, next) => (top === null || isBetter(next, top) ? next : top), null);
    if (best === null || best.edge === null || worthOf(best) < MIN_LITERS_PER_KM) break;
    chosen.push(best);
    left -= best.candidate.liters;
    const halves = [edgeOf(best.edge.from, best.at), edgeOf(best.at, best.edge.to)];
    edges.splice(edges.indexOf(best.edge), 1, ...halves);
    open = open.filter((detour) => detour !== best);
    for (const detour of open) {
      const isGone = detour.edge === best.edge;
      if (isGone) detour.km = Number.POSITIVE_INFINITY;
      shorten(detour, isGone ? edges : halves);
    }
  }
  return chosen;
}

/** Computes the shortest detour of each candidate anew. */
function* shortenAll(detours: readonly Detour[], edges: readonly Edge[]): Sliced<void> {
  for (const [index, detour] of detours.entries()) {
    if (index % DETOURS_PER_STEP === 0) yield;
    detour.km = Number.POSITIVE_INFINITY;
    shorten(detour, edges);
  }
}

/** Takes the shortest of these detours, if it is shorter than the known one. */
function shorten(detour: Detour, edges: readonly Edge[]): void {
  let before: SpherePoint | null = null;
  let beforeKm = 0;
  for (const edge of edges) {
    const fromKm = edge.from === before ? beforeKm : pointsKm(edge.from, detour.at);
    const toKm = pointsKm(detour.at, edge.to);
    before = edge.to;
    beforeKm = toKm;
    if (fromKm + toKm - edge.km >= detour.km) continue;
    detour.km = fromKm + toKm - edge.km;
    detour.edge = edge;
  }
}

const bestFirst = (detours: readonly Detour[]): Detour[] => detours.toSorted((a, b) => (isBetter(a, b) ? -1 : 1));

const worthOf = ({ candidate, km }: Detour): number => candidate.liters / (ROAD_FACTOR * km + STOP_KM);

/** Compares by worth, then by id, so that the order of the candidates does not matter. */
const isBetter = (a: Detour, b: Detour): boolean =>
  worthOf(a) > worthOf(b) || (worthOf(a) === worthOf(b) && a.candidate.id < b.candidate.id);
