import type { Distances } from './distances.ts';

export interface LoadLimits {
  /** The liters of each point; the depot has none. */
  liters: readonly number[];
  maxLiters: number;
  maxStops: number;
}

interface Tour {
  stops: number[];
  liters: number;
}

/**
 * Clarke and Wright (1964): every stop begins as a tour of its own, and the tours are joined where that saves most.
 * With limits, the result is several loads; without them, it is one tour.
 */
export function joinBySavings({ count, km }: Distances, limits?: LoadLimits): number[][] {
  const tourOf = new Map<number, Tour>();
  for (let stop = 1; stop < count; stop++) tourOf.set(stop, { stops: [stop], liters: limits?.liters[stop] ?? 0 });
  for (const { from, to } of joinsBySaving({ count, km })) {
    const first = tourOf.get(from);
    const second = tourOf.get(to);
    if (first === undefined || second === undefined || first === second || !fits(first, second, limits)) continue;
    const left = endingWith(first.stops, from);
    const right = endingWith(second.stops, to)?.toReversed();
    if (left === null || right === undefined) continue;
    first.stops = left.concat(right);
    first.liters += second.liters;
    for (const stop of second.stops) tourOf.set(stop, first);
  }
  return [...new Set(tourOf.values())].map(({ stops }) => stops);
}

/** Savings that differ by less than a millimeter count as equal. */
const SAVING_STEP_KM = 1e-6;

/**
 * All pairs of stops, the pair that saves most first. The saving and the pair are encoded in one number, because
 * JavaScript sorts numbers of a typed array without calling a comparison function: 200 stops have 20,000 pairs, and
 * sorting these as objects blocks the thread for 30 ms.
 */
function* joinsBySaving({ count, km }: Distances): Generator<{ from: number; to: number }> {
  let mostKm = 0;
  for (let stop = 1; stop < count; stop++) mostKm = Math.max(mostKm, 2 * km(stop, 0));
  const pairs = count * count;
  const stepKm = Math.max(SAVING_STEP_KM, (mostKm * pairs) / Number.MAX_SAFE_INTEGER);
  const joins = new Float64Array(((count - 1) * (count - 2)) / 2);
  let index = 0;
  for (let from = 1; from < count; from++)
    for (let to = from + 1; to < count; to++) {
      const lostKm = mostKm - (km(from, 0) + km(to, 0) - km(from, to));
      joins[index] = Math.floor(Math.max(0, lostKm) / stepKm) * pairs + from * count + to;
      index++;
    }
  for (const join of joins.toSorted()) {
    const pair = join % pairs;
    yield { from: Math.floor(pair / count), to: pair % count };
  }
}

const fits = (a: Tour, b: Tour, limits: LoadLimits | undefined): boolean =>
  limits === undefined ||
  (a.liters + b.liters <= limits.maxLiters && a.stops.length + b.stops.length <= limits.maxStops);

/** The tour in the direction in which it ends with this stop; null if the stop is in the middle. */
function endingWith(stops: number[], stop: number): number[] | null {
  if (stops.at(-1) === stop) return stops;
  return stops[0] === stop ? stops.toReversed() : null;
}
