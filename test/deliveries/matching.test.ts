import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMPLETE, sameGroups } from '../../bench/deliveries/match_scores.ts';
import { makeNoteWorld } from '../../bench/deliveries/note_world.ts';
import {
  type DeliveryNote,
  type MatchedGroup,
  refillKey,
  type SeenRefill,
} from '../../src/deliveries/pure/notes/delivery_note.ts';
import {
  ALONE_COST,
  hoursApart,
  SAME_STOP_MS,
  TWO_NOTES_COST,
  TWO_TANKS_COST,
  timeCost,
  volumeCost,
} from '../../src/deliveries/pure/notes/match_cost.ts';
import { matchNotes } from '../../src/deliveries/pure/notes/match_notes.ts';
import type { MatchPin } from '../../src/deliveries/pure/notes/match_pins.ts';
import { Random } from '../../src/simulation/random.ts';
import { MAX_MATCH_HOURS } from '../../src/values/match_hours.ts';
import { atOnce } from '../../src/values/slices.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { longestStep } from '../support/longest_step.ts';
import { randomRuns } from '../support/random_runs.ts';
import { NOON_MS, someNote, someRefill } from './some_notes.ts';

/** Ids of notes and tanks of each group. */
const groupsOf = (notes: DeliveryNote[], refills: SeenRefill[], pins: MatchPin[] = []): [string, string][] =>
  atOnce(matchNotes(notes, refills, pins)).groups.map((group) => [
    group.notes.map(({ id }) => id).join('+'),
    group.refills.map(({ tankId, atMs }) => `${tankId} ${(atMs - NOON_MS) / HOUR_MS}`).join('+'),
  ]);

describe('a note and a refill', () => {
  test('of one tank and one time are one delivery, also if far too little was delivered', () => {
    expect(groupsOf([someNote('a')], [someRefill({ liters: 250 })])).toEqual([['a', 'tank 1']]);
  });

  test('of different tanks are two deliveries', () => {
    expect(groupsOf([someNote('a')], [someRefill({ tankId: 'other' })])).toEqual([
      ['a', ''],
      ['', 'other 1'],
    ]);
  });

  test('are one delivery up to 30 hours apart, and two deliveries farther apart', () => {
    expect(groupsOf([someNote('a', { atMs: NOON_MS - 31 * HOUR_MS })], [someRefill()])).toEqual([['a', 'tank 1']]);
    expect(groupsOf([someNote('a', { atMs: NOON_MS - 32 * HOUR_MS })], [someRefill()]).length).toBe(2);
  });

  test('are one delivery if the note names only the day', () => {
    const dayMs = Date.UTC(2026, 0, 12);
    expect(groupsOf([someNote('a', { fromMs: dayMs, toMs: dayMs + DAY_MS })], [someRefill()])).toEqual([
      ['a', 'tank 1'],
    ]);
  });

  test('are matched by volume if the customer has two tanks and the note names none', () => {
    const refills = [someRefill({ tankId: 'large', liters: 1_000 }), someRefill({ tankId: 'small', liters: 200 })];
    const notes = [someNote('a', { tankId: null, liters: 205 }), someNote('b', { tankId: null, liters: 980 })];
    expect(groupsOf(notes, refills)).toEqual([
      ['a', 'small 1'],
      ['b', 'large 1'],
    ]);
  });
});

test('two notes can be one refill, and one note can be two tanks', () => {
  const halves = [someNote('a', { liters: 200 }), someNote('b', { liters: 300, atMs: NOON_MS + HOUR_MS / 4 })];
  expect(groupsOf(halves, [someRefill()])).toEqual([['a+b', 'tank 1']]);
  const tanks = [someRefill({ tankId: 'first', liters: 300 }), someRefill({ tankId: 'second', liters: 200 })];
  expect(groupsOf([someNote('a', { tankId: null })], tanks)).toEqual([['a', 'first 1+second 1']]);
});

