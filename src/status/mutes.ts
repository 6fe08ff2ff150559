import { insertRow } from '../db/insert_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { uuid7 } from '../values/uuid7.ts';
import { recordWorkEvent } from './acknowledgements.ts';

/** No mails are sent about a tank until a time, except about a loss. */
export interface Mute {
  id: string;
  object: 'mute';
  tank_id: string;
  until: string;
  reason: string | null;
  muted_by: string;
  created_at: string;
}

export interface StoredMute {
  no: number;
  object: Mute;
}

/** Finds the current mute of a tank. */
export async function findMute(db: Db, tankNo: number): Promise<StoredMute | undefined> {
  const { rows } = await db.query<Mute & { no: number }>(
    `select m.no, m.id, 'mute' as object, t.id as tank_id, m.until, m.reason, m.muted_by, m.created_at
     from muted_tanks m join tanks t on t.no = m.tank_no where m.tank_no = $1`,
    [tankNo],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { no, ...object } = row;
  return { no, object };
}

interface NewMute {
  organizationNo: number;
  tankNo: number;
  /** ISO 8601, UTC. */
  until: string;
  reason: string | null;
}

/**
 * Mutes a tank, or changes its mute, under the lock of `lockConditions`. An unchanged one causes no event. Returns whether the
 * tank was not muted before.
 */
export async function muteTank(
  tx: Tx,
  { organizationNo, tankNo, until, reason }: NewMute,
  { isDryRun }: { isDryRun: boolean },
): Promise<boolean> {
  const current = await findMute(tx, tankNo);
  if (current === undefined) {
    const id = uuid7();
    await tx.query(insertRow('mutes', ['id', 'organization_no', 'tank_no', 'until', 'reason'], { isDryRun }), [
      id,
      organizationNo,
      tankNo,
      until,
      reason,
    ]);
    if (!isDryRun) await recordWorkEvent(tx, tankNo, 'tank.muted', { mute_id: id, until });
    return true;
  }
  const { object, no } = current;
  if (Date.parse(object.until) === Date.parse(until) && object.reason === reason) return false;
  await tx.query('update mutes set until = $2, reason = $3 where no = $1', [no, until, reason]);
  if (!isDryRun) await recordWorkEvent(tx, tankNo, 'tank.muted', { mute_id: object.id, until });
  return false;
}

/** Ends the mute of a tank, under the lock of `lockConditions`. */
export async function unmuteTank(tx: Tx, tankNo: number, { isDryRun }: { isDryRun: boolean }): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `update mutes set ended_at = now(), ended_because = 'withdrawn' where tank_no = $1 and ended_at is null returning id`,
    [tankNo],
  );
  const [ended] = rows;
  if (ended === undefined || isDryRun) return;
  await recordWorkEvent(tx, tankNo, 'tank.unmuted', { mute_id: ended.id, because: 'withdrawn' });
}
