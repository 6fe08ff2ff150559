import { type Static, Type } from 'typebox';
import { TANK_FIELDS, type TankValues } from '../../catalog/fields.ts';
import {
  findManagedCustomer,
  findManagedTank,
  type Stored,
  type TankReference,
} from '../../catalog/managed_objects.ts';
import { isPlaceholderDevice, newPlaceholderDevice } from '../../catalog/placeholder_device.ts';
import { createTanks, deleteTank, updateTank } from '../../catalog/tanks.ts';
import type { TankObject } from '../../catalog/v1_columns.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { conflict, invalidParameters, notFound, type ParameterError } from '../../http/problem.ts';
import { deviceOrManual } from '../../values/manual_device.ts';
import { isUuid } from '../../values/uuid7.ts';
import { Time } from '../schemas.ts';
import { TANK_EXAMPLE, Tank } from '../v1/tanks.ts';
import { readFields } from './body.ts';
import { checkCondition, etagOf } from './conditions.ts';
import type { ManageOperation, ManageResponse, WriteRequest } from './operation.ts';
import { dryRun, pathField } from './parameters.ts';

const closed = { additionalProperties: false };
const WHO = ['key', 'administrator'] as const;

export const ManagedTank = Type.Object(
  {
    ...Tank.properties,
    etag: Type.String({ description: 'Send it as `If-Match`. It changes with the fields that can be written.' }),
  },
  { title: 'ManagedTank', ...closed },
);

export const TANK_OBJECT_EXAMPLE: Static<typeof ManagedTank> = { ...TANK_EXAMPLE, etag: '"b1nC7xq0Tt2mVw9sKf4L6g"' };

const { name, capacity, capacity_unit, min_fill_alert_percentage, custom_id, use_case, owner_id } = Tank.properties;
const Location = Type.Object(
  Object.fromEntries(
    Object.entries(Tank.properties.location.properties).map(([key, schema]) => [key, Type.Optional(schema)]),
  ),
  { description: 'Location of the tank.', ...closed },
);
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
    Time('When the tank was created, if it is older than this request. Used only if a new one is created.'),
  ),
};
const whole = {
  name,
  capacity,
  capacity_unit,
  min_fill_alert_percentage,
  custom_id: Type.Optional(custom_id),
  use_case: Type.Optional(use_case),
  location: Type.Optional(Location),
};
const NewTank = Type.Object({ ...whole, owner_id, ...onlyAtCreation }, { title: 'NewTank', ...closed });
export const TankOfOwner = Type.Object(
  { ...whole, owner_id: Type.Optional(owner_id), ...onlyAtCreation },
  { title: 'TankOfOwner', ...closed },
);
const TankPatch = Type.Object(
  {
    name: Type.Optional(name),
    capacity: Type.Optional(capacity),
    capacity_unit: Type.Optional(capacity_unit),
    min_fill_alert_percentage: Type.Optional(min_fill_alert_percentage),
    custom_id: Type.Optional(custom_id),
    use_case: Type.Optional(use_case),
    location: Type.Optional(Location),
    owner_id: Type.Optional(owner_id),
  },
  { title: 'TankPatch', ...closed },
);

const LOCATION_FIELDS = Object.keys(Tank.properties.location.properties);
export const LOCATION_PATHS = Object.fromEntries(LOCATION_FIELDS.map((field) => [field, `location.${field}`]));
export const NO_LOCATION = Object.fromEntries(LOCATION_FIELDS.map((field) => [field, null]));

/** Over everything that a caller can write, in a fixed order. */
export const tankEtag = (tank: TankObject): string =>
  etagOf([
    tank.id,
    tank.owner_id,
    tank.assigned_device_id,
    tank.name,
    tank.capacity,
    tank.capacity_unit,
    tank.min_fill_alert_percentage,
    tank.custom_id,
    tank.use_case,
    ...LOCATION_FIELDS.map((field) => Reflect.get(tank.location, field) as unknown),
  ]);

export const findTankById = (db: Db, organizationNo: number, id: string): Promise<Stored<TankObject> | undefined> =>
  isUuid(id) ? findManagedTank(db, organizationNo, { id }) : Promise.resolve(undefined);

/** The number of the tank that the path names. Throws 404. */
export async function liveTankNo(
  db: Db,
  { organizationNo, path }: { organizationNo: number; path: Readonly<Record<string, string>> },
): Promise<number> {
  const tank = await findTankById(db, organizationNo, path['id'] ?? '');
  if (tank === undefined || tank.object === null) throw notFound('tank');
  return tank.no;
}

/** The answer that describes a tank as it is now. */
export async function answerWithTank(
  db: Db,
  organizationNo: number,
  reference: TankReference,
  status: 200 | 201,
): Promise<ManageResponse> {
  const found = await findManagedTank(db, organizationNo, reference);
  if (found === undefined) throw notFound('tank');
  const { no, id, object } = found;
  if (object === null) return { status, body: { id, object: 'tank', deleted: true } };
  const etag = tankEtag(object);
  return { status, body: { ...object, etag }, etag, about: { object: 'tank', no } };
}

