import { type Static, Type } from 'typebox';
import { CUSTOMER_COLUMNS } from '../catalog/columns.ts';
import { catalogList, uncountedList } from '../db/counted_list.ts';
import type { Statement } from '../db/readers.ts';
import { listRead } from './list_read.ts';
import { email } from './parameters.ts';
import { retrieveRead } from './retrieve_read.ts';
import { NullableString, NullableTime, Time } from './schema.ts';

export const Customer = Type.Object(
  {
    id: Type.String({ description: 'Identifies the customer.' }),
    object: Type.Literal('customer'),
    created_at: Time('When the customer was created.'),
    email: Type.String({ description: 'E-mail address; two customers may share one.' }),
    is_verified: Type.Boolean({ description: 'Whether the e-mail address has been verified.' }),
    last_seen_at: NullableTime('Last use of a key narrowed to this customer, to the minute.'),
    name: Type.String({ description: 'Name of the person or the business.' }),
    phone: NullableString('Phone number.'),
    tank_count: Type.Integer({ description: 'How many tanks the customer owns now.' }),
    updated_at: Time('When a field of the customer last changed; activity and tank_count do not count.'),
    verified_at: NullableTime('When the address was verified; null also where that happened before an import.'),
  },
  {
    title: 'Customer',
    additionalProperties: false,
  },
);
export type Customer = Static<typeof Customer>;

const EXAMPLE: Customer = {
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

/** All customers of an organization ($1). */
const OF_ORGANIZATION = catalogList({
  name: 'customers_of_organization',
  list: 'organization_customers',
  items: 'customers',
  scope: 'organization_no',
  columns: CUSTOMER_COLUMNS,
});

const LIVE = 'customers i where i.organization_no = $1 and i.deleted_at is null';

/** Those of an organization ($1) with exactly this address ($6); for a narrowed key, only if it is that one ($7). */
const BY_EMAIL = uncountedList({
  name: 'customers_by_email',
  columns: CUSTOMER_COLUMNS,
  items: `${LIVE} and i.email = $6 and ($7::int is null or i.no = $7)`,
});

/** The one customer ($6) of an organization ($1) that a narrowed key sees. */
const THE_ONE = uncountedList({ name: 'customers_by_no', columns: CUSTOMER_COLUMNS, items: `${LIVE} and i.no = $6` });

const BY_ID: Statement = {
  name: 'customer_by_id',
  text: `select ${CUSTOMER_COLUMNS}, i.deleted_at is not null as deleted from customers i
    where i.organization_no = $1 and ($2::int is null or i.no = $2) and i.id = $3`,
};

export const listCustomers = listRead({
  path: '/v1/customers',
  operationId: 'listCustomers',
  summary: 'List customers',
  description: 'Newest first. A key narrowed to one customer lists that one.',
  item: Customer,
  example: EXAMPLE,
  filters: { email },
  source({ caller: { organizationNo, customerNo }, parameters }) {
    if (parameters.email !== undefined) {
      return { statement: BY_EMAIL, scopeNo: organizationNo, more: [parameters.email, customerNo] };
    }
    if (customerNo !== null) return { statement: THE_ONE, scopeNo: organizationNo, more: [customerNo] };
    return { statement: OF_ORGANIZATION, scopeNo: organizationNo };
  },
});

export const retrieveCustomer = retrieveRead({
  path: '/v1/customers/:id',
  operationId: 'retrieveCustomer',
  object: 'customer',
  item: Customer,
  example: EXAMPLE,
  statement: BY_ID,
});
