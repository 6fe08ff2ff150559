import type { Sliced } from '../../../values/slices.ts';
import type { ClockSample } from './clock_shifts.ts';
import { findCommonOffset } from './common_offset.ts';
import { type DeliveryNote, type MatchedGroup, refillKey, type SeenRefill, singlePairOf } from './delivery_note.ts';
import type { ClockShifts } from './match_cost.ts';
import { matchNotes } from './match_notes.ts';
import type { MatchPin } from './match_pins.ts';
import { isUnlikeEarlier } from './note_range.ts';
import {
  compareVolumes,
  findIncomparableReason,
  judgeLoneNote,
  type LedgerTank,
  type NoteDoubts,
  type NoteVerdict,
} from './note_verdict.ts';
import { pumpedLiters } from './pumped_volume.ts';
import { type ComparedDelivery, learnRefillSpread, type RefillSpread } from './refill_spread.ts';

export interface LedgerInput {
  notes: readonly DeliveryNote[];
  refills: readonly SeenRefill[];
  pins: readonly MatchPin[];
  tanks: readonly LedgerTank[];
  /** Learned from this ledger if it is not given. The ledger of one customer gets the spread of the organization. */
  spread?: RefillSpread;
  /** The findings that keep notes from being judged. If not given, only the common offset is learned from this ledger. */
  doubts?: NoteDoubts;
  /** The clock shifts of trucks; they are learned from this ledger if they are not given. */
  clockShifts?: ClockShifts;
}

export interface LedgerEntry {
  noteIds: string[];
  /** The tank and time of each refill. */
  refillKeys: string[];
  verdict: NoteVerdict;
}

export interface Ledger {
  entries: LedgerEntry[];
  clockShifts: ClockShifts;
  clockSamples: ClockSample[];
  /** The deliveries by which trucks are compared. */
  compared: ComparedDelivery[];
}

/** Makes the ledger: each note and each refill once, with a verdict. The same input in any order gives the same ledger. */
export function* makeLedger({ notes, refills, pins, tanks, spread, doubts, ...known }: LedgerInput): Sliced<Ledger> {
  const { groups, clockShifts, clockSamples } = yield* matchNotes(notes, refills, pins, known.clockShifts);
  const compared = groups
    .flatMap((group) => comparedDelivery(group) ?? [])
    .toSorted((a, b) => a.atMs - b.atMs || (a.noteId < b.noteId ? -1 : 1));
  const judge = groupJudge(
    compared,
    spread ?? learnRefillSpread(compared),
    doubts ?? { common: findCommonOffset(compared), truckIds: new Set(), driverIds: new Set() },
    tanks,
  );
  const entries: LedgerEntry[] = [];
  for (const group of groups) {
    yield;
    entries.push({
      noteIds: group.notes.map(({ id }) => id),
      refillKeys: group.refills.map(refillKey),
      verdict: judge(group),
    });
  }
  return { entries, clockShifts, clockSamples, compared };
}

/** A delivery with one note and one refill that can be compared. Others are not used to compare tanks or trucks. */
function comparedDelivery(group: MatchedGroup): ComparedDelivery | null {
  const { note, refill } = singlePairOf(group) ?? {};
  if (note === undefined || refill === undefined) return null;
  const noteLiters = pumpedLiters(note);
  if (noteLiters === null || noteLiters <= 0 || findIncomparableReason(refill) !== null) return null;
  const { tankId, atMs, liters: gaugeLiters } = refill;
  return { noteId: note.id, tankId, truckId: note.truckId, atMs, gaugeLiters, noteLiters };
}

function groupJudge(
  compared: readonly ComparedDelivery[],
  spread: RefillSpread,
  doubts: NoteDoubts,
  tanks: readonly LedgerTank[],
): (group: MatchedGroup) => NoteVerdict {
  const tankById = new Map(tanks.map((tank) => [tank.id, tank]));
  const tanksOf = Map.groupBy(tanks, ({ customerId }) => customerId);
  const deliveriesOf = Map.groupBy(compared, ({ tankId }) => tankId);
  const isUnlike = (refill: SeenRefill): boolean => {
    const deliveries = deliveriesOf.get(refill.tankId) ?? [];
    const index = deliveries.findIndex(({ atMs }) => atMs === refill.atMs);
    const delivery = deliveries[index];
    return delivery !== undefined && isUnlikeEarlier(delivery, refill, deliveries.slice(0, index), spread) === true;
  };
  return (group) => {
    const { notes, refills } = group;
    const [note] = notes;
    const [refill] = refills;
    if (note === undefined)
      return { code: 'refill_without_note', gaugeLiters: refills.reduce((sum, { liters }) => sum + liters, 0) };
    if (refill === undefined) {
      if (note.tankId === null) return judgeLoneNote(note, tanksOf.get(note.customerId) ?? []);
      const tank = tankById.get(note.tankId);
      return judgeLoneNote(note, tank === undefined ? [] : [tank]);
    }
    const verdict = compareVolumes(group, spread, doubts);
    if (verdict.code !== 'consistent' && verdict.code !== 'not_consistent') return verdict;
    return { ...verdict, isUnlikeEarlier: isUnlike(refill) };
  };
}
