import { type Static, Type } from 'typebox';
import { invalidParameters } from '../../http/problem.ts';
import { findCustomerPage } from '../../status/customer_page.ts';
import { audienceOf } from '../../status/handling.ts';
import { statusObject } from '../../status/status_object.ts';
import { findTankPage } from '../../status/tank_page.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { ParameterValues } from '../parameters.ts';
import { FLEET_CUSTOMER_EXAMPLE, FleetCustomer } from './customers.ts';
import { searchParameter } from './filters.ts';
import { TANK_STATUS_EXAMPLE, TankStatus } from './tank_status_schema.ts';
import { scopeOf } from './tanks.ts';

const MAX_FOUND = 8;

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
  customers: [FLEET_CUSTOMER_EXAMPLE],
};

const searchParameters = {
  q: searchParameter(
    'The words to look for, in any order: in the tank (name, custom ID, device, street, district, city, postal code) and its ' +
      'owner (name, number, e-mail address, phone number).',
  ),
};

export const searchOperation: Operation = {
  path: '/fleet/v1/search',
  operationId: 'search',
  summary: 'Search tanks and customers',
  description:
    'Finds tanks and customers that contain all words of `q`, for a search box. The words of a tank and of its owner count ' +
    'together.',
  returns: 'answer',
  item: SearchResult,
  example: EXAMPLE,
  parameters: searchParameters,
  async handle({ readers, caller, parameters }: OperationRequest<ParameterValues<typeof searchParameters>>) {
    const { q: words } = parameters;
    if (words === undefined)
      throw invalidParameters([{ param: 'q', code: 'required', detail: 'Send the words to search for.' }]);
    const scope = scopeOf(caller);
    const [tanks, customers] = await Promise.all([
      findTankPage(readers, { scope, filter: { words }, sort: 'urgency', size: MAX_FOUND }),
      findCustomerPage(readers, { scope, filter: { words }, size: MAX_FOUND }),
    ]);
    return {
      body: {
        object: 'search_result',
        tanks: tanks.rows.map((row) => statusObject(row, audienceOf(caller))),
        customers: customers.customers,
      },
    };
  },
};
