import type { UseCase } from '../catalog/use_case.ts';
import type { Db } from '../db/pool.ts';
import { devicePassword } from '../keys/device_password.ts';
import type { DeviceLogin } from './device_login.ts';

export interface SimulatedDevice extends DeviceLogin {
  useCase: UseCase | null;
  alertPercentage: number;
  longitude: number | null;
  /** The reading from which the simulation continues; null if the tank has no reading. */
  latest: { atMs: number; fillPercentage: number } | null;
}

/** Reads the oldest tanks of an organization that have a sensor, with the passwords of their devices, without revoked devices. */
export async function readFleet(
  db: Db,
  organization: { no: number; code: string },
  organizationSecret: string,
  limit: number,
): Promise<SimulatedDevice[]> {
  const { rows } = await db.query<{
    device_id: string;
    use_case: UseCase | null;
    min_fill_alert_percentage: number;
    longitude: number | null;
    latest_at: string | null;
    latest_fill_percentage: number | null;
    generation: number;
  }>(
    `select t.assigned_device_id as device_id, t.use_case, t.min_fill_alert_percentage, t.longitude,
            s.latest_at, s.latest_fill_percentage, coalesce(c.generation, 1) as generation
     from tanks t
     left join tank_states s on s.tank_no = t.no
     left join device_credentials c on c.organization_no = t.organization_no and c.device_id = t.assigned_device_id
     where t.organization_no = $1 and t.deleted_at is null and c.revoked_at is null
       and not is_manual_device(t.assigned_device_id)
     order by t.no limit $2`,
    [organization.no, limit],
  );
  return rows.map((row) => ({
    organizationCode: organization.code,
    deviceId: row.device_id,
    password: devicePassword(organizationSecret, row.device_id, row.generation),
    useCase: row.use_case,
    alertPercentage: row.min_fill_alert_percentage,
    longitude: row.longitude,
    latest:
      row.latest_at === null || row.latest_fill_percentage === null
        ? null
        : { atMs: Date.parse(row.latest_at), fillPercentage: row.latest_fill_percentage },
  }));
}
