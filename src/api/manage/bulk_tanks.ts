import { tankEtag } from '../../catalog/etags.ts';
import { ownerKey, TANK_IMPORT } from '../../catalog/import_targets.ts';
import { isPlaceholderDevice, newPlaceholderDevice } from '../../catalog/placeholder_device.ts';
import { TANK_FIELDS } from '../../catalog/tank_fields.ts';
import { liveTank } from '../../catalog/tanks.ts';
import { MANAGED_TANK_COLUMNS, type ManagedTankObject } from '../../catalog/v1_columns.ts';
import { invalidParameters, type ParameterError } from '../../http/problem.ts';
import { ChangeRefusedError, type RefusalReason } from '../../values/change_refusal.ts';
import { isUuid } from '../../values/uuid7.ts';
import { KEPT_SETTINGS, ManagedTank } from '../schemas/managed_objects.ts';
import { checkBody, parseValues } from './body_values.ts';
import type { BulkTarget, BulkValues, SecondKey } from './bulk_target.ts';
import { LOCATION_PATHS, NO_LOCATION, putTankByKey, TankByKey } from './tanks.ts';

const OTHER_DEVICE: ParameterError = {
  param: 'assigned_device_id',
  code: 'conflict',
  detail: 'The tank has another device. To exchange it, use PUT /manage/v1/tanks/{id}/device.',
};

/** Converts refusals of PUT to the errors of fields that a line by custom_id would get. */
const ERRORS_OF_REFUSALS: Partial<Record<RefusalReason, (tankId: string) => ParameterError>> = {
  other_device: () => OTHER_DEVICE,
  device_on_other_tank: (id) => ({ param: 'assigned_device_id', code: 'invalid', detail: `Is on the tank ${id}.` }),
  custom_id_taken: (id) => ({ param: 'custom_id', code: 'conflict', detail: `Is that of the tank ${id}.` }),
};

function asErrorOfField(error: unknown): unknown {
  if (!(error instanceof ChangeRefusedError)) return error;
  const found = ERRORS_OF_REFUSALS[error.reason]?.(String(error.conflictingId));
  return found === undefined ? error : invalidParameters([found]);
}

/** A line with the external_key of a tank changes that tank, even if its owner and custom_id differ. */
const TANKS_BY_EXTERNAL_KEY: SecondKey = {
  column: 'external_key',
  async choose(db, organizationNo, rows) {
    const named = rows.filter(({ external_key }) => typeof external_key === 'string');
    if (named.length === 0) return new Map();
    const { rows: found } = await db.query<{ key: string; id: string; custom_id: string | null; owners: string[] }>(
      `select t.external_key as key, t.id, t.custom_id, array[c.id::text, c.external_key] as owners
       from tanks t join customers c on c.no = t.owner_no
       where t.organization_no = $1 and t.external_key = any ($2) and t.deleted_at is null`,
      [organizationNo, named.map(({ external_key }) => external_key)],
    );
    const holders = new Map(found.map((tank) => [tank.key, tank]));
    // Most lines name the same tank by both keys. These lines are stored together with one statement.
    const isApart = ({ external_key, owner, custom_id }: BulkValues): boolean => {
      const holder = holders.get(String(external_key));
      if (owner === '' || typeof custom_id !== 'string') return true;
      return holder !== undefined && (holder.custom_id !== custom_id || !holder.owners.includes(ownerKey(owner)));
    };
    return new Map(named.filter(isApart).map((row) => [row, holders.get(String(row['external_key']))?.id]));
  },
  async put(tx, organizationNo, line, { isDryRun, check }) {
    const checked = checkBody(TankByKey, line);
    if ('errors' in checked) throw invalidParameters(checked.errors);
    const { values } = parseValues({ external_key: TANK_FIELDS.external_key }, checked.values);
    let before: ManagedTankObject | undefined;
    const { no } = await putTankByKey(tx, organizationNo, String(values.external_key), checked.values, {
      isDryRun,
      check(current) {
        before = current;
        check(current && { ...current, etag: tankEtag(current) });
      },
    }).catch((error: unknown) => {
      throw asErrorOfField(error);
    });
    const { object } = await liveTank(tx, organizationNo, { no });
    return {
      before: before && { etag: tankEtag(before) },
      after: { id: object.id, etag: tankEtag(object) },
    };
  },
};

