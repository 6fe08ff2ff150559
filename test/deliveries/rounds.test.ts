import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeRegion } from '../../bench/deliveries/region.ts';
import { chanceRule, thresholdRule } from '../../bench/deliveries/round_rules.ts';
import { liveWinter } from '../../bench/deliveries/winter.ts';
import { chanceOfEmpty } from '../../src/deliveries/pure/rounds/chance_of_empty.ts';
import { pointsKm, spherePoint } from '../../src/deliveries/pure/rounds/distances.ts';
import { fitToTruck } from '../../src/deliveries/pure/rounds/fit_to_truck.ts';
import { daysToNextVisit } from '../../src/deliveries/pure/rounds/next_visit.ts';
import { listCandidates, type RoundTank } from '../../src/deliveries/pure/rounds/round_candidates.ts';
import { orderStops } from '../../src/deliveries/pure/rounds/stop_order.ts';
import { Random } from '../../src/simulation/random.ts';
import { DEFAULT_CONTENTS } from '../../src/values/products.ts';
import { atOnce } from '../../src/values/slices.ts';
import { longestStep } from '../support/longest_step.ts';
import { randomRuns } from '../support/random_runs.ts';
import { askChances } from './chances.ts';

const DEPOT = { latitude: 19.4, longitude: -99.1 };

describe('the chance of being empty', () => {
  test('is 10, 50 and 90 % at the earliest, the likely and the latest date', () => {
    const days = { earliest: 6, likely: 10, latest: 18 };
    expect(chanceOfEmpty(days, 6)).toBeCloseTo(0.1, 3);
    expect(chanceOfEmpty(days, 10)).toBeCloseTo(0.5, 6);
    expect(chanceOfEmpty(days, 18)).toBeCloseTo(0.9, 3);
  });

  test('is low long before the earliest date, also if the range is very wide', () => {
    expect(chanceOfEmpty({ earliest: 8, likely: 200, latest: null }, 4)).toBeLessThan(0.001);
  });

  test('is 1 for an empty tank, and 0 for a tank that is not used', () => {
    expect(chanceOfEmpty({ earliest: 0, likely: 0, latest: 0 }, 2)).toBeCloseTo(1, 6);
    expect(chanceOfEmpty({ earliest: null, likely: null, latest: null }, 7)).toBeCloseTo(0, 6);
  });

  test('is between 0 and 1 and never falls with the days, for any forecast', () => {
    const day = fc.double({ min: 0, max: 730, noNaN: true });
    const forecasts = fc.tuple(day, day, day).map((days) => days.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(forecasts, day, day, ([earliest = 0, likely = 0, latest = 0], a, b) => {
        const [sooner, later] = [a, b].map((days) => chanceOfEmpty({ earliest, likely, latest }, days));
        expect(sooner).toBeGreaterThanOrEqual(0);
        expect(later).toBeLessThanOrEqual(1);
        if (a <= b) expect(sooner).toBeLessThanOrEqual((later ?? 0) + 1e-12);
      }),
      { numRuns: randomRuns(2_000) },
    );
  });

  test('comes true about as often as it says, and the limit of 5 % misses few empty tanks', () => {
    const chances = askChances(31_001, 90);
    expect(chances.length).toBeGreaterThan(8_000);
    const bins = [0.01, 0.05, 0.15, 0.4, 0.7, 1.01].map((to, index, limits) => {
      const inside = chances.filter(({ chance }) => chance >= (limits[index - 1] ?? 0) && chance < to);
      return {
        predicted: inside.reduce((sum, { chance }) => sum + chance, 0) / inside.length,
        observed: inside.filter(({ isEmpty }) => isEmpty).length / inside.length,
      };
    });
    for (const { predicted, observed } of bins) {
      expect(observed).toBeLessThan(predicted * 1.35 + 0.02);
      expect(observed).toBeGreaterThan(predicted / 3 - 0.01);
    }
    const empty = chances.filter(({ isEmpty }) => isEmpty);
    expect(empty.filter(({ chance }) => chance <= 0.05).length / empty.length).toBeLessThan(0.03);
  });
});

