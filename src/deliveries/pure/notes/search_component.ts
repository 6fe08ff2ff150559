import type { Sliced } from '../../../values/slices.ts';
import { type DeliveryNote, type MatchedGroup, refillKey } from './delivery_note.ts';
import { BestDivisions, type Division, groupsUpTo, isBetter, nameOf } from './divisions.ts';
import {
  ALONE_COST,
  type ClockShifts,
  correctedTime,
  groupCost,
  SAME_STOP_MS,
  TWO_NOTES_COST,
  TWO_TANKS_COST,
} from './match_cost.ts';
import { type Component, matchNearest } from './match_nearest.ts';
import { MemberBits } from './member_bits.ts';

/** A group that a note can be in, and what it costs. */
interface GroupChoice {
  group: MatchedGroup;
  cost: number;
}

/** The number of choices that may still be tried for one customer. */
export interface ChoiceBudget {
  left: number;
}

/**
 * The limit per customer, about 0.3 s of CPU time. In simulated winters, a component needs at most 225. A dozen notes
 * without a tank and a dozen refills of one day would need millions, and matchNearest is about as good for them. The
 * limit is a count and not a time, so that the same notes give the same ledger on every machine.
 */
export const MAX_CHOICES_PER_CUSTOMER = 500_000;
/** The limit of one note. A dozen notes without a tank and a dozen refills of one day have 276 each. */
const MAX_CHOICES_PER_NOTE = 400;
/** The limit of divisions. With more, many would have nearly the same cost, and the best one would be arbitrary. */
const MAX_DIVISIONS = 2_000;
/** The number of choices between two pauses, which takes less than a millisecond. */
const CHOICES_PER_STEP = 500;

/**
 * Divides the notes into groups, each alone or with refills: the division that costs least or, if there is too much to try, one in which
 * each note has a near refill.
 */
export function* searchComponent(
  component: Component,
  shifts: ClockShifts,
  budget: ChoiceBudget,
): Sliced<MatchedGroup[]> {
  return (yield* searchDivisions(component, shifts, budget)) ?? matchNearest(component, shifts);
}

/**
 * Notes are taken in the order of time. Among divisions that leave the same members to later notes, only the cheapest is kept, so that a
 * year of daily deliveries is searched exactly, in time that grows with the number of notes. Null if there is too much to try.
 */
function* searchDivisions(
  { notes, candidates }: Component,
  shifts: ClockShifts,
  budget: ChoiceBudget,
): Sliced<MatchedGroup[] | null> {
  const inOrder = notes.toSorted((a, b) => timeOf(a, shifts) - timeOf(b, shifts) || (a.id < b.id ? -1 : 1));
  const bits = new MemberBits(inOrder, candidates);
  let divisions: Division[] = [{ used: 0n, cost: 0, group: null, name: '', before: null, groups: 0 }];
  for (const [index, note] of inOrder.entries()) {
    const choices: (GroupChoice & { used: bigint; name: string })[] = [];
    for (const choice of choicesOf(note, inOrder, index, candidates, shifts)) {
      budget.left--;
      if (budget.left < 0 || choices.length === MAX_CHOICES_PER_NOTE) return null;
      choices.push({ ...choice, used: bits.bitsOf(choice.group), name: nameOf(choice.group) });
    }
    yield;
    const bitOfNote = bits.bitsOf({ notes: [note], refills: [] });
    const later = bits.releaseUnusedAfter(index);
    const best = new BestDivisions();
    for (const division of divisions) {
      // The note is already in the group of an earlier note.
      if ((division.used & bitOfNote) !== 0n) {
        best.keep({ ...division, used: division.used & later });
        continue;
      }
      for (const { group, name, cost, used } of choices) {
        budget.left--;
        if (budget.left < 0 || best.size > MAX_DIVISIONS) return null;
        if (budget.left % CHOICES_PER_STEP === 0) yield;
        if ((division.used & used) !== 0n) continue;
        best.keep({
          used: (division.used | used) & later,
          cost: division.cost + cost,
          group,
          name,
          before: division,
          groups: division.groups + 1,
        });
      }
    }
    divisions = best.all();
  }
  return groupsUpTo(divisions.reduce((best, division) => (isBetter(division, best) ? division : best)));
}

/**
 * All groups that a note can be in: alone, with a refill, together with a later note, or with two tanks. Taking a
 * refill saves the cost of a refill alone.
 */
function* choicesOf(
  note: DeliveryNote,
  inOrder: readonly DeliveryNote[],
  index: number,
  candidates: Component['candidates'],
  shifts: ClockShifts,
): Generator<GroupChoice> {
  const costOf = (group: MatchedGroup, extra: number): GroupChoice => ({
    group,
    cost: groupCost(group, shifts) + extra - ALONE_COST * group.refills.length,
  });
  const own = candidates.get(note) ?? [];
  const atMs = timeOf(note, shifts);
  for (const refill of own) {
    yield costOf({ notes: [note], refills: [refill] }, 0);
    for (let next = index + 1; next < inOrder.length; next++) {
      const other = inOrder[next];
      if (other === undefined || timeOf(other, shifts) - atMs > SAME_STOP_MS) break;
      if (candidates.get(other)?.includes(refill) === true)
        yield costOf({ notes: [note, other], refills: [refill] }, TWO_NOTES_COST);
    }
    if (note.tankId !== null) continue;
    for (const second of own) {
      const isLater = refillKey(second) > refillKey(refill) && second.tankId !== refill.tankId;
      const apartMs = Math.max(refill.fromMs, second.fromMs) - Math.min(refill.toMs, second.toMs);
      if (isLater && apartMs <= SAME_STOP_MS)
        yield costOf({ notes: [note], refills: [refill, second] }, TWO_TANKS_COST);
    }
  }
  yield { group: { notes: [note], refills: [] }, cost: ALONE_COST };
}

const timeOf = (note: DeliveryNote, shifts: ClockShifts): number => correctedTime(note, shifts).fromMs;