/** The parsed fields of a body, with those of its location beside the others. Throws 422. */
function readTank(body: WriteRequest['body']): TankValues {
  const { location, ...fields } = body;
  const { values, errors } = readFields(TANK_FIELDS, { ...fields, ...Object(location) }, LOCATION_PATHS);
  const device = values.assigned_device_id;
  if (device !== undefined && isPlaceholderDevice(device))
    errors.push({ param: 'assigned_device_id', code: 'invalid', detail: 'Must not be a placeholder.' });
  if (errors.length > 0) throw invalidParameters(errors);
  return values;
}

/** The number of the live customer that a body names. Throws 422. */
async function ownerNoOf(tx: Tx, organizationNo: number, id: unknown): Promise<number> {
  const found = isUuid(String(id)) ? await findManagedCustomer(tx, organizationNo, { id: String(id) }) : undefined;
  if (found === undefined || found.object === null)
    throw invalidParameters([{ param: 'owner_id', code: 'not_found', detail: 'Must be the ID of a customer.' }]);
  return found.no;
}

async function create(
  { tx, organizationNo, isDryRun }: WriteRequest,
  ownerNo: number,
  values: TankValues,
): Promise<ManageResponse> {
  const { assigned_device_id: device, name: tankName, capacity: size, capacity_unit: unit } = values;
  const threshold = values.min_fill_alert_percentage;
  if (tankName === undefined || size === undefined || unit === undefined || threshold === undefined)
    throw new TypeError('a tank needs a name, a capacity and a threshold');
  if (device !== undefined) await assertDeviceIsFree(tx, organizationNo, device);
  const tank = {
    ...values,
    owner_no: ownerNo,
    name: tankName,
    capacity: size,
    capacity_unit: unit,
    min_fill_alert_percentage: threshold,
    assigned_device_id: device ?? newPlaceholderDevice(),
  };
  const [ref] = await createTanks(tx, organizationNo, [tank], { isDryRun });
  if (ref === undefined) throw new TypeError('no tank was created');
  return answerWithTank(tx, organizationNo, { no: ref.no }, 201);
}

async function assertDeviceIsFree(tx: Tx, organizationNo: number, deviceId: string): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    'select id from tanks where organization_no = $1 and assigned_device_id = $2',
    [organizationNo, deviceId],
  );
  if (rows[0] !== undefined) throw conflict('This device is on another tank.', rows[0].id);
}

/** Changes what differs. A request that changes nothing writes nothing. */
async function update(
  tx: Tx,
  organizationNo: number,
  { no, object }: { no: number; object: TankObject },
  { created_at: _created, assigned_device_id: _device, ...values }: TankValues,
  ownerNo?: number,
): Promise<ManageResponse> {
  const before: Readonly<Record<string, unknown>> = { ...object, ...object.location };
  const changed = Object.fromEntries(Object.entries(values).filter(([field, value]) => before[field] !== value));
  const changes = ownerNo === undefined ? changed : { ...changed, owner_no: ownerNo };
  if (Object.keys(changes).length > 0) await updateTank(tx, organizationNo, no, changes);
  return answerWithTank(tx, organizationNo, { no }, 200);
}

const idOfTank = { id: 'ID of the tank.' };
const common = { tag: 'manage tanks', who: WHO, item: ManagedTank, example: TANK_OBJECT_EXAMPLE } as const;
const writing = { ...common, line: 'catalog', parameters: { dry_run: dryRun } } as const;

const KEY_PATH = '/manage/v1/customers/:id/tanks/custom_id/:custom_id';
const keyOfTank = {
  id: 'ID of the customer who owns the tank.',
  custom_id: 'The identifier of the tank in your own system, percent-encoded.',
};

/** The owner and the key in a path. Throws 404 or 422. */
async function keyOf(
  db: Db,
  organizationNo: number,
  path: WriteRequest['path'],
): Promise<{ ownerNo: number; customId: string }> {
  const customId = pathField('custom_id', TANK_FIELDS.custom_id, path['custom_id']);
  const id = path['id'] ?? '';
  const owner = isUuid(id) ? await findManagedCustomer(db, organizationNo, { id }) : undefined;
  if (owner === undefined || owner.object === null) throw notFound('customer');
  return { ownerNo: owner.no, customId };
}

const contradiction = (param: string): ParameterError => ({
  param,
  code: 'contradiction',
  detail: 'Must be that of the path.',
});

