import type { Db } from '../db/pool.ts';
import { deviceOrManual, MANUAL } from '../values/manual_device.ts';
import type { RowError } from '../values/row_error.ts';
import { isUuid } from '../values/uuid7.ts';
import { CUSTOMER_FIELDS } from './customer_fields.ts';
import { upsertCustomers } from './customers.ts';
import { normalText } from './field.ts';
import type { ImportRow, ImportTarget } from './import_row.ts';
import { newPlaceholderDevice } from './placeholder_device.ts';
import { TANK_FIELDS, thresholdProblem } from './tank_fields.ts';
import { LEVEL_COLUMNS } from './tank_levels.ts';
import { OWNER_COLUMNS, upsertTankRows } from './tank_rows.ts';

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
 * Tanks are matched by owner and custom_id. `owner` is a customer's id or external key. If the file also has the names
 * of customers, it creates and changes them too.
 */
export const TANK_IMPORT: ImportTarget = {
  fields: { ...TANK_FIELDS, ...OWNER_COLUMNS, ...LEVEL_COLUMNS },
  requiredColumns: [
    'owner',
    'custom_id',
    'name',
    'assigned_device_id',
    'capacity',
    'capacity_unit',
    'min_fill_alert_percentage',
  ],
  uniqueKeys: [['owner_key', 'custom_id'], ['assigned_device_id'], ['external_key']],
  repeated: { key: 'owner_key', columns: Object.keys(OWNER_COLUMNS) },
  isCheckedAgain: true,
  async check(db, organizationNo, rows) {
    const texts = (column: string): string[] => rows.map(({ values }) => String(values[column]));
    const ownerNos = await findOwners(db, organizationNo, [...texts('owner'), ...texts('other_owner')]);
    for (const { values } of rows) {
      const key = ownerKey(values['owner']);
      values['owner_no'] = ownerNos.get(key);
      // The external key of a new customer must not equal the internal number of another one.
      values['owner_key'] = values['owner_no'] ?? `new ${key}`;
    }
    const replaced = await resolveDevices(db, organizationNo, rows);
    await checkThresholds(db, organizationNo, rows);
    const holders = await findHolders(db, organizationNo, 'assigned_device_id', rows);
    const keyHolders = await findHolders(db, organizationNo, 'external_key', rows);

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
      errors.push(...(replaced.get(values) ?? []));
      if (typeof values['fill_percentage'] === 'number' && typeof values['measured_at'] !== 'string')
        errors.push({ column: 'measured_at', text: null, problem: 'must not be empty beside a level', code: 'empty' });
      const other = values['other_owner'];
      if (typeof other === 'string' && ownerNos.get(ownerKey(other)) !== ownerNo)
        errors.push({ column: 'other_owner', text: null, problem: 'must name the same customer as the owner' });
      const isOther = (tank: Holder): boolean => tank.owner_no !== ownerNo || tank.custom_id !== values['custom_id'];
      const key = values['external_key'];
      const keyHolder = typeof key === 'string' ? keyHolders.get(key) : undefined;
      if (keyHolder && isOther(keyHolder))
        errors.push({ column: 'external_key', text: keyHolder.text, problem: `is that of the tank ${keyHolder.id}` });
      const holder = holders.get(String(values['assigned_device_id']));
      if (holder && isOther(holder)) {
        const problem = `is on the tank ${holder.id}`;
        const advice = 'Move the device with: tankwatch tanks assign-device';
        errors.push({
          column: 'assigned_device_id',
          text: holder.text,
          problem,
          advice,
          code: 'device_on_other_tank',
        });
      }
    }
  },
  upsert: upsertTankRows,
};

interface Holder {
  text: string;
  owner_no: number;
  custom_id: string | null;
  id: string;
}

/** Finds the tanks that already have a device or an external key of the rows. */
async function findHolders(
  db: Db,
  organizationNo: number,
  column: 'assigned_device_id' | 'external_key',
  rows: readonly ImportRow[],
): Promise<Map<string, Holder>> {
  const texts = rows.map(({ values }) => values[column]).filter((text) => typeof text === 'string');
  if (texts.length === 0) return new Map();
  const { rows: tanks } = await db.query<Holder>(
    `select ${column} as text, owner_no, custom_id, id from tanks where organization_no = $1 and ${column} = any ($2)`,
    [organizationNo, texts],
  );
  return new Map(tanks.map((tank) => [tank.text, tank]));
}

/**
 * The errors of a tank's row that would create a customer: the owner is an unknown id, or there is no e-mail address.
 */
function newCustomerErrors({ owner, customer_email: address }: Readonly<Record<string, unknown>>): RowError[] {
  if (isUuid(String(owner)))
    return [{ column: 'owner', text: String(owner), problem: 'is not the id of a customer', code: 'unknown_owner' }];
  return typeof address === 'string'
    ? []
    : [{ column: 'customer_email', text: null, problem: 'must not be empty for a new customer', code: 'empty' }];
}

