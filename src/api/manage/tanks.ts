import { type Static, Type } from 'typebox';
import { countDeletion } from '../../catalog/count_deletion.ts';
import { findStoredCustomer } from '../../catalog/customers.ts';
import { tankEtag } from '../../catalog/etags.ts';
import { normalText } from '../../catalog/field.ts';
import { namedDevice } from '../../catalog/placeholder_device.ts';
import { TANK_FIELDS } from '../../catalog/tank_fields.ts';
import {
  createTanks,
  deleteTank,
  findStoredTank,
  liveTank,
  NO_OWNER,
  putTank,
  type TankReference,
  updateTank,
} from '../../catalog/tanks.ts';
import { onlyRow } from '../../db/only_row.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { invalidParameters, notFound, type ParameterError } from '../../http/problem.ts';
import { DELETION_EXAMPLE, Deletion } from '../schemas/deletion.ts';
import { KEPT_SETTINGS, LOCATION_FIELDS, ManagedTank } from '../schemas/managed_objects.ts';
import { TANK_EXAMPLE, Tank } from '../schemas/tank.ts';
import { Closed, GivenCapacity, GivenName, Named, optional, Time } from '../schemas/values.ts';
import { parseValidValues, sentence } from './body_values.ts';
import { compare } from './conditions.ts';
import {
  deletion,
  type ManageOperation,
  type ManageResponse,
  read,
  respondWithFound,
  type WriteRequest,
  write,
} from './manage_operation.ts';
import { contradictsPath, pathField } from './manage_parameters.ts';

export const TANK_OBJECT_EXAMPLE: Static<typeof ManagedTank> = {
  ...TANK_EXAMPLE,
  external_key: null,
  report_interval_hours: null,
  is_mobile: false,
  product: null,
  fill_limit_percentage: null,
  order_threshold_percentage: null,
  levels_changed_at: null,
  etag: '"b1nC7xq0Tt2mVw9sKf4L6g"',
};

const { capacity_unit, min_fill_alert_percentage, custom_id, use_case, owner_id } = Tank.properties;
const Location = Closed(optional(Tank.properties.location.properties), 'Location of the tank.');
const onlyAtCreation = {
  assigned_device_id: Type.Optional(
    Type.String({
      description:
        'Serial number of the device. Used only if a new tank is created. Without it, the tank has a placeholder, such as ' +
        '`pending-k3x9qa7mfw2c`, until a device is assigned. `manual`: the tank has no sensor, and people send dips; it gets a ' +
        'manual device with a generated serial, such as `MAN-7KQ2M9XT4B`.',
    }),
  ),
  created_at: Type.Optional(
    Time('When the tank was created, if that is earlier than this request. Used only if a new tank is created.'),
  ),
};
const whole = {
  name: GivenName('Name of the tank.'),
  capacity: GivenCapacity('Total capacity, in `capacity_unit`.'),
  capacity_unit,
  min_fill_alert_percentage,
  custom_id: Type.Optional(custom_id),
  use_case: Type.Optional(use_case),
  ...optional(KEPT_SETTINGS),
  location: Type.Optional(Location),
};
const NewTank = Named('NewTank', { ...whole, owner_id, ...onlyAtCreation });
const owner_external_key = Type.Optional(
  Type.String({ description: 'Your own number of the owner, instead of `owner_id`.' }),
);
export const TankByKey = Named('TankByKey', {
  ...whole,
  owner_id: Type.Optional(owner_id),
  owner_external_key,
  ...onlyAtCreation,
});
const TankOfOwner = Named('TankOfOwner', { ...whole, owner_id: Type.Optional(owner_id), ...onlyAtCreation });
const TankPatch = Named('TankPatch', optional({ ...whole, owner_id, owner_external_key }));

export const LOCATION_PATHS = Object.fromEntries(LOCATION_FIELDS.map((field) => [field, `location.${field}`]));
export const NO_LOCATION = Object.fromEntries(LOCATION_FIELDS.map((field) => [field, null]));

