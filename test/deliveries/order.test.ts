import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longRunKm, optimumKm, placeStops } from '../../bench/deliveries/order_scores.ts';
import { distancesBetween, tourKm } from '../../src/deliveries/pure/rounds/distances.ts';
import { orderStops, planLoads } from '../../src/deliveries/pure/rounds/stop_order.ts';
import { readVroomSolution, writeVroomProblem } from '../../src/deliveries/pure/rounds/vroom.ts';
import { Random } from '../../src/simulation/random.ts';
import { atOnce } from '../../src/values/slices.ts';
import { randomRuns } from '../support/random_runs.ts';

const DEPOT = { latitude: 19.4, longitude: -99.1 };

const kmOf = (stops: ReturnType<typeof placeStops>): number =>
  tourKm(
    distancesBetween([DEPOT, ...stops.map(({ place }) => place)]),
    stops.map((_, index) => index + 1),
  );

const anyStops = fc
  .record({ seed: fc.integer(), count: fc.integer({ min: 0, max: 25 }), isInTowns: fc.boolean() })
  .map(({ seed, count, isInTowns }) => placeStops(new Random(seed), count, isInTowns));

describe('the order of stops', () => {
  test('is at most 2 % longer than the shortest for 10 stops, in the worst of 12 cases', () => {
    const random = new Random(32_001);
    const excessShares = Array.from({ length: 12 }, (_, number) => {
      const stops = placeStops(random, 10, number % 2 === 0);
      const shortestKm = optimumKm(distancesBetween([DEPOT, ...stops.map(({ place }) => place)]));
      return kmOf(atOnce(orderStops(DEPOT, stops))) / shortestKm - 1;
    });
    expect(Math.min(...excessShares)).toBeGreaterThan(-1e-9);
    expect(Math.max(...excessShares)).toBeLessThan(0.02);
  });

  test('is at most 5 % longer than that of a long search for 60 stops, in the worst of 6 cases', () => {
    const random = new Random(32_002);
    const excessShares = Array.from({ length: 6 }, (_, number) => {
      const stops = placeStops(random, 60, number % 2 === 0);
      return kmOf(atOnce(orderStops(DEPOT, stops))) / longRunKm(stops, 400) - 1;
    });
    expect(Math.max(...excessShares)).toBeLessThan(0.05);
  });

  test('has every stop once, and does not depend on the order of the input', () => {
    fc.assert(
      fc.property(anyStops, (stops) => {
        const ordered = atOnce(orderStops(DEPOT, stops));
        expect(new Set(ordered)).toEqual(new Set(stops));
        expect(ordered.length).toBe(stops.length);
        expect(atOnce(orderStops(DEPOT, stops.toReversed()))).toEqual(ordered);
        expect(kmOf(ordered)).toBeLessThanOrEqual(kmOf(stops) + 1e-6);
      }),
      { numRuns: randomRuns(200) },
    );
  });
});

test('loads have every stop once, at most 8 stops, and no more liters than the truck holds', () => {
  fc.assert(
    fc.property(anyStops, fc.integer({ min: 500, max: 9_000 }), (stops, truckLiters) => {
      const wanted = stops.map((stop, index) => ({ ...stop, liters: 100 + ((index * 397) % 1_500) }));
      const loads = atOnce(planLoads(DEPOT, wanted, { truckLiters, maxStops: 8 }));
      expect(new Set(loads.flatMap((load) => load.stops))).toEqual(new Set(wanted));
      for (const load of loads) {
        expect(load.stops.length).toBeLessThanOrEqual(8);
        if (load.stops.length > 1) expect(load.liters).toBeLessThanOrEqual(truckLiters);
      }
    }),
    { numRuns: randomRuns(200) },
  );
});

describe('the exchange with VROOM', () => {
  const stops = [
    { number: 7, place: { latitude: 19.5, longitude: -99.2 }, volume: 400.2, kind: 'must' },
    { number: 8, place: { latitude: 19.6, longitude: -99.3 }, volume: 300, kind: 'could' },
    { number: 9, place: { latitude: 19.7, longitude: -99.4 }, volume: 200, kind: 'added' },
    { number: 10, place: { latitude: 19.8, longitude: -99.5 }, volume: 100, kind: 'could' },
    { number: 11, place: undefined, volume: 100, kind: 'must' },
  ] as const;
  const numbers = [7, 8, 9, 10];
  const solution = (ids: number[], unassigned: number[] = []) => ({
    code: 0,
    routes: [{ vehicle: 1, steps: [{ type: 'start' }, ...ids.map((id) => ({ type: 'job', id })), { type: 'end' }] }],
    unassigned: unassigned.map((id) => ({ id })),
  });

  test('writes longitudes first, whole numbers, and priorities by must and could', () => {
    expect(writeVroomProblem({ depot: DEPOT, truck: { capacity: 9_000.9 }, unit: 'liters', stops })).toEqual({
      vehicles: [{ id: 1, start: [-99.1, 19.4], end: [-99.1, 19.4], capacity: [9_000] }],
      jobs: [
        { id: 7, location: [-99.2, 19.5], delivery: [401], priority: 100 },
        { id: 8, location: [-99.3, 19.6], delivery: [300], priority: 50 },
        { id: 9, location: [-99.4, 19.7], delivery: [200], priority: 100 },
        { id: 10, location: [-99.5, 19.8], delivery: [100], priority: 49 },
      ],
    });
  });

  test('reads the order of a solution, with unassigned stops at the end', () => {
    expect(readVroomSolution(solution([9, 7, 8], [10]), numbers)).toEqual([9, 7, 8, 10]);
  });

  test.for<[string, unknown]>([
    ['stop 10 is missing in the solution', solution([7, 8, 9])],
    ['job 7 is in the solution twice', solution([7, 8, 9, 10], [7])],
    ['job 11 is not a stop of this round', solution([7, 8, 9, 10, 11])],
    ['vehicle 2 is not a truck of this round', { ...solution([]), routes: [{ vehicle: 2, steps: [] }] }],
    ['VROOM found no solution: Invalid JSON', { code: 2, error: 'Invalid JSON.' }],
    ['this is not a solution of VROOM', { routes: 'none' }],
    ['this is not a solution of VROOM', { routes: [{ vehicle: 1, steps: [null] }] }],
    ['this is not a solution of VROOM', 7],
  ])('refuses a solution: %s', ([message, given]) => {
    expect(() => readVroomSolution(given, numbers)).toThrow(message);
  });
});
