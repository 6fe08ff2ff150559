import { type Static, Type } from 'typebox';
import { createCustomers, deleteCustomer, updateCustomer } from '../../catalog/customers.ts';
import { CUSTOMER_FIELDS, type CustomerValues } from '../../catalog/fields.ts';
import {
  type CustomerObject,
  type CustomerReference,
  findManagedCustomer,
  type Stored,
} from '../../catalog/managed_objects.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { conflict, invalidParameters, notFound } from '../../http/problem.ts';
import { isUuid } from '../../values/uuid7.ts';
import { NullableString, NullableTime, Time } from '../schemas.ts';
import { readFields } from './body.ts';
import { checkCondition, etagOf } from './conditions.ts';
import type { ManageOperation, ManageResponse, WriteRequest } from './operation.ts';
import { dryRun, flag, pathField } from './parameters.ts';

/** More are deleted with several requests, or with the command. */
const MAX_DELETED_TANKS = 1_000;

const closed = { additionalProperties: false };
const WHO = ['key', 'administrator'] as const;

const writable = {
  external_key: NullableString('The number of the customer in your own system. It is unique.'),
  email: Type.String({
    description: 'E-mail address. A changed one is no longer verified, unless `is_verified` says so.',
  }),
  name: Type.String({ description: 'Name.' }),
  phone: NullableString('Phone number.'),
  is_verified: Type.Boolean({ description: 'Whether the e-mail address belongs to the customer.' }),
};

export const ManagedCustomer = Type.Object(
  {
    id: Type.String({ description: 'ID of the customer.' }),
    object: Type.Literal('customer'),
    ...writable,
    verified_at: NullableTime('When the address was verified. Read-only.'),
    reminders_off_since: NullableTime(
      'Since when the customer wants no reminders. Null: reminders are sent. Read-only.',
    ),
    created_at: Time('When the customer was created.'),
    updated_at: Time('When a field that `/v1` shows last changed. Read-only.'),
    etag: Type.String({ description: 'Send it as `If-Match`. It changes with the fields that can be written.' }),
  },
  { title: 'ManagedCustomer', ...closed },
);

const { external_key, email, name, phone, is_verified } = writable;
const created_at = Type.Optional(
  Time('When the customer was created, if it is older than this request. Used only if a new one is created.'),
);
const whole = { email, name, phone: Type.Optional(phone), is_verified: Type.Optional(is_verified), created_at };
export const NewCustomer = Type.Object(
  { external_key: Type.Optional(external_key), ...whole },
  { title: 'NewCustomer', ...closed },
);
const CustomerPatch = Type.Object(
  {
    external_key: Type.Optional(external_key),
    email: Type.Optional(email),
    name: Type.Optional(name),
    phone: Type.Optional(phone),
    is_verified: Type.Optional(is_verified),
  },
  { title: 'CustomerPatch', ...closed },
);

const EXAMPLE: Static<typeof ManagedCustomer> = {
  id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
  object: 'customer',
  external_key: 'C-1042',
  email: 'maria.lopez@example.com',
  name: 'María López',
  phone: '+52 461 555 0142',
  is_verified: true,
  verified_at: '2025-08-13T16:40:12.118Z',
  reminders_off_since: null,
  created_at: '2025-08-13T16:38:55.453Z',
  updated_at: '2025-08-13T16:40:12.118Z',
  etag: '"5oWQ0hT3cUqk1v8m2yJ9Zg"',
};

type StoredCustomer = Stored<CustomerObject & { reminders_off_since: string | null }>;

/** Over everything that a caller can write, in a fixed order. */
export const customerEtag = (customer: CustomerObject): string =>
  etagOf([customer.id, customer.external_key, customer.email, customer.name, customer.phone, customer.is_verified]);

const find = (db: Db, organizationNo: number, id: string): Promise<StoredCustomer | undefined> =>
  isUuid(id) ? findManagedCustomer(db, organizationNo, { id }) : Promise.resolve(undefined);