export const TANK_OPERATIONS: readonly ManageOperation[] = [
  {
    ...writing,
    kind: 'write',
    method: 'PUT',
    path: KEY_PATH,
    pathParameters: keyOfTank,
    operationId: 'putTank',
    summary: 'Create or replace a tank by your own identifier',
    description:
      'Creates the tank with this custom_id, or replaces its fields. A nullable field that is missing becomes null. The device ' +
      'stays as it is if it is missing, and another device than that of the tank is a conflict: somebody may have replaced it. ' +
      'With `If-None-Match: *`, an existing tank is not changed.',
    statuses: [200, 201],
    creates: 'tanks',
    body: TankOfOwner,
    condition: 'optional',
    async handle(request) {
      const { tx, organizationNo, path, body, condition } = request;
      const values = readTank({ ...NO_LOCATION, use_case: null, ...body });
      const { ownerNo, customId } = await keyOf(tx, organizationNo, path);
      const contradictions = [
        ...(values.custom_id !== undefined && values.custom_id !== customId ? [contradiction('custom_id')] : []),
        ...(body['owner_id'] !== undefined && body['owner_id'] !== path['id'] ? [contradiction('owner_id')] : []),
      ];
      if (contradictions.length > 0) throw invalidParameters(contradictions);
      const current = await findManagedTank(tx, organizationNo, { ownerNo, customId });
      const object = current?.object ?? null;
      checkCondition(condition, object === null ? undefined : tankEtag(object), { isRequired: false });
      if (current === undefined || object === null) return create(request, ownerNo, { ...values, custom_id: customId });
      const given = values.assigned_device_id;
      const device = given === undefined ? undefined : deviceOrManual(given, object.assigned_device_id);
      if (device !== undefined && device !== object.assigned_device_id)
        throw conflict('The tank has another device. To exchange it, use PUT /manage/v1/tanks/{id}/device.', object.id);
      return update(tx, organizationNo, { no: current.no, object }, values);
    },
  },
  {
    ...common,
    kind: 'read',
    method: 'GET',
    path: KEY_PATH,
    pathParameters: keyOfTank,
    operationId: 'retrieveTankByCustomId',
    summary: 'Retrieve a tank by your own identifier',
    description: 'Returns the tank of this customer with this custom_id.',
    parameters: {},
    read: async ({ db, organizationNo, path }) =>
      answerWithTank(db, organizationNo, await keyOf(db, organizationNo, path), 200),
  },
  {
    ...writing,
    kind: 'write',
    method: 'POST',
    path: '/manage/v1/tanks',
    pathParameters: {},
    operationId: 'createTank',
    summary: 'Create a tank',
    description:
      'Creates a tank. A `custom_id` that another tank of the owner has is a conflict, and so is the device of another tank.',
    statuses: [201],
    creates: 'tanks',
    body: NewTank,
    condition: 'none',
    async handle(request) {
      const { tx, organizationNo, body } = request;
      const values = readTank(body);
      const ownerNo = await ownerNoOf(tx, organizationNo, body['owner_id']);
      if (typeof values.custom_id === 'string') {
        const other = await findManagedTank(tx, organizationNo, { ownerNo, customId: values.custom_id });
        if (other !== undefined) throw conflict('Another tank of this owner has this custom_id.', other.id);
      }
      return create(request, ownerNo, values);
    },
  },
  {
    ...common,
    kind: 'read',
    method: 'GET',
    path: '/manage/v1/tanks/:id',
    pathParameters: idOfTank,
    operationId: 'retrieveManagedTank',
    summary: 'Retrieve a tank to change it',
    description: 'Returns the tank with its ETag. Of a deleted one, returns `{"deleted": true}` with its ID.',
    parameters: {},
    async read({ db, organizationNo, path: { id = '' } }) {
      if (!isUuid(id)) throw notFound('tank');
      return answerWithTank(db, organizationNo, { id }, 200);
    },
  },
  {
    ...writing,
    kind: 'write',
    method: 'PATCH',
    path: '/manage/v1/tanks/:id',
    pathParameters: idOfTank,
    operationId: 'updateTank',
    summary: 'Change a tank',
    description:
      'Changes the given fields (JSON Merge Patch, RFC 7396). Null clears a field. Another `owner_id` transfers the tank with ' +
      'its readings.',
    statuses: [200],
    body: TankPatch,
    condition: 'required',
    async handle({ tx, organizationNo, path: { id = '' }, body, condition }) {
      const values = readTank(body);
      const current = await findTankById(tx, organizationNo, id);
      if (current === undefined || current.object === null) throw notFound('tank');
      checkCondition(condition, tankEtag(current.object), { isRequired: true });
      const isTransferred = body['owner_id'] !== undefined && body['owner_id'] !== current.object.owner_id;
      const ownerNo = isTransferred ? await ownerNoOf(tx, organizationNo, body['owner_id']) : undefined;
      return update(tx, organizationNo, { no: current.no, object: current.object }, values, ownerNo);
    },
  },
  {
    ...writing,
    kind: 'write',
    method: 'DELETE',
    path: '/manage/v1/tanks/:id',
    pathParameters: idOfTank,
    operationId: 'deleteTank',
    summary: 'Delete a tank',
    description:
      'Deletes the tank, as `tankwatch tanks delete` does: its readings and events are erased. Deleting again changes nothing.',
    item: null,
    example: null,
    statuses: [204],
    body: null,
    condition: 'required',
    async handle({ tx, organizationNo, path: { id = '' }, condition }) {
      const current = await findTankById(tx, organizationNo, id);
      if (current === undefined) throw notFound('tank');
      if (current.object === null) return { status: 204, body: null };
      checkCondition(condition, tankEtag(current.object), { isRequired: true });
      await deleteTank(tx, organizationNo, current.no);
      return { status: 204, body: null, about: { object: 'tank', no: current.no } };
    },
  },
];
