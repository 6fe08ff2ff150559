import { type Static, type TObject, Type } from 'typebox';
import type { Readers, Statement } from '../../db/readers.ts';
import {
  ALL_EVENT_TYPES,
  type AnyEventType,
  IS_CAUSED_BY_READINGS_SQL,
  RETRACTION_REASONS,
} from '../../evaluation/pure/alerts/event_types.ts';
import { alongIndex, type FeedSource, readByNumber } from '../../status/change_feed.ts';
import { decodeCursor, encodeCursor } from '../../status/cursor.ts';
import type { FleetScope } from '../../status/tank_filter.ts';
import { operation } from '../operation.ts';
import { Closed, Named, Nullable, NullableEnum, NullableString, NullableTime, Time } from '../schemas/values.ts';
import { cursor, cursorOrProblem, oneOf, pageSize } from './filters.ts';
import { scopeOf } from './tanks.ts';

/** The columns of `eventFields`. If late readings caused a retraction, the table has no reason. */
export const EVENT_COLUMNS = `e.id, e.type, e.occurred_at, e.recorded_at, e.retracted_at, e.data, e.readings,
  case when e.retracted_at is not null then coalesce(e.retracted_because, 'late_readings') end as retracted_because`;

/**
 * Whether a list of past events shows an event. If `include` is true, it also shows retracted events that were notified
 * or have a stored reason. Other retracted events were only moved by late readings.
 */
export const isShownSql = (include: string): string =>
  `(e.retracted_at is null or ${include} and (e.notify or e.retracted_because is not null))`;

export const retractedParameter = oneOf(
  ['include'],
  'include: return retracted events as well, if somebody may have been notified of them. They have `retracted_at`.',
);

type FeedEvent = Omit<Static<typeof Event>, 'object'>;

interface EventPage {
  events: FeedEvent[];
  /** The position after the last event. Null if the feed has no event yet. */
  next: string | null;
  /** Whether more events can be read now. */
  hasMore: boolean;
}

type FeedRow = FeedEvent & { change_number: string; no: string };

const FEED_COLUMNS = `${EVENT_COLUMNS}, t.id as tank_id, t.custom_id, c.id as owner_id, c.external_key`;

/**
 * The events in the order of their change numbers. Transactions do not commit in this order, so the events of a
 * transaction are only shown when all older transactions have ended. A reader that continues after the last
 * position misses nothing. An event that was changed or retracted appears again with its new values. Parameters: $1
 * organization, $2 and $3 the position after which to continue, $4 the number of rows.
 */
const eventsAfter = (name: string, from: string, condition: string): Statement => ({
  name,
  text: `select ${FEED_COLUMNS}, e.change_number::text as change_number, e.no::text as no
    from ${from} join customers c on c.no = t.owner_no
    where ${condition} and t.deleted_at is null and (e.change_number, e.no) > ($2::bigint, $3::bigint)
      and e.change_number < final_change_number($1)
    order by e.change_number, e.no limit $4`,
});

const OF_FEED = 'events e join tanks t on t.no = e.tank_no';
/** Reads along the index of changes of the organization, or of one type of its events. */
const OF_ORGANIZATION = eventsAfter('events_after', OF_FEED, 'e.organization_no = $1');
const OF_TYPE = eventsAfter('events_of_type_after', OF_FEED, 'e.organization_no = $1 and e.type = $5');
/**
 * Reads all events of each tank of one customer and sorts them, because in the index of the organization the events of
 * one customer could be far apart.
 */
const OF_CUSTOMER = eventsAfter(
  'events_of_customer_after',
  `(select * from tanks where owner_no = $6 and organization_no = $1 offset 0) as t
   cross join lateral (select * from events e where e.tank_no = t.no and ($5::text is null or e.type = $5) offset 0) as e`,
  IS_CAUSED_BY_READINGS_SQL,
);

export async function readEventFeed(
  readers: Readers,
  scope: FleetScope,
  { type, after, size }: { type: AnyEventType | null; after: string | undefined; size: number },
): Promise<EventPage> {
  const identity = JSON.stringify(['events', scope, type]);
  const [afterChange = '0', afterNo = '0'] =
    after === undefined ? [] : decodeCursor(after, identity, ['bigint', 'bigint']);
  const position = [scope.organizationNo, afterChange, afterNo, size + 1];
  const readRows = (): Promise<FeedRow[]> => {
    if (scope.customerNo !== null) return readers.query(OF_CUSTOMER, [...position, type, scope.customerNo]);
    if (type !== null) return readers.query(OF_TYPE, [...position, type]);
    return readers.query(OF_ORGANIZATION, position);
  };
  const rows = await readRows();
  const events = rows.slice(0, size);
  const last = events.at(-1);
  return {
    events: events.map(({ change_number: _change, no: _no, ...event }) => event),
    next: last === undefined ? (after ?? null) : encodeCursor([last.change_number, last.no], identity),
    hasMore: rows.length > size,
  };
}

