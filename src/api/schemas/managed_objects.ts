import { Type } from 'typebox';
import type { CustomerObject, TankObject } from '../../catalog/v1_columns.ts';
import { etagOf } from '../http_caching.ts';
import { Tank } from './tank.ts';
import { NullableString, NullableTime, Time } from './values.ts';

const closed = { additionalProperties: false };

export const customerFields = {
  external_key: NullableString('The number of the customer in your own system. It is unique.'),
  email: Type.String({
    description: 'E-mail address. A changed one is no longer verified, unless `is_verified` says so.',
  }),
  name: Type.String({ description: 'Name.' }),
  phone: NullableString('Phone number.'),
  is_verified: Type.Boolean({ description: 'Whether the e-mail address belongs to the customer.' }),
};

export const ManagedCustomer = Type.Object(
  {
    id: Type.String({ description: 'ID of the customer.' }),
    object: Type.Literal('customer'),
    ...customerFields,
    verified_at: NullableTime('When the address was verified. Read-only.'),
    reminders_off_since: NullableTime(
      'Since when the customer wants no reminders. Null: reminders are sent. Read-only.',
    ),
    created_at: Time('When the customer was created.'),
    updated_at: Time('When a field that `/v1` shows last changed. Read-only.'),
    etag: Type.String({ description: 'Send it as `If-Match`. It changes with the fields that can be written.' }),
  },
  { title: 'ManagedCustomer', ...closed },
);

/** Over everything that a caller can write, in a fixed order. */
export const customerEtag = (customer: CustomerObject): string =>
  etagOf([customer.id, customer.external_key, customer.email, customer.name, customer.phone, customer.is_verified]);

export const ManagedTank = Type.Object(
  {
    ...Tank.properties,
    etag: Type.String({ description: 'Send it as `If-Match`. It changes with the fields that can be written.' }),
  },
  { title: 'ManagedTank', ...closed },
);

export const LOCATION_FIELDS = Object.keys(Tank.properties.location.properties);

/** Over everything that a caller can write, in a fixed order. */
export const tankEtag = (tank: TankObject): string =>
  etagOf([
    tank.id,
    tank.owner_id,
    tank.assigned_device_id,
    tank.name,
    tank.capacity,
    tank.capacity_unit,
    tank.min_fill_alert_percentage,
    tank.custom_id,
    tank.use_case,
    ...LOCATION_FIELDS.map((field) => Reflect.get(tank.location, field) as unknown),
  ]);