/** An id in the form in which it is stored, or an external key. */
export function ownerKey(text: unknown): string {
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

/**
 * The value of `--set assigned_device_id=` for devices that are not known yet. In a cell of the file it is an ordinary
 * device id.
 */
export const PENDING = 'pending';

/**
 * Replaces `pending` and `manual` in the rows by device ids. `manual` means a tank without a sensor: an existing tank
 * keeps its manual device, so that importing a file twice changes nothing. Returns an error for each row whose device
 * was replaced on its tank, because the file is an old export.
 */
async function resolveDevices(
  db: Db,
  organizationNo: number,
  rows: readonly ImportRow[],
): Promise<Map<ImportRow['values'], RowError[]>> {
  const checked = rows.filter(({ values, constants }) => {
    // Only new tanks get the device of a constant.
    const isConstant = constants?.has('assigned_device_id') === true;
    if (isConstant && values['assigned_device_id'] === PENDING) values['assigned_device_id'] = newPlaceholderDevice();
    return !isConstant || isManual(values);
  });
  const { rows: tanks } = await db.query<{ place: number; device: string; is_replaced: boolean }>(
    `select given.place::int - 1 as place, t.assigned_device_id as device,
            not (given.is_manual and is_manual_device(t.assigned_device_id)) and exists (
              select from device_assignments a where a.tank_no = t.no and a.to_at < 'infinity'
                and (a.device_id = given.device or given.is_manual and is_manual_device(a.device_id))
            ) as is_replaced
     from unnest($2::int[], $3::text[], $4::text[], $5::bool[]) with ordinality as given (owner_no, custom_id, device, is_manual, place)
     join tanks t on t.organization_no = $1 and t.owner_no = given.owner_no and t.custom_id = given.custom_id and t.deleted_at is null
     where t.assigned_device_id <> given.device`,
    [
      organizationNo,
      checked.map(({ values }) => values['owner_no'] ?? null),
      checked.map(({ values }) => values['custom_id']),
      checked.map(({ values }) => values['assigned_device_id']),
      checked.map(({ values }) => isManual(values)),
    ],
  );
  const current = new Map(tanks.map((tank) => [checked[tank.place], tank]));
  const replaced = new Map<ImportRow['values'], RowError[]>();
  for (const row of checked) {
    const { values, constants } = row;
    const tank = current.get(row);
    if (tank?.is_replaced && !constants?.has('assigned_device_id'))
      replaced.set(values, [replacedDevice(String(values['assigned_device_id']), tank.device)]);
    if (isManual(values)) values['assigned_device_id'] = deviceOrManual(MANUAL, tank?.device);
  }
  return replaced;
}

/**
 * Compares the thresholds that the tanks would have after the import. A tank that exists keeps its value if the row
 * gives none, or only a constant.
 */
async function checkThresholds(db: Db, organizationNo: number, rows: readonly ImportRow[]): Promise<void> {
  const { rows: tanks } = await db.query<{ place: number; low: number; ordered: number | null }>(
    `select given.place::int - 1 as place, t.min_fill_alert_percentage as low, t.order_threshold_percentage as ordered
     from unnest($2::int[], $3::text[]) with ordinality as given (owner_no, custom_id, place)
     join tanks t on t.organization_no = $1 and t.owner_no = given.owner_no and t.custom_id = given.custom_id and t.deleted_at is null`,
    [
      organizationNo,
      rows.map(({ values }) => values['owner_no'] ?? null),
      rows.map(({ values }) => values['custom_id']),
    ],
  );
  const stored = new Map(tanks.map((tank) => [tank.place, tank]));
  for (const [place, { values, constants, errors }] of rows.entries()) {
    const tank = stored.get(place);
    const isKept = (column: string): boolean =>
      values[column] === undefined || (tank !== undefined && constants?.has(column) === true);
    const valueOf = (column: string, current: number | null | undefined): unknown =>
      isKept(column) ? current : values[column];
    const low = Number(valueOf('min_fill_alert_percentage', tank?.low));
    const order = valueOf('order_threshold_percentage', tank?.ordered);
    const thresholds = {
      min_fill_alert_percentage: low,
      order_threshold_percentage: typeof order === 'number' ? order : null,
    };
    const problem = thresholdProblem(thresholds, { isOrderGiven: !isKept('order_threshold_percentage') });
    if (problem)
      errors.push({
        column: problem.field,
        text: String(values[problem.field]),
        problem: problem.reason,
        code: 'thresholds',
      });
  }
}

const replacedDevice = (text: string, current: string): RowError => ({
  column: 'assigned_device_id',
  text,
  problem: `was replaced on this tank by ${current}; the file is older`,
  advice: 'Take the device out of the file. To put it back, use: tankwatch tanks assign-device',
  code: 'device_replaced',
  group: 'replaced',
});

const isManual = ({ assigned_device_id: device }: ImportRow['values']): boolean =>
  String(device).toLowerCase() === MANUAL;
