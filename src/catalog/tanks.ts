import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { ChangeRefusedError, InvalidValuesError, NoSuchObjectError, refuseProblems } from '../values/change_refusal.ts';
import { deviceOrManual, isManualDevice } from '../values/manual_device.ts';
import { UserError } from '../values/user_error.ts';
import { isUuid } from '../values/uuid7.ts';
import { revokeDevice } from './devices.ts';
import { lockOrganization } from './organizations.ts';
import { refuseTakenKeys } from './own_numbers.ts';
import { isPlaceholderDevice, namedDevice, newPlaceholderDevice } from './placeholder_device.ts';
import { TANK_FIELDS, type TankValues, thresholdProblem } from './tank_fields.ts';
import {
  type CatalogRef,
  differences,
  insertRows,
  type Listing,
  type UpsertBatch,
  type UpsertResult,
  type UpsertTarget,
  updateRow,
  upsertRows,
} from './upsert_rows.ts';
import {
  MANAGED_TANK_COLUMNS,
  type ManagedTankObject,
  type StoredObject,
  type StoredRow,
  stored,
} from './v1_columns.ts';

type Needed = 'name' | 'assigned_device_id' | 'capacity' | 'capacity_unit' | 'min_fill_alert_percentage';
export type NewTank = { owner_no: number } & TankValues & Required<Pick<TankValues, Needed>>;

/** A new tank whose device may not be known yet. */
type TankToCreate = Omit<NewTank, 'assigned_device_id'> & Pick<TankValues, 'assigned_device_id'>;

const GIVEN = `id, owner_no, assigned_device_id, capacity, capacity_unit, custom_id, external_key, min_fill_alert_percentage, name,
  use_case, city, country, district, latitude, longitude, postal_code, region, street, street_number`;
const COLUMNS = `organization_no, ${GIVEN}, is_batch_tank, report_interval_hours, is_mobile, product, fill_limit_percentage,
  order_threshold_percentage, created_at, updated_at`;
const SELECT = `select ordinality as position, $1::int as organization_no, ${GIVEN}, coalesce(is_batch_tank, false) as is_batch_tank,
    report_interval_hours, coalesce(is_mobile, false) as is_mobile, product, fill_limit_percentage,
    order_threshold_percentage,
    coalesce(created_at, now()::timestamptz(3)) as created_at,
    coalesce(created_at, now()::timestamptz(3)) as updated_at
  from rows from (json_to_recordset($2) as (id uuid, owner_no int, assigned_device_id text, capacity float8,
    capacity_unit text, custom_id text, external_key text, min_fill_alert_percentage smallint, name text, use_case text, city text,
    country text, district text, latitude float8, longitude float8, postal_code text, region text, street text,
    street_number text, is_batch_tank boolean, report_interval_hours smallint, is_mobile boolean,
    product text, fill_limit_percentage smallint, order_threshold_percentage smallint, created_at timestamptz(3))) with ordinality as given
  -- A row is skipped if its owner was deleted while the file was checked.
  where exists (select from customers c where c.no = given.owner_no and c.organization_no = $1 and c.deleted_at is null)`;
/**
 * The columns that an import can change and that undoing it restores: all except custom_id, by which it finds a tank.
 */
const RECORDED_COLUMNS = Object.keys(TANK_FIELDS).filter((column) => column !== 'custom_id');
export const RECORDED_TANK = {
  object: 'tank',
  columns: RECORDED_COLUMNS,
  together: [
    ['capacity', 'capacity_unit'],
    ['min_fill_alert_percentage', 'order_threshold_percentage'],
    ['latitude', 'longitude'],
  ],
  marks: ['updated_at', 'settings_changed_at', 'change_number'],
} as const;
const UPSERT: UpsertTarget = {
  table: 'tanks',
  key: ['owner_no', 'custom_id'],
  columns: COLUMNS,
  select: SELECT,
  recorded: RECORDED_TANK,
};

/** The key of a tank in the caller's own system: for one owner, or for the whole organization. */
export type TankKey = { ownerNo: number; customId: string } | { externalKey: string };
/** How one tank is found: by its internal number, its id, or the key of the caller's own system. */
export type TankReference = { no: number } | { id: string } | TankKey;

