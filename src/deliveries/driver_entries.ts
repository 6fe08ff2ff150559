import { contactIdSql } from '../db/contact_of_actor.ts';
import type { Db } from '../db/pool.ts';

/** A driver's report about a stop, as the phone sent it or the office recorded it. */
export interface DriverEntry {
  id: string;
  stop: number;
  tank_id: string | null;
  kind: 'delivered' | 'not_possible' | 'reopened';
  volume: number | null;
  unit: 'liters' | 'gallons' | null;
  reason: string | null;
  comment: string | null;
  /** Series and number of the delivery note. */
  note: string | null;
  filled_to: number | null;
  at: string;
  received_at: string;
  /** Who recorded it in the office; null if the phone of the driver sent it. */
  recorded_by: string | null;
  /** Null if no person of the office recorded it, or if that person was removed. */
  recorded_by_name: string | null;
  is_correction: boolean;
}

/** All entries of a round, in the order in which they arrived. A round has at most 2,000. */
export async function listDriverEntries(db: Db, roundNo: number): Promise<DriverEntry[]> {
  const { rows } = await db.query<DriverEntry>(
    `select e.id, e.stop_number as stop, t.id as tank_id, e.kind, e.volume, e.volume_unit as unit, e.reason, e.comment,
            nullif(concat_ws('-', nullif(e.note_series, ''), e.note_number), '') as note, e.filled_to,
            e.at, e.received_at, e.recorded_by, coalesce(p.name, p.email) as recorded_by_name, e.is_correction
     from driver_entries e left join tanks t on t.no = e.tank_no
     left join contacts p on p.organization_no = e.organization_no and p.deleted_at is null
       and p.id = ${contactIdSql('e.recorded_by')}
     where e.round_no = $1 order by e.no`,
    [roundNo],
  );
  return rows;
}