test('the clock of a truck that is ten hours ahead is found with 14 notes, and its notes are matched by the right time', () => {
  const days = Array.from({ length: 14 }, (_, day) => day);
  const refills = days.map((day) => someRefill({ tankId: `tank ${day}`, toMs: NOON_MS + day * DAY_MS + HOUR_MS }));
  const notes = days.map((day) =>
    someNote(`n${day}`, { tankId: `tank ${day}`, atMs: NOON_MS + day * DAY_MS + 10 * HOUR_MS }),
  );
  const { clockShifts, groups } = atOnce(matchNotes(notes, refills));
  expect([...clockShifts]).toEqual([['truck', 10 * HOUR_MS]]);
  expect(groups.length).toBe(14);
  expect(atOnce(matchNotes(notes.slice(0, 11), refills)).clockShifts.size).toBe(0);
});

describe('a person', () => {
  const refillAtMs = NOON_MS + HOUR_MS;

  test('can separate a note from a refill', () => {
    const pins: MatchPin[] = [{ noteId: 'a', tankId: 'tank', refillAtMs, kind: 'apart' }];
    expect(groupsOf([someNote('a')], [someRefill()], pins)).toEqual([
      ['a', ''],
      ['', 'tank 1'],
    ]);
  });

  test('can unite a refill with three notes, also with one that is 5 days away and one that names another tank', () => {
    const notes = [
      someNote('a', { atMs: NOON_MS - 5 * DAY_MS }),
      someNote('b', { tankId: 'other' }),
      someNote('c'),
      someNote('d'),
    ];
    const pins = ['a', 'b', 'c'].map((noteId): MatchPin => ({ noteId, tankId: 'tank', refillAtMs, kind: 'together' }));
    expect(groupsOf(notes, [someRefill()], pins)).toEqual([
      ['a+b+c', 'tank 1'],
      ['d', ''],
    ]);
  });

  test('separates a note also from the refill that a re-evaluation moved by 5 hours, and not from one 4 days away', () => {
    const moved: MatchPin[] = [{ noteId: 'a', tankId: 'tank', refillAtMs: refillAtMs + 5 * HOUR_MS, kind: 'apart' }];
    expect(groupsOf([someNote('a')], [someRefill()], moved).length).toBe(2);
    const distant: MatchPin[] = [{ noteId: 'a', tankId: 'tank', refillAtMs: refillAtMs - 4 * DAY_MS, kind: 'apart' }];
    expect(groupsOf([someNote('a')], [someRefill()], distant).length).toBe(1);
  });
});

