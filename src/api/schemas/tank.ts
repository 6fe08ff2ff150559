import { type Static, Type } from 'typebox';
import { USE_CASES } from '../../catalog/use_case.ts';
import { Closed, Named, NullableEnum, NullableNumber, NullableString, Time } from './values.ts';

const Location = Closed(
  {
    city: NullableString('City.'),
    country: NullableString('Country.'),
    district: NullableString('District.'),
    latitude: NullableNumber('Latitude in degrees, positive to the north.'),
    longitude: NullableNumber('Longitude in degrees, positive to the east.'),
    postal_code: NullableString('Postal code.'),
    region: NullableString('Region or state.'),
    street: NullableString('Street.'),
    street_number: NullableString('House number.'),
  },
  'Location of the tank. All fields are always present.',
);

export const Tank = Named('Tank', {
  id: Type.String({ description: 'ID of the tank.' }),
  object: Type.Literal('tank'),
  assigned_device_id: Type.String({
    description: 'Serial number of the device assigned to the tank, as the manufacturer writes it.',
  }),
  capacity: Type.Number({ description: 'Total capacity, in `capacity_unit`.' }),
  capacity_unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of `capacity`.' }),
  created_at: Time('When the tank was created.'),
  custom_id: NullableString("The customer's own identifier for the tank."),
  location: Location,
  min_fill_alert_percentage: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: 'Alert threshold, in percent. At or below it, the tank is low.',
  }),
  name: Type.String({ description: 'Name of the tank.' }),
  owner_id: Type.String({ description: 'ID of the customer who owns the tank.' }),
  updated_at: Time('When a field of the tank last changed. New readings do not count.'),
  use_case: NullableEnum(USE_CASES, 'Use of the tank.'),
});
export type Tank = Static<typeof Tank>;

export const TANK_EXAMPLE: Tank = {
  id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  object: 'tank',
  assigned_device_id: 'ABCD1234',
  capacity: 1000,
  capacity_unit: 'liters',
  created_at: '2025-08-13T16:41:07.002Z',
  custom_id: 'house-1',
  location: {
    city: 'Puebla',
    country: 'MX',
    district: 'La Paz',
    latitude: 19.0561,
    longitude: -98.2273,
    postal_code: '72160',
    region: 'Puebla',
    street: 'Avenida Juárez',
    street_number: '2915',
  },
  min_fill_alert_percentage: 20,
  name: 'House',
  owner_id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
  updated_at: '2025-08-13T16:41:07.002Z',
  use_case: 'residential',
};
