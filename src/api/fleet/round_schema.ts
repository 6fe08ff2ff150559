import { type Static, Type } from 'typebox';
import { NOT_POSSIBLE_REASONS } from '../../deliveries/round.ts';
import { stopFields } from '../schemas/rounds.ts';
import {
  Closed,
  Named,
  Nullable,
  NullableEnum,
  NullableNumber,
  NullableString,
  orNull,
  PHONES_EXAMPLE,
  Phones,
  Time,
} from '../schemas/values.ts';
import { roundFields, SUMMARY_EXAMPLE } from './rounds.ts';

const OtherEntry = Named('OtherStopEntry', {
  from: Type.Enum(['driver', 'person'], { description: 'Who made the entry. person: somebody in the office.' }),
  kind: Type.Enum(['delivered', 'not_possible'], { description: 'What happened.' }),
  volume: NullableNumber('What was delivered.'),
  reason: NullableEnum(NOT_POSSIBLE_REASONS, 'Why it was not possible.'),
  comment: NullableString('What was written with the entry.'),
  note: NullableString('Series and number of the delivery note.'),
  at: Time('When it happened.'),
  said_by_name: NullableString('Who recorded it in the office.'),
});

export const FleetStop = Named('FleetStop', {
  ...stopFields,
  tank: Nullable('Where to go. Null if the tank was deleted.', {
    id: Type.String({ description: 'ID of the tank.' }),
    name: Type.String({ description: 'Name.' }),
    custom_id: NullableString("The customer's own identifier for the tank."),
    street: NullableString('Street.'),
    street_number: NullableString('Number in the street.'),
    district: NullableString('District.'),
    postal_code: NullableString('Postal code.'),
    city: NullableString('City.'),
    latitude: NullableNumber('Latitude in degrees.'),
    longitude: NullableNumber('Longitude in degrees.'),
    owner_id: Type.String({ description: 'ID of the customer.' }),
    owner_name: Type.String({ description: 'Name of the customer.' }),
    owner_phone: NullableString('Phone number of the customer, the one to call first.'),
    owner_phones: Phones,
  }),
  notes: Type.Array(Type.String(), { description: 'The notes on the tank that are printed with a round.' }),
  comment: NullableString('What the driver, or the office for the driver, wrote about it.'),
  note: NullableString('Series and number of the delivery note that was written there.'),
  said_by_name: NullableString(
    'Who recorded the outcome in the office. Null if nobody did, or for a program or a person who was removed.',
  ),
  other_entry: orNull(
    OtherEntry,
    'A later entry of the driver or of the office that contradicts the first one. The first one counts. Null if there is none.',
  ),
});

export const FleetRound = Named('FleetRound', {
  object: Type.Literal('fleet_round'),
  ...roundFields,
  fill_to_percentage: Type.Number({ description: 'Up to which level tanks are filled, in percent.' }),
  chance_limit: Type.Number({ description: 'Above this chance, from 0 to 1, a tank has to be visited.' }),
  depot: Closed({
    name: Type.String({ description: 'Name of the depot.' }),
    latitude: Type.Number({ description: 'In degrees.' }),
    longitude: Type.Number({ description: 'In degrees.' }),
  }),
  straight_line_km: Type.Number({
    description:
      'The length of straight lines from the depot through the stops in their order and back, without blocked stops, in km.',
  }),
  print: Nullable('The sheet of paper of the driver. Null if none was printed.', {
    at: Time('When the last sheet was printed.'),
    by_name: NullableString('Who printed it. Null for a program or a person who was removed.'),
    is_old: Type.Boolean({
      description:
        'Whether the sheet is out of date: a stop was blocked, unblocked, added or removed, or its volume changed by ' +
        '5 % and 10 gallons or more.',
    }),
  }),
  stops: Type.Array(FleetStop, { description: 'In their order.' }),
});

export const ROUND_EXAMPLE: Static<typeof FleetRound> = {
  ...SUMMARY_EXAMPLE,
  object: 'fleet_round',
  fill_to_percentage: 80,
  chance_limit: 0.05,
  depot: { name: 'Celaya', latitude: 20.5283, longitude: -100.8122 },
  straight_line_km: 109.4,
  print: { at: '2025-11-18T12:45:00.000Z', by_name: 'Ana Solís', is_old: false },
  stops: [
    {
      number: 3,
      kind: 'must',
      volume: 228,
      planned_volume: 198,
      volume_from: 'level',
      is_volume_changed: false,
      chance: 0.11,
      fill_percentage: 17.2,
      planned_fill_percentage: 21.4,
      is_filled_meanwhile: false,
      is_other_product: false,
      block: null,
      outcome: 'open',
      outcome_from: null,
      outcome_at: null,
      reason: null,
      delivered_volume: null,
      seen_volume: null,
      contradiction: null,
      tank: {
        id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
        name: 'Casa',
        custom_id: 'T-1410',
        street: 'Allende',
        street_number: '32',
        district: null,
        postal_code: '38300',
        city: 'Cortazar',
        latitude: 20.4828,
        longitude: -100.9617,
        owner_id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
        owner_name: 'Tomás Rico Vera',
        owner_phone: '+52 461 555 0142',
        owner_phones: PHONES_EXAMPLE,
      },
      notes: ['Dog. Call ahead.'],
      comment: null,
      note: null,
      said_by_name: null,
      other_entry: null,
    },
  ],
};
