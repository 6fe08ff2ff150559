import { type DeliveryNote, type MatchedGroup, refillKey, type SeenRefill } from './delivery_note.ts';
import { type ClockShifts, groupCost } from './match_cost.ts';

/** Notes that compete with each other for refills, and with no other notes. */
export interface Component {
  notes: readonly DeliveryNote[];
  /** The refills that each note may belong to. Other notes may be in this map too. */
  candidates: ReadonlyMap<DeliveryNote, readonly SeenRefill[]>;
}

/**
 * Matches each note with one refill, greedily: always the pair that is nearest in time and volume, with the ids as
 * tie-breaker. It is used for hundreds of notes and a dozen refills of one day, for which an exact search takes too
 * long. Notes that are left have no refill.
 */
export function matchNearest({ notes, candidates }: Component, shifts: ClockShifts): MatchedGroup[] {
  const pairs = notes.flatMap((note) =>
    (candidates.get(note) ?? []).map((refill) => {
      const group = { notes: [note], refills: [refill] };
      return { note, refill, group, key: `${note.id}\n${refillKey(refill)}`, cost: groupCost(group, shifts) };
    }),
  );
  pairs.sort((a, b) => a.cost - b.cost || (a.key < b.key ? -1 : 1));
  const taken = new Set<DeliveryNote | SeenRefill>();
  const groups: MatchedGroup[] = [];
  for (const { note, refill, group } of pairs) {
    if (taken.has(note) || taken.has(refill)) continue;
    taken.add(note).add(refill);
    groups.push(group);
  }
  const alone = notes.filter((note) => !taken.has(note));
  return [...groups, ...alone.map((note) => ({ notes: [note], refills: [] }))];
}
