import { describe, expect, test } from 'vitest';
import type { ComparedDelivery } from '../../src/deliveries/pure/notes/refill_spread.ts';
import { compareTrucks, type TruckComparison } from '../../src/deliveries/pure/trucks/compare_trucks.ts';
import {
  confidenceSequenceHalfWidth,
  informationForHalfWidth,
} from '../../src/deliveries/pure/trucks/confidence_sequence.ts';
import { invert } from '../../src/deliveries/pure/trucks/invert.ts';
import { Random } from '../../src/simulation/random.ts';

interface Fleet {
  tanks?: number;
  each?: number;
  trucks?: number;
  isShared?: boolean;
  /** Of truck 0. */
  bias?: number;
}

/** Gauges with constant errors of 3.7 %, and 2 % each time. */
function deliver(seed: number, { tanks = 200, each = 6, trucks = 2, isShared = true, bias = 0 }: Fleet = {}) {
  const random = new Random(seed);
  const errors = Array.from({ length: tanks }, () => 0.037 * random.normal());
  return Array.from({ length: tanks * each }, (_, number): ComparedDelivery => {
    const tank = number % tanks;
    const truck = isShared ? random.whole(0, trucks - 1) : tank % trucks;
    const noteLiters = 500 * (1 + (truck === 0 ? bias : 0));
    const gaugeLiters = 500 * Math.exp((errors[tank] ?? 0) + 0.02 * random.normal());
    return {
      noteId: String(number),
      tankId: String(tank),
      truckId: `truck ${truck}`,
      atMs: number,
      gaugeLiters,
      noteLiters,
    };
  });
}

function compared(deliveries: readonly ComparedDelivery[]): TruckComparison[] {
  const result = compareTrucks(deliveries);
  if (!('trucks' in result)) throw new Error('too few tanks');
  return result.trucks;
}

describe('a truck against the others', () => {
  test('whose notes say 5 % too much is flagged, the others with the opposite sign at most', () => {
    const [biased, other] = compared(deliver(33_001, { bias: 0.05 }));
    expect(biased?.isFlagged).toBe(true);
    expect(biased?.excess).toBeCloseTo(0.05, 1);
    expect(biased?.from).toBeGreaterThan(0.01);
    expect(other?.excess).toBeCloseTo(-(biased?.excess ?? 0), 6);
  });

  test('that is honest has the truth inside its range, in each of 60 fleets', () => {
    for (let seed = 0; seed < 60; seed++) {
      for (const { from, to, isFlagged } of compared(deliver(33_100 + seed, { isShared: seed % 2 === 0 }))) {
        expect(from).toBeLessThan(0);
        expect(to).toBeGreaterThan(0);
        expect(isFlagged).toBe(false);
      }
    }
  });

  test('is the same whatever the order of the deliveries', () => {
    const deliveries = deliver(33_002, { bias: 0.02 });
    expect(compareTrucks(deliveries.toReversed())).toEqual(compareTrucks(deliveries));
  });

  test('with shared tanks is known far better than with own tanks', () => {
    const width = (isShared: boolean): number => {
      const [truck] = compared(deliver(33_003, { isShared }));
      return (truck?.to ?? 0) - (truck?.from ?? 0);
    };
    expect(width(true)).toBeLessThan(width(false) / 1.8);
  });

  test('is found although a third truck made one delivery', () => {
    const deliveries = deliver(33_004, { bias: 0.05 });
    const [first] = deliveries;
    if (first === undefined) throw new Error('no delivery');
    const [biased] = compared([...deliveries, { ...first, noteId: 'new', truckId: 'truck new' }]);
    expect(biased?.isFlagged).toBe(true);
  });

  test('is not compared before 60 tanks have three deliveries', () => {
    expect(compareTrucks(deliver(33_004, { tanks: 59 }))).toEqual({ tanksNeeded: 60, tanks: 59 });
    expect(compareTrucks(deliver(33_004, { each: 2 }))).toEqual({ tanksNeeded: 60, tanks: 0 });
  });

  test('alone is compared with the gauges', () => {
    expect(compareTrucks(deliver(33_005, { trucks: 1, bias: 0.08 }))).toMatchObject({
      isAgainstOthers: false,
      trucks: [{ isFlagged: true, excess: expect.closeTo(0.08, 1) }],
    });
  });
});

describe('what is missing to show 2 %', () => {
  test('are fewer deliveries the more there are, and none when there are enough', () => {
    const missing = [3, 4, 5].map(
      (each) => compared(deliver(33_006, { tanks: 60, each }))[0]?.missing.deliveries ?? null,
    );
    expect(missing[0]).toBeGreaterThan(missing[1] ?? 0);
    expect(missing[1]).toBeGreaterThan(missing[2] ?? 0);
    expect(compared(deliver(33_006, { tanks: 60, each: 40 }))[0]?.missing.deliveries).toBe(0);
  });

  test('are roughly the deliveries after which it shows', () => {
    const few = compared(deliver(33_007, { tanks: 60, each: 3 }))[0];
    const needed = (few?.deliveries ?? 0) + (few?.missing.deliveries ?? 0);
    const each = Math.ceil((2 * needed) / 60);
    const [enough] = compared(deliver(33_007, { tanks: 60, each }));
    expect((enough?.to ?? 0) - (enough?.from ?? 0)).toBeLessThan(0.024);
  });

  test('is not a number of deliveries if each truck has too few tanks of its own', () => {
    const [truck] = compared(deliver(33_008, { isShared: false }));
    expect(truck?.missing.deliveries).toBeNull();
    expect(truck?.missing.ownTanks).toBeGreaterThan(200);
  });
});

test('a range that holds at every look is about 4.2 standard errors wide, and narrower with more information', () => {
  const information = informationForHalfWidth(0.02);
  expect(confidenceSequenceHalfWidth(information)).toBeCloseTo(0.02, 9);
  expect(confidenceSequenceHalfWidth(information) * Math.sqrt(information)).toBeGreaterThan(4);
  expect(confidenceSequenceHalfWidth(information) * Math.sqrt(information)).toBeLessThan(4.6);
  expect(confidenceSequenceHalfWidth(2 * information)).toBeLessThan(0.02);
  expect(confidenceSequenceHalfWidth(0)).toBe(Number.POSITIVE_INFINITY);
});

test('a matrix times its inverse is one', () => {
  const matrix = [
    [4, 1, 0.5],
    [1, 3, -1],
    [0.5, -1, 2],
  ];
  const inverse = invert(matrix);
  const product = matrix.map((line) =>
    line.map((_, column) => line.reduce((sum, value, at) => sum + value * (inverse[at]?.[column] ?? 0), 0)),
  );
  product.flat().forEach((value, at) => expect(value).toBeCloseTo(at % 4 === 0 ? 1 : 0, 9));
});
