import { type Static, Type } from 'typebox';
import type { Readers, Statement } from '../../db/readers.ts';
import {
  ALL_EVENT_TYPES,
  type AnyEventType,
  IS_CAUSED_BY_READINGS_SQL,
} from '../../evaluation/pure/alerts/event_types.ts';
import { decodeCursor, encodeCursor } from '../../status/cursor.ts';
import { withFollowUps } from '../../status/follow_ups.ts';
import { productSql } from '../../status/product_fields.ts';
import type { FleetScope } from '../../status/tank_filter.ts';
import { PRODUCT_NAMES, productOf } from '../../values/products.ts';
import { operation } from '../operation.ts';
import { timeParameter } from '../parameters.ts';
import { Closed, idName, Named, NullableString, pageEnd, pageEndFields } from '../schemas/values.ts';
import { findCustomerNo } from '../visible_customer.ts';
import {
  EVENT_COLUMNS,
  type EventFields,
  eventFields,
  followedField,
  isShownSql,
  retractedParameter,
} from './events.ts';
import { cursor, cursorOrProblem, filterParameters, oneOf, pageSize } from './filters.ts';
import { FOLLOWED_EVENT_EXAMPLE } from './tank_events.ts';
import { scopeOf } from './tanks.ts';

export interface HistoryFilter {
  type: AnyEventType | null;
  ownerId: string | null;
  /** Only events at this time or later. */
  sinceMs: number | null;
  /** Only events before this time. */
  untilMs: number | null;
  withRetracted: boolean;
}

export interface EventRow extends EventFields {
  no: string;
  tank_id: string;
  tank_name: string;
  custom_id: string | null;
  product: string | null;
  city: string | null;
  owner_id: string;
  owner_name: string;
  external_key: string | null;
}

const COLUMNS = `${EVENT_COLUMNS}, e.no::text as no,
  t.id as tank_id, t.name as tank_name, t.custom_id, ${productSql('t')} as product, t.city, c.id as owner_id, c.name as owner_name,
  c.external_key`;
/**
 * Parameters: $1 scope, $2 since, $3 and $4 the position before which to continue, $5 the number of rows, $6 whether to
 * return retracted events, $7 type; for one customer also $8, whether to return events that readings did not cause. $2
 * to $4 are never null: with "is null or", PostgreSQL would read from the newest event to the position again for each
 * page.
 */
const eventsBefore = (name: string, from: string, condition: string): Statement => ({
  name,
  text: `select ${COLUMNS} from ${from}
    where ${condition} and t.deleted_at is null and ${isShownSql('$6::bool')}
      and e.occurred_at >= $2::timestamptz and (e.occurred_at, e.no) < ($3::timestamptz, $4::bigint)
    order by e.occurred_at desc, e.no desc limit $5`,
});

const OF_FLEET = 'events e join tanks t on t.no = e.tank_no join customers c on c.no = t.owner_no';
/** Reads backwards along the index of the organization, or of one type of its events. */
const OF_ORGANIZATION = eventsBefore('history_of_organization', OF_FLEET, 'e.organization_no = $1');
const OF_TYPE = eventsBefore('history_of_type', OF_FLEET, 'e.organization_no = $1 and e.type = $7');
/**
 * Reads the events of each tank of one customer, because in the index of the organization the events of one customer
 * could be far apart.
 */
const OF_CUSTOMER = eventsBefore(
  'history_of_customer',
  'tanks t join customers c on c.no = t.owner_no join events e on e.tank_no = t.no',
  `t.owner_no = $1 and ($7::text is null or e.type = $7) and ($8::bool or ${IS_CAUSED_BY_READINGS_SQL})`,
);

