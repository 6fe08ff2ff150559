import type { ChangeContext } from '../catalog/change_context.ts';
import type { ImportRow } from '../catalog/import_row.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { ChangeRefusedError, NoSuchObjectError, refuseField, refuseProblems } from '../values/change_refusal.ts';
import { MAX_PINNED_MATCH_HOURS } from '../values/match_hours.ts';
import { isUuid, uuid7 } from '../values/uuid7.ts';
import { type FoundNote, readManagedNotes } from './managed_delivery_note.ts';
import { type MatchPin } from './pure/notes/match_pins.ts';
import { noteImport } from './store_delivery_notes.ts';

export const MAX_PINS_PER_NOTE = 20;

/** Finds a note. Throws NoSuchObjectError if there is none. */
export async function existingNote(
  db: Db,
  organizationNo: number,
  where: { id: string } | { series: string; number: string },
): Promise<FoundNote> {
  const found = await findNote(db, organizationNo, where);
  if (found === undefined) throw new NoSuchObjectError('delivery note');
  return found;
}

async function findNote(
  db: Db,
  organizationNo: number,
  where: { id: string } | { series: string; number: string },
): Promise<FoundNote | undefined> {
  if ('id' in where && !isUuid(where.id)) return undefined;
  const [found] = await readManagedNotes(db, organizationNo, 'id' in where ? { ids: [where.id] } : { keys: [where] });
  return found;
}

/**
 * Creates or replaces a note, with the checks of imports. The fields are parsed, and `given` names those that are
 * replaced.
 */
export async function putNote(
  { tx, organizationNo, isDryRun }: ChangeContext,
  { series, number, ...fields }: { series: string; number: string; [field: string]: unknown },
  given: readonly string[],
  check?: (current: FoundNote | undefined) => void,
): Promise<{ isNew: boolean }> {
  const { rows } = await tx.query<{ is_person: boolean }>(`select current_actor() like 'contact %' as is_person`);
  // A person writes in the console, a program through the interface.
  const target = noteImport({ source: onlyRow(rows).is_person ? 'console' : 'api', replace: true });
  const row: ImportRow = { line: 1, cells: [], values: { ...fields, series, number }, errors: [] };
  await target.check(tx, organizationNo, [row]);
  refuseProblems(row.errors.map(({ column, problem }) => ({ field: column ?? '', reason: problem })));
  // A driver, who does not lock the organization, may be changing the note.
  await tx.query(
    'select from delivery_notes where organization_no = $1 and series = $2 and number = $3 for no key update',
    [organizationNo, series, number],
  );
  const before = await findNote(tx, organizationNo, { series, number });
  check?.(before);
  const rowTexts = [JSON.stringify({ ...row.values, id: uuid7() })];
  await target.upsert(tx, organizationNo, { rowTexts, given, isDryRun });
  return { isNew: before === undefined };
}

/** Records whether a note and a refill of its customer are one delivery. Takes the refill nearest to the given time. */
export async function pinNote(
  { tx, organizationNo }: ChangeContext,
  id: string,
  { tankId, refillAt, kind }: { tankId: string; refillAt: string; kind: MatchPin['kind'] },
): Promise<void> {
  const { no, customerNo } = await existingNote(tx, organizationNo, { id });
  const { rows: refills } = await tx.query<{ tank_no: number; at: string }>(
    `select r.tank_no, r.at from tanks t join seen_refills r on r.tank_no = t.no
     where t.organization_no = $1 and t.owner_no = $2 and t.id = $3 and t.deleted_at is null
       and r.at between $4::timestamptz - make_interval(hours => $5) and $4::timestamptz + make_interval(hours => $5)
     order by abs(extract(epoch from r.at - $4::timestamptz)), r.at limit 1`,
    [organizationNo, customerNo, isUuid(tankId) ? tankId : null, refillAt, MAX_PINNED_MATCH_HOURS],
  );
  const [refill] = refills;
  if (refill === undefined)
    refuseField('refill_at', 'must be the time of a refill of a tank of the customer of this note');
  await tx.query(
    `insert into note_pins (organization_no, note_no, tank_no, refill_at, kind) values ($1, $2, $3, $4, $5)
     on conflict (note_no, tank_no, refill_at) do update
     set kind = excluded.kind, pinned_by = current_actor(), created_at = now()`,
    [organizationNo, no, refill.tank_no, refill.at, kind],
  );
  const { rows } = await tx.query<{ pins: number }>('select count(*)::int as pins from note_pins where note_no = $1', [
    no,
  ]);
  if (onlyRow(rows).pins > MAX_PINS_PER_NOTE)
    throw new ChangeRefusedError('too_many_pins', `a note has at most ${MAX_PINS_PER_NOTE} pins`);
}

/** Removes the pins of a note, so that the matching decides again. */
export async function removePins({ tx, organizationNo }: ChangeContext, id: string): Promise<void> {
  const { no } = await existingNote(tx, organizationNo, { id });
  await tx.query('delete from note_pins where note_no = $1', [no]);
}
