import type { Db, Tx } from '../db/pool.ts';
import { checkDrift } from './drift.ts';
import type { CheckContext, CheckFinding } from './finding.ts';

/** A tank whose open assignment does not match its assigned device. */
interface Drift {
  /** The number of the tank. */
  no: number;
  /** The device in `tanks`; null for a deleted tank. */
  device_id: string | null;
  /** The device of the open assignment; null if there is none. */
  assigned_id: string | null;
}

export const checkAssignments = (context: CheckContext): Promise<CheckFinding[]> =>
  checkDrift<Drift>(context, {
    what: 'tank',
    findDrift,
    sentence,
    remedy: 'run tankwatch doctor --fix, which opens and closes assignments to match the tanks',
    restore: reassign,
  });

function sentence({ no, device_id, assigned_id }: Drift): string {
  if (device_id === null) return `tank ${no} has no device, but its assignment of ${assigned_id} is still open`;
  return assigned_id === null
    ? `tank ${no} has the device ${device_id}, but no open assignment, so its readings find no tank`
    : `tank ${no} has the device ${device_id}, but its open assignment is for ${assigned_id}`;
}

async function findDrift(db: Db): Promise<Drift[]> {
  const { rows } = await db.query<Drift>(
    `select tank_no as no, t.device_id, a.device_id as assigned_id
     from (
       select no as tank_no, organization_no, assigned_device_id as device_id from tanks where assigned_device_id is not null
     ) as t
     full join (
       select tank_no, organization_no, device_id from device_assignments where to_at = 'infinity'
     ) as a using (tank_no)
     where (t.organization_no, t.device_id) is distinct from (a.organization_no, a.device_id)
     order by tank_no`,
  );
  return rows;
}

/** Locks the rows of the tanks. A transaction that moves a device holds these locks until its triggers have run. */
async function reassign(tx: Tx, tankNos: readonly number[]): Promise<void> {
  await tx.query('select from tanks where no = any ($1) order by no for no key update', [tankNos]);

  // Close stale assignments as record_moved_assignments does, but not after the device's next assignment begins.
  const isStale = `a.tank_no = any ($1) and a.to_at = 'infinity' and not exists (
    select from tanks t
    where t.no = a.tank_no and t.organization_no = a.organization_no and t.assigned_device_id = a.device_id
  )`;
  await tx.query(`delete from device_assignments a where ${isStale} and a.from_at >= now()::timestamptz(3)`, [tankNos]);
  await tx.query(
    `update device_assignments a set to_at = least(now(), (
       select min(later.from_at) from device_assignments later
       where later.organization_no = a.organization_no and later.device_id = a.device_id and later.from_at > a.from_at
     ))
     where ${isStale}`,
    [tankNos],
  );

  // A device whose last assignment is to this tank never moved. Open that assignment again for later readings.
  await tx.query(
    `update device_assignments a set to_at = 'infinity'
     from tanks t
     where t.no = any ($1) and a.tank_no = t.no
       and a.organization_no = t.organization_no and a.device_id = t.assigned_device_id and a.to_at < 'infinity'
       and a.from_at = (
         select max(from_at) from device_assignments last
         where last.organization_no = a.organization_no and last.device_id = a.device_id
       )`,
    [tankNos],
  );
  await tx.query(
    `select open_assignments(array_agg(organization_no), array_agg(assigned_device_id), array_agg(no)) from tanks
     where no = any ($1) and assigned_device_id is not null
       and not exists (select from device_assignments where tank_no = no and to_at = 'infinity')`,
    [tankNos],
  );
}
