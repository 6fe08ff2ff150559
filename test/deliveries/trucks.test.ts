import { describe, expect, test } from 'vitest';
import { findCommonOffset } from '../../src/deliveries/pure/notes/common_offset.ts';
import {
  compareDrivers,
  compareTrucks,
  type TruckComparison,
  type TruckComparisons,
} from '../../src/deliveries/pure/truck_meters/compare_trucks.ts';
import {
  confidenceSequenceHalfWidth,
  informationForHalfWidth,
} from '../../src/deliveries/pure/truck_meters/confidence_sequence.ts';
import type { DriverDelivery } from '../../src/deliveries/pure/truck_meters/differing_trucks.ts';
import { invert } from '../../src/deliveries/pure/truck_meters/invert.ts';
import { learnNoteDoubts } from '../../src/deliveries/pure/truck_meters/note_doubts.ts';
import { Random } from '../../src/simulation/random.ts';
import { randomRuns } from '../support/random_runs.ts';

interface Fleet {
  tanks?: number;
  each?: number;
  trucks?: number;
  /** Half of the deliveries go to any tank; otherwise each truck has its own. */
  isShared?: boolean;
  /** The share by which the notes of each truck are too high. */
  biases?: readonly number[];
  /** log(gauge / note) of all tanks. */
  offset?: number;
}

/** Gauges have a constant error of 3.7 % and a random error of 2 %. Driver N drives truck N, and every tenth time any truck. */
function deliver(seed: number, fleet: Fleet = {}): DriverDelivery[] {
  const { tanks = 200, each = 6, trucks = 3, isShared = true, biases = [], offset = 0 } = fleet;
  const random = new Random(seed);
  const errors = Array.from({ length: tanks }, () => 0.037 * random.normal() + offset);
  return Array.from({ length: tanks * each }, (_, number) => {
    const tank = number % tanks;
    const truck = isShared && random.chance(0.5) ? random.whole(0, trucks - 1) : tank % trucks;
    return {
      noteId: String(number),
      tankId: String(tank),
      truckId: `truck ${truck}`,
      driverId: `driver ${random.chance(0.1) ? random.whole(0, trucks - 1) : truck}`,
      atMs: number,
      gaugeLiters: 500 * Math.exp((errors[tank] ?? 0) + 0.02 * random.normal()),
      noteLiters: 500 * (1 + (biases[truck] ?? 0)),
    };
  });
}

type Compare = (deliveries: readonly DriverDelivery[]) => TruckComparisons;

function compared(deliveries: readonly DriverDelivery[], compare: Compare = compareTrucks): TruckComparison[] {
  const result = compare(deliveries);
  if (!('trucks' in result)) throw new Error('too few tanks');
  return result.trucks;
}

const flaggedOf = (deliveries: readonly DriverDelivery[], compare: Compare = compareTrucks): string[] =>
  compared(deliveries, compare).flatMap(({ truckId, isFlagged }) => (isFlagged ? truckId : []));

