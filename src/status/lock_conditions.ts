import type { Tx } from '../db/pool.ts';
import type { AcknowledgedCondition } from './sections.ts';

/** The current conditions of a tank, read under its lock. */
export interface TankConditions {
  open: readonly AcknowledgedCondition[];
  /** The conditions that are handled by acknowledgements, not by a mute. */
  handled: readonly { no: number; id: string; condition: AcknowledgedCondition; who: string; until: string }[];
}

/**
 * Locks the rows of the tank, records expired acknowledgements, and reads the rest. It does not lock the organization,
 * so that an acknowledgement does not wait for an import.
 */
export async function lockConditions(tx: Tx, tankNo: number): Promise<TankConditions> {
  // The tank cannot be deleted until the commit.
  await tx.query('select from tanks where no = $1 for share', [tankNo]);
  await tx.query('select lock_handled_tank($1)', [tankNo]);
  await tx.query('select end_handling(array[$1::int])', [tankNo]);
  const { rows: open } = await tx.query<{ condition: AcknowledgedCondition }>(
    'select condition from tank_conditions where tank_no = $1',
    [tankNo],
  );
  const { rows: handled } = await tx.query<TankConditions['handled'][number]>(
    `select a.no, a.id, a.condition, coalesce(h.name, h.acknowledged_by) as who, a.until
     from acknowledgements a join handled_conditions h on h.tank_no = a.tank_no and h.acknowledgement_id = a.id
     where a.tank_no = $1 and a.ended_at is null order by a.no`,
    [tankNo],
  );
  return { open: open.map(({ condition }) => condition), handled };
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
