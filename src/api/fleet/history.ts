import { type Static, Type } from 'typebox';
import { EVENT_TYPES } from '../../evaluation/pure/alerts/event_types.ts';
import type { ExactTime } from '../../values/time.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import { type Parameter, type ParameterValues, parseTimeFilter } from '../parameters.ts';
import { NullableString } from '../schemas.ts';
import { readHistory } from './event_history.ts';
import { eventFields } from './events.ts';
import { cursor, cursorOrProblem, filterParameters, oneOf, pageSize } from './filters.ts';
import { scopeOf } from './tanks.ts';

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
    parse: parseTimeFilter,
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
