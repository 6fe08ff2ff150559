import { type Static, Type } from 'typebox';
import { CONDITIONS, SECTIONS } from '../../status/sections.ts';
import { TANK_STATUSES } from '../../status/tank_statuses.ts';
import { PRODUCT_NAMES } from '../../values/products.ts';
import { TANK_EXAMPLE, Tank } from '../schemas/tank.ts';
import {
  Closed,
  Named,
  Nullable,
  NullableEnum,
  NullableNumber,
  NullableString,
  NullableTime,
  PHONES_EXAMPLE,
  Phones,
  Time,
} from '../schemas/values.ts';

const Expected = (what: string) =>
  Nullable(
    `When the tank is expected to ${what}. Null without a forecast. While it loses gas: at the rate of the loss.`,
    {
      likely_at: NullableTime('The most likely time. Null if it is more than two years away.'),
      earliest_at: NullableTime('The true time is between `earliest_at` and `latest_at` in four of five cases.'),
      latest_at: NullableTime('The end of this range.'),
    },
  );

export const TankStatus = Named('TankStatus', {
  object: Type.Literal('tank_status'),
  tank: Tank,
  product: Type.Enum([...PRODUCT_NAMES], {
    description: 'What is in the tank: its own product, or the default of the organization.',
  }),
  fill_limit_percentage: Type.Number({
    description: 'The level to which the tank may be filled: its own, or the limit of its product.',
  }),
  has_own_limit: Type.Boolean({
    description:
      'Whether `fill_limit_percentage` is the limit of this tank. A round never fills such a tank above it. False if it is the limit of the product.',
  }),
  order_threshold_percentage: NullableNumber(
    'At or below this level, a delivery is to be ordered. Null if the tank has no order threshold.',
  ),
  external_key: NullableString("The operator's own number of the tank, unique in the organization."),
  owner: Closed(
    {
      id: Type.String({ description: 'ID of the customer.' }),
      external_key: NullableString("The operator's own number of the customer."),
      name: Type.String({ description: 'Name of the person or business.' }),
      phone: NullableString('The phone number to call first.'),
      phones: Phones,
    },
    'The customer who owns the tank.',
  ),
  reading: Nullable('The latest reading. Null before the first one.', {
    created_at: Time('When the device measured the fill level.'),
    fill_percentage: Type.Number({ description: 'Fill level of the tank, in percent.' }),
    is_confirmed: Type.Boolean({
      description: 'False while the reading differs too much from the expected level, until later readings confirm it.',
    }),
  }),
  status: Type.Array(Type.Enum([...TANK_STATUSES]), {
    description:
      'What needs attention, the most urgent first: losing, low, gauge_unreliable, silent, soon (reaches its threshold ' +
      'within 7 days), refilled (within the last 7 days).',
  }),
  section: NullableEnum(
    SECTIONS,
    'What is to be done today, the first that is true: losing, low, unusual_use (reported within the last 72 hours), gauge (unreliable), silent_low (silent, and may be at ' +
      'its threshold), handled (somebody takes care of it), due (reaches its threshold within 3 days), refilled (since yesterday). Days are those of the ' +
      "organization's time zone. Null if nothing is to be done.",
  ),
  use_points_per_day: NullableNumber('Expected use, in percentage points a day. Null without a forecast.'),
  volume: Closed(
    {
      unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the volumes.' }),
      left: NullableNumber(
        'Volume in the tank at the latest believed reading; while the tank loses gas, at the latest reading. ' +
          'Null if the level is not known.',
      ),
      use_per_day: NullableNumber('Expected use per day.'),
    },
    'The level and the use as volumes.',
  ),
  threshold: Expected('reach its alert threshold'),
  empty: Expected('be empty'),
  due_at: NullableTime(
    'By when to refill the tank: the time since which it is low, otherwise the time when it reaches its threshold. If its level is not known, this is the earliest time. Null without a forecast, or if it is more than two years away.',
  ),
  low_since: NullableTime('Since when the tank is low. Null if it is not low.'),
  order_due_since: NullableTime('Since when the tank is at or below its order threshold. Null if it is above.'),
  silent_since: NullableTime('The time of the last reading of a silent device. Null if the device reports.'),
  usual_interval_hours: NullableNumber('The usual interval between two readings. Null if it is not known yet.'),
  losing_seen_at: NullableTime('When a rapid loss was last seen, within the last 48 hours.'),
  unusual_use_at: NullableTime(
    'When unusual use was last reported. Null if it never was, if the organization turned it off, or if the gauge is unreliable.',
  ),
  loss: Nullable('The loss of a losing tank, up to its latest reading. It grows until the loss stops.', {
    began_at: Time('The reading before the loss.'),
    seen_at: Time('When it was last seen.'),
    from_percentage: Type.Number({ description: 'Level before the loss.' }),
    to_percentage: Type.Number({ description: 'Level now. After a delivery, the level when the loss was found.' }),
    volume: Type.Number({ description: 'Volume lost, in the unit of the tank.' }),
    percentage_per_hour: Type.Number({ description: 'Mean rate since it began, in percentage points.' }),
    volume_per_hour: Type.Number({ description: 'Mean rate since it began, as a volume in the unit of the tank.' }),
    empty_at: NullableTime('When the tank will be empty at this rate. Null if the level no longer falls.'),
  }),
  gauge_unreliable_since: NullableTime('Since when the gauge is unreliable. Null if it is reliable.'),
  last_believable: Nullable(
    'The last reading before `gauge_unreliable_since`. Null if the readings can be relied on.',
    {
      fill_percentage: Type.Number({ description: 'In percent.' }),
      created_at: Time('When it was measured.'),
    },
  ),
  refilled: Nullable('The last refill. Null before the first one.', {
    at: Time('When it was seen.'),
    delivered_volume: Type.Number({ description: 'Estimated volume, in the unit of the tank.' }),
  }),
  planned_delivery: Nullable(
    'The next delivery that is planned, today or later. Null if none is planned, or if the tank loses gas.',
    {
      date: Type.String({ format: 'date', description: "Day of the round in the organization's time zone." }),
      round_id: Type.String({ description: 'ID of the round.' }),
      is_under_way: Type.Boolean({ description: 'Whether the truck is on its way.' }),
    },
  ),
  spark: Type.Optional(
    Type.Array(NullableNumber('In percent.'), {
      description:
        'With `include=spark`: the last level of each of the last 14 days, oldest first; null for a day without a reading.',
    }),
  ),
  waiting: Type.Array(
    Closed({
      kind: Type.Enum(['low_confirmation', 'doubted_reading', 'gauge'], {
        description: 'What is not decided yet.',
      }),
      text: Type.String({ description: 'What is not decided yet, as an English sentence.' }),
      reading: Nullable('The reading in question.', {
        created_at: Time('When it was measured.'),
        fill_percentage: Type.Number({ description: 'In percent.' }),
      }),
      reason: Type.Optional(Type.Enum(['stuck_at_limit', 'contradictory_readings'])),
      since: Type.Optional(Time('Since when the gauge is unreliable.')),
      expected_percentage: Type.Optional(NullableNumber('The level that was expected instead, in percent.')),
      until: Type.Optional(Time('When the alert is raised without another reading.')),
      agreeing_readings: Type.Optional(Type.Integer({ description: 'Readings that agree so far.' })),
      required_readings: Type.Optional(Type.Integer({ description: 'Readings that must agree.' })),
    }),
    { description: 'What is not decided yet: the next readings or the clock will decide it. Empty for most tanks.' },
  ),
  weather: Nullable(
    'What the forecast assumes about the weather. Null if the place of the tank has no weather, if the tank has no forecast, or if it loses gas.',
    {
      place: Type.String({ description: 'The place whose weather is meant.' }),
      use: Type.Enum(['used', 'not_explained', 'not_current'], {
        description:
          'used: the forecast uses the weather. not_explained: the use of this tank does not follow the weather. not_current: the weather ends at `known_until`. In the last two cases, the forecast does not use the weather.',
      }),
      share_percentage: NullableNumber('The share of the use that follows the weather. Null unless used.'),
      forecast_c: NullableNumber(
        'The mean of the forecast temperatures, in °C. Null if only the usual temperatures are known.',
      ),
      forecast_until: NullableString('The last day of the forecast temperatures.'),
      days: NullableNumber('Likely days to the threshold. Null if they are more than two years.'),
      days_without: NullableNumber('Likely days to the threshold if the weather were not used.'),
      known_until: NullableString('The last day whose weather is observed or forecast.'),
    },
  ),
  source: Type.Enum(['sensor', 'estimated'], {
    description:
      'Where the level comes from. estimated: the tank has no sensor; its `reading` is the last dip, and its level since then is ' +
      'estimated from the use of similar tanks with sensors.',
  }),
  level_range: Nullable(
    'The estimated level of a tank without a sensor, with a range that contains the true level in four of five cases. Null for a tank with a sensor, and if there is no estimate.',
    {
      low_percentage: Type.Number({ description: 'The lower end of the range, in percent.' }),
      likely_percentage: Type.Number({ description: 'The most likely level, in percent.' }),
      high_percentage: Type.Number({ description: 'The upper end of the range, in percent.' }),
    },
  ),
  dip: Nullable('What is known from manual readings. Null for a tank with a sensor.', {
    last_at: NullableTime('When a person last read the level. Null if nobody has read it so far.'),
    is_wanted: Type.Boolean({
      description: 'Whether a person should read the level: the range is wide, or there is no estimate.',
    }),
    cannot_be_told: NullableEnum(
      ['no_level', 'no_comparison', 'irregular', 'too_old'],
      'Why the level is not estimated: it was never read; there are too few tanks with sensors to compare with; a person ' +
        'marked the use as unpredictable (a holiday home, a dryer); it was not read for half a year. Null if it is estimated.',
    ),
  }),
  handled: Type.Array(
    Closed({
      condition: Type.Enum([...CONDITIONS], { description: 'The condition that is handled.' }),
      acknowledgement_id: NullableString(
        'ID of the acknowledgement. Null if the tank is muted instead, and for owners.',
      ),
      until: Time('When the acknowledgement ends at the latest.'),
      comment: NullableString('What is done.'),
      name: NullableString('Name or address of the person. Null for a program or somebody who was removed.'),
      since: Time('When it was acknowledged.'),
      returns_at_percentage: NullableNumber(
        'For a low tank, the level at which the acknowledgement ends. Null if the level does not end it.',
      ),
    }),
    {
      description:
        'The conditions that somebody takes care of now. Owners see low only, without the person and the comment.',
    },
  ),
  muted_until: NullableTime(
    'Until when the tank is muted: nobody gets mails about it, except for a loss. Null if not muted, and for owners.',
  ),
  muted: Nullable('The mute of the tank. Null if it is not muted, and for owners.', {
    until: Time('When it ends.'),
    since: Time('When it began.'),
    name: NullableString('Name or address of the person. Null for a program or somebody who was removed.'),
    reason: NullableString('Why the tank was muted.'),
  }),
  notes: Type.Array(
    Closed({
      id: Type.String({ description: 'ID of the note.' }),
      text: Type.String({ description: 'What a driver or technician must know.' }),
      prints: Type.Boolean({ description: 'Whether it is printed with the round.' }),
      name: NullableString(
        'Name or address of the person who wrote it. Null for a program or somebody who was removed.',
      ),
      since: Time('When it was written.'),
    }),
    { description: 'The notes on the tank, newest first. Empty for owners.' },
  ),
});
export const TANK_STATUS_EXAMPLE: Static<typeof TankStatus> = {
  object: 'tank_status',
  tank: TANK_EXAMPLE,
  product: 'propane',
  fill_limit_percentage: 80,
  has_own_limit: false,
  order_threshold_percentage: null,
  external_key: null,
  owner: {
    id: TANK_EXAMPLE.owner_id,
    external_key: 'C-1042',
    name: 'María López',
    phone: '+52 461 555 0142',
    phones: PHONES_EXAMPLE,
  },
  reading: { created_at: '2025-11-02T06:00:00.000Z', fill_percentage: 31.2, is_confirmed: true },
  status: ['soon'],
  section: null,
  use_points_per_day: 1.9,
  volume: { unit: 'liters', left: 312, use_per_day: 19 },
  threshold: {
    likely_at: '2025-11-08T03:36:00.000Z',
    earliest_at: '2025-11-06T20:24:00.000Z',
    latest_at: '2025-11-10T13:12:00.000Z',
  },
  empty: {
    likely_at: '2025-11-18T15:36:00.000Z',
    earliest_at: '2025-11-15T08:24:00.000Z',
    latest_at: '2025-11-24T01:12:00.000Z',
  },
  due_at: '2025-11-08T03:36:00.000Z',
  low_since: null,
  order_due_since: null,
  silent_since: null,
  usual_interval_hours: 6,
  losing_seen_at: null,
  unusual_use_at: null,
  loss: null,
  gauge_unreliable_since: null,
  last_believable: null,
  refilled: { at: '2025-10-03T14:20:00.000Z', delivered_volume: 618 },
  planned_delivery: { date: '2025-11-07', round_id: '01989f50-1a22-7c33-8b44-0d1e2f3a4b5c', is_under_way: false },
  waiting: [],
  weather: {
    place: 'MMCB',
    use: 'used',
    share_percentage: 85,
    forecast_c: 4.2,
    forecast_until: '2025-11-08',
    days: 5.9,
    days_without: 8.1,
    known_until: '2025-11-08',
  },
  source: 'sensor',
  level_range: null,
  dip: null,
  handled: [],
  muted_until: null,
  muted: null,
  notes: [
    {
      id: '01989f35-1d02-7b11-8c3e-77a1c5d0e9b4',
      text: 'Gate code 4711.',
      prints: true,
      name: 'Ana Torres',
      since: '2025-10-30T09:12:44.120Z',
    },
  ],
};
