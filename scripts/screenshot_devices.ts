import type { Pool } from 'pg';
import { operatorChange } from '../src/catalog/change_context.ts';
import { transaction } from '../src/db/pool.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { acknowledgeTank } from '../src/status/acknowledge_tank.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import type { PictureFleet } from './screenshot_fleets.ts';

/** What the devices report about themselves. */
const REPORTS = [
  { fault: 'no echo', battery_v: 3.41, rssi_dbm: -91 },
  { battery_v: 3.05, battery_percent: 9, rssi_dbm: -98 },
  { battery_percent: 8, rssi_dbm: -104 },
  { battery_percent: 64, rssi_dbm: -121 },
  { battery_percent: 81, rssi_dbm: -84 },
];

/**
 * Creates a device with each kind of fault, assigned to its tank by this person or by one who has left. A person has taken on one of
 * the faults. Two devices are in store.
 */
export async function giveDeviceTroubles(
  owner: Pool,
  { organizationNo, lastTankIds }: PictureFleet,
  email: string,
): Promise<void> {
  const { rows } = await owner.query<{ id: string; device_id: string }>(
    `select t.id, t.assigned_device_id as device_id from tanks t join fleet_tanks f on f.tank_no = t.no
     where t.organization_no = $1 and not f.is_silent and not f.is_gauge_unreliable order by t.no desc limit ${REPORTS.length}`,
    [organizationNo],
  );
  for (const hours of [30, 1])
    await new BatchIngester(owner).ingestBatch({
      readings: [],
      rejections: [],
      health: rows.map(({ device_id }, at) => ({
        organization_no: organizationNo,
        device_id,
        at_ms: Date.now() - hours * HOUR_MS,
        ...REPORTS[at],
      })),
    });
  await owner.query(
    `update device_assignments a set assigned_by = 'contact ' || case when a.tank_no % 3 = 0 then '01989f31-7a11-7c55-9d20-6c1f4be0a3d2' else c.id end
     from contacts c where c.organization_no = $1 and c.email = $2 and a.organization_no = $1 and a.tank_no % 4 <> 0`,
    [organizationNo, email],
  );
  await owner.query(
    `insert into device_assignments (organization_no, tank_no, device_id, from_at, to_at)
     select $1, min(t.no), device, now() - interval '300 days', now() - ago
     from tanks t, (values ('TW-103110', interval '12 days'), ('TW-102775', interval '80 days')) as off (device, ago)
     where t.organization_no = $1 group by device, ago`,
    [organizationNo],
  );
  await transaction(owner, (tx) =>
    acknowledgeTank(operatorChange(tx, organizationNo), lastTankIds.silent ?? '', {
      conditions: ['silent'],
      until: new Date(Date.now() + 3 * DAY_MS).toISOString(),
      comment: null,
      replaces: [],
    }),
  );
}