/** The internal number of the tank that the path names. Throws 404. */
export const liveTankNo = async (
  db: Db,
  { organizationNo, path }: { organizationNo: number; path: Readonly<Record<string, string>> },
): Promise<number> => (await liveTank(db, organizationNo, { id: path['id'] ?? '' })).no;

/** The response with the current tank. */
export const respondWithTank = async (
  db: Db,
  organizationNo: number,
  reference: TankReference,
  status: 200 | 201,
): Promise<ManageResponse> =>
  respondWithFound('tank', await findStoredTank(db, organizationNo, reference), tankEtag, status);

const FIELDS = { ...TANK_FIELDS, assigned_device_id: namedDevice };

interface GivenTank {
  location?: Static<typeof Location>;
  owner_id?: string;
  owner_external_key?: string;
  assigned_device_id?: string;
}

/** Parses the fields of a body. The result has the fields of `location` on the same level as the others. Throws 422. */
function parseTank<Values extends GivenTank>(given: Values, fields: typeof TANK_FIELDS = FIELDS) {
  const { location, owner_id: _owner, owner_external_key: _key, ...others } = given;
  return parseValidValues(fields, { ...others, ...location }, LOCATION_PATHS);
}

/** Parses the body of a PUT. The placeholder of the tank is accepted as its device, because GET returns it. */
const parseWholeTank = <Values extends GivenTank>(given: Values) =>
  parseTank({ use_case: null, ...given, location: { ...NO_LOCATION, ...given.location } }, TANK_FIELDS);

/** The internal number of the customer that a body names by ID or by external key. Throws 422. */
async function ownerNoOf(
  db: Db,
  organizationNo: number,
  { owner_id: id, owner_external_key: key }: GivenTank,
): Promise<number> {
  const byId = id === undefined ? undefined : await findStoredCustomer(db, organizationNo, { id });
  const byKey =
    key === undefined ? undefined : await findStoredCustomer(db, organizationNo, { externalKey: normalText(key) });
  const errors: ParameterError[] = [];
  if (id !== undefined && !byId?.object)
    errors.push({ param: 'owner_id', code: 'not_found', detail: 'Must be the ID of a customer.' });
  if (key !== undefined && !byKey?.object) {
    const detail = 'Must be the external_key of a customer. Create the customer first, or correct it.';
    errors.push({ param: 'owner_external_key', code: 'not_found', detail });
  }
  if (byId?.object && byKey?.object && byId.no !== byKey.no) {
    const detail = 'Must be that of the customer in owner_id.';
    errors.push({ param: 'owner_external_key', code: 'contradiction', detail });
  }
  const owner = byId ?? byKey;
  if (errors.length > 0 || owner === undefined) throw invalidParameters(errors);
  return owner.no;
}

/** The internal number of the owner. Empty if the body names no owner. Throws 422. */
const givenOwner = async (db: Db, organizationNo: number, given: GivenTank): Promise<{ owner_no?: number }> =>
  given.owner_id === undefined && given.owner_external_key === undefined
    ? {}
    : { owner_no: await ownerNoOf(db, organizationNo, given) };

const idOfTank = { id: 'ID of the tank.' };
const common = {
  tag: 'manage tanks',
  allowedCallers: ['key', 'administrator'],
  item: ManagedTank,
  example: TANK_OBJECT_EXAMPLE,
} as const;
const writing = { ...common, queue: 'catalog' } as const;

const KEY_PATH = '/manage/v1/customers/:id/tanks/custom_id/:custom_id';
const EXTERNAL_KEY_PATH = '/manage/v1/tanks/external_key/:external_key';
const externalKeyOfTank = { external_key: 'Your own number of the tank in the organization, percent-encoded.' };
const externalKeyOf = (path: WriteRequest['path']): string =>
  pathField('external_key', TANK_FIELDS.external_key, path['external_key']);
const keyOfTank = {
  id: 'ID of the customer who owns the tank.',
  custom_id: 'The identifier of the tank in your own system, percent-encoded.',
};

/** The owner and the custom_id in a path. Throws 404 or 422. */
async function keyOf(
  db: Db,
  organizationNo: number,
  path: WriteRequest['path'],
): Promise<{ ownerNo: number; customId: string }> {
  const customId = pathField('custom_id', TANK_FIELDS.custom_id, path['custom_id']);
  const owner = await findStoredCustomer(db, organizationNo, { id: path['id'] ?? '' });
  if (!owner?.object) throw notFound('customer');
  return { ownerNo: owner.no, customId };
}

