import type { Static } from 'typebox';
import { CUSTOMER_STATUSES, findCustomerPage } from '../../status/customer_page.ts';
import { operation } from '../operation.ts';
import { Named, NullableEnum, NullableString, NullableTime, pageEnd } from '../schemas/values.ts';
import { CUSTOMER_EXAMPLE, Customer } from '../v1/customers.ts';
import { pageCursors, readPageAt, searchParameter, textParameter } from './filters.ts';
import { countCustomersRecently } from './recent_counts.ts';
import { scopeOf } from './tanks.ts';

export const FleetCustomer = Named('FleetCustomer', {
  ...Customer.properties,
  external_key: NullableString("The operator's own number of the customer."),
  reminders_off_since: NullableTime('When the customer ended the reminders about low tanks. Null if they are sent.'),
  worst_status: NullableEnum(
    CUSTOMER_STATUSES,
    'The most important status of the tanks of the customer. Null if no tank needs anything.',
  ),
});

export const FLEET_CUSTOMER_EXAMPLE: Static<typeof FleetCustomer> = {
  ...CUSTOMER_EXAMPLE,
  external_key: 'C-1042',
  reminders_off_since: null,
  worst_status: 'low',
};

const parameters = {
  external_key: textParameter(
    "Return only the customer with this `external_key`, the operator's own number of the customer. Numbers are unique.",
    'C-1042',
  ),
  q: searchParameter(
    'Return only customers that contain all these words, in any order, in their name, number, e-mail address or phone number.',
  ),
  ...pageCursors,
};

export const listFleetCustomersOperation = operation({
  path: '/fleet/v1/customers',
  operationId: 'findCustomers',
  summary: 'List or find customers, by name',
  description:
    'Returns customers in alphabetical order, without regard to case and accents, each with the worst status of the tanks. ' +
    'If very many customers contain the words, 1,000 of them are returned.',
  returns: 'cursor_list',
  item: FleetCustomer,
  example: FLEET_CUSTOMER_EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }) {
    const scope = scopeOf(caller);
    const { external_key: externalKey, q: words, size = 50 } = given;
    const filter = { ...(words && { words }), ...(externalKey !== undefined && { externalKey }) };
    const [page, { value: count, asOf }] = await Promise.all([
      readPageAt(given, (cursor) => findCustomerPage(readers, { scope, filter, size, ...cursor })),
      countCustomersRecently(readers, scope, filter),
    ]);
    const { customers: data, next, previous } = page;
    return { body: { object: 'list', data, ...pageEnd(next), previous, total_items: count, as_of: asOf } };
  },
});
