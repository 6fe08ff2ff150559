import type { ChangeContext } from '../catalog/change_context.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import { ChangeRefusedError, type FieldProblem, NoSuchObjectError, refuseProblems } from '../values/change_refusal.ts';
import { DAY_MS, MINUTE_MS, parseIsoTime } from '../values/time.ts';
import { uuid7 } from '../values/uuid7.ts';
import type { DriverEntry } from './driver_entries.ts';
import { MAX_VOLUME, type NotPossibleReason } from './round.ts';
import { existingRound } from './rounds.ts';
import { parseWrittenNote } from './written_note.ts';

/** What the office records from the paper of a driver. The volume is in the unit of the truck. */
interface PaperEntry {
  kind: DriverEntry['kind'];
  volume?: number | undefined;
  reason?: NotPossibleReason | undefined;
  comment?: string | undefined;
  /** Series and number of the delivery note, as printed on it. */
  note?: string | undefined;
  filled_to?: number | undefined;
  /** When it happened; now if it is absent. */
  at?: string | undefined;
  /** True to replace the earlier entry. Otherwise the earlier entry counts, and this one is only kept. */
  is_correction?: boolean | undefined;
}

/** The clock of an office may be ahead of the clock of the service by this much. */
const MAX_ENTRY_AHEAD_MS = 10 * MINUTE_MS;

/** Records an entry for the driver of a round. The database decides whether the entry counts, as for entries of phones. */
export async function recordStop(
  { tx, organizationNo }: ChangeContext,
  { id, number }: { id: string; number: number },
  entry: PaperEntry,
): Promise<void> {
  const { no: roundNo, object, decidedState } = await existingRound(tx, organizationNo, id, { isLocked: true });
  const stop = object.stops.find((one) => one.number === number);
  if (stop === undefined || stop.tank_id === null) throw new NoSuchObjectError('stop');
  // A deletion of the tank would not erase what is recorded after it.
  const { rowCount } = await tx.query(
    'select from tanks where organization_no = $1 and id = $2 and deleted_at is null for share',
    [organizationNo, stop.tank_id],
  );
  if (rowCount === 0) throw new NoSuchObjectError('stop');
  if (decidedState === 'cancelled')
    throw new ChangeRefusedError('round_over', 'the round is cancelled, so nothing is recorded for it', id);
  const { kind, volume, reason, comment, filled_to } = entry;
  const at = entry.at ?? new Date().toISOString();
  refuseProblems([...entryProblems(entry), ...timeProblems(at, object.date)]);
  const note = entry.note === undefined ? undefined : parseWrittenNote(entry.note);
  if (note !== undefined)
    await refuseNoteOfOthers(tx, organizationNo, { roundNo, number, series: note.series, noteNumber: note.number });
  const unit = volume === undefined ? null : object.volume_unit;
  const { rows } = await tx.query<{ counts: boolean | null }>(
    `select record_entry_for_driver(of_round => $1, of_stop => $2, of_id => $3, of_kind => $4, of_volume => $5, of_unit => $6,
       of_reason => $7, of_comment => $8, of_at => $9, of_series => $10, of_number => $11, of_filled_to => $12,
       of_correction => $13) as counts`,
    [
      roundNo,
      number,
      uuid7(),
      kind,
      volume ?? null,
      unit,
      reason ?? null,
      comment ?? null,
      at,
      note?.series ?? null,
      note?.number ?? null,
      filled_to ?? null,
      entry.is_correction === true || kind === 'reopened',
    ],
  );
  if (onlyRow(rows).counts === null)
    throw new ChangeRefusedError('too_many_entries', 'the round has 2,000 entries already');
}

function entryProblems({ kind, volume, reason, comment, note, filled_to: filledTo }: PaperEntry): FieldProblem[] {
  const isDelivered = kind === 'delivered';
  const checks: [field: string, isWrong: boolean, reason: string][] = [
    [
      'volume',
      isDelivered ? !(volume !== undefined && volume > 0 && volume <= MAX_VOLUME) : volume !== undefined,
      `must be greater than 0 and at most ${MAX_VOLUME} for a delivery, and only then`,
    ],
    [
      'reason',
      (kind === 'not_possible') !== (reason !== undefined),
      'must be given if it was not possible, and only then',
    ],
    [
      'comment',
      comment !== undefined && (comment.length < 1 || comment.length > 500 || comment.includes('\0')),
      'must have 1 to 500 characters',
    ],
    [
      'note',
      note !== undefined && !(isDelivered && parseWrittenNote(note) !== undefined),
      'must be the number of a delivery note, with a delivery',
    ],
    [
      'filled_to',
      filledTo !== undefined && !(isDelivered && filledTo >= 0 && filledTo <= 100),
      'must be from 0 to 100, with a delivery',
    ],
  ];
  return checks.flatMap(([field, isWrong, why]) => (isWrong ? [{ field, reason: why }] : []));
}

/** Checks the time of an entry. The local day of the round may begin before the same day in UTC. */
function timeProblems(at: string, date: string): FieldProblem[] {
  const ms = parseIsoTime(at)?.ms;
  const isPlausible =
    ms !== undefined && ms >= Date.parse(`${date}T00:00:00Z`) - DAY_MS && ms <= Date.now() + MAX_ENTRY_AHEAD_MS;
  return isPlausible ? [] : [{ field: 'at', reason: 'must be a time from the day of the round until now' }];
}

/**
 * Throws if a note of another tank or another round has this number, because it cannot be the note of this stop. A
 * cancelled note of a driver at another tank does not count.
 */
async function refuseNoteOfOthers(
  tx: Tx,
  organizationNo: number,
  note: { roundNo: number; number: number; series: string; noteNumber: string },
): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `select n.id from delivery_notes n join round_stops s on s.round_no = $2 and s.number = $3
     where n.organization_no = $1 and n.series = $4 and n.number = $5
       and (n.tank_no is distinct from s.tank_no and not (n.source = 'driver' and n.is_cancelled)
         or (n.source = 'driver' and n.tank_no = s.tank_no and not is_note_of_round($2, s.tank_no, n.series, n.number)))`,
    [organizationNo, note.roundNo, note.number, note.series, note.noteNumber],
  );
  if (rows[0] !== undefined)
    throw new ChangeRefusedError('note_taken', 'another delivery has a note with this number', rows[0].id);
}