/**
 * Creates or replaces the tank with this external key. If the body names another owner, that owner gets it. Throws 422.
 */
export async function putTankByKey(
  tx: Tx,
  organizationNo: number,
  externalKey: string,
  given: Static<typeof TankByKey>,
  options: Parameters<typeof putTank>[4],
): Promise<{ no: number; isNew: boolean }> {
  const values = parseWholeTank(given);
  if (values.external_key !== undefined && values.external_key !== externalKey)
    throw invalidParameters([contradictsPath('external_key')]);
  const owner = await givenOwner(tx, organizationNo, given);
  return putTank(tx, organizationNo, { externalKey }, { ...values, ...owner }, options);
}

export const TANK_OPERATIONS: readonly ManageOperation[] = [
  write({
    ...writing,
    method: 'PUT',
    path: KEY_PATH,
    pathParameters: keyOfTank,
    operationId: 'putTank',
    summary: 'Create or replace a tank by your own identifier',
    description:
      'Creates the tank with this custom_id, or replaces its fields. A nullable field that is missing becomes null, except for ' +
      '`external_key`, `report_interval_hours`, `product`, `fill_limit_percentage` and `order_threshold_percentage`. The device stays as it is if it is missing, and another device than that of the tank is a conflict: somebody may have replaced ' +
      'it. ' +
      'With `If-None-Match: *`, an existing tank is not changed.',
    statuses: [200, 201],
    creates: 'tanks',
    body: TankOfOwner,
    condition: 'optional',
    async handle({ tx, organizationNo, path, values: given, condition, isDryRun }) {
      const values = parseWholeTank(given);
      const key = await keyOf(tx, organizationNo, path);
      const isOtherOwner = given.owner_id !== undefined && given.owner_id.toLowerCase() !== path['id']?.toLowerCase();
      const contradictions = [
        ...(values.custom_id !== undefined && values.custom_id !== key.customId ? [contradictsPath('custom_id')] : []),
        ...(isOtherOwner ? [contradictsPath('owner_id')] : []),
      ];
      if (contradictions.length > 0) throw invalidParameters(contradictions);
      const check = compare(condition, tankEtag);
      const { no, isNew } = await putTank(tx, organizationNo, key, values, { isDryRun, check });
      return respondWithTank(tx, organizationNo, { no }, isNew ? 201 : 200);
    },
  }),
  read({
    ...common,
    path: KEY_PATH,
    pathParameters: keyOfTank,
    operationId: 'retrieveTankByCustomId',
    summary: 'Retrieve a tank by your own identifier',
    description: 'Returns the tank of this customer with this custom_id.',
    read: async ({ db, organizationNo, path }) =>
      respondWithTank(db, organizationNo, await keyOf(db, organizationNo, path), 200),
  }),
  write({
    ...writing,
    method: 'PUT',
    path: EXTERNAL_KEY_PATH,
    pathParameters: externalKeyOfTank,
    operationId: 'putTankByExternalKey',
    summary: 'Create or replace a tank by your own number of the organization',
    description:
      'Creates the tank with this external_key, or replaces its fields as a PUT by `custom_id` does; `custom_id` and the owner stay if ' +
      'they are missing. A new tank needs `owner_id` or `owner_external_key`. Another owner gets the tank with its readings. With ' +
      '`If-None-Match: *`, an existing tank is not changed.',
    statuses: [200, 201],
    creates: 'tanks',
    body: TankByKey,
    condition: 'optional',
    async moreErrors({ tx, organizationNo, path, given }) {
      if (given['owner_id'] !== undefined || given['owner_external_key'] !== undefined) return [];
      const found = await findStoredTank(tx, organizationNo, { externalKey: externalKeyOf(path) });
      return found?.object ? [] : [{ param: NO_OWNER.field, code: 'invalid', detail: sentence(NO_OWNER.reason) }];
    },
    async handle({ tx, organizationNo, path, values: given, condition, isDryRun }) {
      const check = compare(condition, tankEtag);
      const { no, isNew } = await putTankByKey(tx, organizationNo, externalKeyOf(path), given, { isDryRun, check });
      return respondWithTank(tx, organizationNo, { no }, isNew ? 201 : 200);
    },
  }),
  read({
    ...common,
    path: EXTERNAL_KEY_PATH,
    pathParameters: externalKeyOfTank,
    operationId: 'retrieveTankByExternalKey',
    summary: 'Retrieve a tank by your own number of the organization',
    description: 'Returns the tank with this external_key, whoever owns it.',
    read: ({ db, organizationNo, path }) =>
      respondWithTank(db, organizationNo, { externalKey: externalKeyOf(path) }, 200),
  }),
  write({
    ...writing,
    method: 'POST',
    path: '/manage/v1/tanks',
    operationId: 'createTank',
    summary: 'Create a tank',
    description:
      'Creates a tank. A `custom_id` that another tank of the owner has is a conflict, and so is the device of another tank.',
    statuses: [201],
    creates: 'tanks',
    body: NewTank,
    async handle({ tx, organizationNo, values, isDryRun }) {
      const tank = parseTank(values);
      const owner_no = await ownerNoOf(tx, organizationNo, values);
      const created = await createTanks(tx, organizationNo, [{ ...tank, owner_no }], { isDryRun });
      return respondWithTank(tx, organizationNo, { no: onlyRow(created).no }, 201);
    },
  }),
  read({
    ...common,
    path: '/manage/v1/tanks/:id',
    pathParameters: idOfTank,
    operationId: 'retrieveManagedTank',
    summary: 'Retrieve a tank to change it',
    description: 'Returns the tank with its ETag. For a deleted tank, returns `{"deleted": true}` with its ID.',
    read: ({ db, organizationNo, path: { id = '' } }) => respondWithTank(db, organizationNo, { id }, 200),
  }),
  write({
    ...writing,
    method: 'PATCH',
    path: '/manage/v1/tanks/:id',
    pathParameters: idOfTank,
    operationId: 'updateTank',
    summary: 'Change a tank',
    description:
      'Changes the given fields (JSON Merge Patch, RFC 7396). Null clears a field. Another `owner_id`, or ' +
      '`owner_external_key`, transfers the tank with its readings.',
    body: TankPatch,
    condition: 'required',
    async handle({ tx, organizationNo, path, values, condition }) {
      const given = parseTank(values);
      const no = await liveTankNo(tx, { organizationNo, path });
      const owner = await givenOwner(tx, organizationNo, values);
      await updateTank(tx, organizationNo, no, { ...given, ...owner }, compare(condition, tankEtag));
      return respondWithTank(tx, organizationNo, { no }, 200);
    },
  }),
  write({
    ...writing,
    ...deletion,
    path: '/manage/v1/tanks/:id',
    pathParameters: idOfTank,
    operationId: 'deleteTank',
    summary: 'Delete a tank',
    description:
      'Deletes the tank, as `tankwatch tanks delete` does: its readings and events are erased. Deleting again changes nothing.',
    condition: 'required',
    async handle({ tx, organizationNo, path: { id = '' }, condition }) {
      const current = await findStoredTank(tx, organizationNo, { id });
      if (current === undefined) throw notFound('tank');
      await deleteTank(tx, organizationNo, current.no, compare(condition, tankEtag));
      return { status: 204, body: null };
    },
  }),
  read({
    ...common,
    path: '/manage/v1/tanks/:id/deletion',
    pathParameters: idOfTank,
    operationId: 'previewTankDeletion',
    summary: 'See what the deletion of a tank erases',
    description: 'Returns how much `DELETE` erases, and changes nothing.',
    item: Deletion,
    example: { ...DELETION_EXAMPLE, tanks: 1, delivery_notes: 0 },
    async read({ db, organizationNo, path }) {
      const tankNo = await liveTankNo(db, { organizationNo, path });
      return { status: 200, body: { object: 'deletion', ...(await countDeletion(db, organizationNo, { tankNo })) } };
    },
  }),
];