describe('a truck against the others', () => {
  test.for([3, 4, 6])('of %i is the only one that is flagged if its notes are 5 percent off', (trucks) => {
    for (let seed = 0; seed < randomRuns(10); seed++) {
      const bias = seed % 2 === 0 ? -0.05 : 0.05;
      const result = compareTrucks(deliver(33_000 + seed, { trucks, each: 4 * trucks, biases: [bias] }));
      if (!('trucks' in result)) throw new Error('too few tanks');
      expect(result).toMatchObject({ areDifferent: false, commonOffset: null });
      const [wrong, ...honest] = result.trucks;
      expect(wrong?.isFlagged, `seed ${seed}`).toBe(true);
      expect(honest.filter(({ isFlagged }) => isFlagged)).toEqual([]);
      expect(wrong?.excess).toBeCloseTo(bias, 1);
      for (const { from, to } of honest) expect([from < 0.005, to > -0.005]).toEqual([true, true]);
    }
  });

  test('of two differs from the other, and none is flagged', () => {
    for (let seed = 0; seed < randomRuns(20); seed++) {
      const result = compareTrucks(deliver(33_020 + seed, { trucks: 2, each: 12, biases: [0.05] }));
      expect(result).toMatchObject({ areDifferent: true, trucks: [{ isFlagged: false }, { isFlagged: false }] });
    }
  });

  test('is not flagged if as many trucks are wrong as right, or if no two trucks agree', () => {
    for (const biases of [
      [0.06, 0.06, 0, 0],
      [0.06, 0, -0.06],
    ]) {
      const deliveries = deliver(33_001, { trucks: biases.length, each: 16, biases });
      expect(flaggedOf(deliveries)).toEqual([]);
      expect(compareTrucks(deliveries)).toMatchObject({ areDifferent: true });
    }
  });

  test('is flagged with another wrong truck if most trucks agree', () => {
    const biases = [0.06, -0.07];
    expect(flaggedOf(deliver(33_001, { trucks: 5, each: 20, biases }))).toEqual(['truck 0', 'truck 1']);
  });

  test('of two that differ is not flagged because of a third truck with one delivery', () => {
    const deliveries = deliver(33_004, { trucks: 2, biases: [0.05] });
    const [first] = deliveries;
    if (first === undefined) throw new Error('no delivery');
    const more = [...deliveries, { ...first, noteId: 'new', truckId: 'truck new' }];
    expect(compareTrucks(more)).toMatchObject({ areDifferent: true });
    expect(flaggedOf(more)).toEqual([]);
  });

  test('that is honest has the truth inside its range, in every fleet', () => {
    for (let seed = 0; seed < randomRuns(60); seed++) {
      for (const { from, to, isFlagged } of compared(deliver(33_100 + seed, { isShared: seed % 2 === 0 }))) {
        expect(from).toBeLessThan(0);
        expect(to).toBeGreaterThan(0);
        expect(isFlagged).toBe(false);
      }
    }
  });

  test('with a legal meter is not flagged: 1 % too much, where all others say 1 % too little', () => {
    const biases = [0.01, -0.01, -0.01, -0.01];
    for (let seed = 0; seed < randomRuns(20); seed++)
      expect(flaggedOf(deliver(33_200 + seed, { trucks: 4, each: 30, biases }))).toEqual([]);
  });

  test('is compared independently of the order of the deliveries', () => {
    const deliveries = deliver(33_002, { biases: [0.04] });
    expect(compareTrucks(deliveries.toReversed())).toEqual(compareTrucks(deliveries));
  });

  test('has a far narrower range with shared tanks than with own tanks', () => {
    const width = (isShared: boolean): number => {
      const [truck] = compared(deliver(33_003, { isShared }));
      return (truck?.to ?? 0) - (truck?.from ?? 0);
    };
    expect(width(true)).toBeLessThan(width(false) / 1.8);
  });

  test('is not compared before 60 tanks have three deliveries', () => {
    expect(compareTrucks(deliver(33_004, { tanks: 59 }))).toEqual({ tanksNeeded: 60, tanks: 59 });
    expect(compareTrucks(deliver(33_004, { each: 2 }))).toEqual({ tanksNeeded: 60, tanks: 0 });
  });
});

describe('all gauges together', () => {
  test('that are off do not flag a truck, also if one of the trucks is wrong', () => {
    for (const trucks of [1, 2, 4]) {
      const result = compareTrucks(deliver(33_005, { trucks, each: 12, biases: [0.05], offset: -0.16 }));
      expect(result).toMatchObject({ isAgainstOthers: trucks > 1, areDifferent: false });
      expect(result).toMatchObject({ commonOffset: expect.closeTo(trucks === 1 ? -0.21 : -0.16, 1) });
      expect('trucks' in result && result.trucks.some(({ isFlagged }) => isFlagged)).toBe(false);
    }
  });

  test('are off with an offset of 3 %, but not with 0.5 % or because of one wrong truck of two or three', () => {
    const countOff = (fleet: Fleet): number =>
      Array.from({ length: 20 }, (_, seed) => findCommonOffset(deliver(33_300 + seed, fleet))).filter(
        ({ isOff }) => isOff,
      ).length;
    expect(countOff({ offset: -0.03 })).toBe(20);
    for (const fleet of [{ offset: 0.005 }, { biases: [0.08] }, { trucks: 2, biases: [0.08] }])
      expect(countOff(fleet)).toBe(0);
  });
});

