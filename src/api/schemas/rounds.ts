import { type Static, Type } from 'typebox';
import {
  MAX_STOPS,
  MAX_VOLUME,
  NOT_POSSIBLE_REASONS,
  OUTCOME_SOURCES,
  ROUND_STATES,
  STOP_KINDS,
  STOP_OUTCOMES,
} from '../../deliveries/round.ts';
import {
  Named,
  Nullable,
  NullableEnum,
  NullableNumber,
  NullableString,
  NullableTime,
  optional,
  orNull,
  Time,
} from './values.ts';

/** The fields of a stop in /manage/v1 and /fleet/v1. */
export const stopFields = {
  number: Type.Integer({ description: 'Number of the stop in its round. It stays when the order changes.' }),
  kind: Type.Enum([...STOP_KINDS], {
    description:
      'must: the chance of being empty before the next delivery day is above `chance_limit`, or the customer called. ' +
      'could: fits into the round. added: by a person.',
  }),
  volume: Type.Number({
    description:
      'Volume to deliver. While the stop is open, it follows the level of the tank, unless a person chose it. 0 if the stop is ' +
      'blocked, or its tank was filled meanwhile.',
  }),
  planned_volume: Type.Number({ description: 'Volume when the stop was planned, or that a person chose.' }),
  volume_from: Type.Enum(['level', 'person', 'plan'], {
    description:
      'Where the volume comes from. level: what fits now. person: somebody chose it. plan: as planned, because the level is not ' +
      'known or the stop is closed.',
  }),
  is_volume_changed: Type.Boolean({
    description: 'Whether the volume differs from the planned one by 5 % and 10 gallons or more.',
  }),
  chance: NullableNumber(
    'Chance of being empty before the next delivery day, from 0 to 1. While the stop is open, it is the current chance, otherwise ' +
      'the chance when it was planned. Null without a forecast.',
  ),
  fill_percentage: NullableNumber('Level now, in percent. Null if the stop is closed or the level is not known.'),
  planned_fill_percentage: NullableNumber('Level when the stop was planned, in percent. Null if it is not known.'),
  is_filled_meanwhile: Type.Boolean({
    description: 'Whether the tank was filled since the stop was planned, so that less than 5 % of it fits.',
  }),
  block: Nullable('Not null while the tank loses gas: nobody may deliver there.', {
    since: Time('When the loss began.'),
    read_at: NullableTime('When the driver confirmed having read about the loss. Null before that.'),
  }),
  is_other_product: Type.Boolean({
    description:
      'Whether the truck delivers another product than the tank holds: nobody should deliver. False if the stop is closed.',
  }),
  outcome: Type.Enum([...STOP_OUTCOMES], {
    description:
      'not_possible: somebody was there or tried to get there. not_done: the round ended without a report about it.',
  }),
  outcome_from: NullableEnum(
    OUTCOME_SOURCES,
    'Who reported the outcome. gauge: nobody did, but the gauge saw a refill on that day.',
  ),
  outcome_at: NullableTime('When it happened.'),
  reason: NullableEnum(NOT_POSSIBLE_REASONS, 'Why it was not possible.'),
  delivered_volume: NullableNumber('Volume as the driver reported it, otherwise as the gauge measured it.'),
  seen_volume: NullableNumber('Volume of the refill that the gauge saw on that day.'),
  contradiction: NullableEnum(
    ['refill_seen', 'no_refill_seen'],
    'The gauge contradicts the outcome. refill_seen: it saw a refill, although the delivery was not possible. no_refill_seen: it saw no refill until 12 hours after the day.',
  ),
};

export const Stop = Named('RoundStop', {
  ...stopFields,
  tank_id: NullableString('ID of the tank. Null if it was deleted.'),
});

