import { describe, expect, test } from 'vitest';
import { noteWinter } from '../../bench/deliveries/verdict_scores.ts';
import type { DeliveryNote, SeenRefill } from '../../src/deliveries/pure/notes/delivery_note.ts';
import { makeLedger } from '../../src/deliveries/pure/notes/ledger.ts';
import type { LedgerTank, NoteDoubts, NoteVerdict } from '../../src/deliveries/pure/notes/note_verdict.ts';
import { pumpedLiters } from '../../src/deliveries/pure/notes/pumped_volume.ts';
import { learnRefillSpread } from '../../src/deliveries/pure/notes/refill_spread.ts';
import { Random } from '../../src/simulation/random.ts';
import type { Product } from '../../src/values/products.ts';
import { atOnce } from '../../src/values/slices.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { NOON_MS, someNote, someRefill, someTank } from './some_notes.ts';

const NO_DOUBTS: NoteDoubts = { common: { offset: 0, isOff: false }, truckIds: new Set(), driverIds: new Set() };

const verdictsOf = (
  notes: DeliveryNote[],
  refills: SeenRefill[],
  tanks: LedgerTank[] = [],
  doubts: NoteDoubts = NO_DOUBTS,
): NoteVerdict[] =>
  atOnce(makeLedger({ notes, refills, pins: [], tanks, doubts })).entries.map(({ verdict }) => verdict);

describe('the volume as pumped', () => {
  test('of a compensated note is smaller in the cold and larger in the heat', () => {
    const liters = (celsius: number): number | null =>
      pumpedLiters(someNote('a', { liters: 100, isCompensated: true, productCelsius: celsius }));
    expect(liters(15.6)).toBe(100);
    expect(liters(-15)).toBeCloseTo(91.1, 1);
    expect(liters(30)).toBeCloseTo(104.2, 1);
  });

  test('depends on the product: 20 °C colder, heating oil shrinks by 1.7 % and propane by 6 %', () => {
    const note = someNote('a', { liters: 1_000, isCompensated: true, productCelsius: -5 });
    const liters = (product?: Product): number | null =>
      pumpedLiters(product === undefined ? note : { ...note, product });
    expect(liters('heating_oil')).toBeCloseTo(982.9, 1);
    expect(liters('gasoline')).toBeCloseTo(975.1, 1);
    expect(liters('water')).toBeCloseTo(996.9, 1);
    // A fleet without a named product delivers propane.
    expect(liters()).toBeCloseTo(940.3, 1);
    expect(liters('propane')).toBe(liters());
  });

  test('uses the temperature of the air if the note has no temperature of the product', () => {
    expect(pumpedLiters(someNote('a', { isCompensated: true, airCelsius: 15.6 }))).toBe(500);
  });

  test('is unknown without a temperature, or if it is unknown whether the meter compensates', () => {
    expect(pumpedLiters(someNote('a', { isCompensated: true }))).toBeNull();
    expect(pumpedLiters(someNote('a', { isCompensated: null, productCelsius: 10 }))).toBeNull();
    expect(pumpedLiters(someNote('a', { isCompensated: false }))).toBe(500);
  });
});

