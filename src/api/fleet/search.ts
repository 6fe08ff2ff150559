import { type Static, Type } from 'typebox';
import { invalidParameters } from '../../http/problem.ts';
import { audienceOf } from '../../status/handling.ts';
import { FEW_FOUND, MAX_FOUND, searchFleet } from '../../status/search_fleet.ts';
import { statusObject } from '../../status/status_object.ts';
import type { TankStatusRow } from '../../status/status_rows.ts';
import { operation } from '../operation.ts';
import { Named, Nullable } from '../schemas/values.ts';
import { FLEET_CUSTOMER_EXAMPLE, FleetCustomer } from './customers.ts';
import { searchParameter } from './filters.ts';
import { TANK_STATUS_EXAMPLE, TankStatus } from './tank_status_schema.ts';
import { scopeOf } from './tanks.ts';

const SearchResult = Named('SearchResult', {
  object: Type.Literal('search_result'),
  tanks: Type.Array(TankStatus, { description: `The most urgent tanks that match, at most ${MAX_FOUND}.` }),
  customers: Type.Array(FleetCustomer, { description: `Customers that match, by name, at most ${MAX_FOUND}.` }),
  similar: Nullable(
    `What similar words find, if fewer than ${FEW_FOUND} tanks and customers match: a word with two letters swapped, or one missing, ` +
      'too many or wrong, is replaced by a word that tanks or customers have. Null if they find nothing.',
    {
      q: Type.String({ description: 'The corrected words.' }),
      others: Type.Array(Type.String(), {
        description: 'Other words that may be meant instead of a single word, the likeliest first.',
      }),
      tanks: Type.Array(TankStatus, { description: `Other tanks that match \`q\`, at most ${MAX_FOUND}.` }),
      customers: Type.Array(FleetCustomer, {
        description: `Other customers that match \`q\`, by name, at most ${MAX_FOUND}.`,
      }),
    },
  ),
});

const EXAMPLE: Static<typeof SearchResult> = {
  object: 'search_result',
  tanks: [TANK_STATUS_EXAMPLE],
  customers: [FLEET_CUSTOMER_EXAMPLE],
  similar: null,
};

const searchParameters = {
  q: searchParameter(
    'The words to look for, in any order: in the tank (name, custom ID, device, street, district, city, postal code) and its ' +
      'owner (name, number, e-mail address, phone number).',
  ),
};

export const searchOperation = operation({
  path: '/fleet/v1/search',
  operationId: 'search',
  summary: 'Search tanks and customers',
  description:
    'Finds tanks and customers that contain all words of `q`, for a search box. The words of a tank and of its owner count ' +
    'together. If few match, similar words are tried too.',
  returns: 'answer',
  item: SearchResult,
  example: EXAMPLE,
  parameters: searchParameters,
  async handle({ readers, caller, parameters }) {
    const { q: words } = parameters;
    if (words === undefined)
      throw invalidParameters([{ param: 'q', code: 'required', detail: 'Send the words to search for.' }]);
    const { tanks, customers, similar } = await searchFleet(readers, scopeOf(caller), words);
    const statuses = (rows: readonly TankStatusRow[]) => rows.map((row) => statusObject(row, audienceOf(caller)));
    return {
      body: {
        object: 'search_result',
        tanks: statuses(tanks),
        customers,
        similar: similar && {
          q: similar.words.join(' '),
          others: similar.others.map((other) => other.join(' ')),
          tanks: statuses(similar.tanks),
          customers: similar.customers,
        },
      },
    };
  },
});
