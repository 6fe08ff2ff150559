import type { Db } from '../db/pool.ts';
import type { AlertSettings } from '../evaluation/pure/alerts/tank_state.ts';

/** A live tank with its alert settings and its stored state. */
export interface LiveTank {
  no: number;
  id: string;
  name: string;
  device: string;
  settings: AlertSettings;
  /** Time of the newest reading; null if the tank has no reading yet. */
  latestAt: string | null;
  /** Null for a tank that has not been evaluated yet. */
  encodedState: string | null;
}

const BATCH_TANKS = 1_000;

/** The live tanks of an organization, or one of them. */
export async function* liveTanks(db: Db, organizationNo: number, tankNo: number | null): AsyncGenerator<LiveTank> {
  let afterNo = 0;
  for (;;) {
    const { rows } = await db.query<Omit<LiveTank, 'settings'> & Required<AlertSettings>>(
      `select t.no, t.id, t.name, t.assigned_device_id as device, s.latest_at as "latestAt", s.encoded_state as "encodedState",
              t.min_fill_alert_percentage as "minFillAlertPercentage", t.capacity, t.capacity_unit as "capacityUnit",
              t.is_batch_tank as "isBatchTank", t.is_mobile as "isMobile"
       from tanks t left join tank_states s on s.tank_no = t.no
       where t.organization_no = $1 and t.deleted_at is null and t.no > $2 and ($3::int is null or t.no = $3)
       order by t.no limit $4`,
      [organizationNo, afterNo, tankNo, BATCH_TANKS],
    );
    for (const { minFillAlertPercentage, capacity, capacityUnit, isBatchTank, isMobile, ...tank } of rows)
      yield { ...tank, settings: { minFillAlertPercentage, capacity, capacityUnit, isBatchTank, isMobile } };
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_TANKS) return;
    afterNo = last.no;
  }
}