describe('a note', () => {
  test('within the range of the gauge is consistent, and its verdict contains the range', () => {
    expect(verdictsOf([someNote('a', { liters: 520 })], [someRefill()])).toEqual([
      {
        code: 'consistent',
        isUnlikeEarlier: false,
        noteLiters: 520,
        gaugeLiters: 500,
        fromLiters: expect.closeTo(438.6, 0),
        toLiters: expect.closeTo(580.9, 0),
      },
    ]);
  });

  test('below or above the range is not consistent', () => {
    const codes = [400, 620].map((liters) => verdictsOf([someNote('a', { liters })], [someRefill()])[0]?.code);
    expect(codes).toEqual(['not_consistent', 'not_consistent']);
  });

  test('has a range in which the gauge may show too little by the same share as too much, around the common offset', () => {
    for (const offset of [0, -0.01]) {
      const doubts = { ...NO_DOUBTS, common: { offset, isOff: false } };
      const [verdict] = verdictsOf([someNote('a')], [someRefill()], [], doubts);
      if (verdict === undefined || !('fromLiters' in verdict)) throw new Error('not compared');
      const shown = 500 * Math.exp(-offset);
      expect(shown / verdict.fromLiters - 1).toBeCloseTo(1 - shown / verdict.toLiters, 2);
      expect(verdict.toLiters - shown).toBeGreaterThan(1.2 * (shown - verdict.fromLiters));
    }
  });

  test('cannot be compared if all gauges together are off, or if its truck or driver differs from others', () => {
    const reasonsWith = (doubts: Partial<NoteDoubts>): unknown[] =>
      verdictsOf([someNote('a', { driverId: 'driver' })], [someRefill()], [], { ...NO_DOUBTS, ...doubts }).map(
        (verdict) => 'reason' in verdict && verdict.reason,
      );
    expect(reasonsWith({ common: { offset: -0.16, isOff: true } })).toEqual(['common_offset']);
    expect(reasonsWith({ truckIds: new Set(['truck']) })).toEqual(['trucks_differ']);
    expect(reasonsWith({ driverIds: new Set(['driver']) })).toEqual(['trucks_differ']);
    expect(reasonsWith({ truckIds: new Set(['another']), driverIds: new Set(['another']) })).toEqual([false]);
  });

  test.for<[string, Partial<DeliveryNote>, Partial<SeenRefill>]>([
    ['compensation_unknown', { isCompensated: null }, {}],
    ['gauge_in_question', {}, { isGaugeReliable: false }],
    ['readings_far_apart', {}, { fromMs: NOON_MS - 36 * HOUR_MS }],
    ['nearly_empty_before', {}, { beforePercentage: 5.9 }],
    ['nearly_full_after', {}, { afterPercentage: 94.1 }],
    ['range_too_wide', {}, { noisePoints: 1.5, capacityLiters: 3_000 }],
  ])('with a refill cannot be compared: %s', ([reason, note, refill]) => {
    const [verdict] = verdictsOf([someNote('a', note)], [someRefill(refill)]);
    expect(verdict).toMatchObject({ code: 'cannot_be_told', reason, gaugeLiters: 500 });
  });

  test.for<[string, Partial<DeliveryNote>, Partial<LedgerTank>]>([
    ['no_sensor', {}, { latestReadingMs: null }],
    ['no_sensor', {}, { id: 'another tank' }],
    ['gauge_in_question', {}, { isGaugeReliable: false }],
    ['below_five_points', { liters: 49 }, {}],
  ])('without a refill cannot be compared: %s', ([reason, note, tank]) => {
    expect(verdictsOf([someNote('a', note)], [], [someTank(tank)])).toMatchObject([{ code: 'cannot_be_told', reason }]);
  });

  test('without a refill waits until the gauge has reported for 30 more hours, and then has no refill', () => {
    const wait = (hours: number): NoteVerdict[] =>
      verdictsOf([someNote('a')], [], [someTank({ latestReadingMs: NOON_MS + hours * HOUR_MS })]);
    expect(wait(29)).toEqual([{ code: 'waiting' }]);
    expect(wait(30)).toEqual([{ code: 'note_without_refill', noteLiters: 500 }]);
  });

  test('without a refill and a refill without a note are both in the ledger', () => {
    const refill = someRefill({ tankId: 'other' });
    expect(verdictsOf([someNote('a')], [refill], [someTank()])).toEqual([
      { code: 'note_without_refill', noteLiters: 500 },
      { code: 'refill_without_note', gaugeLiters: 500 },
    ]);
  });

  test('that matches two tanks is compared with the sum of both refills', () => {
    const refills = [someRefill({ tankId: 'first', liters: 300 }), someRefill({ tankId: 'second', liters: 190 })];
    expect(verdictsOf([someNote('a', { tankId: null })], refills)).toMatchObject([
      { code: 'consistent', noteLiters: 500, gaugeLiters: 490 },
    ]);
  });
});

