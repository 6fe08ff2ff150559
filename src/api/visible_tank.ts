import type { Readers, Statement } from '../db/readers.ts';
import { notFound } from '../http/problem.ts';
import type { Caller } from '../keys/key_verifier.ts';
import { isUuid } from '../values/uuid7.ts';

/**
 * The number of a tank by its id ($3), if the caller can see it: the tank belongs to the organization ($1), to the
 * customer of a narrowed key ($2), and is not deleted. It is a separate statement, so that telemetry is selected by
 * tank number only.
 */
export const VISIBLE_TANK_NO: Statement = {
  name: 'visible_tank',
  text: `select no from tanks
    where organization_no = $1 and ($2::int is null or owner_no = $2) and id = $3 and deleted_at is null`,
};

/**
 * The internal number of a tank that is not deleted and that the caller may see. Throws the same 404 for any other id.
 */
export async function visibleTankNo(readers: Readers, caller: Caller, id: string): Promise<number> {
  if (!isUuid(id)) throw notFound('tank');
  const scope = [caller.organizationNo, caller.customerNo];
  const [tank] = await readers.query<{ no: number }>(VISIBLE_TANK_NO, [...scope, id]);
  if (tank === undefined) throw notFound('tank');
  return tank.no;
}