/** Undefined if there never was such a tank. If it was deleted, `object` is null. */
export async function findStoredTank(
  db: Db,
  organizationNo: number,
  reference: TankReference,
): Promise<StoredObject<ManagedTankObject> | undefined> {
  const [condition, values] =
    'no' in reference
      ? ['i.no = $2', [reference.no]]
      : 'id' in reference
        ? ['i.id = $2', [reference.id]]
        : 'externalKey' in reference
          ? ['i.external_key = $2', [reference.externalKey]]
          : ['i.owner_no = $2 and i.custom_id = $3', [reference.ownerNo, reference.customId]];
  if ('id' in reference && !isUuid(reference.id)) return undefined;
  const { rows } = await db.query<StoredRow<ManagedTankObject>>(
    `select i.no, i.deleted_at is not null as is_deleted, ${MANAGED_TANK_COLUMNS} from tanks i
     where i.organization_no = $1 and ${condition}`,
    [organizationNo, ...values],
  );
  return stored(rows[0]);
}

/** A tank that is not deleted. Throws NoSuchObjectError. */
export async function liveTank(
  db: Db,
  organizationNo: number,
  reference: TankReference,
): Promise<{ no: number; object: ManagedTankObject }> {
  const found = await findStoredTank(db, organizationNo, reference);
  if (!found?.object) throw new NoSuchObjectError('tank');
  return { no: found.no, object: found.object };
}

/** Checks a tank before it is changed, under the lock of its organization. Throws, for example, if it has changed. */
type Check = (current: ManagedTankObject) => void;

/**
 * Creates any number of tanks, in the given order. The device `manual` stands for a tank without a sensor. A tank
 * without a device gets a placeholder.
 */
export async function createTanks(
  tx: Tx,
  organizationNo: number,
  given: readonly TankToCreate[],
  { isDryRun }: { isDryRun: boolean } = { isDryRun: false },
): Promise<CatalogRef[]> {
  await lockOrganization(tx, organizationNo);
  for (const tank of given) refuseThresholds(tank, { isOrderGiven: true });
  const tanks = given.map((tank) => ({
    ...tank,
    assigned_device_id: deviceOrManual(tank.assigned_device_id ?? newPlaceholderDevice()),
  }));
  await refuseTakenDevices(
    tx,
    organizationNo,
    tanks.map((tank) => tank.assigned_device_id),
  );
  await refuseTakenCustomIds(tx, tanks);
  await refuseTakenKeys(
    tx,
    organizationNo,
    { kind: 'tank', table: 'tanks' },
    tanks.map(({ external_key }) => external_key),
  );
  return insertRows(tx, UPSERT, organizationNo, tanks, isDryRun);
}

function refuseThresholds(...given: Parameters<typeof thresholdProblem>): void {
  const problem = thresholdProblem(...given);
  refuseProblems(problem === undefined ? [] : [problem]);
}

async function refuseTakenDevices(
  tx: Tx,
  organizationNo: number,
  deviceIds: readonly string[],
  reason: 'device_on_other_tank' | 'replacement_on_other_tank' = 'device_on_other_tank',
): Promise<void> {
  const { rows } = await tx.query<{ device: string; id: string }>(
    'select assigned_device_id as device, id from tanks where organization_no = $1 and assigned_device_id = any ($2)',
    [organizationNo, deviceIds],
  );
  if (rows[0])
    throw new ChangeRefusedError(reason, `device ${rows[0].device} is already on the tank ${rows[0].id}`, rows[0].id);
}

async function refuseTakenCustomIds(
  tx: Tx,
  tanks: readonly { owner_no: number; custom_id?: string | null }[],
): Promise<void> {
  const named = tanks.filter(({ custom_id }) => typeof custom_id === 'string');
  if (named.length === 0) return;
  const { rows } = await tx.query<{ id: string }>(
    `select t.id from unnest($1::int[], $2::text[]) as given (owner_no, custom_id)
     join tanks t on t.owner_no = given.owner_no and t.custom_id = given.custom_id and t.deleted_at is null limit 1`,
    [named.map(({ owner_no }) => owner_no), named.map(({ custom_id }) => custom_id)],
  );
  if (rows[0])
    throw new ChangeRefusedError('custom_id_taken', 'another tank of this owner has this custom_id', rows[0].id);
}

