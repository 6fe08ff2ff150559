import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';
import { uuid7 } from '../values/uuid7.ts';
import { TANK_FIELDS, type TankValues } from './fields.ts';
import { lockOrganization } from './organizations.ts';
import { type CatalogRef, type Listing, type UpsertCounts, updateRow, upsertRows } from './upsert_rows.ts';

type Needed = 'name' | 'assigned_device_id' | 'capacity' | 'capacity_unit' | 'min_fill_alert_percentage';
export type NewTank = { owner_no: number } & TankValues & Required<Pick<TankValues, Needed>>;

const COLUMNS = `id, owner_no, assigned_device_id, capacity, capacity_unit, custom_id, min_fill_alert_percentage, name,
  use_case, city, country, district, latitude, longitude, postal_code, region, street, street_number`;
const INSERT = `insert into tanks (organization_no, ${COLUMNS}, created_at, updated_at)
  select $1, ${COLUMNS}, coalesce(created_at, now()), coalesce(created_at, now())
  from json_to_recordset($2) as given (id uuid, owner_no int, assigned_device_id text, capacity float8,
    capacity_unit text, custom_id text, min_fill_alert_percentage smallint, name text, use_case text, city text,
    country text, district text, latitude float8, longitude float8, postal_code text, region text, street text,
    street_number text, created_at timestamptz)`;

const asJson = (tanks: readonly NewTank[]): string => JSON.stringify(tanks.map((tank) => ({ id: uuid7(), ...tank })));

/** Creates tanks in the order given, any number at once. */
export async function createTanks(tx: Tx, organizationNo: number, tanks: readonly NewTank[]): Promise<CatalogRef[]> {
  await lockOrganization(tx, organizationNo);
  await refuseTakenDevices(
    tx,
    organizationNo,
    tanks.map((tank) => tank.assigned_device_id),
  );
  const { rows } = await tx.query<CatalogRef>(`${INSERT} returning no, id`, [organizationNo, asJson(tanks)]);
  return rows;
}

async function refuseTakenDevices(tx: Tx, organizationNo: number, deviceIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ device: string; id: string }>(
    'select assigned_device_id as device, id from tanks where organization_no = $1 and assigned_device_id = any ($2)',
    [organizationNo, deviceIds],
  );
  if (rows[0]) throw new UserError(`device ${rows[0].device} is on the tank ${rows[0].id} already.`);
}

/** By id, or by the device that is on it. */
export async function findTank(db: Db, organizationNo: number, reference: string): Promise<CatalogRef> {
  const { rows } = await db.query<CatalogRef>(
    `select no, id from tanks
     where organization_no = $1 and deleted_at is null and (id::text = lower($2) or assigned_device_id = $2)`,
    [organizationNo, reference],
  );
  if (rows[0] === undefined) throw new UserError(`there is no tank with the id, or with the device, ${reference}.`);
  return onlyRow(rows);
}

/** Tanks as operators see them, with the latest reading. */
export async function listTanks(
  db: Db,
  organizationNo: number,
  { limit, no }: Listing,
): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select t.id, (select id from customers where no = t.owner_no) as owner_id, t.custom_id, t.name, t.assigned_device_id,
            t.capacity, t.capacity_unit, t.min_fill_alert_percentage, t.use_case, t.city, t.street, t.street_number,
            s.latest_fill_percentage, s.latest_at, t.created_at, t.updated_at
     from tanks t left join tank_states s on s.tank_no = t.no
     where t.organization_no = $1 and t.deleted_at is null and ($2::int is null or t.no = $2)
     order by t.created_at desc, t.no desc limit $3`,
    [organizationNo, no ?? null, limit],
  );
  return rows;
}

/** Changes the given fields and no others. Devices move by assignDevice. */
export async function updateTank(tx: Tx, organizationNo: number, no: number, values: TankValues): Promise<void> {
  await lockOrganization(tx, organizationNo);
  const columns = Object.keys(TANK_FIELDS).filter((column) => column !== 'assigned_device_id');
  await updateRow(tx, 'tanks', { organizationNo, no }, columns, values);
}

/** What becomes of the tank that the device is on now: it takes the other's device, or a new one. */
export type Displaced = { swap: true } | { replacement: string } | undefined;

/** Puts a device on a tank. Since a tank is never without one, taking it from another tank needs a word on that one. */
export async function assignDevice(
  tx: Tx,
  organizationNo: number,
  tankNo: number,
  deviceId: string,
  displaced: Displaced,
): Promise<void> {
  await lockOrganization(tx, organizationNo);
  const { rows } = await tx.query<{ no: number; id: string; device: string }>(
    `select no, id, assigned_device_id as device from tanks
     where organization_no = $1 and deleted_at is null and (no = $2 or assigned_device_id = $3)`,
    [organizationNo, tankNo, deviceId],
  );
  const here = rows.find((tank) => tank.no === tankNo);
  const there = rows.find((tank) => tank.no !== tankNo);
  if (here === undefined) throw new UserError('the tank is gone.');
  if (here.device === deviceId) return;
  const devices = new Map([[tankNo, deviceId]]);
  if (there) {
    if (displaced === undefined) {
      throw new UserError(
        `device ${deviceId} is on the tank ${there.id}; say --swap to give that one ${here.device}, or --replacement with another device for it.`,
      );
    }
    if ('replacement' in displaced) await refuseTakenDevices(tx, organizationNo, [displaced.replacement]);
    devices.set(there.no, 'swap' in displaced ? here.device : displaced.replacement);
  }
  // One statement for both tanks: the constraint on devices is judged at its end.
  await tx.query(
    `update tanks set assigned_device_id = given.device
     from unnest($2::int[], $3::text[]) as given (no, device)
     where organization_no = $1 and tanks.no = given.no`,
    [organizationNo, [...devices.keys()], [...devices.values()]],
  );
}

/** Hands a tank to another owner; its history goes along. */
export async function transferTank(tx: Tx, organizationNo: number, tankNo: number, ownerNo: number): Promise<void> {
  await lockOrganization(tx, organizationNo);
  const { rowCount } = await tx.query(
    `select from tanks t join tanks own on own.owner_no = $2 and own.custom_id = t.custom_id and own.no <> t.no
     where t.no = $1`,
    [tankNo, ownerNo],
  );
  if (rowCount) throw new UserError('the new owner has a tank with the same custom_id; change one of them first.');
  await tx.query('update tanks set owner_no = $3 where organization_no = $1 and no = $2 and deleted_at is null', [
    organizationNo,
    tankNo,
    ownerNo,
  ]);
}

/** Deletes one tank for good: its id answers "deleted", nothing personal stays in the row, its device is free. */
export async function deleteTank(tx: Tx, organizationNo: number, tankNo: number): Promise<void> {
  await lockOrganization(tx, organizationNo);
  await tx.query(
    `update tanks set deleted_at = now(), assigned_device_id = null, custom_id = null, name = null, use_case = null,
       city = null, country = null, district = null, latitude = null, longitude = null, postal_code = null,
       region = null, street = null, street_number = null
     where organization_no = $1 and no = $2 and deleted_at is null`,
    [organizationNo, tankNo],
  );
}

/** Creates or updates by owner and custom_id. Each row is a JSON text; `given` names the columns the file has. */
export async function upsertTanks(
  tx: Tx,
  organizationNo: number,
  rowTexts: readonly string[],
  given: readonly string[],
): Promise<UpsertCounts> {
  await lockOrganization(tx, organizationNo);
  return upsertRows(
    tx,
    { table: 'tanks', insert: INSERT, key: 'owner_no, custom_id' },
    organizationNo,
    rowTexts,
    given,
  );
}
