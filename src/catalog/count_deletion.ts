import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { MAX_DELETED_TANKS } from '../values/interface_limits.ts';

/** What a deletion erases. */
export interface DeletionCounts {
  tanks: number;
  readings: number;
  /** Open stops of the tanks. The deletion removes them from their rounds. */
  open_stops: number;
  /** Notes on the tanks, such as a gate code. */
  notes: number;
  /** The delivery notes of the customer. 0 if only a tank is deleted, because they stay with its customer. */
  delivery_notes: number;
}

/**
 * Counts what is erased with a customer and its tanks, or with one tank. Readings are counted by the counters of
 * months. Of a customer with more than MAX_DELETED_TANKS tanks, one tank more than that is counted.
 */
export async function countDeletion(
  db: Db,
  organizationNo: number,
  which: { customerNo: number } | { tankNo: number },
): Promise<DeletionCounts> {
  const [customerNo, tankNo] = 'customerNo' in which ? [which.customerNo, null] : [null, which.tankNo];
  // Materialized, so that PostgreSQL first finds the few tanks and then reads their rows in the other tables by index.
  const { rows } = await db.query<DeletionCounts>(
    `with gone as materialized (
       (select no from tanks where organization_no = $1 and owner_no = $2 and deleted_at is null limit ${MAX_DELETED_TANKS + 1})
       union all
       select no from tanks where organization_no = $1 and no = $3 and deleted_at is null
     )
     select (select count(*) from gone)::int as tanks,
            (select coalesce(sum(n), 0) from telemetry_month_counters where tank_no in (select no from gone))::float8 as readings,
            (select count(*) from round_stops where tank_no in (select no from gone) and is_open)::int as open_stops,
            (select count(*) from tank_notes where tank_no in (select no from gone) and deleted_at is null)::int as notes,
            (select count(*) from delivery_notes where customer_no = $2)::int as delivery_notes`,
    [organizationNo, customerNo, tankNo],
  );
  return onlyRow(rows);
}
