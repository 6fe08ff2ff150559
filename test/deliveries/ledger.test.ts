import { describe, expect, test } from 'vitest';
import { noteWinter } from '../../bench/deliveries/verdict_scores.ts';
import type { DeliveryNote, SeenRefill } from '../../src/deliveries/pure/notes/delivery_note.ts';
import { makeLedger } from '../../src/deliveries/pure/notes/ledger.ts';
import type { LedgerTank, NoteVerdict } from '../../src/deliveries/pure/notes/note_verdict.ts';
import { pumpedLiters } from '../../src/deliveries/pure/notes/pumped_volume.ts';
import { learnRefillSpread } from '../../src/deliveries/pure/notes/refill_spread.ts';
import { atOnce } from '../../src/values/slices.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { NOON_MS, someNote, someRefill, someTank } from './some_notes.ts';

const verdictsOf = (notes: DeliveryNote[], refills: SeenRefill[], tanks: LedgerTank[] = []): NoteVerdict[] =>
  atOnce(makeLedger({ notes, refills, pins: [], tanks })).entries.map(({ verdict }) => verdict);

describe('the volume as pumped', () => {
  test('of a compensated note is smaller in the cold and larger in the heat', () => {
    const liters = (celsius: number): number | null =>
      pumpedLiters(someNote('a', { liters: 100, isCompensated: true, productCelsius: celsius }));
    expect(liters(15.6)).toBe(100);
    expect(liters(-15)).toBeCloseTo(91.1, 1);
    expect(liters(30)).toBeCloseTo(104.2, 1);
  });

  test('uses the temperature of the air if that of the product is not printed', () => {
    expect(pumpedLiters(someNote('a', { isCompensated: true, airCelsius: 15.6 }))).toBe(500);
  });

  test('is unknown without a temperature, or if nobody said whether the meter compensates', () => {
    expect(pumpedLiters(someNote('a', { isCompensated: true }))).toBeNull();
    expect(pumpedLiters(someNote('a', { isCompensated: null, productCelsius: 10 }))).toBeNull();
    expect(pumpedLiters(someNote('a', { isCompensated: false }))).toBe(500);
  });
});

describe('a note', () => {
  test('within the range of the gauge is consistent, and says the range', () => {
    expect(verdictsOf([someNote('a', { liters: 520 })], [someRefill()])).toEqual([
      {
        code: 'consistent',
        isUnlikeEarlier: false,
        noteLiters: 520,
        gaugeLiters: 500,
        fromLiters: expect.closeTo(424, 0),
        toLiters: expect.closeTo(576, 0),
      },
    ]);
  });

  test('beyond the range is not consistent, to either side', () => {
    const words = [400, 620].map((liters) => verdictsOf([someNote('a', { liters })], [someRefill()])[0]?.code);
    expect(words).toEqual(['not_consistent', 'not_consistent']);
  });

  test.for<[string, Partial<DeliveryNote>, Partial<SeenRefill>]>([
    ['compensation_unknown', { isCompensated: null }, {}],
    ['gauge_in_question', {}, { isGaugeReliable: false }],
    ['readings_far_apart', {}, { fromMs: NOON_MS - 36 * HOUR_MS }],
    ['nearly_empty_before', {}, { beforePercentage: 5.9 }],
    ['nearly_full_after', {}, { afterPercentage: 94.1 }],
    ['range_too_wide', {}, { noisePoints: 1.5, capacityLiters: 3_000 }],
  ])('cannot be told: %s', ([reason, note, refill]) => {
    const [verdict] = verdictsOf([someNote('a', note)], [someRefill(refill)]);
    expect(verdict).toMatchObject({ code: 'cannot_be_told', reason, gaugeLiters: 500 });
  });

  test.for<[string, Partial<DeliveryNote>, Partial<LedgerTank>]>([
    ['no_sensor', {}, { latestReadingMs: null }],
    ['no_sensor', {}, { id: 'another tank' }],
    ['gauge_in_question', {}, { isGaugeReliable: false }],
    ['below_five_points', { liters: 49 }, {}],
  ])('without a refill cannot be told: %s', ([reason, note, tank]) => {
    expect(verdictsOf([someNote('a', note)], [], [someTank(tank)])).toMatchObject([{ code: 'cannot_be_told', reason }]);
  });

  test('without a refill waits until the gauge has reported for 30 hours more, and then stays without', () => {
    const wait = (hours: number): NoteVerdict[] =>
      verdictsOf([someNote('a')], [], [someTank({ latestReadingMs: NOON_MS + hours * HOUR_MS })]);
    expect(wait(29)).toEqual([{ code: 'waiting' }]);
    expect(wait(30)).toEqual([{ code: 'note_without_refill', noteLiters: 500 }]);
  });

  test('and a refill without a note are both in the ledger', () => {
    const refill = someRefill({ tankId: 'other' });
    expect(verdictsOf([someNote('a')], [refill], [someTank()])).toEqual([
      { code: 'note_without_refill', noteLiters: 500 },
      { code: 'refill_without_note', gaugeLiters: 500 },
    ]);
  });

  test('for two tanks is compared with both', () => {
    const refills = [someRefill({ tankId: 'first', liters: 300 }), someRefill({ tankId: 'second', liters: 190 })];
    expect(verdictsOf([someNote('a', { tankId: null })], refills)).toMatchObject([
      { code: 'consistent', noteLiters: 500, gaugeLiters: 490 },
    ]);
  });
});

