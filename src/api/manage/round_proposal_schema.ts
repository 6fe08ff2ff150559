import { type Static, Type } from 'typebox';
import { MAX_STOPS } from '../../deliveries/round.ts';
import { MAX_EVALUATED_TANKS } from '../../deliveries/round_tanks.ts';
import { chance_limit, fill_to_percentage } from '../schemas/rounds.ts';
import { Closed, Named, Nullable, NullableNumber, NullableString, NullableTime } from '../schemas/values.ts';

const MAX_CITIES = 50;
/** The largest number of tanks in each list of a proposal. */
export const MAX_LISTED = 100;

const tankFields = {
  tank_id: Type.String({ description: 'ID of the tank.' }),
  name: Type.String({ description: 'Name of the tank.' }),
  custom_id: NullableString("The customer's own identifier for the tank."),
  city: NullableString('City.'),
  latitude: NullableNumber('Latitude in degrees. Null: not known, so the tank is not ordered.'),
  longitude: NullableNumber('Longitude in degrees.'),
  owner_name: Type.String({ description: 'Name of the customer.' }),
  owner_phone: NullableString('Phone number of the customer.'),
  fill_percentage: NullableNumber('Estimated level now. Null without a forecast.'),
  days_to_empty: NullableNumber('Likely days until it is empty. Null: more than two years, or no forecast.'),
  earliest_days_to_empty: NullableNumber(
    'Earliest days until it is empty: in one of ten cases it is sooner. For a silent tank, the days are counted from the last reading; 0: it may be empty already.',
  ),
  chance: NullableNumber('Chance of being empty before the next delivery day after the round, from 0 to 1.'),
  is_silent: Type.Boolean({
    description: 'Whether the device is silent, so that the estimate comes from an old reading.',
  }),
  reading: Nullable('The latest reading, from which the estimate is made. Null: there is none.', {
    created_at: Type.String({ format: 'date-time', description: 'When it was taken.' }),
    fill_percentage: Type.Number({ description: 'Level as the device sent it, in percent.' }),
  }),
  estimate: Nullable('The estimated level of a tank without a sensor. Null: the tank has a sensor.', {
    low_percentage: NullableNumber(
      'Lower end of the range that contains the level in four of five cases. Null: there is no estimate.',
    ),
    high_percentage: NullableNumber('Upper end of this range. Null: there is no estimate.'),
    last_dip_at: NullableTime('When a person last read the level. Null: never so far.'),
  }),
};
export const ShownTank = Named('ProposedTank', tankFields);
export type ShownTank = Static<typeof ShownTank>;
const volume = Type.Number({ description: 'What fits, in the unit of the truck.' });

export const RoundProposal = Named('RoundProposal', {
  object: Type.Literal('round_proposal'),
  date: Type.String({ format: 'date', description: 'Day of the round.' }),
  truck_id: Type.String({ description: 'ID of the truck.' }),
  volume_unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the volumes: that of the truck.' }),
  capacity: Type.Number({ description: 'What the truck holds.' }),
  volume: Type.Number({ description: 'Sum of the stops.' }),
  loads: Type.Integer({ description: 'How often the truck has to be loaded.' }),
  beyond_one_load: Type.Number({ description: 'What must be delivered beyond one load. 0: one load is enough.' }),
  straight_line_km: Type.Number({
    description: 'From the depot through all stops and back, on straight lines. It is not a route.',
  }),
  stops: Type.Array(
    Named('ProposedStop', {
      ...tankFields,
      kind: Type.Enum(['must', 'could'], { description: 'Why it is proposed.' }),
      volume,
    }),
    {
      description: `Everything that must be visited, and what could be visited beside it, in straight-line order, at most ${MAX_STOPS}. Stops without coordinates come last.`,
    },
  ),
  musts_left: Type.Array(Closed({ ...tankFields, volume }), {
    description: `Musts beyond ${MAX_STOPS} stops, at most ${MAX_LISTED}: plan them for another truck.`,
  }),
  could: Type.Array(
    Closed({ ...tankFields, volume, detour_km: Type.Number({ description: 'Additional straight lines, in km.' }) }),
    { description: 'What could be visited too, the most volume for the detour first.' },
  ),
  no_forecast: Type.Array(ShownTank, {
    description: `Tanks without a forecast, at most ${MAX_LISTED}.`,
  }),
  not_offered: Closed(
    {
      losing: Type.Integer({ description: 'Tanks that lose gas: nothing is delivered until they are checked.' }),
      other_product: Type.Integer({ description: 'Tanks that hold another product than the truck delivers.' }),
      gauge_unreliable: Type.Integer({ description: 'Tanks whose gauge is unreliable.' }),
      planned_elsewhere: Type.Integer({
        description: 'Tanks on another round from today until this day, also those that got their delivery there.',
      }),
      not_visited: Type.Integer({ description: 'Tanks that have another delivery day.' }),
    },
    'Numbers of tanks that were left out.',
  ),
  looked_at: Type.Integer({
    description: `Number of tanks that were evaluated: the most urgent ones, at most ${MAX_EVALUATED_TANKS}.`,
  }),
  is_complete: Type.Boolean({ description: 'False if there are more tanks. Then ask for some cities only.' }),
});

export const RoundRequest = Named('RoundRequest', {
  date: Type.String({ format: 'date', description: 'Day of the round.' }),
  truck_id: Type.String({ description: 'ID of the truck.' }),
  round_id: Type.Optional(
    Type.String({
      description: 'The round that is planned again. The tanks of its stops are offered like all others.',
    }),
  ),
  cities: Type.Optional(
    Type.Array(Type.String(), {
      description: `Only tanks in these cities, whatever their delivery days are; at most ${MAX_CITIES}. Default: the tanks whose delivery day it is.`,
      maxItems: MAX_CITIES,
    }),
  ),
  called_tank_ids: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Tanks whose owners asked for a delivery: they must be visited.',
      maxItems: MAX_STOPS,
    }),
  ),
  fill_to_percentage: Type.Optional(fill_to_percentage),
  chance_limit: Type.Optional(chance_limit),
});

const TANK_EXAMPLE: ShownTank = {
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  name: 'Casa',
  custom_id: 'T-1410',
  city: 'Cortazar',
  latitude: 20.4828,
  longitude: -100.9617,
  owner_name: 'Tomás Rico Vera',
  owner_phone: '+52 411 555 0181',
  fill_percentage: 14,
  days_to_empty: 6,
  earliest_days_to_empty: 4,
  chance: 0.09,
  is_silent: false,
  reading: { created_at: '2025-11-17T12:00:00.000Z', fill_percentage: 14.2 },
  estimate: null,
};
export const PROPOSAL_EXAMPLE: Static<typeof RoundProposal> = {
  object: 'round_proposal',
  date: '2025-11-18',
  truck_id: '01989f41-7d20-7a33-9c44-5b1e8f2a6d03',
  volume_unit: 'liters',
  capacity: 9000,
  volume: 198,
  loads: 1,
  beyond_one_load: 0,
  straight_line_km: 32.8,
  stops: [{ ...TANK_EXAMPLE, kind: 'must', volume: 198 }],
  musts_left: [],
  could: [],
  no_forecast: [],
  not_offered: { losing: 3, other_product: 0, gauge_unreliable: 5, planned_elsewhere: 0, not_visited: 2210 },
  looked_at: 4000,
  is_complete: false,
};