/** Throws if a caller names a placeholder, because only the service does. */
function refusePlaceholder(deviceId: string | undefined): void {
  const named = deviceId === undefined ? undefined : namedDevice(deviceId);
  if (named && 'reason' in named) refuseProblems([{ field: 'assigned_device_id', reason: named.reason }]);
}

/**
 * Creates the tank with this key, or changes it except for its device. A new tank needs an owner. If a tank that exists
 * is put with another owner, that owner gets it. `check` gets undefined if there is no tank with this key.
 */
export async function putTank(
  tx: Tx,
  organizationNo: number,
  key: TankKey,
  { assigned_device_id: device, created_at, ...given }: Omit<TankToCreate, 'owner_no'> & { owner_no?: number },
  { isDryRun, check }: { isDryRun: boolean; check: (current: ManagedTankObject | undefined) => void },
): Promise<{ no: number; isNew: boolean }> {
  await lockOrganization(tx, organizationNo);
  const current = await findStoredTank(tx, organizationNo, key);
  check(current?.object ?? undefined);
  const ofKey =
    'externalKey' in key ? { external_key: key.externalKey } : { owner_no: key.ownerNo, custom_id: key.customId };
  const { owner_no, ...values } = { ...given, ...ofKey };
  if (!current?.object) {
    refusePlaceholder(device);
    const onlyAtCreation = { ...(device && { assigned_device_id: device }), ...(created_at && { created_at }) };
    if (owner_no === undefined) throw new InvalidValuesError([NO_OWNER]);
    const tank = { ...values, ...onlyAtCreation, owner_no };
    const { no } = onlyRow(await createTanks(tx, organizationNo, [tank], { isDryRun }));
    return { no, isNew: true };
  }
  const { no, id, object } = current;
  const { assigned_device_id: deviceNow } = object;
  if (device !== undefined && deviceOrManual(device, deviceNow) !== deviceNow)
    throw new ChangeRefusedError('other_device', 'the tank has another device', id);
  await changeTank(tx, organizationNo, { no, object }, { ...values, ...(owner_no !== undefined && { owner_no }) });
  return { no, isNew: false };
}

export const NO_OWNER = { field: 'owner_id', reason: 'must be given for a new tank, or owner_external_key' };

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
    `select t.id, (select id from customers where no = t.owner_no) as owner_id, t.custom_id, t.external_key, t.name, t.assigned_device_id,
            t.capacity, t.capacity_unit, t.min_fill_alert_percentage, t.is_batch_tank, t.report_interval_hours,
            t.is_mobile, t.product, t.fill_limit_percentage, t.order_threshold_percentage, t.use_case, t.city, t.street, t.street_number,
            s.latest_fill_percentage, s.latest_at, t.created_at, t.updated_at
     from tanks t left join tank_states s on s.tank_no = t.no
     where t.organization_no = $1 and t.deleted_at is null and ($2::int is null or t.no = $2)
     order by t.created_at desc, t.no desc limit $3`,
    [organizationNo, no ?? null, limit],
  );
  return rows;
}

/** Changes the given fields except for the device, see assignDevice. A new owner gets the tank with its readings. */
export async function updateTank(
  tx: Tx,
  organizationNo: number,
  no: number,
  { assigned_device_id: _device, ...values }: TankValues & { owner_no?: number },
  check?: Check,
): Promise<void> {
  await lockOrganization(tx, organizationNo);
  const { object } = await liveTank(tx, organizationNo, { no });
  check?.(object);
  await changeTank(tx, organizationNo, { no, object }, values);
}

/** The caller has locked the organization and read the tank. */
async function changeTank(
  tx: Tx,
  organizationNo: number,
  { no, object }: { no: number; object: ManagedTankObject },
  values: Omit<TankValues, 'assigned_device_id'> & { owner_no?: number },
): Promise<void> {
  const { rows } = await tx.query<{ owner_no: number; is_batch_tank: boolean }>(
    'select owner_no, is_batch_tank from tanks where no = $1',
    [no],
  );
  const before = { ...object, ...object.location, ...onlyRow(rows) };
  const changes = differences(before, values);
  const after = { ...before, ...values };
  const { owner_no, custom_id } = after;
  refuseThresholds(after, { isOrderGiven: changes['order_threshold_percentage'] !== undefined });
  if (changes['owner_no'] !== undefined || changes['custom_id'] !== undefined)
    await refuseTakenCustomIds(tx, [{ owner_no, custom_id }]);
  await refuseTakenKeys(tx, organizationNo, { kind: 'tank', table: 'tanks' }, [values.external_key], object.id);
  const columns = ['owner_no', ...Object.keys(TANK_FIELDS)];
  await updateRow(tx, 'tanks', { organizationNo, no }, columns, changes);
}

