import { type Static, Type } from 'typebox';
import type { Readers, Statement } from '../../db/readers.ts';
import type { EventReading, EventType } from '../../evaluation/pure/alerts/event_types.ts';
import { EVENT_TYPES } from '../../evaluation/pure/alerts/event_types.ts';
import { decodeCursor, encodeCursor } from '../../fleet/cursor.ts';
import type { FleetScope } from '../../fleet/tank_filter.ts';
import type { ExactTime } from '../../values/time.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import { type Parameter, type ParameterValues, parseCommonEraTime } from '../parameters.ts';
import { NullableString } from '../schemas.ts';
import { eventFields } from './events.ts';
import { cursor, cursorOrProblem, filterParameters, oneOf, pageSize } from './filters.ts';
import { scopeOf } from './tanks.ts';

interface PastEvent {
  id: string;
  type: EventType;
  occurred_at: string;
  recorded_at: string;
  tank: { id: string; name: string };
  owner: { id: string; name: string };
  data: object;
  readings: readonly EventReading[];
}

interface HistoryFilter {
  type: EventType | null;
  sinceMs: number | null;
  ownerId: string | null;
}

type EventRow = Omit<PastEvent, 'tank' | 'owner'> & {
  no: string;
  tank_id: string;
  tank_name: string;
  owner_id: string;
  owner_name: string;
};

const COLUMNS = `e.id, e.type, e.occurred_at, e.recorded_at, e.data, e.readings, e.no::text as no, t.id as tank_id,
  t.name as tank_name, c.id as owner_id, c.name as owner_name`;
/** Parameters: $1 scope, $2 since, $3 and $4 the position before which to continue, $5 the number of rows, $6 type. */
const eventsBefore = (name: string, from: string, condition: string): Statement => ({
  name,
  text: `select ${COLUMNS} from ${from}
    where ${condition} and t.deleted_at is null and e.retracted_at is null
      and ($2::timestamptz is null or e.occurred_at >= $2)
      and ($3::timestamptz is null or (e.occurred_at, e.no) < ($3::timestamptz, $4::bigint))
    order by e.occurred_at desc, e.no desc limit $5`,
});

const OF_FLEET = 'events e join tanks t on t.no = e.tank_no join customers c on c.no = t.owner_no';
/** Backwards along the index of the organization, or of one type of its events. */
const OF_ORGANIZATION = eventsBefore('history_of_organization', OF_FLEET, 'e.organization_no = $1');
const OF_TYPE = eventsBefore('history_of_type', OF_FLEET, 'e.organization_no = $1 and e.type = $6');
/** The events of each tank of one customer: along the index of the organization, they could be far apart. */
const OF_CUSTOMER = eventsBefore(
  'history_of_customer',
  'tanks t join customers c on c.no = t.owner_no join events e on e.tank_no = t.no',
  't.owner_no = $1 and ($6::text is null or e.type = $6)',
);
const CUSTOMER_NO: Statement = {
  name: 'history_customer_no',
  text: `select no from customers
    where organization_no = $1 and ($2::int is null or no = $2) and id = $3 and deleted_at is null`,
};

/** The valid events of a fleet or of one customer, newest first. */
async function readHistory(
  readers: Readers,
  scope: FleetScope,
  { filter, after, size }: { filter: HistoryFilter; after: string | undefined; size: number },
): Promise<{ events: PastEvent[]; next: string | null }> {
  // Without the time: a console that shows the last seven days moves it with every request.
  const identity = JSON.stringify(['history', scope, filter.type, filter.ownerId]);
  const [occurredMs, no] = after === undefined ? [null, null] : decodeCursor(after, identity, ['unix_ms', 'bigint']);
  let customerNo = scope.customerNo;
  if (filter.ownerId !== null) {
    const given = [scope.organizationNo, scope.customerNo, filter.ownerId];
    const [customer] = await readers.query<{ no: number }>(CUSTOMER_NO, given);
    if (customer === undefined) return { events: [], next: null };
    customerNo = customer.no;
  }
  const values = [
    customerNo ?? scope.organizationNo,
    isoOrNull(filter.sinceMs),
    isoOrNull(occurredMs),
    no ?? null,
    size + 1,
  ];
  const rows =
    customerNo !== null
      ? await readers.query<EventRow>(OF_CUSTOMER, [...values, filter.type])
      : filter.type !== null
        ? await readers.query<EventRow>(OF_TYPE, [...values, filter.type])
        : await readers.query<EventRow>(OF_ORGANIZATION, values);
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    events: shown.map(({ no: _no, tank_id, tank_name, owner_id, owner_name, ...event }) => ({
      ...event,
      tank: { id: tank_id, name: tank_name },
      owner: { id: owner_id, name: owner_name },
    })),
    next:
      rows.length > size && last !== undefined
        ? encodeCursor([String(Date.parse(last.occurred_at)), last.no], identity)
        : null,
  };
}

const isoOrNull = (ms: string | number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : new Date(Number(ms)).toISOString();

const Named = (object: string) =>
  Type.Object(
    { id: Type.String({ description: `ID of the ${object}.` }), name: Type.String({ description: 'Its name.' }) },
    { additionalProperties: false },
  );

const History = Type.Object(
  {
    object: Type.Literal('history'),
    events: Type.Array(
      Type.Object({ ...eventFields, tank: Named('tank'), owner: Named('customer') }, { additionalProperties: false }),
      { description: 'The events, newest first. Retracted events are left out.' },
    ),
    next: NullableString('Send it as `after` to get older events. Null: there are none.'),
  },
  { title: 'History', additionalProperties: false },
);

const EXAMPLE: Static<typeof History> = {
  object: 'history',
  events: [
    {
      id: '0e4f1c62-8a35-8d1b-9c0e-2f7a6b5d4c31',
      type: 'tank.low_fill',
      occurred_at: '2025-11-02T06:00:00.000Z',
      recorded_at: '2025-11-02T06:00:03.120Z',
      data: { fill_percentage: 19.5, threshold_percentage: 20 },
      readings: [{ created_at: '2025-11-02T06:00:00.000Z', fill_percentage: 19.5 }],
      tank: { id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66', name: 'House' },
      owner: { id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90', name: 'María López' },
    },
  ],
  next: null,
};

const parameters = {
  type: oneOf(EVENT_TYPES, 'Return only events of this type.'),
  since: {
    schema: Type.String({ format: 'date-time' }),
    description: 'Return only events that happened at this time or later.',
    parse: parseCommonEraTime,
  } satisfies Parameter<ExactTime>,
  owner_id: { ...filterParameters.owner_id, description: 'Return only events of the tanks of this customer.' },
  size: pageSize,
  after: cursor('`next` of the page before.'),
};

export const listHistoryOperation: Operation = {
  path: '/fleet/v1/history',
  operationId: 'listHistory',
  summary: 'List the events of all tanks, newest first',
  description:
    'For people who look back. A program that must not miss an event follows `/fleet/v1/events` instead: there, late ' +
    'and corrected events have a place of their own.',
  returns: 'answer',
  item: History,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }: OperationRequest<ParameterValues<typeof parameters>>) {
    const filter = { type: given.type ?? null, sinceMs: given.since?.ms ?? null, ownerId: given.owner_id ?? null };
    const { size = 50, after } = given;
    const page = await cursorOrProblem('after', () => readHistory(readers, scopeOf(caller), { filter, after, size }));
    return { body: { object: 'history', events: page.events, next: page.next } };
  },
};
