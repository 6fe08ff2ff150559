import { type Static, Type } from 'typebox';
import { countDeletion } from '../../catalog/count_deletion.ts';
import { CUSTOMER_FIELDS } from '../../catalog/customer_fields.ts';
import {
  type CustomerReference,
  createCustomers,
  deleteCustomer,
  findStoredCustomer,
  putCustomer,
  updateCustomer,
} from '../../catalog/customers.ts';
import { customerEtag } from '../../catalog/etags.ts';
import { phoneValues } from '../../catalog/phone_columns.ts';
import { onlyRow } from '../../db/only_row.ts';
import type { Db } from '../../db/pool.ts';
import { invalidParameters, notFound } from '../../http/problem.ts';
import { MAX_DELETED_TANKS } from '../../values/interface_limits.ts';
import { integerParameter } from '../parameters.ts';
import { DELETION_EXAMPLE, Deletion } from '../schemas/deletion.ts';
import { customerFields, ManagedCustomer } from '../schemas/managed_objects.ts';
import { GivenName, Named, optional, PHONES_EXAMPLE, Time } from '../schemas/values.ts';
import { parseValues, sentence } from './body_values.ts';
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
import { contradictsPath, dryRun, flag, pathField } from './manage_parameters.ts';

const name = GivenName('Name.');
const { external_key, email, phone, phones, is_verified } = customerFields;
const created_at = Type.Optional(
  Time('When the customer was created, if that is earlier than this request. Used only if a new customer is created.'),
);
const whole = {
  email,
  name,
  phone: Type.Optional(phone),
  phones: Type.Optional(phones),
  is_verified: Type.Optional(is_verified),
  created_at,
};
export const NewCustomer = Named('NewCustomer', { external_key: Type.Optional(external_key), ...whole });
const CustomerPatch = Named('CustomerPatch', optional({ ...customerFields, name }));

const EXAMPLE: Static<typeof ManagedCustomer> = {
  id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
  object: 'customer',
  external_key: 'C-1042',
  email: 'maria.lopez@example.com',
  name: 'María López',
  phone: '+52 461 555 0142',
  phones: PHONES_EXAMPLE,
  is_verified: true,
  verified_at: '2025-08-13T16:40:12.118Z',
  reminders_off_since: null,
  created_at: '2025-08-13T16:38:55.453Z',
  updated_at: '2025-08-13T16:40:12.118Z',
  etag: '"5oWQ0hT3cUqk1v8m2yJ9Zg"',
};

/** The response with the current customer. */
const respondWithCustomer = async (
  db: Db,
  organizationNo: number,
  reference: CustomerReference,
  status: 200 | 201,
): Promise<ManageResponse> =>
  respondWithFound('customer', await findStoredCustomer(db, organizationNo, reference), customerEtag, status);

type CustomerBody = Partial<Static<typeof NewCustomer>>;

/**
 * The fields of a body. If `phones` is given, its first phone is `phone`. `phone` may then be missing or null, as in a
 * body that was read from a customer whose first phone was removed. Without `phones`, the other phones stay.
 */
function fieldsOf<Body extends CustomerBody>({ phones: given, ...values }: Body) {
  const { values: parsed, errors } = parseValues(CUSTOMER_FIELDS, values);
  const stored = given && phoneValues(given);
  for (const { field, reason } of stored?.problems ?? [])
    errors.push({ param: field, code: 'invalid', detail: sentence(reason) });
  if (stored?.problems.length === 0 && typeof values.phone === 'string' && values.phone !== stored.values.phone)
    errors.push({ param: 'phone', code: 'contradiction', detail: 'Must be the number of the first of `phones`.' });
  if (errors.length > 0) throw invalidParameters(errors);
  return { ...parsed, ...stored?.values };
}

/** The values of a PUT: a phone that is missing becomes null. */
export const wholeCustomer = <Values extends { phones?: unknown }>(values: Values) =>
  values.phones === undefined ? { phone: null, ...values } : values;

/** The internal number of the customer in a path. The customer may be deleted. Throws 404. */
async function numberIn(
  db: Db,
  { organizationNo, path }: Pick<WriteRequest, 'organizationNo' | 'path'>,
): Promise<number> {
  const found = await findStoredCustomer(db, organizationNo, { id: path['id'] ?? '' });
  if (found === undefined) throw notFound('customer');
  return found.no;
}

const idOfCustomer = { id: 'ID of the customer.' };
const common = {
  tag: 'manage customers',
  allowedCallers: ['key', 'administrator'],
  item: ManagedCustomer,
  example: EXAMPLE,
} as const;
const writing = { ...common, queue: 'catalog' } as const;

const KEY_PATH = '/manage/v1/customers/external_key/:external_key';
const keyOfCustomer = { external_key: 'The number of the customer in your own system, percent-encoded.' };
const keyOf = (path: WriteRequest['path']): string =>
  pathField('external_key', CUSTOMER_FIELDS.external_key, path['external_key']);

