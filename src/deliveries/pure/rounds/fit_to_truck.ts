import type { Sliced } from '../../../values/slices.ts';
import { type Coordinates, pointsKm, type SpherePoint, spherePoint } from './distances.ts';
import type { RoundCandidate } from './round_candidates.ts';
import { planLoads } from './stop_order.ts';

export interface TruckFit {
  /** All of them: what has to be visited is never taken off. */
  must: RoundCandidate[];
  /** The best of what fits beside them, best first. */
  could: RoundCandidate[];
  /** The best of those that were not chosen, with the detour to each of them from what was chosen. */
  others: { candidate: RoundCandidate; detourKm: number }[];
  litres: number;
  /** How often the truck has to be loaded. */
  loads: number;
  /** What must be delivered beyond one load; 0 if one is enough. */
  beyondOneLoadLitres: number;
}

/** A road is longer than the straight line. */
const ROAD_FACTOR = 1.3;
/** What stopping costs, as kilometres. */
const STOP_KM = 2;
/** A detour for less is not worth it: litres for each kilometre. */
const LEAST_LITRES_PER_KM = 100;
/** The best by their detours from what must be visited; more change nothing. */
const MOST_CANDIDATES = 400;
/** People look at the first of those that were not chosen. */
const MOST_OTHERS = 50;
/** Less than a millisecond with 200 stops. */
const DETOURS_PER_STEP = 100;

/** A straight line of a load. The end of one is the same object as the beginning of the next. */
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
 * Proposes what a truck takes: everything that must be delivered, and, in the loads that are driven anyway, the tanks that
 * take the most litres for their detour. Without a must there is nothing to drive for.
 */
export function* fitToTruck(
  { must, could }: { must: readonly RoundCandidate[]; could: readonly RoundCandidate[] },
  { depot, truckLitres, mostStops }: { depot: Coordinates; truckLitres: number; mostStops?: number },
): Sliced<TruckFit> {
  const mustLitres = sumLitres(must);
  const loads = must.length === 0 ? 0 : Math.max(1, Math.ceil(mustLitres / truckLitres));
  const edges = yield* edgesOf(depot, must, truckLitres);
  const detours = could.flatMap((candidate): Detour[] =>
    candidate.place === null || edges.length === 0
      ? []
      : [{ candidate, at: spherePoint(candidate.place), km: Number.POSITIVE_INFINITY, edge: null }],
  );
  yield* shortenAll(detours, edges);
  const room = {
    litres: loads * truckLitres - mustLitres,
    stops: (mostStops ?? Number.POSITIVE_INFINITY) - must.length,
  };
  const chosen = yield* chooseByDetour(edges, bestFirst(detours).slice(0, MOST_CANDIDATES), room);
  const others = detours.filter((detour) => !chosen.includes(detour));
  yield* shortenAll(others, edges);
  return {
    must: [...must],
    could: chosen.map(({ candidate }) => candidate),
    others: bestFirst(others)
      .slice(0, MOST_OTHERS)
      .map(({ candidate, km }) => ({ candidate, detourKm: km })),
    litres: mustLitres + sumLitres(chosen.map(({ candidate }) => candidate)),
    loads,
    beyondOneLoadLitres: Math.max(0, mustLitres - truckLitres),
  };
}

const sumLitres = (stops: readonly RoundCandidate[]): number => stops.reduce((sum, { litres }) => sum + litres, 0);

/** The straight lines that the truck drives for what it must deliver. */
function* edgesOf(depot: Coordinates, must: readonly RoundCandidate[], truckLitres: number): Sliced<Edge[]> {
  const placed = must.flatMap((stop) => (stop.place === null ? [] : [{ ...stop, place: stop.place }]));
  const loads = yield* planLoads(depot, placed, { truckLitres });
  const start = spherePoint(depot);
  return loads.flatMap(({ stops }) => {
    const points = [start, ...stops.map(({ place }) => spherePoint(place)), start];
    return points.slice(1).map((to, at) => edgeOf(points[at] ?? start, to));
  });
}

const edgeOf = (from: SpherePoint, to: SpherePoint): Edge => ({ from, to, km: pointsKm(from, to) });

/** The next one is always the best that still fits. Only detours by the edge that it divides are computed again. */
function* chooseByDetour(
  edges: Edge[],
  candidates: readonly Detour[],
  room: { litres: number; stops: number },
): Sliced<Detour[]> {
  let open = candidates;
  let left = room.litres;
  const chosen: Detour[] = [];
  while (chosen.length < room.stops) {
    yield;
    open = open.filter(({ candidate }) => candidate.litres <= left);
    const best = open.reduce<Detour | null>((top, next) => (top === null || isBetter(next, top) ? next : top), null);
    if (best === null || best.edge === null || worthOf(best) < LEAST_LITRES_PER_KM) break;
    chosen.push(best);
    left -= best.candidate.litres;
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

/** Finds the shortest detour of each. */
function* shortenAll(detours: readonly Detour[], edges: readonly Edge[]): Sliced<void> {
  for (const [at, detour] of detours.entries()) {
    if (at % DETOURS_PER_STEP === 0) yield;
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

const worthOf = ({ candidate, km }: Detour): number => candidate.litres / (ROAD_FACTOR * km + STOP_KM);

/** By the id where two are worth the same, so that the order of the candidates does not matter. */
const isBetter = (a: Detour, b: Detour): boolean =>
  worthOf(a) > worthOf(b) || (worthOf(a) === worthOf(b) && a.candidate.id < b.candidate.id);