test('a delivery that differs from the last ones of its tank is unlike them, from the fourth on', () => {
  const deliver = (shares: readonly number[]): boolean[] => {
    const times = shares.map((_, at) => NOON_MS + at * 10 * DAY_MS);
    const notes = shares.map((_, at) => someNote(String(at), { atMs: times[at] ?? 0 }));
    const refills = shares.map((share, at) => someRefill({ toMs: (times[at] ?? 0) + HOUR_MS, liters: 500 * share }));
    return verdictsOf(notes, refills).map((verdict) => 'isUnlikeEarlier' in verdict && verdict.isUnlikeEarlier);
  };
  // The gauge shows 8 % too much each time, so that a delivery that is 10 % short looks right.
  expect(deliver([1.08, 1.08, 1.08, 0.97, 1.08])).toEqual([false, false, false, true, false]);
  expect(deliver([1.08, 1.08, 0.97])).toEqual([false, false, false]);
});

test('the spread between tanks is learned from 30 tanks with two deliveries, within 2 to 8 %', () => {
  const deliveries = (tanks: number, error: number) =>
    Array.from({ length: 2 * tanks }, (_, at) => ({
      noteId: String(at),
      tankId: String(at % tanks),
      truckId: null,
      atMs: at,
      gaugeLiters: 500 * Math.exp((at % tanks) % 2 === 0 ? error : -error),
      noteLiters: 500,
    }));
  expect(learnRefillSpread(deliveries(29, 0.04)).betweenTanks).toBe(0.05);
  expect(learnRefillSpread(deliveries(30, 0.04)).betweenTanks).toBeCloseTo(0.04 * 1.4826, 6);
  expect(learnRefillSpread(deliveries(30, 0.3)).betweenTanks).toBe(0.08);
  expect(learnRefillSpread(deliveries(30, 0.001)).betweenTanks).toBe(0.02);
});

test('on simulated gauges, honest notes are consistent and those short by 20 % are not', () => {
  const { notes, refills } = noteWinter(35_001, 60);
  expect(notes.length).toBeGreaterThan(200);
  const shareOf = (code: NoteVerdict['code'], short: number): number => {
    const written = notes.map((note) => ({ ...note, liters: note.liters / (1 - short) }));
    const told = verdictsOf(written, refills).filter((verdict) => verdict.code.endsWith('consistent'));
    expect(told.length).toBeGreaterThan(0.7 * notes.length);
    return told.filter((verdict) => verdict.code === code).length / told.length;
  };
  expect(shareOf('consistent', 0)).toBeGreaterThan(0.97);
  expect(shareOf('not_consistent', 0.2)).toBeGreaterThan(0.95);
});