export const CUSTOMER_OPERATIONS: readonly ManageOperation[] = [
  write({
    ...writing,
    method: 'PUT',
    path: KEY_PATH,
    pathParameters: keyOfCustomer,
    operationId: 'putCustomer',
    summary: 'Create or replace a customer by your own number',
    description:
      'Creates the customer with this external_key, or replaces its fields. A nullable field that is missing becomes null; ' +
      '`is_verified` and the other phones stay as they are if they are missing. With `If-None-Match: *`, an existing customer is not changed.',
    statuses: [200, 201],
    creates: 'customers',
    body: NewCustomer,
    condition: 'optional',
    async handle({ tx, organizationNo, path, values: given, condition, isDryRun }) {
      const key = keyOf(path);
      const values = fieldsOf(wholeCustomer(given));
      if (values.external_key !== undefined && values.external_key !== key)
        throw invalidParameters([contradictsPath('external_key')]);
      const check = compare(condition, customerEtag);
      const { no, isNew } = await putCustomer(tx, organizationNo, key, values, { isDryRun, check });
      return respondWithCustomer(tx, organizationNo, { no }, isNew ? 201 : 200);
    },
  }),
  read({
    ...common,
    path: KEY_PATH,
    pathParameters: keyOfCustomer,
    operationId: 'retrieveCustomerByExternalKey',
    summary: 'Retrieve a customer by your own number',
    description: 'Returns the customer with this external_key.',
    read: ({ db, organizationNo, path }) => respondWithCustomer(db, organizationNo, { externalKey: keyOf(path) }, 200),
  }),
  write({
    ...writing,
    method: 'POST',
    path: '/manage/v1/customers',
    operationId: 'createCustomer',
    summary: 'Create a customer',
    description: 'Creates a customer. An `external_key` that another customer has is a conflict.',
    statuses: [201],
    creates: 'customers',
    body: NewCustomer,
    async handle({ tx, organizationNo, values, isDryRun }) {
      const created = await createCustomers(tx, organizationNo, [fieldsOf(values)], { isDryRun });
      return respondWithCustomer(tx, organizationNo, { no: onlyRow(created).no }, 201);
    },
  }),
  read({
    ...common,
    path: '/manage/v1/customers/:id',
    pathParameters: idOfCustomer,
    operationId: 'retrieveManagedCustomer',
    summary: 'Retrieve a customer to change it',
    description: 'Returns the customer with its ETag. For a deleted customer, returns `{"deleted": true}` with its ID.',
    read: ({ db, organizationNo, path: { id = '' } }) => respondWithCustomer(db, organizationNo, { id }, 200),
  }),
  write({
    ...writing,
    method: 'PATCH',
    path: '/manage/v1/customers/:id',
    pathParameters: idOfCustomer,
    operationId: 'updateCustomer',
    summary: 'Change a customer',
    description:
      'Changes the given fields of the customer (JSON Merge Patch, RFC 7396). Null clears a field. `phones` replaces all phones.',
    body: CustomerPatch,
    condition: 'required',
    async handle({ tx, organizationNo, path: { id = '' }, values, condition }) {
      const check = compare(condition, customerEtag);
      const no = await updateCustomer(tx, organizationNo, { id }, fieldsOf(values), check);
      return respondWithCustomer(tx, organizationNo, { no }, 200);
    },
  }),
  write({
    ...writing,
    ...deletion,
    path: '/manage/v1/customers/:id',
    pathParameters: idOfCustomer,
    operationId: 'deleteCustomer',
    summary: 'Delete a customer',
    description:
      'Deletes the customer and erases its personal data, as `tankwatch customers delete` does. A customer who owns tanks is ' +
      `a conflict, unless \`with_tanks\` deletes them too, at most ${MAX_DELETED_TANKS}. Deleting again changes nothing.`,
    parameters: {
      dry_run: dryRun,
      with_tanks: flag('Also delete the tanks of the customer, with their readings.'),
      max_tanks: integerParameter(
        'Refuse if the customer has more tanks than this, such as those that a person was asked about.',
        { minimum: 0, maximum: MAX_DELETED_TANKS, default: MAX_DELETED_TANKS },
      ),
    },
    condition: 'required',
    async handle({ tx, organizationNo, path, parameters, condition }) {
      const no = await numberIn(tx, { organizationNo, path });
      const { with_tanks: withTanks = false, max_tanks: maxTanks = MAX_DELETED_TANKS } = parameters;
      const check = compare(condition, customerEtag);
      await deleteCustomer(tx, organizationNo, no, { withTanks, maxTanks, check });
      return { status: 204, body: null };
    },
  }),
  read({
    ...common,
    path: '/manage/v1/customers/:id/deletion',
    pathParameters: idOfCustomer,
    operationId: 'previewCustomerDeletion',
    summary: 'See what the deletion of a customer erases',
    description:
      'Returns how much `DELETE` with `with_tanks=true` erases, and changes nothing. Of a deleted customer, nothing is left to erase.',
    item: Deletion,
    example: DELETION_EXAMPLE,
    async read({ db, organizationNo, path }) {
      const customerNo = await numberIn(db, { organizationNo, path });
      return {
        status: 200,
        body: { object: 'deletion', ...(await countDeletion(db, organizationNo, { customerNo })) },
      };
    },
  }),
];
