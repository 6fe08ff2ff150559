import { insertRow } from '../db/insert_row.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { ChangeRefusedError, NoSuchObjectError } from '../values/change_refusal.ts';
import { uuid7 } from '../values/uuid7.ts';

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

/** A stored note of a live tank. Without its object, it is deleted. */
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

/** Finds a note. With `isLocked`, it is locked until the end of the transaction. */
export async function findTankNote(
  db: Db,
  organizationNo: number,
  id: string,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<StoredTankNote | undefined> {
  // Lock first, then read in a second statement, as for rounds: a statement that waits for a lock still joins the
  // previous tank.
  if (isLocked)
    await db.query('select from tank_notes where organization_no = $1 and id = $2 for no key update', [
      organizationNo,
      id,
    ]);
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from tank_notes n join tanks t on t.no = n.tank_no where n.organization_no = $1 and n.id = $2`,
    [organizationNo, id],
  );
  return rows[0] && stored(rows[0]);
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

/** Returns the id. In a dry run, which the caller rolls back, the number is not one of the sequence. */
export async function createTankNote(
  tx: Tx,
  organizationNo: number,
  tankNo: number,
  { text, prints }: Pick<TankNote, 'text' | 'prints'>,
  { isDryRun }: { isDryRun: boolean },
): Promise<string> {
  // Locked, so that the tank is not deleted and gets no other note. The organization is not locked, so that a note
  // does not wait for an import.
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

export async function updateTankNote(
  tx: Tx,
  no: number,
  { text, prints }: Pick<TankNote, 'text' | 'prints'>,
): Promise<void> {
  await tx.query('update tank_notes set text = $2, prints = $3, updated_at = now() where no = $1', [no, text, prints]);
}

/** The row stays, so that its id is known, without the text. A trigger erases stored responses that have the text. */
export async function deleteTankNote(tx: Tx, no: number): Promise<void> {
  await tx.query('update tank_notes set deleted_at = now(), text = null where no = $1 and deleted_at is null', [no]);
}