/** Events in the feed of all changes. */
export const EVENT_SOURCE: FeedSource<'event'> = {
  kind: 'event',
  key: 'bigint',
  positions: alongIndex('events'),
  read: readByNumber('event', {
    name: 'changed_events',
    text: `select e.no::text as ref, false as is_deleted, 'event' as object, ${FEED_COLUMNS}
      from ${OF_FEED} join customers c on c.no = t.owner_no where e.no = any ($1::bigint[]) and t.deleted_at is null`,
  }),
};

/** The fields of an event in the feed, in the history and in the list of one tank. */
export const eventFields = {
  id: Type.String({ description: 'ID of the event, the same as in webhooks.' }),
  type: Type.Enum([...ALL_EVENT_TYPES], { description: 'What happened.' }),
  occurred_at: Time('When it happened.'),
  recorded_at: Time('When it was found.'),
  retracted_at: NullableTime('When Tankwatch learned that it did not happen. Null if it is valid.'),
  retracted_because: NullableEnum(
    [...RETRACTION_REASONS, 'late_readings'],
    'Why: `gauge_fault`, the gauge was wrong and the level is back where it was before; `gauge_corrected`, the description of the gauge was corrected, and with it the levels; `evaluation_fault`, a release of ' +
      'Tankwatch evaluated the readings wrongly; `late_readings`, readings that arrived late changed the history. Null if it is valid.',
  ),
  data: Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    description: 'The values of the event. They depend on its type.',
  }),
  readings: Type.Array(
    Closed({ created_at: Time('Time of the reading.'), fill_percentage: Type.Number({ description: 'In percent.' }) }),
    { description: 'The readings that caused it, oldest first.' },
  ),
};

export type EventFields = Static<TObject<typeof eventFields>>;

/** What followed an event, for people who read the history. */
export const followedField = {
  followed: Nullable(
    'What followed an event that begins a condition (low_fill, rapid_loss, device_silent, gauge_unreliable). Null for other events, and for owners.',
    {
      handled: Type.Array(
        Closed({
          name: NullableString('Name or address of the person. Null for a program or somebody who was removed.'),
          comment: NullableString('What is done.'),
          since: Time('When it was acknowledged.'),
        }),
        { description: 'Who took care of it, the earliest first.' },
      ),
      refilled_at: NullableTime(
        'When a tank that was low was refilled. Null if it was not refilled, or if it is another condition.',
      ),
      ended_at: NullableTime('When the condition ended. Null if it has not ended, or if it is a loss.'),
    },
  ),
};

export const Event = Named('TankEvent', {
  id: eventFields.id,
  object: Type.Literal('event'),
  type: eventFields.type,
  occurred_at: eventFields.occurred_at,
  recorded_at: eventFields.recorded_at,
  retracted_at: eventFields.retracted_at,
  retracted_because: eventFields.retracted_because,
  tank_id: Type.String({ description: 'ID of the tank.' }),
  custom_id: NullableString("The customer's own identifier for the tank."),
  owner_id: Type.String({ description: 'ID of the customer who owns the tank.' }),
  external_key: NullableString("The operator's own number of the customer."),
  data: eventFields.data,
  readings: eventFields.readings,
});

export const EVENT_EXAMPLE: Static<typeof Event> = {
  id: '0e4f1c62-8a35-8d1b-9c0e-2f7a6b5d4c31',
  object: 'event',
  type: 'tank.low_fill',
  occurred_at: '2025-11-02T06:00:00.000Z',
  recorded_at: '2025-11-02T06:00:03.120Z',
  retracted_at: null,
  retracted_because: null,
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  custom_id: 'house-1',
  owner_id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
  external_key: 'C-1042',
  data: { fill_percentage: 19.5, threshold_percentage: 20 },
  readings: [{ created_at: '2025-11-02T06:00:00.000Z', fill_percentage: 19.5 }],
};

const parameters = {
  type: oneOf(ALL_EVENT_TYPES, 'Return only events of this type.'),
  size: pageSize,
  after: cursor('`next` of the last response. Leave it out to begin with the first event.'),
};

export const listEventsOperation = operation({
  path: '/fleet/v1/events',
  operationId: 'listEvents',
  summary: 'Follow the events',
  description:
    'Returns events in the order in which they were recorded, for programs that cannot receive webhooks. Save `next` and ' +
    'send it as `after`: no event is skipped. An event that is corrected or retracted is returned again.',
  returns: 'event_feed',
  item: Event,
  example: EVENT_EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }) {
    const { type = null, size = 50, after } = given;
    const page = await cursorOrProblem('after', () => readEventFeed(readers, scopeOf(caller), { type, size, after }));
    const data = page.events.map(({ id, ...event }) => ({ id, object: 'event', ...event }));
    return { body: { object: 'list', data, next: page.next, has_more: page.hasMore } };
  },
});
