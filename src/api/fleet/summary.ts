import { type Static, Type } from 'typebox';
import { TANK_STATUSES } from '../../fleet/status_object.ts';
import type { Operation } from '../operation.ts';
import { NullableTime, Time } from '../schemas.ts';
import { summarizeFleet } from './read_summary.ts';
import { scopeOf } from './tanks.ts';

const Count = (description: string) => Type.Integer({ description });

export const StatusCounts = Type.Object(
  {
    losing: Count('A rapid loss was seen within the last 48 hours.'),
    low: Count('At or below the alert threshold.'),
    gauge_unreliable: Count('The readings cannot be relied on.'),
    silent: Count('The device does not report.'),
    soon: Count('Reaches the threshold within 7 days.'),
    refilled: Count('Refilled within the last 7 days.'),
  },
  { description: 'Number of tanks with each status. A tank can have several.', additionalProperties: false },
);

const FleetSummary = Type.Object(
  {
    object: Type.Literal('fleet_summary'),
    counts: StatusCounts,
    total: Count('Number of all tanks.'),
    newest_reading_at: NullableTime('Time of the newest reading of the fleet. Null before the first one.'),
    as_of: Time('When the tanks were counted, at most ten seconds ago.'),
  },
  { title: 'FleetSummary', additionalProperties: false },
);

const EXAMPLE: Static<typeof FleetSummary> = {
  object: 'fleet_summary',
  counts: { losing: 2, low: 37, gauge_unreliable: 3, silent: 51, soon: 164, refilled: 203 },
  total: 4812,
  newest_reading_at: '2025-11-02T08:14:07.002Z',
  as_of: '2025-11-02T08:14:09.514Z',
};

export const retrieveFleetSummaryOperation: Operation = {
  path: '/fleet/v1/summary',
  operationId: 'retrieveFleetSummary',
  summary: 'Count tanks by status',
  description: `Returns the number of tanks with each status: ${TANK_STATUSES.join(', ')}.`,
  returns: 'answer',
  item: FleetSummary,
  example: EXAMPLE,
  parameters: {},
  async handle({ readers, caller }) {
    const { counts, total, newestReadingAt, asOf } = await summarizeFleet(readers, scopeOf(caller));
    return { body: { object: 'fleet_summary', counts, total, newest_reading_at: newestReadingAt, as_of: asOf } };
  },
};
