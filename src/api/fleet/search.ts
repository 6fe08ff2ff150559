import { type Static, Type } from 'typebox';
import { CUSTOMER_COLUMNS } from '../../catalog/v1_columns.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { likePattern } from '../../fleet/search_words.ts';
import { statusObject } from '../../fleet/status_object.ts';
import { type FleetScope, MAX_SEARCH_MATCHES } from '../../fleet/tank_filter.ts';
import { findTankPage } from '../../fleet/tank_page.ts';
import { invalidParameters } from '../../http/problem.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { ParameterValues } from '../parameters.ts';
import { NullableString } from '../schemas.ts';
import { CUSTOMER_EXAMPLE, Customer } from '../v1/customers.ts';
import { filterParameters, textParameter } from './filters.ts';
import { TANK_STATUS_EXAMPLE, TankStatus } from './tank_status_schema.ts';
import { scopeOf } from './tanks.ts';

const BY_EXTERNAL_KEY: Statement = {
  name: 'customer_by_external_key',
  text: `select ${CUSTOMER_COLUMNS}, i.external_key from customers i
    where i.organization_no = $1 and ($2::int is null or i.no = $2) and i.deleted_at is null and i.external_key = $3`,
};

/** At most one customer: external keys are unique in an organization. */
const findCustomersByExternalKey = (
  readers: Readers,
  { organizationNo, customerNo }: FleetScope,
  externalKey: string,
): Promise<object[]> => readers.query(BY_EXTERNAL_KEY, [organizationNo, customerNo, externalKey]);

/** Customers whose name, address, phone or external key contain all words. */
function findCustomersByWords(
  readers: Readers,
  { organizationNo, customerNo }: FleetScope,
  words: readonly string[],
  limit: number,
): Promise<object[]> {
  const contains = words.map((_, at) => `customer_search_text(name, email, phone, external_key) like $${at + 3}::text`);
  // An owner is found by number: the index of texts would first find all others. Matches of common words are not all sorted.
  const scope = customerNo === null ? 'organization_no = $1' : 'no = $1';
  const text = `select ${CUSTOMER_COLUMNS}, i.external_key
    from (
      select * from customers where ${scope} and deleted_at is null and ${contains.join(' and ')}
      limit ${MAX_SEARCH_MATCHES}
    ) as i
    order by i.name, i.no limit $2::int`;
  return readers.query({ text }, [customerNo ?? organizationNo, limit, ...words.map(likePattern)]);
}

const MAX_FOUND = 8;

const FleetCustomer = Type.Object(
  { ...Customer.properties, external_key: NullableString("The operator's own number of the customer.") },
  { title: 'FleetCustomer', additionalProperties: false },
);

const CUSTOMER = { ...CUSTOMER_EXAMPLE, external_key: 'C-1042' };

const SearchResult = Type.Object(
  {
    object: Type.Literal('search_result'),
    tanks: Type.Array(TankStatus, { description: `The most urgent tanks that match, at most ${MAX_FOUND}.` }),
    customers: Type.Array(FleetCustomer, { description: `Customers that match, by name, at most ${MAX_FOUND}.` }),
  },
  { title: 'SearchResult', additionalProperties: false },
);

const EXAMPLE: Static<typeof SearchResult> = {
  object: 'search_result',
  tanks: [TANK_STATUS_EXAMPLE],
  customers: [CUSTOMER],
};

const searchParameters = { q: filterParameters.q };

export const searchOperation: Operation = {
  path: '/fleet/v1/search',
  operationId: 'search',
  summary: 'Search tanks and customers',
  description: 'Finds tanks and customers that contain all words of `q`, for a search box.',
  returns: 'answer',
  item: SearchResult,
  example: EXAMPLE,
  parameters: searchParameters,
  async handle({ readers, caller, parameters }: OperationRequest<ParameterValues<typeof searchParameters>>) {
    const { q: words } = parameters;
    if (words === undefined) throw required('q', 'Send the words to search for.');
    const scope = scopeOf(caller);
    const [tanks, customers] = await Promise.all([
      findTankPage(readers, { scope, filter: { words }, sort: 'urgency', size: MAX_FOUND }),
      findCustomersByWords(readers, scope, words, MAX_FOUND),
    ]);
    return { body: { object: 'search_result', tanks: tanks.rows.map(statusObject), customers } };
  },
};

const CustomerMatches = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(FleetCustomer, { description: 'The customer with this key, or nothing.' }),
  },
  { title: 'CustomerMatches', additionalProperties: false },
);

const keyParameters = { external_key: textParameter("The operator's own number of the customer.", 'C-1042') };

export const findCustomersOperation: Operation = {
  path: '/fleet/v1/customers',
  operationId: 'findCustomers',
  summary: 'Find a customer by external key',
  description: 'Finds the customer with the number that your own system uses. External keys are unique.',
  returns: 'answer',
  item: CustomerMatches,
  example: { object: 'list', data: [CUSTOMER] } satisfies Static<typeof CustomerMatches>,
  parameters: keyParameters,
  async handle({ readers, caller, parameters }: OperationRequest<ParameterValues<typeof keyParameters>>) {
    const { external_key: externalKey } = parameters;
    if (externalKey === undefined) throw required('external_key', 'Send the external key to look for.');
    const data = await findCustomersByExternalKey(readers, scopeOf(caller), externalKey);
    return { body: { object: 'list', data } };
  },
};

const required = (param: string, detail: string) => invalidParameters([{ param, code: 'required', detail }]);
