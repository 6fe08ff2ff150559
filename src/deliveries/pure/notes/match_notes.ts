import { MAX_MATCH_HOURS } from '../../../values/match_hours.ts';
import type { Sliced } from '../../../values/slices.ts';
import { type ClockSample, clockSamplesOf, clockShiftsOf } from './clock_shifts.ts';
import { type DeliveryNote, type MatchedGroup, refillKey, type SeenRefill } from './delivery_note.ts';
import { type ClockShifts, correctedTime, hoursApart } from './match_cost.ts';
import { applyPins, type MatchPin } from './match_pins.ts';
import { type ChoiceBudget, MAX_CHOICES_PER_CUSTOMER, searchComponent } from './search_component.ts';

export interface NoteMatches {
  /** Every note and every refill is in one group. Sorted, as are their members. */
  groups: MatchedGroup[];
  /** By how much the clock of each truck is ahead, if its notes show it. */
  clockShifts: ClockShifts;
  /** The samples from which the shifts are learned. */
  clockSamples: ClockSample[];
}

/**
 * Finds which notes and refills are the same delivery. The result depends only on the set of notes, refills and pins:
 * not on their order, and not on whether a note was imported twice. A first pass finds the clock shift of each truck,
 * and a second pass uses it. If only the notes of one customer are given, the shifts of the organization must be given
 * too.
 */
export function* matchNotes(
  notes: readonly DeliveryNote[],
  refills: readonly SeenRefill[],
  pins: readonly MatchPin[] = [],
  known?: ClockShifts,
): Sliced<NoteMatches> {
  const sortedNotes = uniqueBy(notes, ({ id }) => id);
  const sortedRefills = uniqueBy(refills, refillKey);
  const first = yield* matchOnce(sortedNotes, sortedRefills, pins, new Map());
  const clockSamples = clockSamplesOf(first);
  const clockShifts = known ?? clockShiftsOf(clockSamples);
  const groups = clockShifts.size === 0 ? first : yield* matchOnce(sortedNotes, sortedRefills, pins, clockShifts);
  return { groups: sortGroups(groups), clockShifts, clockSamples };
}

/**
 * The items sorted by key, each once. If two items have the same key and different content (input validation prevents
 * it), the result still does not depend on their order.
 */
function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const byKey = Map.groupBy(items, keyOf);
  return [...byKey.keys()].toSorted().flatMap((key) => {
    const same = byKey.get(key) ?? [];
    const [first] =
      same.length === 1 ? same : same.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return first === undefined ? [] : [first];
  });
}

function* matchOnce(
  notes: readonly DeliveryNote[],
  refills: readonly SeenRefill[],
  pins: readonly MatchPin[],
  shifts: ClockShifts,
): Sliced<MatchedGroup[]> {
  const pinned = applyPins(notes, refills, pins);
  const taken = new Set(pinned.groups.flatMap((group) => [...group.notes, ...group.refills]));
  const freeRefills = refills.filter((refill) => !taken.has(refill));
  const byTank = Map.groupBy(freeRefills, ({ tankId }) => tankId);
  const byCustomer = Map.groupBy(freeRefills, ({ customerId }) => customerId);
  const candidates = new Map<DeliveryNote, readonly SeenRefill[]>();
  for (const note of notes) {
    if (taken.has(note)) continue;
    yield;
    const time = correctedTime(note, shifts);
    const near = (note.tankId === null ? byCustomer.get(note.customerId) : byTank.get(note.tankId)) ?? [];
    candidates.set(
      note,
      near.filter((refill) => hoursApart(time, refill) <= MAX_MATCH_HOURS && !pinned.isApart(note, refill)),
    );
  }
  const groups = [...pinned.groups];
  const budgets = new Map<string, ChoiceBudget>();
  // Small components are searched first, so that a large one does not take the budget of the others.
  for (const members of componentsOf(candidates).toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    yield;
    const customerId = members.notes[0]?.customerId ?? '';
    const budget = budgets.get(customerId) ?? { left: MAX_CHOICES_PER_CUSTOMER };
    budgets.set(customerId, budget);
    for (const group of yield* searchComponent({ notes: members.notes, candidates }, shifts, budget))
      groups.push(group);
  }
  const matched = new Set(groups.flatMap((group) => group.refills));
  const alone = freeRefills.filter((refill) => !matched.has(refill));
  return [...groups, ...alone.map((refill) => ({ notes: [], refills: [refill] }))];
}

/** The size of a component. Components of equal size stay in the order of the ids of their notes. */
const sizeOf = ({ notes, refills }: MatchedGroup): number => notes.length * (1 + refills.length);

/** Notes that compete for refills, and these refills. */
function componentsOf(candidates: ReadonlyMap<DeliveryNote, readonly SeenRefill[]>): MatchedGroup[] {
  const notesOf = new Map<SeenRefill, DeliveryNote[]>();
  for (const [note, refills] of candidates)
    for (const refill of refills) {
      const own = notesOf.get(refill);
      if (own === undefined) notesOf.set(refill, [note]);
      else own.push(note);
    }
  const seen = new Set<DeliveryNote>();
  return [...candidates.keys()].flatMap((start) => {
    if (seen.has(start)) return [];
    // Sets grow while they are iterated, so that this reaches everything that is connected.
    const notes = new Set([start]);
    const refills = new Set<SeenRefill>();
    for (const note of notes) {
      seen.add(note);
      for (const refill of candidates.get(note) ?? []) {
        // The notes of this refill have been added already. With hundreds of notes, adding them again would take long.
        if (refills.has(refill)) continue;
        refills.add(refill);
        for (const other of notesOf.get(refill) ?? []) notes.add(other);
      }
    }
    return [{ notes: [...notes], refills: [...refills] }];
  });
}

function sortGroups(groups: readonly MatchedGroup[]): MatchedGroup[] {
  const keyed = groups.map(({ notes, refills }) => {
    const group = {
      notes: notes.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      refills: refills.toSorted((a, b) => (refillKey(a) < refillKey(b) ? -1 : 1)),
    };
    return { group, key: groupKey(group) };
  });
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ group }) => group);
}

/** The text by which groups are sorted: groups with a note come first, by its id. */
export const groupKey = ({ notes, refills }: MatchedGroup): string =>
  [notes.length === 0 ? 'refill' : 'note', ...notes.map(({ id }) => id), ...refills.map(refillKey)].join('\n');
