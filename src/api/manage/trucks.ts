import { type TObject, type TProperties, Type } from 'typebox';
import type { Fields } from '../../catalog/field.ts';
import type { Db } from '../../db/pool.ts';
import { createTransport, deleteDriver, putTransport, updateTransport } from '../../deliveries/truck_changes.ts';
import {
  DEPOT_FIELDS,
  type Depot,
  DRIVER_FIELDS,
  type Driver,
  findTransport,
  listTransport,
  MAX_OF_KIND,
  type StoredTransport,
  TRUCK_FIELDS,
  type TransportKind,
  type Truck,
} from '../../deliveries/trucks.ts';
import { invalidParameters, notFound } from '../../http/problem.ts';
import { etagOf } from '../../values/etag.ts';
import { textParameter } from '../fleet/filters.ts';
import { GivenCapacity, Named, NullableBoolean, NullableString, Time } from '../schemas/values.ts';
import { parseValidValues } from './body_values.ts';
import { type Condition, compare } from './conditions.ts';
import {
  deletion,
  type ManageOperation,
  PLANNERS,
  READERS,
  read,
  respondWith,
  withEtag,
  write,
} from './manage_operation.ts';
import { contradictsPath, pathField } from './manage_parameters.ts';

const external_key = NullableString('The number in your own system. It is unique.');
const is_archived = Type.Boolean({ description: 'Whether it is not offered for new rounds. Its rounds keep it.' });

const DEPOT = {
  name: Type.String({ description: 'Name.' }),
  latitude: Type.Number({ description: 'Latitude in degrees.' }),
  longitude: Type.Number({ description: 'Longitude in degrees.' }),
  external_key,
  is_archived,
};
const TRUCK = {
  name: Type.String({ description: 'As people and delivery notes call it. Trucks in use have different names.' }),
  depot_id: Type.String({ description: 'ID of the depot where it starts and is loaded.' }),
  capacity: GivenCapacity('What it can deliver with one load, in `capacity_unit`.'),
  capacity_unit: Type.Enum(['liters', 'gallons'], {
    description: 'Unit of `capacity` and of the volumes of its rounds.',
  }),
  product: NullableString('What it delivers.'),
  is_compensated: NullableBoolean('Whether its meter converts to the volume at 15.6 °C. Null: not known.'),
  external_key,
  is_archived,
};
const DRIVER = {
  name: Type.String({ description: 'Name. Drivers in use have different names.' }),
  phone: NullableString('Phone number.'),
  external_key,
  is_archived,
};

interface Resource {
  kind: TransportKind;
  path: string;
  title: string;
  fields: Fields;
  properties: TProperties;
  required: readonly string[];
  /** The fields that a PUT without them sets to null. */
  cleared: readonly string[];
  example: Depot | Truck | Driver;
}

const times = { created_at: '2025-08-13T16:38:55.453Z', updated_at: '2025-08-13T16:38:55.453Z' };
const DEPOT_ID = '01989f40-2c11-7d02-8a51-3f0b7c9d1e22';

const RESOURCES: readonly Resource[] = [
  {
    kind: 'depot',
    path: '/manage/v1/depots',
    title: 'Depot',
    fields: DEPOT_FIELDS,
    properties: DEPOT,
    required: ['name', 'latitude', 'longitude'],
    cleared: [],
    example: {
      id: DEPOT_ID,
      object: 'depot',
      name: 'Celaya',
      latitude: 20.5283,
      longitude: -100.8122,
      external_key: null,
      is_archived: false,
      ...times,
    },
  },
  {
    kind: 'truck',
    path: '/manage/v1/trucks',
    title: 'Truck',
    fields: TRUCK_FIELDS,
    properties: TRUCK,
    required: ['name', 'depot_id', 'capacity', 'capacity_unit'],
    cleared: ['product', 'is_compensated'],
    example: {
      id: '01989f41-7d20-7a33-9c44-5b1e8f2a6d03',
      object: 'truck',
      name: 'Truck 2',
      depot_id: DEPOT_ID,
      capacity: 9000,
      capacity_unit: 'liters',
      product: 'LP gas',
      is_compensated: null,
      external_key: 'FLEET-2',
      is_archived: false,
      ...times,
    },
  },
  {
    kind: 'driver',
    path: '/manage/v1/drivers',
    title: 'Driver',
    fields: DRIVER_FIELDS,
    properties: DRIVER,
    required: ['name'],
    cleared: ['phone'],
    example: {
      id: '01989f42-8e31-7b44-8d55-6c2f9a3b7e14',
      object: 'driver',
      name: 'Raúl Vega',
      phone: '+52 461 555 0155',
      external_key: null,
      is_archived: false,
      ...times,
    },
  },
];

