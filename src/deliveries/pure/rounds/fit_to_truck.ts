import { type Coordinates, distanceKm } from './distances.ts';
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
/** With the best 400 of 2,000 candidates, a proposal of 100 takes 60 ms; more candidates change nothing. */
const MOST_CANDIDATES = 400;

/** People look at the first of those that were not chosen. */
const MOST_OTHERS = 50;

interface Edge {
  from: Coordinates;
  to: Coordinates;
}

interface Detour {
  candidate: RoundCandidate;
  place: Coordinates;
  km: number;
  edge: Edge;
}

/**
 * Proposes what a truck takes: everything that must be delivered, and, in the loads that are driven anyway, the tanks that
 * take the most litres for their detour. Without a must there is nothing to drive for.
 */
export function fitToTruck(
  { must, could }: { must: readonly RoundCandidate[]; could: readonly RoundCandidate[] },
  { depot, truckLitres }: { depot: Coordinates; truckLitres: number },
): TruckFit {
  const mustLitres = sumLitres(must);
  const loads = must.length === 0 ? 0 : Math.max(1, Math.ceil(mustLitres / truckLitres));
  const edges = edgesOf(depot, must, truckLitres);
  const chosen = chooseByDetour(edges, could, loads * truckLitres - mustLitres);
  const rest = could.filter((candidate) => !chosen.includes(candidate));
  return {
    must: [...must],
    could: chosen,
    others: bestDetours(edges, rest)
      .slice(0, MOST_OTHERS)
      .map(({ candidate, km }) => ({ candidate, detourKm: km })),
    litres: mustLitres + sumLitres(chosen),
    loads,
    beyondOneLoadLitres: Math.max(0, mustLitres - truckLitres),
  };
}

const sumLitres = (stops: readonly RoundCandidate[]): number => stops.reduce((sum, { litres }) => sum + litres, 0);

/** The straight lines that the truck drives for what it must deliver. */
function edgesOf(depot: Coordinates, must: readonly RoundCandidate[], truckLitres: number): Edge[] {
  const placed = must.flatMap((stop) => (stop.place === null ? [] : [{ ...stop, place: stop.place }]));
  return planLoads(depot, placed, { truckLitres }).flatMap(({ stops }) => {
    const places = [depot, ...stops.map(({ place }) => place), depot];
    return places.slice(1).map((to, at) => ({ from: places[at] ?? depot, to }));
  });
}

/** The next one is always the best that still fits. Only detours by the edge that it divides are computed again. */
function chooseByDetour(edges: Edge[], could: readonly RoundCandidate[], litres: number): RoundCandidate[] {
  let open = bestDetours(edges, could);
  let left = litres;
  const chosen: RoundCandidate[] = [];
  for (;;) {
    open = open.filter(({ candidate }) => candidate.litres <= left);
    const best = open.reduce<Detour | null>((top, next) => (top === null || isBetter(next, top) ? next : top), null);
    if (best === null || worthOf(best) < LEAST_LITRES_PER_KM) return chosen;
    chosen.push(best.candidate);
    left -= best.candidate.litres;
    const halves = [
      { from: best.edge.from, to: best.place },
      { from: best.place, to: best.edge.to },
    ];
    edges.splice(edges.indexOf(best.edge), 1, ...halves);
    open = open.filter((detour) => detour !== best);
    for (const detour of open) {
      const isGone = detour.edge === best.edge;
      if (isGone) detour.km = Number.POSITIVE_INFINITY;
      shorten(detour, isGone ? edges : halves);
    }
  }
}

function bestDetours(edges: readonly Edge[], could: readonly RoundCandidate[]): Detour[] {
  const [first] = edges;
  if (first === undefined) return [];
  const detours = could.flatMap((candidate) => {
    const { place } = candidate;
    if (place === null) return [];
    const detour: Detour = { candidate, place, km: Number.POSITIVE_INFINITY, edge: first };
    shorten(detour, edges);
    return [detour];
  });
  return detours.toSorted((a, b) => (isBetter(a, b) ? -1 : 1)).slice(0, MOST_CANDIDATES);
}

/** Takes the shortest of these detours, if it is shorter than the known one. */
function shorten(detour: Detour, edges: readonly Edge[]): void {
  for (const edge of edges) {
    const { from, to } = edge;
    const km = distanceKm(from, detour.place) + distanceKm(detour.place, to) - distanceKm(from, to);
    if (km >= detour.km) continue;
    detour.km = km;
    detour.edge = edge;
  }
}

const worthOf = ({ candidate, km }: Detour): number => candidate.litres / (ROAD_FACTOR * km + STOP_KM);

/** By the id where two are worth the same, so that the order of the candidates does not matter. */
const isBetter = (a: Detour, b: Detour): boolean =>
  worthOf(a) > worthOf(b) || (worthOf(a) === worthOf(b) && a.candidate.id < b.candidate.id);