describe('the ledger', () => {
  test('is the same if the notes are imported in another order and some of them twice', () => {
    for (let seed = 34_001; seed < 34_001 + randomRuns(4); seed++) expect(sameGroups(seed, {}).inAnyOrder).toBe(1);
  });

  test('is the same with clocks moved within 6 hours, and 99.5 % the same if notes and refills are missing', () => {
    for (let seed = 34_001; seed < 34_001 + randomRuns(4); seed++)
      expect(sameGroups(seed, COMPLETE)).toEqual({ inAnyOrder: 1, withTruckClocks: 1, withNoteTimes: 1 });
    expect(sameGroups(34_010, {}).withNoteTimes).toBeGreaterThan(0.995);
  });

  test('does not depend on clocks if two divisions cost the same, because then the ids decide', () => {
    const refills = [someRefill({ tankId: 'one', liters: 104 }), someRefill({ tankId: 'two', liters: 449 })];
    const notes = [someNote('a', { tankId: null, liters: 218 }), someNote('b', { tankId: null, liters: 326 })];
    const later = someNote('a', { tankId: null, liters: 218, atMs: NOON_MS + HOUR_MS });
    expect(groupsOf([later, ...notes.slice(1)], refills)).toEqual(groupsOf(notes, refills));
  });

  test('has every note and every refill in one group', () => {
    const { notes, refills } = makeNoteWorld(34_010, {
      customers: 150,
      missingNoteShare: 0.15,
      missingRefillShare: 0.15,
    });
    const { groups } = atOnce(matchNotes(notes, refills));
    expect(groups.flatMap((group) => group.notes.map(({ id }) => id)).toSorted()).toEqual(
      notes.map(({ id }) => id).toSorted(),
    );
    expect(groups.flatMap((group) => group.refills.map(refillKey)).toSorted()).toEqual(
      refills.map(refillKey).toSorted(),
    );
  });

  test('costs no more than the best of all divisions, for any notes and refills of two days', () => {
    const time = fc.integer({ min: 0, max: 48 });
    const liters = fc.integer({ min: 1, max: 10 }).map((hundreds) => 100 * hundreds);
    const tankId = fc.constantFrom('one', 'two');
    const someNotes = fc
      .array(fc.record({ time, liters, tankId: fc.option(tankId) }), { maxLength: 4 })
      .map((values) =>
        values.map((note, index) =>
          someNote(String(index), { tankId: note.tankId, liters: note.liters, atMs: NOON_MS + note.time * HOUR_MS }),
        ),
      );
    const selector = (refill: { tankId: string; time: number }): string => `${refill.tankId}${refill.time}`;
    const someRefills = fc
      .uniqueArray(fc.record({ time, liters, tankId }), { maxLength: 4, selector })
      .map((values) => values.map((refill) => someRefill({ ...refill, toMs: NOON_MS + refill.time * HOUR_MS })));
    fc.assert(
      fc.property(someNotes, someRefills, (notes, refills) => {
        const { groups } = atOnce(matchNotes(notes, refills));
        expect(groups.reduce((sum, group) => sum + costOf(group), 0)).toBeCloseTo(leastCost(notes, refills), 9);
      }),
      { numRuns: randomRuns(1_000) },
    );
  });

  test('of daily deliveries for a year takes less than 3 seconds of CPU time', () => {
    const days = Array.from({ length: 365 }, (_, day) => day);
    const refills = days.map((day) => someRefill({ toMs: NOON_MS + day * DAY_MS + HOUR_MS }));
    const notes = days.map((day) => someNote(String(day).padStart(3, '0'), { atMs: NOON_MS + day * DAY_MS }));
    const start = process.cpuUsage();
    const { groups } = atOnce(matchNotes(notes, refills));
    const { user } = process.cpuUsage(start);
    expect(groups.length).toBe(365);
    expect(groups.every((group) => group.notes[0]?.fromMs === (group.refills[0]?.atMs ?? 0) - HOUR_MS)).toBe(true);
    expect(user / 1_000).toBeLessThan(3_000);
  });
});

describe('notes without a tank and refills of one day', () => {
  /** Each refill has a note of its volume, and the other notes are about other volumes. */
  function givenDay(noteCount: number, refillCount: number, day = 0): { notes: DeliveryNote[]; refills: SeenRefill[] } {
    const noonMs = NOON_MS + day * DAY_MS;
    const refills = Array.from({ length: refillCount }, (_, index) =>
      someRefill({ tankId: `tank ${index}`, liters: 100 + 70 * index, toMs: noonMs + (index % 5) * HOUR_MS }),
    );
    const notes = Array.from({ length: noteCount }, (_, index) => {
      const liters = index < refillCount ? 100 + 70 * index : 1_500 + 10 * index;
      const id = String(1_000 * day + index).padStart(3, '0');
      return someNote(id, { tankId: null, liters, atMs: noonMs + (index % 7) * HOUR_MS });
    });
    return { notes, refills };
  }

  test.for([
    [300, 12],
    [40, 12],
  ])(
    'are matched within 2 seconds of CPU time and independently of their order if there are %i notes and %i refills',
    ([noteCount = 0, refillCount = 0]) => {
      const { notes, refills } = givenDay(noteCount, refillCount);
      const start = process.cpuUsage();
      const groups = groupsOf(notes, refills);
      const { user } = process.cpuUsage(start);
      expect(user / 1_000).toBeLessThan(2_000);
      for (let index = 0; index < refillCount; index++)
        expect(groups).toContainEqual([String(index).padStart(3, '0'), `tank ${index} ${index % 5}`]);
      expect(groups).toHaveLength(noteCount);
      const random = new Random(3);
      for (const _ of [1, 2]) {
        const shuffle = <Item>(items: readonly Item[]): Item[] =>
          items
            .map((item) => ({ item, order: random.next() }))
            .toSorted((a, b) => a.order - b.order)
            .map(({ item }) => item);
        expect(groupsOf(shuffle(notes), shuffle(refills))).toEqual(groups);
      }
    },
  );

  test('are matched within 2 seconds and in steps of less than 50 ms if there are 40 such days with 12 of each', () => {
    const days = Array.from({ length: 40 }, (_, week) => givenDay(12, 12, 7 * week));
    const [notes, refills] = [days.flatMap((day) => day.notes), days.flatMap((day) => day.refills)];
    const { result, longestMs, totalMs } = longestStep(matchNotes(notes, refills));
    expect(result.groups).toHaveLength(480);
    expect(longestMs).toBeLessThan(50);
    expect(totalMs).toBeLessThan(2_000);
  });

  test('are matched by their ids in any order if all are alike', () => {
    const refills = Array.from({ length: 12 }, (_, index) => someRefill({ tankId: `tank ${10 + index}` }));
    const notes = Array.from({ length: 300 }, (_, index) => someNote(String(100 + index), { tankId: null }));
    const groups = groupsOf(notes, refills);
    expect(groups.slice(0, 13)).toEqual([
      ...Array.from({ length: 12 }, (_, index) => [String(100 + index), `tank ${10 + index} 1`]),
      ['112', ''],
    ]);
    expect(groupsOf(notes.toReversed(), refills.toReversed())).toEqual(groups);
  });
});

