import { type Static, Type } from 'typebox';
import type { Statement } from '../../db/readers.ts';
import { GROUPED_BY } from '../../evaluation/pure/score/fleet_score.ts';
import { DAYS_AHEAD, SCORED_TYPES } from '../../evaluation/pure/score/score_tank.ts';
import { organizationOnly } from '../../http/problem.ts';
import type { AlertScore } from '../../status/score_organization.ts';
import { operation } from '../operation.ts';
import { Closed, Count, Named, NullableNumber, NullableString, NullableTime } from '../schemas/values.ts';

/** Reads the score that the worker or `tankwatch alerts score` stored. */
const SCORE: Statement = {
  name: 'score_of_organization',
  text: 'select score from alert_scores where organization_no = $1',
};

const Score = Named('Score', {
  object: Type.Literal('score'),
  computed_at: NullableTime('When the score was computed. Null if no score was computed so far.'),
  since: NullableTime('Earlier events and forecasts are not scored.'),
  tanks: Count('Tanks of the organization at that time.'),
  scored_tanks: Count('Tanks that were evaluated: all of them, or a sample.'),
  groups: Type.Array(
    Closed({
      by: Type.Enum([...GROUPED_BY], { description: 'What the tanks of the group have in common.' }),
      name: NullableString('The use, the place, or the readings a day. Null for all tanks, and for tanks without one.'),
      tanks: Count('Number of tanks.'),
      forecasts: Type.Array(
        Closed({
          days_ahead: Type.Enum([...DAYS_AHEAD], {
            description: 'How many days before the level was reached the forecast was made.',
          }),
          asked: Count('Number of forecasts that were compared.'),
          median_error: NullableNumber('Median error of the likely days, as a share of the true ones.'),
          inside: NullableNumber(
            'Share of the forecasts whose true number of days is between the earliest and the latest one.',
          ),
          in_time: NullableNumber('Share of the forecasts whose true number of days is not below the earliest one.'),
        }),
        { description: 'How right the forecasts were.' },
      ),
      events: Type.Array(
        Closed({
          type: Type.Enum([...SCORED_TYPES], { description: 'Type of the events.' }),
          raised: Count('Number of events.'),
          right: Count('Confirmed by the readings of the next two days.'),
          wrong: Count('Not confirmed by the readings of the next two days.'),
          retracted: Count('Retracted because of a fault of the gauge.'),
          unknown: Count('Too few readings followed, or a delivery came first.'),
          median_delay_hours: NullableNumber('Median time from the first reading that showed it to the report.'),
        }),
        { description: 'How right and how late the events were.' },
      ),
    }),
    { description: 'All tanks, then by use, place and cadence, the largest groups first.' },
  ),
});

const EXAMPLE: Static<typeof Score> = {
  object: 'score',
  computed_at: '2025-11-02T06:00:00.000Z',
  since: '2024-11-02T06:00:00.000Z',
  tanks: 4791,
  scored_tanks: 1000,
  groups: [
    {
      by: 'all',
      name: null,
      tanks: 1000,
      forecasts: [{ days_ahead: 14, asked: 20_113, median_error: 0.19, inside: 0.83, in_time: 0.92 }],
      events: [
        {
          type: 'tank.low_fill',
          raised: 1804,
          right: 1692,
          wrong: 9,
          retracted: 4,
          unknown: 99,
          median_delay_hours: 0,
        },
      ],
    },
  ],
};

export const retrieveScoreOperation = operation({
  path: '/fleet/v1/score',
  operationId: 'retrieveScore',
  summary: 'Retrieve how right events and forecasts were',
  description:
    'Returns how right events and forecasts were, as last computed, usually at night, by use, place and cadence. A key that is narrowed to one customer ' +
    'gets 403.',
  returns: 'answer',
  item: Score,
  example: EXAMPLE,
  parameters: {},
  async handle({ readers, caller }) {
    if (caller.customerNo !== null) throw organizationOnly('The score needs');
    const [stored] = await readers.query<{ score: AlertScore }>(SCORE, [caller.organizationNo]);
    const none = { computed_at: null, since: null, tanks: 0, scored_tanks: 0, groups: [] };
    return { body: { object: 'score', ...(stored?.score ?? none) } };
  },
});