/** One page of the events of a fleet or of one customer, newest first, and the cursor of the next page. */
export async function readEventRows(
  readers: Readers,
  scope: FleetScope,
  { filter, after, size }: { filter: HistoryFilter; after: string | undefined; size: number },
): Promise<{ rows: EventRow[]; next: string | null }> {
  // The times of the filter are not part of the cursor's identity, because a console that shows the last seven days
  // changes them with every request.
  const identity = JSON.stringify(['history', scope, filter.type, filter.ownerId]);
  const [beforeMs = filter.untilMs, beforeNo = '0'] =
    after === undefined ? [] : decodeCursor(after, identity, ['unix_ms', 'bigint']);
  const customerNo = filter.ownerId === null ? scope.customerNo : await findCustomerNo(readers, scope, filter.ownerId);
  if (customerNo === undefined) return { rows: [], next: null };
  const values = [
    customerNo ?? scope.organizationNo,
    filter.sinceMs === null ? '-infinity' : isoTime(filter.sinceMs),
    beforeMs === null ? 'infinity' : isoTime(beforeMs),
    beforeNo,
    size + 1,
    filter.withRetracted,
  ];
  const readRows = (): Promise<EventRow[]> => {
    if (customerNo !== null) return readers.query(OF_CUSTOMER, [...values, filter.type, scope.customerNo === null]);
    if (filter.type !== null) return readers.query(OF_TYPE, [...values, filter.type]);
    return readers.query(OF_ORGANIZATION, values);
  };
  const rows = await readRows();
  const last = rows[size - 1];
  return {
    rows: rows.slice(0, size),
    next:
      rows.length > size && last !== undefined
        ? encodeCursor([String(Date.parse(last.occurred_at)), last.no], identity)
        : null,
  };
}

const isoTime = (ms: string | number): string => new Date(Number(ms)).toISOString();

/** The serializer leaves out the other columns of the row. */
const pastEvent = (row: EventRow & Pick<PastEvent, 'followed'>): PastEvent => ({
  ...row,
  tank: { id: row.tank_id, name: row.tank_name, custom_id: row.custom_id, product: productOf(row.product) },
  owner: { id: row.owner_id, name: row.owner_name },
});

const NamedTank = Closed({
  ...idName('tank'),
  custom_id: NullableString("The customer's own identifier for the tank."),
  product: Type.Enum([...PRODUCT_NAMES], { description: 'What is in it.' }),
});
const NamedCustomer = Closed(idName('customer'));

const History = Named('History', {
  object: Type.Literal('history'),
  events: Type.Array(Closed({ ...eventFields, ...followedField, tank: NamedTank, owner: NamedCustomer }), {
    description: 'The events, newest first. Retracted events are left out unless `retracted=include`.',
  }),
  ...pageEndFields,
});

type PastEvent = Static<typeof History>['events'][number];

const EXAMPLE: Static<typeof History> = {
  object: 'history',
  events: [
    {
      ...FOLLOWED_EVENT_EXAMPLE,
      tank: { id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66', name: 'House', custom_id: 'T-4711', product: 'propane' },
      owner: { id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90', name: 'María López' },
    },
  ],
  ...pageEnd(null),
};

const parameters = {
  type: oneOf(ALL_EVENT_TYPES, 'Return only events of this type.'),
  since: timeParameter('Return only events that happened at this time or later.'),
  until: timeParameter('Return only events that happened before this time.'),
  owner_id: { ...filterParameters.owner_id, description: 'Return only events of the tanks of this customer.' },
  retracted: retractedParameter,
  size: pageSize,
  after: cursor('`next` of the page before.'),
};

export const listHistoryOperation = operation({
  path: '/fleet/v1/history',
  operationId: 'listHistory',
  summary: 'List the events of all tanks, newest first',
  description:
    'Returns past events for people to read. A program that must not miss an event follows `/fleet/v1/events` instead, which ' +
    'returns late and corrected events when they are recorded.',
  returns: 'answer',
  item: History,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }) {
    const { type = null, owner_id: ownerId = null, since, until, retracted, size = 50, after } = given;
    const withRetracted = retracted === 'include';
    const filter = { type, ownerId, sinceMs: since?.ms ?? null, untilMs: until?.ms ?? null, withRetracted };
    const page = await cursorOrProblem('after', () => readEventRows(readers, scopeOf(caller), { filter, after, size }));
    const rows = await withFollowUps(readers, page.rows, { isOwner: caller.customerNo !== null });
    return { body: { object: 'history', events: rows.map(pastEvent), ...pageEnd(page.next) } };
  },
});
