import type { Tx } from '../db/pool.ts';
import { NoSuchObjectError } from '../values/change_refusal.ts';
import type { AcknowledgedCondition } from './sections.ts';

/**
 * Locks a tank, and records its acknowledgements and mutes that have ended. It does not lock the organization, so that
 * an acknowledgement does not wait for an import. Throws if the tank was deleted.
 */
export async function lockHandling(tx: Tx, tankNo: number): Promise<void> {
  const { rowCount } = await tx.query('select from tanks where no = $1 and deleted_at is null for share', [tankNo]);
  if (rowCount === 0) throw new NoSuchObjectError('tank');
  await tx.query('select end_handling(array[$1::int])', [tankNo]);
}

/** Reads the current conditions of a tank, also those that are handled. */
export async function openConditions(tx: Tx, tankNo: number): Promise<AcknowledgedCondition[]> {
  const { rows } = await tx.query<{ condition: AcknowledgedCondition }>(
    'select condition from tank_conditions where tank_no = $1',
    [tankNo],
  );
  return rows.map(({ condition }) => condition);
}

/** Records that people have begun or ended handling a tank. */
export async function recordHandlingEvent(
  tx: Tx,
  tankNo: number,
  type: 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted',
  data: object,
): Promise<void> {
  await tx.query('select record_work_event($1, $2, $3)', [tankNo, type, JSON.stringify(data)]);
}
