import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { deviceOrManual } from '../values/manual_device.ts';
import { UserError } from '../values/user_error.ts';
import { uuid7 } from '../values/uuid7.ts';
import { TANK_FIELDS, type TankValues } from './fields.ts';
import { lockOrganization } from './organizations.ts';
import {
  type CatalogRef,
  insertRows,
  type Listing,
  type UpsertBatch,
  type UpsertCounts,
  type UpsertTarget,
  updateRow,
  upsertRows,
} from './upsert_rows.ts';

type Needed = 'name' | 'assigned_device_id' | 'capacity' | 'capacity_unit' | 'min_fill_alert_percentage';
export type NewTank = { owner_no: number } & TankValues & Required<Pick<TankValues, Needed>>;

const GIVEN = `id, owner_no, assigned_device_id, capacity, capacity_unit, custom_id, min_fill_alert_percentage, name,
  use_case, city, country, district, latitude, longitude, postal_code, region, street, street_number`;
const COLUMNS = `organization_no, ${GIVEN}, is_batch_tank, created_at, updated_at`;
const SELECT = `select $1::int as organization_no, ${GIVEN}, coalesce(is_batch_tank, false) as is_batch_tank,
    coalesce(created_at, now()::timestamptz(3)) as created_at,
    coalesce(created_at, now()::timestamptz(3)) as updated_at
  from json_to_recordset($2) as given (id uuid, owner_no int, assigned_device_id text, capacity float8,
    capacity_unit text, custom_id text, min_fill_alert_percentage smallint, name text, use_case text, city text,
    country text, district text, latitude float8, longitude float8, postal_code text, region text, street text,
    street_number text, is_batch_tank boolean, created_at timestamptz(3))`;
const UPSERT: UpsertTarget = { table: 'tanks', key: ['owner_no', 'custom_id'], columns: COLUMNS, select: SELECT };

const asJson = (tanks: readonly NewTank[]): string => JSON.stringify(tanks.map((tank) => ({ id: uuid7(), ...tank })));

/** Creates any number of tanks, in the given order. The device `manual` stands for a tank without a sensor. */
export async function createTanks(
  tx: Tx,
  organizationNo: number,
  given: readonly NewTank[],
  { isDryRun }: { isDryRun: boolean } = { isDryRun: false },
): Promise<CatalogRef[]> {
  await lockOrganization(tx, organizationNo);
  const tanks = given.map((tank) => ({ ...tank, assigned_device_id: deviceOrManual(tank.assigned_device_id) }));
  await assertDevicesAreFree(
    tx,
    organizationNo,
    tanks.map((tank) => tank.assigned_device_id),
  );
  return insertRows(tx, UPSERT, organizationNo, asJson(tanks), isDryRun);
}

async function assertDevicesAreFree(tx: Tx, organizationNo: number, deviceIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ device: string; id: string }>(
    'select assigned_device_id as device, id from tanks where organization_no = $1 and assigned_device_id = any ($2)',
    [organizationNo, deviceIds],
  );
  if (rows[0]) throw new UserError(`device ${rows[0].device} is already on the tank ${rows[0].id}.`);
}

/** Finds a tank by id or by its device. */
export async function findTank(db: Db, organizationNo: number, reference: string): Promise<CatalogRef> {
  const { rows } = await db.query<CatalogRef>(
    `select no, id from tanks
     where organization_no = $1 and deleted_at is null and (id::text = lower($2) or assigned_device_id = $2)`,
    [organizationNo, reference],
  );
  if (rows[0] === undefined)
    throw new UserError(`there is no tank with the id or device ${reference}; list them with: tankwatch tanks list`);
  return onlyRow(rows);
}

/** Tanks for the command line, with the latest reading. */
export async function listTanks(
  db: Db,
  organizationNo: number,
  { limit, no }: Listing,
): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select t.id, (select id from customers where no = t.owner_no) as owner_id, t.custom_id, t.name, t.assigned_device_id,
            t.capacity, t.capacity_unit, t.min_fill_alert_percentage, t.is_batch_tank, t.use_case, t.city, t.street,
            t.street_number, s.latest_fill_percentage, s.latest_at, t.created_at, t.updated_at
     from tanks t left join tank_states s on s.tank_no = t.no
     where t.organization_no = $1 and t.deleted_at is null and ($2::int is null or t.no = $2)
     order by t.created_at desc, t.no desc limit $3`,
    [organizationNo, no ?? null, limit],
  );
  return rows;
}

/** Changes the given fields, and the owner; except for the device: see assignDevice. */
export async function updateTank(
  tx: Tx,
  organizationNo: number,
  no: number,
  values: TankValues & { owner_no?: number },
): Promise<void> {
  await lockOrganization(tx, organizationNo);
  const columns = ['owner_no', ...Object.keys(TANK_FIELDS).filter((column) => column !== 'assigned_device_id')];
  await updateRow(tx, 'tanks', { organizationNo, no }, columns, values);
}

/** The new device of the tank that loses its device: the other tank's device, or a replacement. */
export type DeviceExchange = { swap: true } | { replacement: string } | undefined;

/**
 * Assigns a device to a tank. A tank always has a device, so a tank that loses its device needs another one. `manual` takes the
 * sensor away. Returns the serial.
 */
export async function assignDevice(
  tx: Tx,
  organizationNo: number,
  tankNo: number,
  given: string,
  exchange: DeviceExchange,
): Promise<string> {
  await lockOrganization(tx, organizationNo);
  const { rows } = await tx.query<{ no: number; id: string; device: string }>(
    `select no, id, assigned_device_id as device from tanks
     where organization_no = $1 and deleted_at is null and (no = $2 or assigned_device_id = $3)`,
    [organizationNo, tankNo, given],
  );
  const tank = rows.find(({ no }) => no === tankNo);
  const other = rows.find(({ no }) => no !== tankNo);
  if (tank === undefined) throw new UserError('the tank was deleted.');
  const deviceId = deviceOrManual(given, tank.device);
  if (tank.device === deviceId) return deviceId;
  const devices = new Map([[tankNo, deviceId]]);
  if (other) {
    if (exchange === undefined) {
      throw new UserError(
        `device ${deviceId} is on the tank ${other.id}; use --swap to exchange the devices of the two tanks, or --replacement to name another device for that tank.`,
      );
    }
    if ('replacement' in exchange) await assertDevicesAreFree(tx, organizationNo, [exchange.replacement]);
    devices.set(other.no, 'swap' in exchange ? tank.device : deviceOrManual(exchange.replacement));
  }
  // One statement for both tanks, because PostgreSQL checks the constraint on devices at its end.
  await tx.query(
    `update tanks set assigned_device_id = given.device
     from unnest($2::int[], $3::text[]) as given (no, device)
     where organization_no = $1 and tanks.no = given.no`,
    [organizationNo, [...devices.keys()], [...devices.values()]],
  );
  return deviceId;
}

/** Transfers a tank, with its readings, to another owner. */
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

/**
 * Deletes one tank. The row stays, so that its id is reported as deleted, but without personal data and device. A trigger
 * erases what other tables hold, and the worker deletes its readings and events.
 */
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

/** Creates or updates tanks by owner and custom_id. */
export async function upsertTanks(tx: Tx, organizationNo: number, batch: UpsertBatch): Promise<UpsertCounts> {
  await lockOrganization(tx, organizationNo);
  return upsertRows(tx, UPSERT, organizationNo, batch);
}
