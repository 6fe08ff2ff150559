import type { Readers, Statement } from '../../db/readers.ts';
import type { EventReading, EventType } from '../../evaluation/pure/alerts/event_types.ts';
import { decodeCursor, encodeCursor } from '../../fleet/cursor.ts';
import type { FleetScope } from '../../fleet/tank_page.ts';

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
 */
const EVENTS_AFTER: Statement = {
  name: 'events_after',
  text: `select e.id, e.type, e.occurred_at, e.recorded_at, e.retracted_at, t.id as tank_id, t.custom_id, c.id as owner_id,
      c.external_key, e.data, e.readings, e.change_number::text as change_number, e.no::text as no
    from events e join tanks t on t.no = e.tank_no join customers c on c.no = t.owner_no
    where e.organization_no = $1 and ($2::int is null or t.owner_no = $2) and t.deleted_at is null
      and ($3::text is null or e.type = $3)
      and (e.change_number, e.no) > ($4::bigint, $5::bigint)
      and e.change_number < final_change_number($1)
    order by e.organization_no, e.change_number, e.no limit $6`,
};

export async function readEventFeed(
  readers: Readers,
  scope: FleetScope,
  { type, after, size }: { type: EventType | null; after: string | undefined; size: number },
): Promise<EventPage> {
  const identity = JSON.stringify(['events', scope, type]);
  const [afterChange = '0', afterNo = '0'] =
    after === undefined ? [] : decodeCursor(after, identity, ['bigint', 'bigint']);
  const rows = await readers.query<FeedRow>(EVENTS_AFTER, [
    scope.organizationNo,
    scope.customerNo,
    type,
    afterChange,
    afterNo,
    size + 1,
  ]);
  const events = rows.slice(0, size);
  const last = events.at(-1);
  return {
    events: events.map(({ change_number: _change, no: _no, ...event }) => event),
    next: last === undefined ? (after ?? null) : encodeCursor([last.change_number, last.no], identity),
    hasMore: rows.length > size,
  };
}