/** The answer that describes a customer as it is now. */
async function answer(
  db: Db,
  organizationNo: number,
  reference: CustomerReference,
  status: 200 | 201,
): Promise<ManageResponse> {
  const found = await findManagedCustomer(db, organizationNo, reference);
  if (found === undefined) throw notFound('customer');
  const { no, id, object } = found;
  if (object === null) return { status, body: { id, object: 'customer', deleted: true } };
  const etag = customerEtag(object);
  return { status, body: { ...object, etag }, etag, about: { object: 'customer', no } };
}

/** The parsed fields of a body. Throws 422. */
function readCustomer(body: WriteRequest['body']): CustomerValues {
  const { verified_at: _, ...fields } = CUSTOMER_FIELDS;
  const { values, errors } = readFields(fields, body);
  if (errors.length > 0) throw invalidParameters(errors);
  return values;
}

async function create({ tx, organizationNo, isDryRun }: WriteRequest, values: CustomerValues): Promise<ManageResponse> {
  const { email: address, name: fullName } = values;
  if (address === undefined || fullName === undefined) throw new TypeError('a customer needs an address and a name');
  const verified = values.is_verified ? { verified_at: new Date().toISOString() } : {};
  const [ref] = await createCustomers(
    tx,
    organizationNo,
    [{ ...values, ...verified, email: address, name: fullName }],
    {
      isDryRun,
    },
  );
  if (ref === undefined) throw new TypeError('no customer was created');
  return answer(tx, organizationNo, { no: ref.no }, 201);
}

/** Changes what differs. A request that changes nothing writes nothing. */
async function update(
  tx: Tx,
  organizationNo: number,
  { no, object }: { no: number; object: CustomerObject },
  values: CustomerValues,
): Promise<ManageResponse> {
  const { created_at: _, ...given } = values;
  const changed = Object.entries(given).filter(([field, value]) => Reflect.get(object, field) !== value);
  if (changed.length > 0) await updateCustomer(tx, organizationNo, no, Object.fromEntries(changed));
  return answer(tx, organizationNo, { no }, 200);
}

const idOfCustomer = { id: 'ID of the customer.' };
const common = { tag: 'manage customers', who: WHO, item: ManagedCustomer, example: EXAMPLE } as const;
const writing = { ...common, line: 'catalog', parameters: { dry_run: dryRun } } as const;

const KEY_PATH = '/manage/v1/customers/external_key/:external_key';
const keyOfCustomer = { external_key: 'The number of the customer in your own system, percent-encoded.' };
const keyOf = (path: WriteRequest['path']): string =>
  pathField('external_key', CUSTOMER_FIELDS.external_key, path['external_key']);

