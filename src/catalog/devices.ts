import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';
import { lockOrganization } from './organizations.ts';

export interface DeviceCredential {
  generation: number;
  revoked_at: string | null;
}

/** A device without a row has generation 1 and is not revoked. It must be, or have been, on a tank. */
export async function deviceCredential(db: Db, organizationNo: number, deviceId: string): Promise<DeviceCredential> {
  const { rows } = await db.query<DeviceCredential>(
    `select coalesce(c.generation, 1) as generation, c.revoked_at
     from (
       select from device_assignments where organization_no = $1 and device_id = $2 limit 1
     ) as known left join device_credentials c on c.organization_no = $1 and c.device_id = $2`,
    [organizationNo, deviceId],
  );
  if (rows[0] === undefined)
    throw new UserError(`the device ${deviceId} was never on a tank; assign it to a tank first.`);
  return onlyRow(rows);
}

/** The number of the tank that a device is on now. Undefined if it is on none. */
export async function tankOfDevice(db: Db, organizationNo: number, deviceId: string): Promise<number | undefined> {
  const { rows } = await db.query<{ no: number }>(
    'select no from tanks where organization_no = $1 and assigned_device_id = $2',
    [organizationNo, deviceId],
  );
  return rows[0]?.no;
}

/** Replaces the password of a device. A revoked device may connect again with the new one. */
export async function rotateDevice(tx: Tx, organizationNo: number, deviceId: string): Promise<DeviceCredential> {
  await lockOrganization(tx, organizationNo);
  const { generation } = await deviceCredential(tx, organizationNo, deviceId);
  return writeCredential(tx, organizationNo, deviceId, generation + 1, false);
}

/** Refuses the device from now on, with any password. */
export async function revokeDevice(tx: Tx, organizationNo: number, deviceId: string): Promise<DeviceCredential> {
  await lockOrganization(tx, organizationNo);
  const { generation } = await deviceCredential(tx, organizationNo, deviceId);
  return writeCredential(tx, organizationNo, deviceId, generation, true);
}

async function writeCredential(
  tx: Tx,
  organizationNo: number,
  deviceId: string,
  generation: number,
  isRevoked: boolean,
): Promise<DeviceCredential> {
  const { rows } = await tx.query<DeviceCredential>(
    `insert into device_credentials (organization_no, device_id, generation, revoked_at)
     values ($1, $2, $3, case when $4 then now() end)
     on conflict (organization_no, device_id) do update set generation = excluded.generation,
       revoked_at = case when $4 then coalesce(device_credentials.revoked_at, excluded.revoked_at) end
     returning generation, revoked_at`,
    [organizationNo, deviceId, generation, isRevoked],
  );
  return onlyRow(rows);
}

/** Devices on live tanks. Those that have not reported for longest come first. */
export async function listDevices(db: Db, organizationNo: number, limit: number): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select t.assigned_device_id as device_id, t.id as tank_id, s.latest_at as last_seen_at,
            coalesce(c.generation, 1) as generation, c.revoked_at
     from tanks t
     left join tank_states s on s.tank_no = t.no
     left join device_credentials c on c.organization_no = t.organization_no and c.device_id = t.assigned_device_id
     where t.organization_no = $1 and t.deleted_at is null
     order by s.latest_at nulls first, t.no limit $2`,
    [organizationNo, limit],
  );
  return rows;
}
