import { type Static, Type } from 'typebox';
import { statusObject } from '../../fleet/status_object.ts';
import { findTankPage } from '../../fleet/tank_page.ts';
import { invalidParameters } from '../../http/problem.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { ParameterValues } from '../parameters.ts';
import { NullableString } from '../schemas.ts';
import { CUSTOMER_EXAMPLE, Customer } from '../v1/customers.ts';
import { filterParameters, textParameter } from './filters.ts';
import { findCustomersByExternalKey, findCustomersByWords } from './find_customers.ts';
import { TANK_STATUS_EXAMPLE, TankStatus } from './tank_status_schema.ts';
import { scopeOf } from './tanks.ts';

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
