import { MAX_MATCH_HOURS } from '../../values/match_hours.ts';
import type { Sliced } from '../../values/slices.ts';
import { HOUR_MS } from '../../values/time.ts';
import { uuid8 } from '../../values/uuid8.ts';
import { refillKey, type SeenRefill } from '../pure/notes/delivery_note.ts';
import { type LedgerEntry, makeLedger } from '../pure/notes/ledger.ts';
import { type ClockShifts } from '../pure/notes/match_cost.ts';
import type { NoteDoubts } from '../pure/notes/note_verdict.ts';
import type { RefillSpread } from '../pure/notes/refill_spread.ts';
import type { CustomerInputs, InputNote } from './ledger_inputs.ts';

/** An entry as it is stored: the columns of ledger_entries. */
export interface EntryRow {
  id: string;
  customer_no: number;
  at: string;
  verdict: LedgerEntry['verdict']['code'];
  reason: string | null;
  is_unlike_earlier: boolean;
  is_pinned: boolean;
  note_nos: number[];
  refill_tank_nos: number[];
  refill_ats: string[];
  tank_nos: number[];
  truck_no: number | null;
  driver_no: number | null;
  written_litres: number | null;
  note_litres: number | null;
  gauge_litres: number | null;
  from_litres: number | null;
  to_litres: number | null;
  is_compared: boolean;
  due_at: string | null;
}

export interface SampleRow {
  note_no: number;
  customer_no: number;
  truck_no: number;
  at: string;
  shift_ms: number;
}

/** The parameters that all ledgers of an organization share. */
export interface MatchingParameters {
  clockShifts: ClockShifts;
  spread: RefillSpread;
  doubts: NoteDoubts;
}

/** Makes the ledger of one customer, as rows. */
export function* customerLedger(
  inputs: CustomerInputs,
  parameters: MatchingParameters,
): Sliced<{ entries: EntryRow[]; samples: SampleRow[] }> {
  const { customerNo, notes, refills, pins } = inputs;
  const { entries, clockSamples, compared } = yield* makeLedger({ ...inputs, ...parameters });
  const noteById = new Map(notes.map((note) => [note.id, note]));
  const refillByKey = new Map(refills.map((refill) => [refillKey(refill), refill]));
  const comparedNotes = new Set(compared.map(({ noteId }) => noteId));
  const pinnedNotes = new Set(pins.map(({ noteId }) => noteId));
  const rows: EntryRow[] = [];
  for (const entry of entries) {
    yield;
    const ownNotes = entry.noteIds.flatMap((id) => noteById.get(id) ?? []);
    const ownRefills = entry.refillKeys.flatMap((key) => refillByKey.get(key) ?? []);
    // A refill seen by an unreliable gauge may be false, so it is not reported as missing its note.
    if (ownNotes.length === 0 && ownRefills.some(({ isGaugeReliable }) => !isGaugeReliable)) continue;
    rows.push({
      ...entryRow(customerNo, entry, ownNotes, ownRefills),
      is_pinned: entry.noteIds.some((id) => pinnedNotes.has(id)),
      is_compared: ownRefills.length > 0 && entry.noteIds.some((id) => comparedNotes.has(id)),
    });
  }
  const samples = clockSamples.flatMap(({ noteId, truckId, shiftMs }) => {
    const note = noteById.get(noteId);
    if (note === undefined) return [];
    const at = iso(note.fromMs);
    return [{ note_no: note.no, customer_no: customerNo, truck_no: Number(truckId), at, shift_ms: shiftMs }];
  });
  return { entries: rows, samples };
}

function entryRow(
  customerNo: number,
  { noteIds, refillKeys, verdict }: LedgerEntry,
  notes: readonly InputNote[],
  refills: readonly SeenRefill[],
): Omit<EntryRow, 'is_pinned' | 'is_compared'> {
  const [first] = noteIds;
  const atMs = Math.min(
    ...(notes.length > 0 ? notes.map(({ fromMs }) => fromMs) : refills.map((refill) => refill.atMs)),
  );
  const isCompared = verdict.code === 'consistent' || verdict.code === 'not_consistent';
  return {
    // Every note and every refill is in one entry, so the first one identifies it. The id stays when later notes and
    // refills are added to a note.
    id: uuid8(`${customerNo} ${first ?? refillKeys[0]}`),
    customer_no: customerNo,
    at: iso(atMs),
    verdict: verdict.code,
    reason: verdict.code === 'cannot_be_told' ? verdict.reason : null,
    is_unlike_earlier: isCompared && verdict.isUnlikeEarlier,
    note_nos: notes.map(({ no }) => no),
    refill_tank_nos: refills.map(({ tankId }) => Number(tankId)),
    refill_ats: refills.map((refill) => iso(refill.atMs)),
    tank_nos: [...new Set([...refills, ...notes].flatMap(({ tankId }) => (tankId === null ? [] : [Number(tankId)])))],
    truck_no: onlyOne(notes.map(({ truckId }) => (truckId === null ? null : Number(truckId)))),
    driver_no: onlyOne(notes.map(({ driverId }) => (driverId === null ? null : Number(driverId)))),
    written_litres: notes.length === 0 ? null : notes.reduce((sum, { liters }) => sum + liters, 0),
    note_litres: 'noteLiters' in verdict ? verdict.noteLiters : null,
    gauge_litres: 'gaugeLiters' in verdict ? verdict.gaugeLiters : null,
    from_litres: isCompared ? verdict.fromLiters : null,
    to_litres: isCompared ? verdict.toLiters : null,
    due_at:
      verdict.code === 'waiting' ? iso(Math.max(...notes.map(({ toMs }) => toMs)) + MAX_MATCH_HOURS * HOUR_MS) : null,
  };
}

const onlyOne = (values: readonly (number | null)[]): number | null => {
  const [first, second] = [...new Set(values)];
  return second === undefined ? (first ?? null) : null;
};

const iso = (ms: number): string => new Date(ms).toISOString();
