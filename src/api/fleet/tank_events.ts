import { type Static, Type } from 'typebox';
import type { Readers, Statement } from '../../db/readers.ts';
import { IS_CAUSED_BY_READINGS_SQL } from '../../evaluation/pure/alerts/event_types.ts';
import { decodeCursor, encodeCursor } from '../../status/cursor.ts';
import { withFollowUps } from '../../status/follow_ups.ts';
import type { ExactTime } from '../../values/time.ts';
import { operation } from '../operation.ts';
import { sqlTime, timeParameter } from '../parameters.ts';
import { Closed, Named, pageEnd, pageEndFields } from '../schemas/values.ts';
import { visibleTankNo } from '../visible_tank.ts';
import {
  EVENT_COLUMNS,
  type EventFields,
  eventFields,
  followedField,
  isShownSql,
  retractedParameter,
} from './events.ts';
import { cursor, cursorOrProblem, pageSize } from './filters.ts';

interface EventOfTank extends EventFields {
  no: string;
}

const EVENTS_OF_TANK: Statement = {
  name: 'events_of_tank',
  text: `select ${EVENT_COLUMNS}, e.no::text as no
    from events e
    where e.tank_no = $1 and ${isShownSql('$4::bool')} and ($5::bool or ${IS_CAUSED_BY_READINGS_SQL})
      and ($2::timestamptz is null or (e.occurred_at, e.no) < ($2, $6::bigint))
    order by e.occurred_at desc, e.no desc limit $3`,
};

interface TankEventPage {
  tankNo: number;
  /**
   * The position in the list: a time, and the number of an event at this time, or 0 to skip all events at this time.
   */
  before: readonly [ms: number, no: string] | undefined;
  size: number;
  withRetracted: boolean;
  /** Whether to return events that readings did not cause, such as acknowledgements. */
  withWork: boolean;
}

/** The events of one tank, newest first. A tank has some tens of events a year. */
async function readTankEvents(
  readers: Readers,
  { tankNo, before, size, withRetracted, withWork }: TankEventPage,
): Promise<{ events: EventOfTank[]; hasMore: boolean }> {
  const [ms, no] = before ?? [null, null];
  const at = ms === null ? null : sqlTime(ms);
  const rows = await readers.query<EventOfTank>(EVENTS_OF_TANK, [tankNo, at, size + 1, withRetracted, withWork, no]);
  return { events: rows.slice(0, size), hasMore: rows.length > size };
}

const TankEvents = Named('TankEvents', {
  object: Type.Literal('tank_events'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  events: Type.Array(Closed({ ...eventFields, ...followedField }), {
    description: 'The events, newest first. Retracted events are left out unless `retracted=include`.',
  }),
  ...pageEndFields,
});

export const FOLLOWED_EVENT_EXAMPLE = {
  id: '0e4f1c62-8a35-8d1b-9c0e-2f7a6b5d4c31',
  type: 'tank.low_fill',
  occurred_at: '2025-11-02T06:00:00.000Z',
  recorded_at: '2025-11-02T06:00:03.120Z',
  retracted_at: null,
  retracted_because: null,
  data: { fill_percentage: 19.5, threshold_percentage: 20 },
  readings: [{ created_at: '2025-11-02T06:00:00.000Z', fill_percentage: 19.5 }],
  followed: {
    handled: [{ name: 'Ana Torres', comment: 'Truck 2 at 14:00', since: '2025-11-02T08:14:09.514Z' }],
    refilled_at: '2025-11-02T14:05:00.000Z',
    ended_at: '2025-11-02T14:05:00.000Z',
  },
} satisfies Static<typeof TankEvents>['events'][number];

const EXAMPLE: Static<typeof TankEvents> = {
  object: 'tank_events',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  events: [FOLLOWED_EVENT_EXAMPLE],
  ...pageEnd(null),
};

const parameters = {
  size: pageSize,
  after: cursor('`next` of the page before.'),
  before: {
    ...timeParameter('Return only events that happened before this time. To read page by page, use `after`.'),
    isDeprecated: true,
  },
  retracted: retractedParameter,
};

function positionOf(
  { after, before }: { after?: string; before?: ExactTime },
  identity: string,
): TankEventPage['before'] {
  // A time with microseconds is after all events of its millisecond.
  if (after === undefined) return before === undefined ? undefined : [before.isPastMs ? before.ms + 1 : before.ms, '0'];
  const [ms, no] = decodeCursor(after, identity, ['unix_ms', 'bigint']);
  return [Number(ms), String(no)];
}

export const listTankEventsOperation = operation({
  path: '/fleet/v1/tanks/:id/events',
  operationId: 'listTankEvents',
  summary: "List a tank's events",
  description:
    'Returns the events of one tank, newest first. To follow the events of all tanks, use `/fleet/v1/events`.',
  idOf: 'tank',
  returns: 'answer',
  item: TankEvents,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, id, parameters: given }) {
    const tankNo = await visibleTankNo(readers, caller, id);
    const identity = JSON.stringify(['tank_events', tankNo]);
    const position = await cursorOrProblem('after', () => Promise.resolve(positionOf(given, identity)));
    const page = await readTankEvents(readers, {
      tankNo,
      before: position,
      size: given.size ?? 50,
      withRetracted: given.retracted === 'include',
      withWork: caller.customerNo === null,
    });
    const rows = await withFollowUps(readers, page.events, { isOwner: caller.customerNo !== null });
    const events = rows.map(({ no: _no, ...event }) => event);
    const last = page.events.at(-1);
    const next =
      page.hasMore && last !== undefined
        ? encodeCursor([String(Date.parse(last.occurred_at)), last.no], identity)
        : null;
    return { body: { object: 'tank_events', tank_id: id, events, ...pageEnd(next) } };
  },
});
