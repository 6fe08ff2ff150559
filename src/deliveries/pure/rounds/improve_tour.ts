import type { Sliced } from '../../../values/slices.ts';
import type { Distances } from './distances.ts';

/** Smaller gains are rounding errors and would be found forever. */
const MIN_GAIN_KM = 1e-9;
const LONGEST_SEGMENT = 3;

/** Changes a tour until no exchange of two edges (2-opt) and no move of up to three stops (Or-opt) makes it shorter. */
export function* improveTour(distances: Distances, stops: readonly number[]): Sliced<number[]> {
  if (stops.length < 3) return [...stops];
  // With the depot at both ends, the edges to it are edges like all others.
  const tour = Int32Array.of(0, ...stops, 0);
  while (exchangeEdges(distances, tour) || moveSegments(distances, tour)) yield;
  return [...tour.subarray(1, -1)];
}

/** Reverses the stops between two edges if that makes the tour shorter. */
function exchangeEdges({ km }: Distances, tour: Int32Array): boolean {
  const last = tour.length - 2;
  let isShorter = false;
  for (let from = 1; from < last; from++) {
    const before = tour[from - 1] ?? 0;
    for (let to = from + 1; to <= last; to++) {
      const first = tour[from] ?? 0;
      const end = tour[to] ?? 0;
      const after = tour[to + 1] ?? 0;
      if (km(before, end) + km(first, after) >= km(before, first) + km(end, after) - MIN_GAIN_KM) continue;
      tour.subarray(from, to + 1).reverse();
      isShorter = true;
    }
  }
  return isShorter;
}

/** Moves one to three stops to the best other position, in either direction, if that makes the tour shorter. */
function moveSegments(distances: Distances, tour: Int32Array): boolean {
  let isShorter = false;
  for (let length = 1; length <= LONGEST_SEGMENT; length++) {
    for (let from = 1; from + length < tour.length; from++) {
      const target = bestTarget(distances, tour, from, length);
      if (target === null) continue;
      moveSegment(tour, from, length, target);
      isShorter = true;
    }
  }
  return isShorter;
}

interface Target {
  /** The segment goes behind this position. */
  behind: number;
  isReversed: boolean;
}

function bestTarget({ km }: Distances, tour: Int32Array, from: number, length: number): Target | null {
  const to = from + length - 1;
  const first = tour[from] ?? 0;
  const end = tour[to] ?? 0;
  const before = tour[from - 1] ?? 0;
  const after = tour[to + 1] ?? 0;
  const gain = km(before, first) + km(end, after) - km(before, after);
  let best = gain - MIN_GAIN_KM;
  let target: Target | null = null;
  if (best <= 0) return null;
  for (let behind = 0; behind < tour.length - 1; behind++) {
    if (behind >= from - 1 && behind <= to) continue;
    const left = tour[behind] ?? 0;
    const right = tour[behind + 1] ?? 0;
    const edge = km(left, right);
    const forward = km(left, first) + km(end, right) - edge;
    const backward = km(left, end) + km(first, right) - edge;
    if (Math.min(forward, backward) >= best) continue;
    best = Math.min(forward, backward);
    target = { behind, isReversed: backward < forward };
  }
  return target;
}

function moveSegment(tour: Int32Array, from: number, length: number, { behind, isReversed }: Target): void {
  const segment = tour.slice(from, from + length);
  if (isReversed) segment.reverse();
  if (behind > from) {
    tour.copyWithin(from, from + length, behind + 1);
    tour.set(segment, behind - length + 1);
  } else {
    tour.copyWithin(behind + 1 + length, behind + 1, from);
    tour.set(segment, behind + 1);
  }
}
