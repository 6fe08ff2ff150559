import { Type } from 'typebox';
import { MIN_FILL_LIMIT } from '../../catalog/tank_fields.ts';
import { PRODUCT_NAMES } from '../../values/products.ts';
import { MAX_REPORT_INTERVAL_HOURS } from '../../values/report_interval.ts';
import { Tank } from './tank.ts';
import { Named, NullableEnum, NullableString, NullableTime, orNull, Phones, Time } from './values.ts';

export const customerFields = {
  external_key: NullableString('The number of the customer in your own system. It is unique.'),
  email: Type.String({
    description:
      'E-mail address. A changed address is no longer verified, unless the same request sets `is_verified` to true.',
  }),
  name: Type.String({ description: 'Name.' }),
  phone: NullableString(
    'The phone number to call first. It is the first of `phones`, or null if only the other phones are left.',
  ),
  phones: Phones,
  is_verified: Type.Boolean({ description: 'Whether the e-mail address belongs to the customer.' }),
};

export const ManagedCustomer = Named('ManagedCustomer', {
  id: Type.String({ description: 'ID of the customer.' }),
  object: Type.Literal('customer'),
  ...customerFields,
  verified_at: NullableTime('When the address was verified. Read-only.'),
  reminders_off_since: NullableTime('Since when the customer wants no reminders. Null if reminders are on. Read-only.'),
  created_at: Time('When the customer was created.'),
  updated_at: Time('When a field that `/v1` shows last changed. Read-only.'),
  etag: Type.String({ description: 'Send it as `If-Match`. It changes with the fields that can be written.' }),
});

/** The fields of a tank that a PUT or a line of a bulk without them keeps. */
export const KEPT_SETTINGS = {
  external_key: NullableString('Your own number of the tank, unique in the whole organization. Null if it has none.'),
  report_interval_hours: orNull(
    Type.Integer({ minimum: 1, maximum: MAX_REPORT_INTERVAL_HOURS }),
    'How often the device reports, in hours. After one missed report it is silent, but not before 36 hours. Null if Tankwatch ' +
      'learns it from the readings. For a device that reports on change, give the longest time between two reports.',
  ),
  is_mobile: Type.Boolean({
    description:
      'Whether the tank is on a vehicle, so that its content moves. The level is then the median of several readings. Only ' +
      'refills, low levels and silences are reported.',
  }),
  product: NullableEnum(
    PRODUCT_NAMES,
    'What is in the tank. It decides the safety texts, the fill limit, and which truck may come. Null for the default product of ' +
      'the organization.',
  ),
  fill_limit_percentage: orNull(
    Type.Integer({ minimum: MIN_FILL_LIMIT, maximum: 100 }),
    'The level to which the tank may be filled. Null if the limit of its product counts.',
  ),
  order_threshold_percentage: orNull(
    Type.Integer({ minimum: 1, maximum: 100 }),
    'At or below this level, a delivery is to be ordered: the event `tank.order_due`. It must be above ' +
      '`min_fill_alert_percentage`. Null if the tank has no order threshold.',
  ),
};

export const ManagedTank = Named('ManagedTank', {
  ...Tank.properties,
  ...KEPT_SETTINGS,
  levels_changed_at: NullableTime(
    'When the levels of its stored readings were last computed again, because its gauge was corrected. Copy its readings again then. Null if they never were. Read-only.',
  ),
  etag: Type.String({ description: 'Send it as `If-Match`. It changes with the fields that can be written.' }),
});

export const LOCATION_FIELDS = Object.keys(Tank.properties.location.properties);