describe('the next visit', () => {
  const mondayAtSeven = Date.parse('2026-01-05T13:00:00Z'); // 07:00 in Mexico City

  test('is the evening of the next delivery day after the round', () => {
    const round = { date: '2026-01-05', timeZone: 'America/Mexico_City' };
    expect(daysToNextVisit(mondayAtSeven, round, [1, 4])).toBeCloseTo(3 + 11 / 24, 6);
    expect(daysToNextVisit(mondayAtSeven, round, [1])).toBeCloseTo(7 + 11 / 24, 6);
  });

  test('is counted from now, not from the round', () => {
    const round = { date: '2026-01-06', timeZone: 'America/Mexico_City' };
    expect(daysToNextVisit(mondayAtSeven, round, [1, 4])).toBeCloseTo(3 + 11 / 24, 6);
    expect(daysToNextVisit(mondayAtSeven, round, [2])).toBeCloseTo(8 + 11 / 24, 6);
  });

  test('is on the next day except Sunday if the place has no delivery days', () => {
    const saturday = { date: '2026-01-10', timeZone: 'UTC' };
    expect(daysToNextVisit(Date.parse('2026-01-10T18:00:00Z'), saturday, [])).toBe(2);
  });
});

const tank = (id: string, values: Partial<RoundTank> = {}): RoundTank => ({
  id,
  place: { latitude: 19.5, longitude: -99.2 },
  capacityLiters: 1_000,
  contents: DEFAULT_CONTENTS,
  fillPercentage: 40,
  chance: 0.01,
  isCalled: false,
  ...values,
});

describe('the lists of a round', () => {
  test('contain a tank with a chance above the limit or a call as a must, the most urgent first', () => {
    const lists = listCandidates([
      tank('low', { chance: 0.06 }),
      tank('called', { chance: 0, isCalled: true }),
      tank('urgent', { chance: 0.9 }),
      tank('at the limit', { chance: 0.05 }),
    ]);
    expect(lists.must.map(({ id }) => id)).toEqual(['urgent', 'low', 'called']);
    expect(lists.could).toEqual([]);
  });

  test('contain a tank as a could if it has room for half of its capacity, or if its order is due', () => {
    const lists = listCandidates([tank('room', { fillPercentage: 30 }), tank('full', { fillPercentage: 31 })]);
    expect(lists.could).toMatchObject([{ id: 'room', liters: 500 }]);
    const ordered = listCandidates([tank('ordered', { fillPercentage: 40, isOrderDue: true })]);
    expect(ordered).toMatchObject({ must: [], could: [{ id: 'ordered', liters: 400 }] });
  });

  test('contain a tank without a forecast in a list of its own, or as a must with a full load if its customer called', () => {
    const unknown = { chance: null, fillPercentage: null };
    const lists = listCandidates([tank('silent', unknown), tank('called', { ...unknown, isCalled: true })]);
    expect(lists.noForecast.map(({ id }) => id)).toEqual(['silent']);
    expect(lists.must).toMatchObject([{ id: 'called', liters: 800 }]);
  });
});

const anyTanks = fc
  .array(
    fc.record({
      latitude: fc.double({ min: 19, max: 20, noNaN: true }),
      longitude: fc.double({ min: -100, max: -99, noNaN: true }),
      isPlaced: fc.boolean(),
      capacityLiters: fc.integer({ min: 100, max: 5_000 }),
      fillPercentage: fc.integer({ min: 0, max: 100 }),
      chance: fc.double({ min: 0, max: 0.2, noNaN: true }),
    }),
    { maxLength: 40 },
  )
  .map((tanks) =>
    tanks.map(({ latitude, longitude, isPlaced, ...values }, number) =>
      tank(String(number), { ...values, place: isPlaced ? { latitude, longitude } : null }),
    ),
  );