export const CUSTOMER_OPERATIONS: readonly ManageOperation[] = [
  {
    ...writing,
    kind: 'write',
    method: 'PUT',
    path: KEY_PATH,
    pathParameters: keyOfCustomer,
    operationId: 'putCustomer',
    summary: 'Create or replace a customer by your own number',
    description:
      'Creates the customer with this external_key, or replaces its fields. A nullable field that is missing becomes null; ' +
      '`is_verified` stays as it is if it is missing. With `If-None-Match: *`, an existing customer is not changed.',
    statuses: [200, 201],
    creates: 'customers',
    body: NewCustomer,
    condition: 'optional',
    async handle(request) {
      const { tx, organizationNo, path, body, condition } = request;
      const externalKey = keyOf(path);
      const values = readCustomer({ phone: null, ...body });
      if (values.external_key !== undefined && values.external_key !== externalKey)
        throw invalidParameters([
          { param: 'external_key', code: 'contradiction', detail: 'Must be that of the path.' },
        ]);
      const current = await findManagedCustomer(tx, organizationNo, { externalKey });
      const object = current?.object ?? null;
      checkCondition(condition, object === null ? undefined : customerEtag(object), { isRequired: false });
      return current === undefined || object === null
        ? create(request, { ...values, external_key: externalKey })
        : update(tx, organizationNo, { no: current.no, object }, values);
    },
  },
  {
    ...common,
    kind: 'read',
    method: 'GET',
    path: KEY_PATH,
    pathParameters: keyOfCustomer,
    operationId: 'retrieveCustomerByExternalKey',
    summary: 'Retrieve a customer by your own number',
    description: 'Returns the customer with this external_key.',
    parameters: {},
    read: ({ db, organizationNo, path }) => answer(db, organizationNo, { externalKey: keyOf(path) }, 200),
  },
  {
    ...writing,
    kind: 'write',
    method: 'POST',
    path: '/manage/v1/customers',
    pathParameters: {},
    operationId: 'createCustomer',
    summary: 'Create a customer',
    description: 'Creates a customer. An `external_key` that another customer has is a conflict.',
    statuses: [201],
    creates: 'customers',
    body: NewCustomer,
    condition: 'none',
    async handle(request) {
      const values = readCustomer(request.body);
      if (typeof values.external_key === 'string') {
        const other = await findManagedCustomer(request.tx, request.organizationNo, {
          externalKey: values.external_key,
        });
        if (other !== undefined) throw conflict('Another customer has this external_key.', other.id);
      }
      return create(request, values);
    },
  },
  {
    ...common,
    kind: 'read',
    method: 'GET',
    path: '/manage/v1/customers/:id',
    pathParameters: idOfCustomer,
    operationId: 'retrieveManagedCustomer',
    summary: 'Retrieve a customer to change it',
    description: 'Returns the customer with its ETag. Of a deleted one, returns `{"deleted": true}` with its ID.',
    parameters: {},
    async read({ db, organizationNo, path: { id = '' } }) {
      if (!isUuid(id)) throw notFound('customer');
      return answer(db, organizationNo, { id }, 200);
    },
  },
  {
    ...writing,
    kind: 'write',
    method: 'PATCH',
    path: '/manage/v1/customers/:id',
    pathParameters: idOfCustomer,
    operationId: 'updateCustomer',
    summary: 'Change a customer',
    description: 'Changes the given fields (JSON Merge Patch, RFC 7396). Null clears a field.',
    statuses: [200],
    body: CustomerPatch,
    condition: 'required',
    async handle({ tx, organizationNo, path: { id = '' }, body, condition }) {
      const values = readCustomer(body);
      const current = await find(tx, organizationNo, id);
      if (current === undefined || current.object === null) throw notFound('customer');
      checkCondition(condition, customerEtag(current.object), { isRequired: true });
      return update(tx, organizationNo, { no: current.no, object: current.object }, values);
    },
  },
  {
    ...writing,
    kind: 'write',
    method: 'DELETE',
    path: '/manage/v1/customers/:id',
    pathParameters: idOfCustomer,
    operationId: 'deleteCustomer',
    summary: 'Delete a customer',
    description:
      'Deletes the customer and erases its personal data, as `tankwatch customers delete` does. A customer who owns tanks is ' +
      `a conflict, unless \`with_tanks\` deletes them too, at most ${MAX_DELETED_TANKS}. Deleting again changes nothing.`,
    parameters: { dry_run: dryRun, with_tanks: flag('Also delete the tanks of the customer, with their readings.') },
    item: null,
    example: null,
    statuses: [204],
    body: null,
    condition: 'required',
    async handle({ tx, organizationNo, path: { id = '' }, parameters, condition }) {
      const current = await find(tx, organizationNo, id);
      if (current === undefined) throw notFound('customer');
      if (current.object === null) return { status: 204, body: null };
      checkCondition(condition, customerEtag(current.object), { isRequired: true });
      const withTanks = parameters['with_tanks'] === true;
      const tanks = await countTanks(tx, organizationNo, current.no);
      if (tanks > 0 && !withTanks)
        throw conflict(`This customer owns ${tanks} tank(s). Transfer or delete them first, or send with_tanks=true.`);
      if (tanks > MAX_DELETED_TANKS)
        throw conflict(
          `This customer owns ${tanks} tanks. Delete tanks first, until it has at most ${MAX_DELETED_TANKS}.`,
        );
      await deleteCustomer(tx, organizationNo, current.no, { withTanks });
      return { status: 204, body: null, about: { object: 'customer', no: current.no } };
    },
  },
];

async function countTanks(db: Db, organizationNo: number, ownerNo: number): Promise<number> {
  const { rowCount } = await db.query(
    'select from tanks where organization_no = $1 and owner_no = $2 and deleted_at is null',
    [organizationNo, ownerNo],
  );
  return rowCount ?? 0;
}
