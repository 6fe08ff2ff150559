import { type Static, Type } from 'typebox';
import { catalogList } from '../../catalog/catalog_list.ts';
import { CUSTOMER_COLUMNS } from '../../catalog/v1_columns.ts';
import { uncountedList } from '../../db/counted_list.ts';
import type { Statement } from '../../db/readers.ts';
import type { Parameter } from '../parameters.ts';
import { Named, NullableString, NullableTime, Time } from '../schemas/values.ts';
import { listOperation } from './list_operation.ts';
import { retrieveOperation } from './retrieve_operation.ts';

export const Customer = Named('Customer', {
  id: Type.String({ description: 'ID of the customer.' }),
  object: Type.Literal('customer'),
  created_at: Time('When the customer was created.'),
  email: Type.String({ description: 'E-mail address. Several customers can have the same address.' }),
  is_verified: Type.Boolean({ description: 'Whether the e-mail address is verified.' }),
  last_seen_at: NullableTime(
    'When the customer last used the console, or an API key narrowed to this customer was last used, to the minute.',
  ),
  name: Type.String({ description: 'Name of the person or business.' }),
  phone: NullableString('Phone number.'),
  tank_count: Type.Integer({ description: 'Number of tanks the customer owns.' }),
  updated_at: Time(
    'When a field of the customer last changed. Changes of `last_seen_at` and `tank_count` do not count.',
  ),
  verified_at: NullableTime(
    'When the e-mail address was verified. Null if it is not verified, or if it was verified before an import.',
  ),
});
export type Customer = Static<typeof Customer>;

export const CUSTOMER_EXAMPLE: Customer = {
  id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
  object: 'customer',
  created_at: '2025-08-13T16:38:55.453Z',
  email: 'maria.lopez@example.com',
  is_verified: true,
  last_seen_at: '2025-11-02T07:15:00.000Z',
  name: 'María López',
  phone: '+52 55 5550 0142',
  tank_count: 2,
  updated_at: '2025-09-01T09:00:12.001Z',
  verified_at: '2025-08-13T17:02:41.118Z',
};

const email: Parameter<string> = {
  schema: Type.String({ minLength: 1, examples: ['maria.lopez@example.com'] }),
  description: 'Return only customers with this e-mail address. Upper and lower case are different.',
  parse: (text) =>
    text === '' || text.includes('\0') ? { code: 'invalid', detail: 'Must be an e-mail address.' } : { value: text },
};

/** All customers of an organization ($1). */
const CUSTOMERS_OF_ORGANIZATION = catalogList({
  name: 'customers_of_organization',
  list: 'organization_customers',
  items: 'customers',
  scope: 'organization_no',
  columns: CUSTOMER_COLUMNS,
});

const NOT_DELETED = 'customers i where i.organization_no = $1 and i.deleted_at is null';

/** Customers of an organization ($1) with an e-mail address ($6). A narrowed key sees only its own customer ($7). */
const CUSTOMERS_BY_EMAIL = uncountedList({
  name: 'customers_by_email',
  columns: CUSTOMER_COLUMNS,
  items: `${NOT_DELETED} and i.email = $6 and ($7::int is null or i.no = $7)`,
});

/** The customer ($6) of an organization ($1) that a narrowed key sees. */
const CUSTOMER_OF_NARROWED_KEY = uncountedList({
  name: 'customers_by_no',
  columns: CUSTOMER_COLUMNS,
  items: `${NOT_DELETED} and i.no = $6`,
});

const CUSTOMER_BY_ID: Statement = {
  name: 'customer_by_id',
  text: `select ${CUSTOMER_COLUMNS}, i.deleted_at is not null as deleted from customers i
    where i.organization_no = $1 and ($2::int is null or i.no = $2) and i.id = $3`,
};

export const listCustomersOperation = listOperation({
  path: '/v1/customers',
  operationId: 'listCustomers',
  summary: 'List customers',
  description: 'Returns customers, newest first. A narrowed key sees only its own customer.',
  item: Customer,
  example: CUSTOMER_EXAMPLE,
  filters: { email },
  source({ caller: { organizationNo, customerNo }, parameters }) {
    if (parameters.email !== undefined) {
      return { statement: CUSTOMERS_BY_EMAIL, scopeNo: organizationNo, filterValues: [parameters.email, customerNo] };
    }
    if (customerNo !== null) {
      return { statement: CUSTOMER_OF_NARROWED_KEY, scopeNo: organizationNo, filterValues: [customerNo] };
    }
    return { statement: CUSTOMERS_OF_ORGANIZATION, scopeNo: organizationNo };
  },
});

export const retrieveCustomerOperation = retrieveOperation({
  path: '/v1/customers/:id',
  operationId: 'retrieveCustomer',
  object: 'customer',
  item: Customer,
  example: CUSTOMER_EXAMPLE,
  statement: CUSTOMER_BY_ID,
});