describe('the fit to a truck', () => {
  const truck = { depot: DEPOT, truckLiters: 9_000 };

  test('keeps every must, and adds no more than the loads of the musts can carry', () => {
    fc.assert(
      fc.property(anyTanks, fc.integer({ min: 500, max: 12_000 }), (tanks, truckLiters) => {
        const lists = listCandidates(tanks);
        const fit = atOnce(fitToTruck(lists, { depot: DEPOT, truckLiters }));
        expect(fit.must).toEqual(lists.must);
        expect(fit.liters).toBeLessThanOrEqual(fit.loads * truckLiters + 1e-6);
        expect(lists.could).toEqual(expect.arrayContaining(fit.could));
        expect(new Set(fit.could).size).toBe(fit.could.length);
        if (lists.must.length === 0) expect(fit.could).toEqual([]);
      }),
      { numRuns: randomRuns(300) },
    );
  });

  test('contains how many liters are beyond one load', () => {
    const must = listCandidates([
      tank('a', { capacityLiters: 10_000, fillPercentage: 0, chance: 1 }),
      tank('b', { capacityLiters: 5_000, fillPercentage: 0, chance: 1 }),
    ]);
    expect(atOnce(fitToTruck(must, truck))).toMatchObject({ loads: 2, liters: 12_000, beyondOneLoadLiters: 3_000 });
  });

  test('adds the tank on the way before the one with a detour, and no tank that is not worth its detour', () => {
    const lists = listCandidates([
      tank('must', { place: { latitude: 19.8, longitude: -99.1 }, chance: 1 }),
      tank('on the way', { place: { latitude: 19.6, longitude: -99.1 }, fillPercentage: 20 }),
      tank('aside', { place: { latitude: 19.6, longitude: -99.08 }, fillPercentage: 20 }),
      tank('far', { place: { latitude: 19.6, longitude: -98.9 }, fillPercentage: 20 }),
    ]);
    const chosen = atOnce(fitToTruck(lists, truck));
    expect(chosen.could.map(({ id }) => id)).toEqual(['on the way', 'aside']);
    const shorter = atOnce(fitToTruck(lists, { ...truck, maxStops: 2 }));
    expect(shorter.could.map(({ id }) => id)).toEqual(['on the way']);
    expect(shorter.others.map(({ candidate }) => candidate.id)).toEqual(['aside', 'far']);
  });

  test('runs in steps of less than 50 ms with 4,000 tanks, of which 200 must be visited', () => {
    const random = new Random(34);
    const tanks = Array.from({ length: 4_000 }, (_, number) =>
      tank(String(number), {
        place: { latitude: random.between(19, 20), longitude: random.between(-100, -99) },
        fillPercentage: random.between(0, 25),
        chance: number < 200 ? 1 : 0,
      }),
    );
    const lists = listCandidates(tanks);
    const { result, longestMs } = longestStep(fitToTruck(lists, { depot: DEPOT, truckLiters: 500_000 }));
    expect(result.must).toHaveLength(200);
    expect(result.could.length).toBeGreaterThan(100);
    const stops = [...result.must, ...result.could].flatMap(({ id, place }) => (place === null ? [] : { id, place }));
    const order = longestStep(orderStops(DEPOT, stops.slice(0, 200)));
    expect(Math.max(longestMs, order.longestMs)).toBeLessThan(50);
  });
});

test('the distance from Mexico City to Puebla on the globe is 107 km', () => {
  const mexicoCity = spherePoint({ latitude: 19.4326, longitude: -99.1332 });
  expect(pointsKm(mexicoCity, spherePoint({ latitude: 19.0414, longitude: -98.2063 }))).toBeCloseTo(106.7, 0);
});

test('rounds by chance have less than half of the run-outs of rounds by threshold, with at most 8 % more stops', () => {
  const region = makeRegion(31_002, 120);
  const byThreshold = liveWinter(region, thresholdRule(20));
  const byChance = liveWinter(region, chanceRule(0.05));
  expect(byThreshold.runOuts).toBeGreaterThan(8);
  expect(byChance.runOuts).toBeLessThan(byThreshold.runOuts / 2);
  expect(byChance.stops).toBeLessThan(byThreshold.stops * 1.08);
});