export const TANKS: BulkTarget = {
  import: TANK_IMPORT,
  item: ManagedTank,
  valuesOf({ location, owner_id, owner_external_key, ...line }) {
    const owner = owner_id ?? owner_external_key ?? '';
    // If both are given, they must name the same customer.
    const other_owner = owner_id === undefined ? undefined : owner_external_key;
    // A tank that exists keeps its device. A new tank without a device needs a placeholder.
    const has_device = line['assigned_device_id'] !== undefined;
    const device = has_device ? {} : { assigned_device_id: newPlaceholderDevice() };
    return { use_case: null, ...NO_LOCATION, ...line, ...Object(location), ...device, owner, other_owner, has_device };
  },
  errorsOf({ owner_id, custom_id, external_key }) {
    const isId = typeof owner_id !== 'string' || isUuid(owner_id);
    const isNamed = custom_id !== undefined || (typeof external_key === 'string' && external_key.trim() !== '');
    return [
      ...(isId ? [] : [{ param: 'owner_id', code: 'invalid', detail: 'Must be the ID of a customer.' }]),
      ...(isNamed ? [] : [{ param: 'custom_id', code: 'missing', detail: 'Must be given, or external_key.' }]),
    ];
  },
  requiredOf: ({ external_key }) =>
    TANK_IMPORT.requiredColumns.filter(
      (column) => typeof external_key !== 'string' || (column !== 'owner' && column !== 'custom_id'),
    ),
  paths: { ...LOCATION_PATHS, owner: 'owner_id', other_owner: 'owner_external_key' },
  pathsOf: ({ owner_id, owner_external_key }) =>
    owner_id === undefined && owner_external_key !== undefined ? { owner: 'owner_external_key' } : {},
  columnsOf: (line) => [
    'custom_id',
    'name',
    'capacity',
    'capacity_unit',
    'min_fill_alert_percentage',
    'use_case',
    ...Object.keys(KEPT_SETTINGS).filter((field) => line[field] !== undefined),
    ...Object.keys(NO_LOCATION),
  ],
  async find(db, organizationNo, rows) {
    const { rows: found } = await db.query<ManagedTankObject & { no: number; owner_no: number }>(
      `select i.no, i.owner_no, ${MANAGED_TANK_COLUMNS}
       from unnest($2::int[], $3::text[]) as given (owner_no, custom_id)
       join tanks i on i.owner_no = given.owner_no and i.custom_id = given.custom_id
       where i.organization_no = $1 and i.deleted_at is null`,
      [organizationNo, rows.map(({ owner_no }) => owner_no), rows.map(({ custom_id }) => custom_id)],
    );
    return new Map(
      found.map(({ no, owner_no, ...tank }) => [
        `${owner_no} ${tank.custom_id}`,
        { no, id: tank.id, etag: tankEtag(tank), values: { ...tank } },
      ]),
    );
  },
  keyOf: ({ owner_no, custom_id }) => `${String(owner_no)} ${String(custom_id)}`,
  secondKey: TANKS_BY_EXTERNAL_KEY,
  compare(values, before) {
    const device = values['assigned_device_id'];
    if (!values['has_device'] || device === before?.values['assigned_device_id']) return [];
    if (before === undefined)
      return isPlaceholderDevice(String(device))
        ? [{ param: 'assigned_device_id', code: 'invalid', detail: 'Must not be a placeholder.' }]
        : [];
    return [OTHER_DEVICE];
  },
};