const date = Type.String({ format: 'date', description: "Day of the round in the organization's time zone." });
const driver_id = NullableString('ID of the driver. Null if the round has no driver yet.');
const state = Type.Enum([...ROUND_STATES], {
  description: 'planned, under_way, done or cancelled. A round is also done when all its stops are closed.',
});
export const fill_to_percentage = Type.Number({
  minimum: 1,
  maximum: 100,
  description: 'Up to which level tanks are filled, in percent.',
});
export const chance_limit = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Above this chance of being empty before the next delivery day, from 0 to 1, a tank has to be visited.',
});
const truck_id = Type.String({ description: 'ID of the truck.' });

export const Round = Named('Round', {
  id: Type.String({ description: 'ID of the round.' }),
  object: Type.Literal('round'),
  date,
  truck_id,
  driver_id,
  state,
  fill_to_percentage,
  chance_limit,
  volume_unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the volumes: that of the truck.' }),
  stops: Type.Array(Stop, { description: 'In their order.' }),
  created_at: Time('When it was created. Read-only.'),
  updated_at: Time('When it was last changed. Read-only.'),
  etag: Type.String({
    description: 'Send it as `If-Match`. It changes with the plan, and not with reports of drivers and gauges.',
  }),
});

/** A field that names an object by its external key instead of its id. */
const ownNumber = (kind: string) => Type.String({ description: `Your own number of the ${kind}, instead of its ID.` });

const GivenStop = Named(
  'NewStop',
  optional({
    tank_id: Type.String({ description: 'ID of the tank.' }),
    tank_external_key: ownNumber('tank'),
    kind: Type.Enum([...STOP_KINDS], { description: 'Why it is visited. Default: added.' }),
    volume: orNull(
      Type.Number({ minimum: 0, maximum: MAX_VOLUME }),
      'In the unit of the truck. Default, and null: what fits up to `fill_to_percentage`. A volume that differs from it by more ' +
        'than 1 % stays when the level changes.',
    ),
    is_kept: Type.Boolean({
      description: 'true: keep the stop, although its tank was filled meanwhile. Default: false.',
    }),
  }),
);
const stops = Type.Array(GivenStop, {
  description: `All stops in their order, at most ${MAX_STOPS}.`,
  maxItems: MAX_STOPS,
});

const plan = optional({
  truck_id,
  truck_external_key: ownNumber('truck'),
  driver_id,
  driver_external_key: ownNumber('driver'),
  fill_to_percentage,
  chance_limit,
});
export const NewRound = Named('NewRound', { date, ...plan, stops: Type.Optional(stops) });
export const RoundPatch = Named('RoundPatch', { date: Type.Optional(date), ...plan, state: Type.Optional(state) });
export const StopOrder = Named('StopOrder', { stops });

const STOP_EXAMPLE: Static<typeof Stop> = {
  number: 3,
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  kind: 'must',
  volume: 198,
  planned_volume: 198,
  volume_from: 'plan',
  is_volume_changed: false,
  chance: 0.09,
  fill_percentage: null,
  planned_fill_percentage: 21.4,
  is_filled_meanwhile: false,
  is_other_product: false,
  block: null,
  outcome: 'delivered',
  outcome_from: 'driver',
  outcome_at: '2025-11-18T16:20:00.000Z',
  reason: null,
  delivered_volume: 195,
  seen_volume: 187,
  contradiction: null,
};
export const ROUND_EXAMPLE: Static<typeof Round> = {
  id: '01989f50-1a22-7c33-8b44-0d1e2f3a4b5c',
  object: 'round',
  date: '2025-11-18',
  truck_id: '01989f41-7d20-7a33-9c44-5b1e8f2a6d03',
  driver_id: '01989f42-8e31-7b44-8d55-6c2f9a3b7e14',
  state: 'under_way',
  fill_to_percentage: 80,
  chance_limit: 0.05,
  volume_unit: 'liters',
  stops: [STOP_EXAMPLE],
  created_at: '2025-11-17T14:12:09.514Z',
  updated_at: '2025-11-17T14:12:09.514Z',
  etag: '"01989f50-1a22-7c33-8b44-0d1e2f3a4b5c.4"',
};