/** The cost of a group by the rules of the ledger. The cost of a group that is not allowed is infinite. */
function costOf({ notes, refills }: MatchedGroup): number {
  if (notes.length === 0 || refills.length === 0) return ALONE_COST * (notes.length + refills.length);
  const isAllowed =
    notes.length * refills.length <= 2 &&
    notes.every((note) =>
      refills.every(
        (refill) =>
          (note.tankId === null || note.tankId === refill.tankId) && hoursApart(note, refill) <= MAX_MATCH_HOURS,
      ),
    );
  if (!isAllowed) return Number.POSITIVE_INFINITY;
  const time = notes.reduce(
    (sum, note) => sum + Math.min(...refills.map((refill) => timeCost(hoursApart(note, refill)))),
    0,
  );
  const base = time + volumeCost(notes, refills);
  const [first, second] = refills;
  if (first !== undefined && second !== undefined) {
    const apartMs = Math.max(first.fromMs, second.fromMs) - Math.min(first.toMs, second.toMs);
    const isOneStop = first.tankId !== second.tankId && apartMs <= SAME_STOP_MS && notes[0]?.tankId === null;
    return isOneStop ? base + TWO_TANKS_COST : Number.POSITIVE_INFINITY;
  }
  if (notes.length === 1) return base;
  const isOneStop = Math.abs((notes[0]?.fromMs ?? 0) - (notes[1]?.fromMs ?? 0)) <= SAME_STOP_MS;
  return isOneStop ? base + TWO_NOTES_COST : Number.POSITIVE_INFINITY;
}

/** The lowest cost of all divisions into groups of at most three. */
function leastCost(notes: readonly DeliveryNote[], refills: readonly SeenRefill[]): number {
  const [note, ...others] = notes;
  if (note === undefined) return ALONE_COST * refills.length;
  const without = <Item>(items: readonly Item[], ...left: Item[]): Item[] =>
    items.filter((item) => !left.includes(item));
  const costs = [ALONE_COST + leastCost(others, refills)];
  for (const refill of refills) {
    costs.push(costOf({ notes: [note], refills: [refill] }) + leastCost(others, without(refills, refill)));
    for (const other of others)
      costs.push(
        costOf({ notes: [note, other], refills: [refill] }) +
          leastCost(without(others, other), without(refills, refill)),
      );
    for (const second of refills)
      if (second !== refill)
        costs.push(
          costOf({ notes: [note], refills: [refill, second] }) + leastCost(others, without(refills, refill, second)),
        );
  }
  return Math.min(...costs);
}
