import type { ChangeContext } from '../catalog/change_context.ts';
import { insertRow } from '../db/insert_row.ts';
import type { Db } from '../db/pool.ts';
import { NoSuchObjectError } from '../values/change_refusal.ts';
import type { Weekday } from './pure/rounds/next_visit.ts';

/** The weekdays on which trucks come to a city or to one tank. */
export interface DeliveryDays {
  city: string | null;
  tank_id: string | null;
  weekdays: Weekday[];
}

/** Lists the delivery days that are set: cities first, then tanks. An organization has about a hundred cities. */
export async function listDeliveryDays(db: Db, organizationNo: number): Promise<DeliveryDays[]> {
  const { rows } = await db.query<DeliveryDays>(
    `select d.city, t.id as tank_id, d.weekdays from delivery_days d left join tanks t on t.no = d.tank_no
     where d.organization_no = $1 and cardinality(d.weekdays) > 0 order by d.city, d.no limit 10000`,
    [organizationNo],
  );
  return rows;
}

/**
 * Sets the days of a city or of a tank; without days, the default applies again. Updates the row if there is one, because an insert
 * that finds an existing row would still use up a number. Returns the days in the order of the week.
 */
export async function setDeliveryDays(
  { tx, organizationNo, isDryRun }: ChangeContext,
  target: { city: string } | { tankNo: number },
  weekdays: readonly number[],
): Promise<number[]> {
  const days = [...new Set(weekdays)].toSorted((a, b) => a - b);
  const [column, value] = 'city' in target ? ['city', target.city] : ['tank_no', target.tankNo];
  if ('tankNo' in target) {
    // The tank is locked, so that it is not deleted meanwhile.
    const { rowCount } = await tx.query(
      'select from tanks where organization_no = $1 and no = $2 and deleted_at is null for share',
      [organizationNo, target.tankNo],
    );
    if (!rowCount) throw new NoSuchObjectError('tank');
  }
  // Serialized within an organization, because two callers that set the same city or tank for the first time would both
  // insert it.
  await tx.query(`select pg_advisory_xact_lock(hashtext('tankwatch delivery days'), $1)`, [organizationNo]);
  const { rowCount } = await tx.query(
    `update delivery_days set weekdays = $3, updated_at = now() where organization_no = $1 and ${column} = $2`,
    [organizationNo, value, days],
  );
  if (!rowCount && days.length > 0)
    await tx.query(insertRow('delivery_days', ['organization_no', column, 'weekdays'], { isDryRun }), [
      organizationNo,
      value,
      days,
    ]);
  return days;
}
