import type { Db } from '../db/pool.ts';
import { deviceOrManual, MANUAL } from '../values/manual_device.ts';
import type { RowError } from '../values/row_error.ts';
import { isUuid } from '../values/uuid7.ts';
import { upsertCustomers } from './customers.ts';
import { CUSTOMER_FIELDS, normalText, TANK_FIELDS } from './fields.ts';
import type { ImportRow, ImportTarget } from './import_row.ts';
import { newPlaceholderDevice } from './placeholder_device.ts';
import { CUSTOMER_COLUMNS, upsertTankRows } from './tank_rows.ts';

/** Customers are matched by external_key, the operator's own number. */
export const CUSTOMER_IMPORT: ImportTarget = {
  fields: CUSTOMER_FIELDS,
  requiredColumns: ['external_key', 'email', 'name'],
  uniqueKeys: [['external_key']],
  async check(_db, _organizationNo, rows) {
    for (const { values, errors } of rows) {
      if (values['verified_at'] && values['is_verified'] !== true)
        errors.push({ column: 'verified_at', text: null, problem: 'is given, but is_verified is not true' });
    }
  },
  upsert: upsertCustomers,
};

/**
 * Tanks are matched by owner and custom_id. `owner` is a customer's id or external key. If the file also has the names of
 * customers, it creates and changes them too.
 */
export const TANK_IMPORT: ImportTarget = {
  fields: { ...TANK_FIELDS, ...CUSTOMER_COLUMNS },
  requiredColumns: [
    'owner',
    'custom_id',
    'name',
    'assigned_device_id',
    'capacity',
    'capacity_unit',
    'min_fill_alert_percentage',
  ],
  uniqueKeys: [['owner_key', 'custom_id'], ['assigned_device_id']],
  repeated: { key: 'owner_key', columns: Object.keys(CUSTOMER_COLUMNS) },
  async check(db, organizationNo, rows) {
    const texts = (column: string): string[] => rows.map(({ values }) => String(values[column]));
    const ownerNos = await findOwners(db, organizationNo, [...texts('owner'), ...texts('other_owner')]);
    for (const { values } of rows) {
      const key = ownerKey(values['owner']);
      values['owner_no'] = ownerNos.get(key);
      values['owner_key'] = values['owner_no'] ?? key;
    }
    await nameDevices(db, rows);
    const { rows: taken } = await db.query<{ device: string; owner_no: number; custom_id: string | null; id: string }>(
      `select assigned_device_id as device, owner_no, custom_id, id from tanks
       where organization_no = $1 and assigned_device_id = any ($2)`,
      [organizationNo, texts('assigned_device_id')],
    );
    const holders = new Map(taken.map((tank) => [tank.device, tank]));

    for (const { values, errors } of rows) {
      const ownerNo = values['owner_no'];
      if (ownerNo === undefined && typeof values['customer_name'] === 'string')
        errors.push(...newCustomerErrors(values));
      else if (ownerNo === undefined) {
        const [text, advice] = [String(values['owner']), 'Import the customers first.'];
        errors.push({
          column: 'owner',
          text,
          problem: 'is not the external_key or id of a customer',
          code: 'unknown_owner',
          advice,
          isPerText: true,
        });
      }
      const other = values['other_owner'];
      if (typeof other === 'string' && ownerNos.get(ownerKey(other)) !== ownerNo)
        errors.push({ column: 'other_owner', text: null, problem: 'must be that of the owner' });
      const holder = holders.get(String(values['assigned_device_id']));
      if (holder && (holder.owner_no !== ownerNo || holder.custom_id !== values['custom_id'])) {
        const problem = `is on the tank ${holder.id}`;
        const advice = 'Move the device with: tankwatch tanks assign-device';
        errors.push({
          column: 'assigned_device_id',
          text: holder.device,
          problem,
          advice,
          code: 'device_on_other_tank',
        });
      }
    }
  },
  upsert: upsertTankRows,
};

/** What a new customer of a row with a tank lacks. */
function newCustomerErrors({ owner, customer_email: address }: Readonly<Record<string, unknown>>): RowError[] {
  if (isUuid(String(owner)))
    return [{ column: 'owner', text: String(owner), problem: 'is not the id of a customer', code: 'unknown_owner' }];
  return typeof address === 'string'
    ? []
    : [{ column: 'customer_email', text: null, problem: 'must not be empty for a new customer', code: 'empty' }];
}

/** An id in the form in which it is stored, or an external key. */
function ownerKey(text: unknown): string {
  const normal = normalText(String(text));
  return isUuid(normal) ? normal.toLowerCase() : normal;
}

/** The numbers of customers by id and external key. */
async function findOwners(db: Db, organizationNo: number, texts: readonly string[]): Promise<Map<string, number>> {
  const keys = texts.map(ownerKey);
  const { rows } = await db.query<{ no: number; id: string; external_key: string | null }>(
    `select no, id, external_key from customers
     where organization_no = $1 and deleted_at is null and external_key = any ($2)
     union
     select no, id, external_key from customers
     where organization_no = $1 and deleted_at is null and id = any ($3::uuid[])`,
    [organizationNo, texts.map(normalText), keys.filter(isUuid)],
  );
  return new Map(
    rows.flatMap(({ no, id, external_key }) => [
      [id, no] as const,
      ...(external_key === null ? [] : [[ownerKey(external_key), no] as const]),
    ]),
  );
}

/** A device that is not known yet. Only a constant has this meaning. */
export const PENDING = 'pending';

/** `manual` is a tank without a sensor: it keeps its manual device, so that importing a file twice changes nothing. */
async function nameDevices(db: Db, rows: readonly ImportRow[]): Promise<void> {
  // Only new tanks get the device of a constant.
  for (const { values, constants } of rows)
    if (constants?.has('assigned_device_id') && values['assigned_device_id'] === PENDING)
      values['assigned_device_id'] = newPlaceholderDevice();
  const manual = rows.filter(({ values }) => String(values['assigned_device_id']).toLowerCase() === MANUAL);
  if (manual.length === 0) return;
  const keyOf = (ownerNo: unknown, customId: unknown): string => `${String(ownerNo)} ${String(customId)}`;
  const { rows: existing } = await db.query<{ owner_no: number; custom_id: string; device: string }>(
    `select t.owner_no, t.custom_id, t.assigned_device_id as device
     from unnest($1::int[], $2::text[]) as given (owner_no, custom_id)
     join tanks t on t.owner_no = given.owner_no and t.custom_id = given.custom_id and t.deleted_at is null`,
    [manual.map(({ values }) => values['owner_no'] ?? null), manual.map(({ values }) => values['custom_id'])],
  );
  const devices = new Map(existing.map((tank) => [keyOf(tank.owner_no, tank.custom_id), tank.device]));
  for (const { values } of manual)
    values['assigned_device_id'] = deviceOrManual(MANUAL, devices.get(keyOf(values['owner_no'], values['custom_id'])));
}