/**
 * The ETag changes with every field that a caller can write. The order of the fields is fixed. Objects without an
 * external key keep the ETags of releases before 0.4.
 */
function etagOfResource(properties: TProperties, object: object): string {
  const names = Object.keys(properties).filter((name) => name !== 'external_key');
  const key: unknown = Reflect.get(object, 'external_key');
  return etagOf([...['id', ...names].map((name) => Reflect.get(object, name)), ...(key === null ? [] : [key])]);
}

function operationsOf(resource: Resource): ManageOperation[] {
  const { kind, path, title, fields, properties, required, cleared, example: withoutEtag } = resource;
  const item = Named(title, {
    id: Type.String({ description: `ID of the ${kind}.` }),
    object: Type.Literal(kind),
    ...properties,
    created_at: Time('When it was created. Read-only.'),
    updated_at: Time('When it was last changed. Read-only.'),
    etag: Type.String({ description: 'Send it as `If-Match`. It changes with the fields that can be written.' }),
  });
  const example = { ...withoutEtag, etag: '"Qd3sT5uW8yA1BZq1n0Yx2g"' };
  const optional = (isOptional: (name: string) => boolean): TProperties =>
    Object.fromEntries(
      Object.entries(properties).map(([name, type]) => [name, isOptional(name) ? Type.Optional(type) : type]),
    );
  const bodies: { create: TObject; patch: TObject } = {
    create: Named(
      `New${title}`,
      optional((name) => !required.includes(name)),
    ),
    patch: Named(
      `${title}Patch`,
      optional(() => true),
    ),
  };
  const resourceEtag = (object: object): string => etagOfResource(properties, object);
  const find = async (
    db: Db,
    organizationNo: number,
    reference: string | { externalKey: string },
  ): Promise<StoredTransport<TransportKind>> => {
    const found = await findTransport(db, organizationNo, kind, reference);
    if (found === undefined) throw notFound(kind);
    return found;
  };
  const compareWith = (condition: Condition) =>
    compare(condition, ({ object }: StoredTransport<TransportKind>) => resourceEtag(object));
  const idOf = { id: `ID of the ${kind}.` };
  const keyPath = `${path}/external_key/:external_key`;
  const keyOf = { external_key: `Your own number of the ${kind}, percent-encoded.` };
  const parseKey = (given: Readonly<Record<string, string>>): string =>
    pathField('external_key', DEPOT_FIELDS.external_key, given['external_key']);
  const common = { tag: 'manage rounds', item, example } as const;
  const writing = { ...common, allowedCallers: PLANNERS, queue: 'other' } as const;
  const operations: ManageOperation[] = [
    read({
      ...common,
      allowedCallers: READERS,
      path,
      operationId: `list${title}s`,
      summary: `List the ${kind}s`,
      description: `Returns all ${kind}s, at most ${MAX_OF_KIND}: those in use first, by name.`,
      parameters: { external_key: textParameter(`Return only the ${kind} with this own number.`, 'FLEET-2') },
      item: Named(`${title}s`, { object: Type.Literal('list'), data: Type.Array(item) }),
      example: { object: 'list', data: [example] },
      async read({ db, organizationNo, parameters }) {
        const all = await listTransport(db, organizationNo, kind, { externalKey: parameters.external_key });
        return { status: 200, body: { object: 'list', data: all.map(({ object }) => withEtag(object, resourceEtag)) } };
      },
    }),
    write({
      ...writing,
      // The change locks the organization, because it counts all objects of the kind.
      queue: 'catalog',
      method: 'POST',
      path,
      operationId: `create${title}`,
      summary: `Create a ${kind}`,
      description: `Creates a ${kind}.`,
      statuses: [201],
      body: bodies.create,
      async handle({ values, ...change }) {
        const id = await createTransport(change, kind, parseValidValues(fields, values));
        return respondWith(await find(change.tx, change.organizationNo, id), resourceEtag, 201);
      },
    }),
    write({
      ...writing,
      queue: 'catalog',
      method: 'PUT',
      path: keyPath,
      pathParameters: keyOf,
      operationId: `put${title}`,
      summary: `Create or replace a ${kind} by your own number`,
      description:
        `Creates the ${kind} with this external_key, or replaces its fields. A nullable field that is missing becomes null; ` +
        '`is_archived` stays. With `If-None-Match: *`, an existing one is not changed.',
      statuses: [200, 201],
      body: bodies.create,
      condition: 'optional',
      async handle({ path: given, values, condition, ...change }) {
        const externalKey = parseKey(given);
        const whole = { ...Object.fromEntries(cleared.map((name) => [name, null])), ...values };
        const parsed = parseValidValues(fields, whole);
        if (parsed['external_key'] !== undefined && parsed['external_key'] !== externalKey)
          throw invalidParameters([contradictsPath('external_key')]);
        const { id, isNew } = await putTransport(change, kind, externalKey, parsed, compareWith(condition));
        return respondWith(await find(change.tx, change.organizationNo, id), resourceEtag, isNew ? 201 : 200);
      },
    }),
    read({
      ...common,
      allowedCallers: READERS,
      path: keyPath,
      pathParameters: keyOf,
      operationId: `retrieve${title}ByKey`,
      summary: `Retrieve a ${kind} by your own number`,
      description: `Returns the ${kind} with this external_key and its ETag.`,
      read: async ({ db, organizationNo, path: given }) =>
        respondWith(await find(db, organizationNo, { externalKey: parseKey(given) }), resourceEtag),
    }),
    read({
      ...common,
      allowedCallers: READERS,
      path: `${path}/:id`,
      pathParameters: idOf,
      operationId: `retrieve${title}`,
      summary: `Retrieve a ${kind}`,
      description: `Returns the ${kind} with its ETag.`,
      read: async ({ db, organizationNo, path: { id = '' } }) =>
        respondWith(await find(db, organizationNo, id), resourceEtag),
    }),
    write({
      ...writing,
      method: 'PATCH',
      path: `${path}/:id`,
      pathParameters: idOf,
      operationId: `update${title}`,
      summary: `Change a ${kind}`,
      description: `Changes the given fields of the ${kind} (JSON Merge Patch, RFC 7396). Null clears a field.`,
      body: bodies.patch,
      condition: 'required',
      async handle({ path: { id = '' }, values, condition, ...change }) {
        await updateTransport(change, kind, id, parseValidValues(fields, values), compareWith(condition));
        return respondWith(await find(change.tx, change.organizationNo, id), resourceEtag);
      },
    }),
  ];
  if (kind !== 'driver') return operations;
  const deleteOperation = write({
    ...writing,
    ...deletion,
    path: `${path}/:id`,
    pathParameters: idOf,
    operationId: 'deleteDriver',
    summary: 'Delete a driver',
    description: 'Erases the name and the phone number. Rounds keep the ID. Deleting again changes nothing.',
    condition: 'required',
    async handle({ path: { id = '' }, condition, ...change }) {
      await deleteDriver(change, id, compareWith(condition));
      return { status: 204, body: null };
    },
  });
  return [...operations, deleteOperation];
}

export const TRANSPORT_OPERATIONS: readonly ManageOperation[] = RESOURCES.flatMap(operationsOf);
