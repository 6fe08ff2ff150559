import type { Readers, Statement } from '../../db/readers.ts';
import type { EventReading, EventType } from '../../evaluation/pure/alerts/event_types.ts';
import { decodeCursor, encodeCursor } from '../../fleet/cursor.ts';
import type { FleetScope } from '../../fleet/tank_filter.ts';

export interface FeedEvent {
  id: string;
  type: EventType;
  occurred_at: string;
  recorded_at: string;
  retracted_at: string | null;
  tank_id: string;
  custom_id: string | null;
  owner_id: string;
  external_key: string | null;
  data: object;
  readings: readonly EventReading[];
}

export interface EventPage {
  events: FeedEvent[];
  /** The position after the last event. Null: the feed has no event yet. */
  next: string | null;
  /** Whether more events can be read now. */
  hasMore: boolean;
}

type FeedRow = FeedEvent & { change_number: string; no: string };

/**
 * The events in the order in which they became visible for certain. Transactions do not commit in the order of their
 * numbers, so events of a transaction are shown only when no older transaction runs any more: a reader that continues
 * after the last position misses nothing. An event that was changed or retracted appears again with its new values.
 * Parameters: $1 organization, $2 and $3 the position after which to continue, $4 the number of rows.
 */
const eventsAfter = (name: string, from: string, condition: string): Statement => ({
  name,
  text: `select e.id, e.type, e.occurred_at, e.recorded_at, e.retracted_at, t.id as tank_id, t.custom_id, c.id as owner_id,
      c.external_key, e.data, e.readings, e.change_number::text as change_number, e.no::text as no
    from ${from} join customers c on c.no = t.owner_no
    where ${condition} and t.deleted_at is null and (e.change_number, e.no) > ($2::bigint, $3::bigint)
      and e.change_number < final_change_number($1)
    order by e.change_number, e.no limit $4`,
});

const OF_FEED = 'events e join tanks t on t.no = e.tank_no';
/** Along the index of changes of the organization, and of those of one type. */
const OF_ORGANIZATION = eventsAfter('events_after', OF_FEED, 'e.organization_no = $1');
const OF_TYPE = eventsAfter('events_of_type_after', OF_FEED, 'e.organization_no = $1 and e.type = $5');
/** All events of each tank of one customer, then sorted: along the index of the organization, they could be far apart. */
const OF_CUSTOMER = eventsAfter(
  'events_of_customer_after',
  `(select * from tanks where owner_no = $6 and organization_no = $1 offset 0) as t
   cross join lateral (select * from events e where e.tank_no = t.no and ($5::text is null or e.type = $5) offset 0) as e`,
  'true',
);

export async function readEventFeed(
  readers: Readers,
  scope: FleetScope,
  { type, after, size }: { type: EventType | null; after: string | undefined; size: number },
): Promise<EventPage> {
  const identity = JSON.stringify(['events', scope, type]);
  const [afterChange = '0', afterNo = '0'] =
    after === undefined ? [] : decodeCursor(after, identity, ['bigint', 'bigint']);
  const position = [scope.organizationNo, afterChange, afterNo, size + 1];
  const rows =
    scope.customerNo !== null
      ? await readers.query<FeedRow>(OF_CUSTOMER, [...position, type, scope.customerNo])
      : type !== null
        ? await readers.query<FeedRow>(OF_TYPE, [...position, type])
        : await readers.query<FeedRow>(OF_ORGANIZATION, position);
  const events = rows.slice(0, size);
  const last = events.at(-1);
  return {
    events: events.map(({ change_number: _change, no: _no, ...event }) => event),
    next: last === undefined ? (after ?? null) : encodeCursor([last.change_number, last.no], identity),
    hasMore: rows.length > size,
  };
}