describe('drivers', () => {
  test('are not flagged for the truck that they drive', () => {
    for (let seed = 0; seed < randomRuns(20); seed++) {
      const deliveries = deliver(33_400 + seed, { trucks: 4, each: 16, biases: [0.05] });
      expect(flaggedOf(deliveries)).toEqual(['truck 0']);
      expect(flaggedOf(deliveries, compareDrivers)).toEqual([]);
    }
  });

  test('are flagged for their own notes on any truck, and the trucks are not', () => {
    const random = new Random(33_500);
    const deliveries = deliver(33_500, { trucks: 4, each: 30 }).map((delivery) => {
      const driver = random.whole(0, 4);
      const noteLiters = delivery.noteLiters * (driver === 2 ? 1.06 : 1);
      return { ...delivery, driverId: `driver ${driver}`, noteLiters };
    });
    expect(flaggedOf(deliveries, compareDrivers)).toEqual(['driver 2']);
    expect(flaggedOf(deliveries)).toEqual([]);
  });

  test('are not flagged if the notes name no truck', () => {
    const deliveries = deliver(33_600, { trucks: 4, each: 16, biases: [0.08] });
    const unnamed = deliveries.map((delivery) => ({ ...delivery, driverId: delivery.truckId, truckId: null }));
    expect(flaggedOf(unnamed, compareDrivers)).toEqual([]);
  });
});

test('if trucks differ, the notes of the flagged truck are doubted, or those of all trucks if none is flagged', () => {
  const doubtsOf = (fleet: Fleet) => learnNoteDoubts(deliver(33_700, { each: 12, ...fleet }));
  expect(doubtsOf({ trucks: 3 })).toMatchObject({
    common: { isOff: false },
    truckIds: new Set(),
    driverIds: new Set(),
  });
  expect(doubtsOf({ trucks: 3, biases: [0.05] }).truckIds).toEqual(new Set(['truck 0']));
  expect(doubtsOf({ trucks: 2, biases: [0.05] }).truckIds).toEqual(new Set(['truck 0', 'truck 1']));
  expect(doubtsOf({ trucks: 2, biases: [0.05], offset: -0.1 })).toMatchObject({
    common: { isOff: true, offset: expect.closeTo(-0.1, 1) },
    truckIds: new Set(),
  });
});

describe('the deliveries that are missing to show 3 %', () => {
  test('become fewer with more deliveries, and none when there are enough', () => {
    const missing = [3, 6, 9].map(
      (each) => compared(deliver(33_006, { tanks: 60, trucks: 2, each }))[0]?.missing.deliveries ?? null,
    );
    expect(missing[0]).toBeGreaterThan(missing[1] ?? 0);
    expect(missing[1]).toBeGreaterThan(missing[2] ?? 0);
    expect(compared(deliver(33_006, { tanks: 60, trucks: 2, each: 40 }))[0]?.missing.deliveries).toBe(0);
  });

  test('are about as many as narrow the range to 2.4 %', () => {
    const few = compared(deliver(33_007, { tanks: 60, trucks: 2, each: 3 }))[0];
    const needed = (few?.deliveries ?? 0) + (few?.missing.deliveries ?? 0);
    const each = Math.ceil((2 * needed) / 60);
    const [enough] = compared(deliver(33_007, { tanks: 60, trucks: 2, each }));
    expect((enough?.to ?? 0) - (enough?.from ?? 0)).toBeLessThan(0.024);
  });

  test('have no number if each truck has too few tanks of its own', () => {
    const [truck] = compared(deliver(33_008, { isShared: false }));
    expect(truck?.missing.deliveries).toBeNull();
    expect(truck?.missing.ownTanks).toBeGreaterThan(200);
  });
});

test('half the width of a confidence sequence is 4 to 4.6 standard errors, and less with more information', () => {
  const information = informationForHalfWidth(0.02);
  expect(confidenceSequenceHalfWidth(information)).toBeCloseTo(0.02, 9);
  expect(confidenceSequenceHalfWidth(information) * Math.sqrt(information)).toBeGreaterThan(4);
  expect(confidenceSequenceHalfWidth(information) * Math.sqrt(information)).toBeLessThan(4.6);
  expect(confidenceSequenceHalfWidth(2 * information)).toBeLessThan(0.02);
  expect(confidenceSequenceHalfWidth(0)).toBe(Number.POSITIVE_INFINITY);
});

test('a matrix times its inverse is the identity', () => {
  const matrix = [
    [4, 1, 0.5],
    [1, 3, -1],
    [0.5, -1, 2],
  ];
  const inverse = invert(matrix);
  const product = matrix.map((line) =>
    line.map((_, column) => line.reduce((sum, value, row) => sum + value * (inverse[row]?.[column] ?? 0), 0)),
  );
  product.flat().forEach((value, index) => expect(value).toBeCloseTo(index % 4 === 0 ? 1 : 0, 9));
});