/** The new device of the tank from which a device is taken: the device of the other tank, or a replacement. */
export type DeviceExchange = { swap: true } | { replacement: string } | undefined;

/**
 * Assigns a device to a tank. Every tank has a device, so a tank that loses its device to this one needs another
 * device. `manual` means a tank without a sensor. `revokesOld` revokes the previous device of the tank, unless the
 * other tank gets it. Returns the id of the assigned device.
 */
export async function assignDevice(
  tx: Tx,
  organizationNo: number,
  tankNo: number,
  given: string,
  exchange: DeviceExchange,
  { revokesOld = false, check }: { revokesOld?: boolean; check?: Check } = {},
): Promise<string> {
  await lockOrganization(tx, organizationNo);
  const { object: tank } = await liveTank(tx, organizationNo, { no: tankNo });
  check?.(tank);
  const before = tank.assigned_device_id;
  const deviceId = deviceOrManual(given, before);
  if (before === deviceId) return deviceId;
  const devices = new Map([[tankNo, deviceId]]);
  const { rows } = await tx.query<{ no: number; id: string }>(
    'select no, id from tanks where organization_no = $1 and assigned_device_id = $2',
    [organizationNo, deviceId],
  );
  const [other] = rows;
  if (other) {
    if (exchange === undefined)
      throw new ChangeRefusedError(
        'device_on_other_tank',
        `device ${deviceId} is already on the tank ${other.id}`,
        other.id,
      );
    if ('replacement' in exchange)
      await refuseTakenDevices(tx, organizationNo, [exchange.replacement], 'replacement_on_other_tank');
    devices.set(other.no, 'swap' in exchange ? before : deviceOrManual(exchange.replacement));
  }
  // One statement changes both tanks, because PostgreSQL checks the constraint on devices at the end of a statement.
  await tx.query(
    `update tanks set assigned_device_id = given.device
     from unnest($2::int[], $3::text[]) as given (no, device)
     where organization_no = $1 and tanks.no = given.no`,
    [organizationNo, [...devices.keys()], [...devices.values()]],
  );
  const isStillUsed = [...devices.values()].includes(before);
  if (revokesOld && !isStillUsed && !isPlaceholderDevice(before) && !isManualDevice(before))
    await revokeDevice(tx, organizationNo, before);
  return deviceId;
}

/** Deletes one tank, see deleteTanks. Deleting again changes nothing. */
export async function deleteTank(tx: Tx, organizationNo: number, tankNo: number, check?: Check): Promise<void> {
  await lockOrganization(tx, organizationNo);
  const current = await findStoredTank(tx, organizationNo, { no: tankNo });
  if (current === undefined) throw new NoSuchObjectError('tank');
  if (current.object === null) return;
  check?.(current.object);
  await deleteTanks(tx, organizationNo, [tankNo]);
}

/**
 * Deletes tanks. The rows stay, so that their ids are reported as deleted, but without personal data and device.
 * Triggers erase what other tables hold (erase_tank and others, see migrations/triggers.txt), and the worker deletes
 * their readings and events. The caller has locked the organization.
 */
export async function deleteTanks(tx: Tx, organizationNo: number, tankNos: readonly number[]): Promise<void> {
  if (tankNos.length === 0) return;
  // In the order in which new stops of rounds lock their tanks.
  await tx.query('select from tanks where no = any ($1) order by no for update', [tankNos]);
  await tx.query(
    `update tanks set deleted_at = now(), assigned_device_id = null, custom_id = null, name = null, use_case = null,
       city = null, country = null, district = null, latitude = null, longitude = null, postal_code = null,
       region = null, street = null, street_number = null
     where organization_no = $1 and no = any ($2) and deleted_at is null`,
    [organizationNo, tankNos],
  );
}

/** Creates or updates tanks by owner and custom_id. */
export async function upsertTanks(tx: Tx, organizationNo: number, batch: UpsertBatch): Promise<UpsertResult> {
  await lockOrganization(tx, organizationNo);
  return upsertRows(tx, UPSERT, organizationNo, batch);
}
