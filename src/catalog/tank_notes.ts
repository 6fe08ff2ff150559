import { insertRow } from '../db/insert_row.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { ChangeRefusedError, NoSuchObjectError, refuseField } from '../values/change_refusal.ts';
import { isUuid, uuid7 } from '../values/uuid7.ts';
import type { ChangeContext } from './change_context.ts';
import { liveTank } from './tanks.ts';

/** The largest number of notes of a tank. */
export const MAX_NOTES_PER_TANK = 20;
export const MAX_NOTE_LENGTH = 2_000;

export interface TankNote {
  id: string;
  object: 'note';
  tank_id: string;
  text: string;
  prints: boolean;
  written_by: string;
  created_at: string;
  updated_at: string;
}

/** A stored note of a tank. `object` is null if the note was deleted. */
export interface StoredTankNote {
  no: number;
  object: TankNote | null;
}

const COLUMNS = `n.no, n.deleted_at is not null as is_deleted, n.id, 'note' as object, t.id as tank_id, n.text, n.prints,
  n.written_by, n.created_at, n.updated_at`;
type Row = TankNote & { no: number; is_deleted: boolean };

const stored = ({ no, is_deleted, ...note }: Row): StoredTankNote => ({
  no,
  object: is_deleted ? null : note,
});

export async function findTankNote(db: Db, organizationNo: number, id: string): Promise<StoredTankNote | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from tank_notes n join tanks t on t.no = n.tank_no where n.organization_no = $1 and n.id = $2`,
    [organizationNo, id],
  );
  return rows[0] && stored(rows[0]);
}

/** Finds a note, and locks it until the end of the transaction. Throws NoSuchObjectError. */
async function lockTankNote({ tx, organizationNo }: ChangeContext, id: string): Promise<StoredTankNote> {
  // Lock first, then read in a second statement, as for rounds: a statement that waits for a lock still sees the tank
  // as it was before the wait.
  if (isUuid(id))
    await tx.query('select from tank_notes where organization_no = $1 and id = $2 for no key update', [
      organizationNo,
      id,
    ]);
  const found = await findTankNote(tx, organizationNo, id);
  if (found === undefined) throw new NoSuchObjectError('note');
  return found;
}

/** The notes of a tank, newest first. */
export async function listTankNotes(db: Db, tankNo: number): Promise<TankNote[]> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from tank_notes n join tanks t on t.no = n.tank_no
     where n.tank_no = $1 and n.deleted_at is null order by n.no desc`,
    [tankNo],
  );
  return rows.flatMap((row) => stored(row).object ?? []);
}

/** Checks a note before it is changed, under its lock. Throws, for example, if it has changed. */
type Check = (current: TankNote) => void;

/** Throws InvalidValuesError. */
function checkText(given: string): string {
  const text = given.trim();
  if (text !== '' && text.length <= MAX_NOTE_LENGTH) return text;
  return refuseField('text', `must have 1 to ${MAX_NOTE_LENGTH} characters`);
}

/** Returns the id of the new note. A dry run, which the caller rolls back, uses no number of the sequence. */
export async function createTankNote(
  { tx, organizationNo, isDryRun }: ChangeContext,
  tankId: string,
  { text: given, prints }: Pick<TankNote, 'text' | 'prints'>,
): Promise<string> {
  const text = checkText(given);
  const { no: tankNo } = await liveTank(tx, organizationNo, { id: tankId });
  // The tank is locked, so that it is not deleted and gets no other note meanwhile. The organization is not locked, so
  // that a note does not wait for an import.
  const { rowCount } = await tx.query('select from tanks where no = $1 and deleted_at is null for no key update', [
    tankNo,
  ]);
  if (!rowCount) throw new NoSuchObjectError('tank');
  const { rows } = await tx.query<{ notes: number }>(
    'select count(*) as notes from tank_notes where tank_no = $1 and deleted_at is null',
    [tankNo],
  );
  if (onlyRow(rows).notes >= MAX_NOTES_PER_TANK)
    throw new ChangeRefusedError('too_many_notes', `the tank has ${MAX_NOTES_PER_TANK} notes already`);
  const id = uuid7();
  await tx.query(insertRow('tank_notes', ['id', 'organization_no', 'tank_no', 'text', 'prints'], { isDryRun }), [
    id,
    organizationNo,
    tankNo,
    text,
    prints,
  ]);
  return id;
}

/** Changes the given fields. Writes nothing if all of them stay the same. */
export async function updateTankNote(
  change: ChangeContext,
  id: string,
  values: { text?: string; prints?: boolean },
  check: Check,
): Promise<void> {
  const given = { ...values, ...(values.text !== undefined && { text: checkText(values.text) }) };
  const { no, object } = await lockTankNote(change, id);
  if (object === null) throw new NoSuchObjectError('note');
  check(object);
  const { text, prints } = { ...object, ...given };
  if (text === object.text && prints === object.prints) return;
  await change.tx.query('update tank_notes set text = $2, prints = $3, updated_at = now() where no = $1', [
    no,
    text,
    prints,
  ]);
}

/**
 * Erases the text. The row stays, so that its id is reported as deleted. A trigger erases stored responses that contain
 * the text. Deleting again changes nothing.
 */
export async function deleteTankNote(change: ChangeContext, id: string, check: Check): Promise<void> {
  const { no, object } = await lockTankNote(change, id);
  if (object === null) return;
  check(object);
  await change.tx.query('update tank_notes set deleted_at = now(), text = null where no = $1', [no]);
}
