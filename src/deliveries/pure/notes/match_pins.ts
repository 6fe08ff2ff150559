import { MAX_PINNED_MATCH_HOURS } from '../../../values/match_hours.ts';
import { HOUR_MS } from '../../../values/time.ts';
import { type DeliveryNote, type MatchedGroup, refillKey, type SeenRefill } from './delivery_note.ts';

/**
 * A person's decision about a note and a refill: they are one delivery, or they are not. The refill is identified by
 * its tank and its time; the time may change a little when the tank is re-evaluated.
 */
export interface MatchPin {
  noteId: string;
  tankId: string;
  refillAtMs: number;
  kind: 'together' | 'apart';
}

/**
 * A pin applies to the nearest refill within this time. If there is none, the refill was retracted, and the pin has no
 * effect.
 */
const SAME_REFILL_MS = MAX_PINNED_MATCH_HOURS * HOUR_MS;

export interface PinnedMatches {
  /** The groups that pins define. Nothing else is added to them. */
  groups: MatchedGroup[];
  isApart: (note: DeliveryNote, refill: SeenRefill) => boolean;
}

export function applyPins(
  notes: readonly DeliveryNote[],
  refills: readonly SeenRefill[],
  pins: readonly MatchPin[],
): PinnedMatches {
  if (pins.length === 0) return { groups: [], isApart: () => false };
  const noteById = new Map(notes.map((note) => [note.id, note]));
  const refillsByTank = Map.groupBy(refills, ({ tankId }) => tankId);
  const apart = new Set<string>();
  const links: { note: DeliveryNote; refill: SeenRefill }[] = [];
  for (const { noteId, tankId, refillAtMs, kind } of pins) {
    const note = noteById.get(noteId);
    const refill = nearest(refillsByTank.get(tankId) ?? [], refillAtMs);
    if (note === undefined || refill === null) continue;
    if (kind === 'apart') apart.add(pairKey(note, refill));
    else links.push({ note, refill });
  }
  return { groups: groupLinks(links), isApart: (note, refill) => apart.has(pairKey(note, refill)) };
}

const pairKey = (note: DeliveryNote, refill: SeenRefill): string => `${note.id}\n${refillKey(refill)}`;

function nearest(refills: readonly SeenRefill[], atMs: number): SeenRefill | null {
  const [first] = refills
    .filter((refill) => Math.abs(refill.atMs - atMs) <= SAME_REFILL_MS)
    .toSorted((a, b) => Math.abs(a.atMs - atMs) - Math.abs(b.atMs - atMs) || a.atMs - b.atMs);
  return first ?? null;
}

/** Notes and refills that are linked, directly or through others, are one group. */
function groupLinks(links: readonly { note: DeliveryNote; refill: SeenRefill }[]): MatchedGroup[] {
  let groups: { notes: Set<DeliveryNote>; refills: Set<SeenRefill> }[] = [];
  for (const { note, refill } of links) {
    const joined = { notes: new Set([note]), refills: new Set([refill]) };
    const others: typeof groups = [];
    for (const group of groups) {
      if (!group.notes.has(note) && !group.refills.has(refill)) others.push(group);
      else {
        for (const member of group.notes) joined.notes.add(member);
        for (const member of group.refills) joined.refills.add(member);
      }
    }
    groups = [...others, joined];
  }
  return groups.map((group) => ({ notes: [...group.notes], refills: [...group.refills] }));
}
