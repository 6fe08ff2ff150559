import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { ChangeRefusedError, NoSuchObjectError } from '../values/change_refusal.ts';
import { isManualDevice } from '../values/manual_device.ts';
import { UserError } from '../values/user_error.ts';
import { recordCommand } from './audit_log.ts';
import { lockOrganization } from './organizations.ts';
import { isPlaceholderDevice, PLACEHOLDER_DEVICE } from './placeholder_device.ts';

export interface DeviceCredential {
  generation: number;
  revoked_at: string | null;
}

/**
 * A device without a row in device_credentials has generation 1 and is not revoked. Throws if the device was never on a
 * tank.
 */
async function deviceCredential(db: Db, organizationNo: number, deviceId: string): Promise<DeviceCredential> {
  const { rows } = await db.query<DeviceCredential>(
    `select coalesce(c.generation, 1) as generation, c.revoked_at
     from (
       select from device_assignments where organization_no = $1 and device_id = $2 limit 1
     ) as known left join device_credentials c on c.organization_no = $1 and c.device_id = $2`,
    [organizationNo, deviceId],
  );
  if (rows[0] === undefined)
    throw new UserError(`the device ${deviceId} was never on a tank; assign it to a tank first.`);
  return rows[0];
}

/** A device whose password is shown, and the tank that it is on now. */
export interface IssuedDevice extends DeviceCredential {
  device_id: string;
  /** False if the device was never on a tank. */
  is_known: boolean;
  tank_no: number | null;
  tank_id: string | null;
  custom_id: string | null;
}

/** Reads the given devices, in the given order. */
export async function devicesToIssue(
  db: Db,
  organizationNo: number,
  deviceIds: readonly string[],
): Promise<IssuedDevice[]> {
  const { rows } = await db.query<IssuedDevice>(
    `select given.device_id, coalesce(c.generation, 1) as generation, c.revoked_at,
            exists (
              select from device_assignments a where a.organization_no = $1 and a.device_id = given.device_id
            ) as is_known,
            t.no as tank_no, t.id as tank_id, t.custom_id
     from unnest($2::text[]) with ordinality as given (device_id, position)
     left join device_credentials c on c.organization_no = $1 and c.device_id = given.device_id
     left join tanks t on t.organization_no = $1 and t.assigned_device_id = given.device_id
     order by given.position`,
    [organizationNo, deviceIds],
  );
  return rows;
}

/** Reads the devices on tanks that are not revoked and whose password was never shown. */
export async function devicesWithoutIssue(db: Db, organizationNo: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ device_id: string }>(
    `select t.assigned_device_id as device_id from tanks t
     where t.organization_no = $1 and t.deleted_at is null and t.assigned_device_id !~ '${PLACEHOLDER_DEVICE.source}'
       and not is_manual_device(t.assigned_device_id)
       and not exists (
         select from device_password_issues i where i.organization_no = $1 and i.device_id = t.assigned_device_id
       )
       and not exists (
         select from device_credentials c
         where c.organization_no = $1 and c.device_id = t.assigned_device_id and c.revoked_at is not null
       )
     order by t.no limit $2`,
    [organizationNo, limit],
  );
  return rows.map((row) => row.device_id);
}

/** Records that the passwords of devices are shown. */
export async function recordIssues(tx: Tx, organizationNo: number, devices: readonly IssuedDevice[]): Promise<void> {
  await recordCommand(tx, {
    organizationNo,
    object: 'tank',
    action: 'issue',
    fields: ['device_password'],
    objectNos: devices.flatMap(({ tank_no }) => (tank_no === null ? [] : [tank_no])),
  });
  await markIssued(
    tx,
    organizationNo,
    devices.map(({ device_id }) => device_id),
  );
}

const markIssued = (tx: Tx, organizationNo: number, deviceIds: readonly string[]): Promise<unknown> =>
  tx.query(
    `insert into device_password_issues (organization_no, device_id)
     select $1, device_id from unnest($2::text[]) as issued (device_id)
     on conflict (organization_no, device_id) do update set issued_at = excluded.issued_at`,
    [organizationNo, deviceIds],
  );

/** Issues the password of a device, a new one if `rotates`, and records it in the audit log. Returns the device with its generation. */
export async function issuePassword(
  tx: Tx,
  organizationNo: number,
  deviceId: string,
  { rotates }: { rotates: boolean },
): Promise<IssuedDevice> {
  const [device] = await devicesToIssue(tx, organizationNo, [deviceId]);
  if (!device?.is_known) throw new NoSuchObjectError('device');
  refuseWithoutPassword(deviceId);
  if (device.revoked_at !== null && !rotates) throw new ChangeRefusedError('device_revoked', 'this device is revoked');
  const { generation } = rotates ? await rotateDevice(tx, organizationNo, deviceId) : device;
  await recordIssues(tx, organizationNo, [device]);
  return { ...device, generation };
}

/** Why a device has no password, as in "the device X <reason>"; null if it has one. */
export function reasonWithoutPassword(deviceId: string): string | null {
  if (isPlaceholderDevice(deviceId)) return 'is a placeholder, which has no password';
  return isManualDevice(deviceId) ? 'stands for a tank without a sensor, which has no password' : null;
}

function refuseWithoutPassword(deviceId: string): void {
  const reason = reasonWithoutPassword(deviceId);
  if (reason !== null) throw new ChangeRefusedError('device_without_password', `${deviceId} ${reason}`);
}

/** Replaces the password of a device. A revoked device may connect again with the new password. */
export async function rotateDevice(tx: Tx, organizationNo: number, deviceId: string): Promise<DeviceCredential> {
  await lockOrganization(tx, organizationNo);
  refuseWithoutPassword(deviceId);
  const { generation } = await deviceCredential(tx, organizationNo, deviceId);
  await markIssued(tx, organizationNo, [deviceId]);
  return writeCredential(tx, organizationNo, deviceId, generation + 1, false);
}

/** Revokes the device: it is refused with any password. */
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
  // `on conflict` is not used, because it takes an internal number even if the row exists. The organization is locked.
  const { rows } = await tx.query<DeviceCredential>(
    `with updated as (
       update device_credentials
       set generation = $3, revoked_at = case when $4 then coalesce(revoked_at, now()) end
       where organization_no = $1 and device_id = $2
       returning generation, revoked_at
     ),
     inserted as (
       insert into device_credentials (organization_no, device_id, generation, revoked_at)
       select $1, $2, $3, case when $4 then now() end where not exists (select from updated)
       returning generation, revoked_at
     )
     select * from updated union all select * from inserted`,
    [organizationNo, deviceId, generation, isRevoked],
  );
  return onlyRow(rows);
}

/** The devices on tanks. Devices that have not reported for longest come first. */
export async function listDevices(db: Db, organizationNo: number, limit: number): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select t.assigned_device_id as device_id, t.id as tank_id, s.latest_at as last_seen_at,
            coalesce(c.generation, 1) as generation, c.revoked_at,
            (select i.issued_at from device_password_issues i
             where i.organization_no = t.organization_no and i.device_id = t.assigned_device_id) as issued_at
     from tanks t
     left join tank_states s on s.tank_no = t.no
     left join device_credentials c on c.organization_no = t.organization_no and c.device_id = t.assigned_device_id
     where t.organization_no = $1 and t.deleted_at is null
     order by s.latest_at nulls first, t.no limit $2`,
    [organizationNo, limit],
  );
  return rows;
}
