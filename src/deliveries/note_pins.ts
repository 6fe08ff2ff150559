import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import type { MatchPin } from './pure/notes/match_pins.ts';

export const MAX_PINS_PER_NOTE = 20;

export interface NewPin {
  noteNo: number;
  customerNo: number;
  tankId: string;
  refillAt: string;
  kind: MatchPin['kind'];
}

/**
 * Says that a note and a refill of its customer are one delivery, or are not. The refill is the nearest one within 36 hours. Returns
 * what is wrong, or null.
 */
export async function pinNote(
  tx: Tx,
  organizationNo: number,
  { noteNo, customerNo, tankId, refillAt, kind }: NewPin,
): Promise<'no refill' | 'too many' | null> {
  const { rows: refills } = await tx.query<{ tank_no: number; at: string }>(
    `select r.tank_no, r.at from tanks t join seen_refills r on r.tank_no = t.no
     where t.organization_no = $1 and t.owner_no = $2 and t.id = $3 and t.deleted_at is null
       and r.at between $4::timestamptz - interval '36 hours' and $4::timestamptz + interval '36 hours'
     order by abs(extract(epoch from r.at - $4::timestamptz)), r.at limit 1`,
    [organizationNo, customerNo, tankId, refillAt],
  );
  const [refill] = refills;
  if (refill === undefined) return 'no refill';
  await tx.query(
    `insert into note_pins (organization_no, note_no, tank_no, refill_at, kind) values ($1, $2, $3, $4, $5)
     on conflict (note_no, tank_no, refill_at) do update
     set kind = excluded.kind, pinned_by = current_actor(), created_at = now()`,
    [organizationNo, noteNo, refill.tank_no, refill.at, kind],
  );
  const { rows } = await tx.query<{ pins: number }>('select count(*) as pins from note_pins where note_no = $1', [
    noteNo,
  ]);
  return onlyRow(rows).pins > MAX_PINS_PER_NOTE ? 'too many' : null;
}

/** The matching decides again. */
export async function removePins(tx: Tx, noteNo: number): Promise<void> {
  await tx.query('delete from note_pins where note_no = $1', [noteNo]);
}
