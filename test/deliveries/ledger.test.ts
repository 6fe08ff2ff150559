import { describe, expect, test } from 'vitest';
import { noteWinter } from '../../bench/deliveries/verdict_scores.ts';
import type { DeliveryNote, SeenRefill } from '../../src/deliveries/pure/notes/delivery_note.ts';
import { makeLedger } from '../../src/deliveries/pure/notes/ledger.ts';
import type { LedgerTank, NoteVerdict } from '../../src/deliveries/pure/notes/note_verdict.ts';
import { pumpedLitres } from '../../src/deliveries/pure/notes/pumped_volume.ts';
import { learnRefillSpread } from '../../src/deliveries/pure/notes/refill_spread.ts';
import { atOnce } from '../../src/values/slices.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { NOON_MS, someNote, someRefill, someTank } from './some_notes.ts';

const verdictsOf = (notes: DeliveryNote[], refills: SeenRefill[], tanks: LedgerTank[] = []): NoteVerdict[] =>
  atOnce(makeLedger({ notes, refills, pins: [], tanks })).entries.map(({ verdict }) => verdict);

describe('the volume as pumped', () => {
  test('of a compensated note is smaller in the cold and larger in the heat', () => {
    const litres = (celsius: number): number | null =>
      pumpedLitres(someNote('a', { litres: 100, isCompensated: true, productCelsius: celsius }));
    expect(litres(15.6)).toBe(100);
    expect(litres(-15)).toBeCloseTo(91.1, 1);
    expect(litres(30)).toBeCloseTo(104.2, 1);
  });

  test('uses the temperature of the air if that of the product is not printed', () => {
    expect(pumpedLitres(someNote('a', { isCompensated: true, airCelsius: 15.6 }))).toBe(500);
  });

  test('is unknown without a temperature, or if nobody said whether the meter compensates', () => {
    expect(pumpedLitres(someNote('a', { isCompensated: true }))).toBeNull();
    expect(pumpedLitres(someNote('a', { isCompensated: null, productCelsius: 10 }))).toBeNull();
    expect(pumpedLitres(someNote('a', { isCompensated: false }))).toBe(500);
  });
});

describe('a note', () => {
  test('within the range of the gauge is consistent, and says the range', () => {
    expect(verdictsOf([someNote('a', { litres: 520 })], [someRefill()])).toEqual([
      {
        word: 'consistent',
        isUnlikeEarlier: false,
        noteLitres: 520,
        gaugeLitres: 500,
        fromLitres: expect.closeTo(424, 0),
        toLitres: expect.closeTo(576, 0),
      },
    ]);
  });

  test('beyond the range is not consistent, to either side', () => {
    const words = [400, 620].map((litres) => verdictsOf([someNote('a', { litres })], [someRefill()])[0]?.word);
    expect(words).toEqual(['not_consistent', 'not_consistent']);
  });

  test.for<[string, Partial<DeliveryNote>, Partial<SeenRefill>]>([
    ['compensation_unknown', { isCompensated: null }, {}],
    ['gauge_in_question', {}, { isGaugeReliable: false }],
    ['readings_far_apart', {}, { fromMs: NOON_MS - 36 * HOUR_MS }],
    ['nearly_empty_before', {}, { beforePercentage: 5.9 }],
    ['nearly_full_after', {}, { afterPercentage: 94.1 }],
    ['range_too_wide', {}, { noisePoints: 1.5, capacityLitres: 3_000 }],
  ])('cannot be told: %s', ([reason, note, refill]) => {
    const [verdict] = verdictsOf([someNote('a', note)], [someRefill(refill)]);
    expect(verdict).toMatchObject({ word: 'cannot_be_told', reason, gaugeLitres: 500 });
  });

  test.for<[string, Partial<DeliveryNote>, Partial<LedgerTank>]>([
    ['no_sensor', {}, { latestReadingMs: null }],
    ['no_sensor', {}, { id: 'another tank' }],
    ['gauge_in_question', {}, { isGaugeReliable: false }],
    ['below_five_points', { litres: 49 }, {}],
  ])('without a refill cannot be told: %s', ([reason, note, tank]) => {
    expect(verdictsOf([someNote('a', note)], [], [someTank(tank)])).toMatchObject([{ word: 'cannot_be_told', reason }]);
  });

  test('without a refill waits until the gauge has reported for 30 hours more, and then stays without', () => {
    const wait = (hours: number): NoteVerdict[] =>
      verdictsOf([someNote('a')], [], [someTank({ latestReadingMs: NOON_MS + hours * HOUR_MS })]);
    expect(wait(29)).toEqual([{ word: 'waiting' }]);
    expect(wait(30)).toEqual([{ word: 'note_without_refill', noteLitres: 500 }]);
  });

  test('and a refill without a note are both in the ledger', () => {
    const refill = someRefill({ tankId: 'other' });
    expect(verdictsOf([someNote('a')], [refill], [someTank()])).toEqual([
      { word: 'note_without_refill', noteLitres: 500 },
      { word: 'refill_without_note', gaugeLitres: 500 },
    ]);
  });

  test('for two tanks is compared with both', () => {
    const refills = [someRefill({ tankId: 'first', litres: 300 }), someRefill({ tankId: 'second', litres: 190 })];
    expect(verdictsOf([someNote('a', { tankId: null })], refills)).toMatchObject([
      { word: 'consistent', noteLitres: 500, gaugeLitres: 490 },
    ]);
  });
});

test('a delivery that differs from the last ones of its tank is unlike them, from the fourth on', () => {
  const deliver = (shares: readonly number[]): boolean[] => {
    const times = shares.map((_, at) => NOON_MS + at * 10 * DAY_MS);
    const notes = shares.map((_, at) => someNote(String(at), { atMs: times[at] ?? 0 }));
    const refills = shares.map((share, at) => someRefill({ toMs: (times[at] ?? 0) + HOUR_MS, litres: 500 * share }));
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
      gaugeLitres: 500 * Math.exp((at % tanks) % 2 === 0 ? error : -error),
      noteLitres: 500,
    }));
  expect(learnRefillSpread(deliveries(29, 0.04)).betweenTanks).toBe(0.05);
  expect(learnRefillSpread(deliveries(30, 0.04)).betweenTanks).toBeCloseTo(0.04 * 1.4826, 6);
  expect(learnRefillSpread(deliveries(30, 0.3)).betweenTanks).toBe(0.08);
  expect(learnRefillSpread(deliveries(30, 0.001)).betweenTanks).toBe(0.02);
});

test('on simulated gauges, honest notes are consistent and those short by 20 % are not', () => {
  const { notes, refills } = noteWinter(35_001, 60);
  expect(notes.length).toBeGreaterThan(200);
  const shareOf = (word: NoteVerdict['word'], short: number): number => {
    const written = notes.map((note) => ({ ...note, litres: note.litres / (1 - short) }));
    const told = verdictsOf(written, refills).filter((verdict) => verdict.word.endsWith('consistent'));
    expect(told.length).toBeGreaterThan(0.7 * notes.length);
    return told.filter((verdict) => verdict.word === word).length / told.length;
  };
  expect(shareOf('consistent', 0)).toBeGreaterThan(0.97);
  expect(shareOf('not_consistent', 0.2)).toBeGreaterThan(0.95);
});
