import type { Readers, Statement } from '../../db/readers.ts';
import type { EventReading, EventType } from '../../evaluation/pure/alerts/event_types.ts';

export interface EventOfTank {
  id: string;
  type: EventType;
  occurred_at: string;
  recorded_at: string;
  data: object;
  readings: readonly EventReading[];
}

const EVENTS_OF_TANK: Statement = {
  name: 'events_of_tank',
  text: `select e.id, e.type, e.occurred_at, e.recorded_at, e.data, e.readings from events e
    where e.tank_no = $1 and e.retracted_at is null and ($2::timestamptz is null or e.occurred_at < $2)
    order by e.occurred_at desc, e.no desc limit $3`,
};

/** The valid events of one tank, newest first. A tank has some tens of events a year. */
export async function readTankEvents(
  readers: Readers,
  { tankNo, beforeMs, size }: { tankNo: number; beforeMs: number | undefined; size: number },
): Promise<{ events: EventOfTank[]; hasMore: boolean }> {
  const before = beforeMs === undefined ? null : new Date(beforeMs).toISOString();
  const rows = await readers.query<EventOfTank>(EVENTS_OF_TANK, [tankNo, before, size + 1]);
  return { events: rows.slice(0, size), hasMore: rows.length > size };
}
