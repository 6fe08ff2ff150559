import { PLACEHOLDER_DEVICE } from '../catalog/placeholder_device.ts';
import type { Db } from '../db/pool.ts';
import { MAX_CHANNELS } from './profiles/quantities.ts';

/** A known device that is not on a tank. */
export interface StoredDevice {
  device_id: string;
  /** The time of the latest message, even if it contained no reading. */
  heard_at: string | null;
  /** When the device was taken off its last tank; null if it was never on a tank. */
  taken_off_at: string | null;
  last_tank: { id: string; name: string; custom_id: string | null } | null;
  /** True if its messages are refused. */
  is_revoked: boolean;
  profile: string | null;
  battery_percent: number | null;
  battery_v: number | null;
}

export const MAX_STORED_DEVICES = 500;

/** The number of the newest rejected readings of the organization that are searched. */
const RECENT_REJECTIONS = 1_000;

/**
 * Finds the devices that are not on a tank now, and that were taken off a tank, are reported by a source, or have
 * readings that were rejected with `unknown_device`. They are sorted by their latest message or removal, newest first. A
 * device with several inputs is on a tank if one of its inputs is.
 */
export async function findStoredDevices(
  db: Db,
  organizationNo: number,
): Promise<{ devices: StoredDevice[]; total: number }> {
  const { rows } = await db.query<StoredDevice & { total: number }>(
    // In a large organization, the devices that were taken off are found along the index closed_assignments_by_tank.
    `with known as (
       select split_part(device_id, '#', 1) as device_id, max(heard_at) as heard_at, max(taken_off_at) as taken_off_at
       from (
         select device_id, null::timestamptz as heard_at, to_at as taken_off_at from device_assignments
         where organization_no = $1 and to_at < 'infinity'
         union all
         select d.device_id, null, null from connector_devices d
         join connectors c on c.no = d.connector_no where c.organization_no = $1 and c.deleted_at is null
         union all
         select device_id, received_at, null from (
           select device_id, code, received_at from rejected_readings
           where organization_no = $1 and settled_at is null order by no desc limit ${RECENT_REJECTIONS}
         ) as recent where code = 'unknown_device'
       ) as seen
       where device_id !~ '${PLACEHOLDER_DEVICE.source}' and not is_manual_device(device_id)
       group by 1
     )
     select k.device_id, greatest(k.heard_at, h.at) as heard_at, k.taken_off_at, off.last_tank,
            r.device_id is not null as is_revoked, h.profile, h.battery_percent, h.battery_v, count(*) over ()::int as total
     from known k
     left join device_health h on h.organization_no = $1 and h.device_id = k.device_id
     left join device_credentials r on r.organization_no = $1 and r.device_id = k.device_id and r.revoked_at is not null
     left join lateral (
       select json_build_object('id', t.id, 'name', t.name, 'custom_id', t.custom_id) as last_tank
       from device_assignments a join tanks t on t.no = a.tank_no and t.deleted_at is null
       where a.organization_no = $1 and a.device_id = any (${inputsSql('k.device_id')}) and a.to_at = k.taken_off_at limit 1
     ) as off on true
     -- The device itself is looked up before its inputs, because nearly always it is on a tank.
     where not exists (
       select from device_assignments o where o.organization_no = $1 and o.to_at = 'infinity' and o.device_id = k.device_id
     ) and not exists (
       select from device_assignments o
       where o.organization_no = $1 and o.to_at = 'infinity' and o.device_id = any (${inputsSql('k.device_id')})
     )
     order by greatest(k.heard_at, h.at, k.taken_off_at) desc nulls last, k.device_id limit ${MAX_STORED_DEVICES}`,
    [organizationNo],
  );
  return { devices: rows.map(({ total: _total, ...device }) => device), total: rows[0]?.total ?? 0 };
}

/** The names of a device and of its inputs. */
const inputsSql = (device: string): string =>
  `array(select ${device} || case input when 0 then '' else '#' || input end from generate_series(0, ${MAX_CHANNELS}) as input)`;