test('a delivery that differs from the last ones of its tank is marked from the fourth delivery on', () => {
  const deliver = (shares: readonly number[]): boolean[] => {
    const timesMs = shares.map((_, index) => NOON_MS + index * 10 * DAY_MS);
    const notes = timesMs.map((atMs, index) => someNote(String(index), { atMs }));
    const refills = shares.map((share, index) =>
      someRefill({ toMs: (timesMs[index] ?? 0) + HOUR_MS, liters: 500 * share }),
    );
    return verdictsOf(notes, refills).map((verdict) => 'isUnlikeEarlier' in verdict && verdict.isUnlikeEarlier);
  };
  // The gauge shows 8 % too much each time, so that a delivery that is 10 % short looks right.
  expect(deliver([1.08, 1.08, 1.08, 0.97, 1.08])).toEqual([false, false, false, true, false]);
  expect(deliver([1.08, 1.08, 0.97])).toEqual([false, false, false]);
});

test('the spread between tanks is learned from 30 tanks with two deliveries, within 2 to 8 %', () => {
  const deliveries = (tanks: number, error: number) =>
    Array.from({ length: 2 * tanks }, (_, number) => ({
      noteId: String(number),
      tankId: String(number % tanks),
      truckId: null,
      atMs: number,
      gaugeLiters: 500 * Math.exp((number % tanks) % 2 === 0 ? error : -error),
      noteLiters: 500,
    }));
  expect(learnRefillSpread(deliveries(29, 0.04)).betweenTanks).toBe(0.05);
  expect(learnRefillSpread(deliveries(30, 0.04)).betweenTanks).toBeCloseTo(0.04 * 1.4826, 6);
  expect(learnRefillSpread(deliveries(30, 0.3)).betweenTanks).toBe(0.08);
  expect(learnRefillSpread(deliveries(30, 0.001)).betweenTanks).toBe(0.02);
});

test('if linear sensors are on lying cylinders, the ledger finds a common offset of the gauges and no inconsistent note', () => {
  // The filled share of a lying cylinder. A linear sensor reports the height instead of it.
  const filled = (height: number): number =>
    (Math.acos(1 - 2 * height) - (1 - 2 * height) * Math.sqrt(4 * height - 4 * height ** 2)) / Math.PI;
  const random = new Random(35_002);
  const tanks = Array.from({ length: 40 }, (_, tank) => ({ tankId: `tank ${tank}`, customerId: `customer ${tank}` }));
  const deliveries = tanks.flatMap((tank) =>
    Array.from({ length: 4 }, (_, number) => {
      const [before, after] = [random.between(0.15, 0.35), random.between(0.75, 0.85)];
      const toMs = NOON_MS + number * 20 * DAY_MS;
      const points = { beforePercentage: 100 * before, afterPercentage: 100 * after };
      return {
        note: someNote(`${tank.tankId} ${number}`, {
          ...tank,
          atMs: toMs,
          liters: 1_000 * (filled(after) - filled(before)),
        }),
        refill: someRefill({ ...tank, ...points, toMs, liters: 1_000 * (after - before) }),
      };
    }),
  );
  const { entries } = atOnce(
    makeLedger({
      notes: deliveries.map(({ note }) => note),
      refills: deliveries.map(({ refill }) => refill),
      pins: [],
      tanks: [],
    }),
  );
  expect(entries).toHaveLength(160);
  expect(new Set(entries.map(({ verdict }) => 'reason' in verdict && verdict.reason))).toEqual(
    new Set(['common_offset']),
  );
});

test('on simulated gauges, honest notes are consistent and those short by 20 % are not', () => {
  const { notes, refills } = noteWinter(35_001, 60);
  expect(notes.length).toBeGreaterThan(200);
  const shareOf = (code: NoteVerdict['code'], short: number): number => {
    const written = notes.map((note) => ({ ...note, liters: note.liters / (1 - short) }));
    const compared = verdictsOf(written, refills).filter((verdict) => verdict.code.endsWith('consistent'));
    expect(compared.length).toBeGreaterThan(0.7 * notes.length);
    return compared.filter((verdict) => verdict.code === code).length / compared.length;
  };
  expect(shareOf('consistent', 0)).toBeGreaterThan(0.97);
  expect(shareOf('not_consistent', 0.2)).toBeGreaterThan(0.95);
});
