import type { ChangeContext } from '../catalog/change_context.ts';
import { liveTank } from '../catalog/tanks.ts';
import { insertRow } from '../db/insert_row.ts';
import type { Db } from '../db/pool.ts';
import { ChangeRefusedError, refuseField } from '../values/change_refusal.ts';
import { MAX_HANDLED_DAYS } from '../values/handling_limits.ts';
import { DAY_MS } from '../values/time.ts';
import { uuid7 } from '../values/uuid7.ts';
import { checkComment, checkUntil } from './check_handling.ts';
import { lockHandling, openConditions, recordHandlingEvent } from './lock_handling.ts';

/** While a tank is muted, no mails are sent about it, except about a loss. */
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
async function findMute(db: Db, tankNo: number): Promise<StoredMute | undefined> {
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

/**
 * Mutes a tank, or changes its mute. An unchanged mute causes no event. Locks the tank and not the organization, so that it does
 * not wait for an import.
 */
export async function muteTank(
  change: ChangeContext,
  tankId: string,
  given: { until: string; reason: string | null },
): Promise<StoredMute & { isNew: boolean }> {
  const { tx, organizationNo } = change;
  const values = {
    until: checkUntil(given.until, MAX_HANDLED_DAYS * DAY_MS),
    reason: checkComment('reason', given.reason),
  };
  // People must give a reason. A key may leave it out, as clients of 0.3 do, but must not send an empty one.
  const mayOmitReason = change.callerRoles.includes('key') && given.reason === null;
  if (values.reason === null && !mayOmitReason) refuseField('reason', 'must not be empty');
  const { no: tankNo } = await liveTank(tx, organizationNo, { id: tankId });
  await lockHandling(tx, tankNo);
  const open = await openConditions(tx, tankNo);
  if (open.includes('losing')) throw new ChangeRefusedError('tank_losing', 'this tank is losing its content');
  const before = await findMute(tx, tankNo);
  await storeMute(change, tankNo, before, values);
  const after = await findMute(tx, tankNo);
  if (after === undefined) throw new Error('the mute was not stored');
  return { ...after, isNew: before === undefined };
}

async function storeMute(
  { tx, organizationNo, isDryRun }: ChangeContext,
  tankNo: number,
  current: StoredMute | undefined,
  { until, reason }: Pick<Mute, 'until' | 'reason'>,
): Promise<void> {
  if (current === undefined) {
    const id = uuid7();
    await tx.query(insertRow('mutes', ['id', 'organization_no', 'tank_no', 'until', 'reason'], { isDryRun }), [
      id,
      organizationNo,
      tankNo,
      until,
      reason,
    ]);
    if (!isDryRun) await recordHandlingEvent(tx, tankNo, 'tank.muted', { mute_id: id, until });
    return;
  }
  const { object, no } = current;
  if (Date.parse(object.until) === Date.parse(until) && object.reason === reason) return;
  await tx.query('update mutes set until = $2, reason = $3 where no = $1', [no, until, reason]);
  if (!isDryRun) await recordHandlingEvent(tx, tankNo, 'tank.muted', { mute_id: object.id, until });
}

/** Ends the mute of a tank. A tank that is not muted stays as it is. */
export async function unmuteTank({ tx, organizationNo, isDryRun }: ChangeContext, tankId: string): Promise<void> {
  const { no: tankNo } = await liveTank(tx, organizationNo, { id: tankId });
  await lockHandling(tx, tankNo);
  const { rows } = await tx.query<{ id: string }>(
    `update mutes set ended_at = now(), ended_because = 'withdrawn' where tank_no = $1 and ended_at is null returning id`,
    [tankNo],
  );
  const [ended] = rows;
  if (ended === undefined || isDryRun) return;
  await recordHandlingEvent(tx, tankNo, 'tank.unmuted', { mute_id: ended.id, because: 'withdrawn' });
}
