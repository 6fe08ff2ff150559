import { type Static, Type } from 'typebox';
import { EVENT_TYPES } from '../../evaluation/pure/alerts/event_types.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { ParameterValues } from '../parameters.ts';
import { NullableString, NullableTime, Time } from '../schemas.ts';
import { readEventFeed } from './event_feed.ts';
import { cursor, cursorOrProblem, oneOf, pageSize } from './filters.ts';
import { scopeOf } from './tanks.ts';

/** What an event has in the feed and in the list of one tank. */
export const eventFields = {
  id: Type.String({ description: 'ID of the event, the same as in webhooks.' }),
  type: Type.Enum([...EVENT_TYPES], { description: 'What happened.' }),
  occurred_at: Time('When it happened.'),
  recorded_at: Time('When it was found.'),
  data: Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    description: 'The values of the event. They depend on its type.',
  }),
  readings: Type.Array(
    Type.Object(
      { created_at: Time('Time of the reading.'), fill_percentage: Type.Number({ description: 'In percent.' }) },
      { additionalProperties: false },
    ),
    { description: 'The readings that caused it, oldest first.' },
  ),
};

const Event = Type.Object(
  {
    id: eventFields.id,
    object: Type.Literal('event'),
    type: eventFields.type,
    occurred_at: eventFields.occurred_at,
    recorded_at: eventFields.recorded_at,
    retracted_at: NullableTime('When late readings showed that it did not happen. Null: it is valid.'),
    tank_id: Type.String({ description: 'ID of the tank.' }),
    custom_id: NullableString("The customer's own identifier for the tank."),
    owner_id: Type.String({ description: 'ID of the customer who owns the tank.' }),
    external_key: NullableString("The operator's own number of the customer."),
    data: eventFields.data,
    readings: eventFields.readings,
  },
  { title: 'TankEvent', additionalProperties: false },
);

const EXAMPLE: Static<typeof Event> = {
  id: '0e4f1c62-8a35-8d1b-9c0e-2f7a6b5d4c31',
  object: 'event',
  type: 'tank.low_fill',
  occurred_at: '2025-11-02T06:00:00.000Z',
  recorded_at: '2025-11-02T06:00:03.120Z',
  retracted_at: null,
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  custom_id: 'house-1',
  owner_id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
  external_key: 'C-1042',
  data: { fill_percentage: 19.5, threshold_percentage: 20 },
  readings: [{ created_at: '2025-11-02T06:00:00.000Z', fill_percentage: 19.5 }],
};

const parameters = {
  type: oneOf(EVENT_TYPES, 'Return only events of this type.'),
  size: pageSize,
  after: cursor('`next` of the last response. Leave it out to begin with the first event.'),
};

export const listEventsOperation: Operation = {
  path: '/fleet/v1/events',
  operationId: 'listEvents',
  summary: 'Follow the events',
  description:
    'Returns events in the order in which they were recorded, for programs that cannot receive webhooks. Save `next` and ' +
    'send it as `after`: no event is skipped. An event that is corrected or retracted is returned again.',
  returns: 'event_feed',
  item: Event,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }: OperationRequest<ParameterValues<typeof parameters>>) {
    const { type = null, size = 50, after } = given;
    const page = await cursorOrProblem('after', () => readEventFeed(readers, scopeOf(caller), { type, size, after }));
    const data = page.events.map(({ id, ...event }) => ({ id, object: 'event', ...event }));
    return { body: { object: 'list', data, next: page.next, has_more: page.hasMore } };
  },
};
