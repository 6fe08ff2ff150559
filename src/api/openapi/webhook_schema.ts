import { type TProperties, Type } from 'typebox';
import { type AnyEventType, RETRACTION_REASONS } from '../../evaluation/pure/alerts/event_types.ts';
import { ACKNOWLEDGED_CONDITIONS } from '../../status/sections.ts';
import { capitalized } from '../../values/products.ts';
import { RETRACTED_TYPE } from '../../webhooks/message.ts';
import { CHANGED_KINDS, type ChangedKind, changedType } from '../../webhooks/webhook_types.ts';
import { Deleted, NullableNumber, NullableString, Time } from '../schemas/values.ts';

const reference = (name: string, description: string, object: string) =>
  Type.Optional(Type.Unsafe({ anyOf: [{ $ref: `#/components/schemas/${name}` }, Deleted(object)], description }));

/** The fields of `data` that the messages of all events have. Each type adds its own fields. */
export const WebhookData = Type.Object(
  {
    id: Type.String({
      description: `ID of the event, or of the message of ${RETRACTED_TYPE}. It stays the same in every attempt and every replay.`,
    }),
    tank: reference('Tank', 'The tank as the API returns it at the time of sending.', 'tank'),
    customer: reference('Customer', 'The owner of the tank, as the API returns it at the time of sending.', 'customer'),
    tank_custom_id: Type.Optional(
      NullableString('Your own number of the tank among those of its owner. Null if it has none or is deleted.'),
    ),
    tank_external_key: Type.Optional(
      NullableString(
        'Your own number of the tank in the organization, which `/v1` does not return. Null if it has none or is ' +
          'deleted.',
      ),
    ),
    customer_external_key: Type.Optional(
      NullableString(
        'Your own number of the customer, which `/v1` does not return. Null if it has none or is deleted.',
      ),
    ),
    muted_until: Type.Optional(
      Time('Until when nobody gets mails about the tank, except for a loss. Only while the tank is muted.'),
    ),
    event_id: Type.Optional(
      Type.String({ description: `Only in ${RETRACTED_TYPE}: ID of the event that did not happen.` }),
    ),
    event_type: Type.Optional(Type.String({ description: `Only in ${RETRACTED_TYPE}: type of the event.` })),
    event_occurred_at: Type.Optional(Time(`Only in ${RETRACTED_TYPE}: \`occurred_at\` of the event.`)),
  },
  { title: 'WebhookData' },
);

const percentage = (description: string) => Type.Number({ description: `${description}, in percent.` });
const fill = {
  fill_percentage: percentage('The level'),
  threshold_percentage: percentage('The threshold of the tank'),
  estimated: Type.Optional(
    Type.Literal(true, { description: 'Only for a tank without a sensor: the level is an estimate.' }),
  ),
};
const volume = (description: string) => Type.Number({ description });
const volume_unit = Type.Enum(['liters', 'gallons'], { description: 'Unit of the volumes.' });
const fall = {
  from_percentage: percentage('The level before'),
  to_percentage: percentage('The level after'),
  hours: Type.Number({ description: 'The time between them, in hours.' }),
};
const battery = {
  device_id: Type.String({ description: 'The device.' }),
  battery_v: NullableNumber('Voltage of its battery. Null if it reports a percentage.'),
  battery_percent: NullableNumber('Charge of its battery in percent. Null if it reports a voltage.'),
};
const source = {
  connector_id: Type.String({ description: 'ID of the connector.' }),
  name: Type.String({ description: 'Its name.' }),
  since: Time('Since when it does not work, or did not work.'),
  reason: Type.Enum(['failing', 'refused'], { description: '`refused`: its key was not accepted.' }),
  tanks: Type.Integer({ description: 'How many tanks get their readings from it. `tank` is the first of them.' }),
};
const ids = (description: string) => Type.Array(Type.String(), { description });

/** The summary of each event, and the fields of its `data` beside the common ones. */
const EVENTS: Readonly<Record<AnyEventType | typeof RETRACTED_TYPE, readonly [summary: string, fields: TProperties]>> =
  {
    'tank.low_fill': ['A tank is at or below its threshold', fill],
    'tank.order_due': ['A tank fell to its order threshold, and is not low', fill],
    'tank.fill_recovered': ['A tank is clearly above its threshold again', fill],
    'tank.refilled': [
      'A tank was filled',
      {
        before_percentage: percentage('The level before'),
        after_percentage: percentage('The level after'),
        delivered_volume: volume('What was delivered, by the gauge.'),
        volume_unit,
        maybe_gauge_fault: Type.Optional(
          Type.Literal(true, { description: 'Only if it may not be a refill, because the gauge was wrong before.' }),
        ),
      },
    ],
    'tank.overfilled': [
      'A tank is filled above its limit',
      {
        fill_percentage: percentage('The level'),
        limit_percentage: percentage('The level to which it may be filled'),
        without_delivery: Type.Optional(Type.Literal(true, { description: 'Only if the level rose by itself.' })),
      },
    ],
    'tank.rapid_loss': [
      'A tank loses more than its use can explain',
      { ...fall, lost_volume: volume('What was lost.'), volume_unit },
    ],
    'tank.unusual_use': [
      'A tank is used far more than usual',
      {
        ...fall,
        used_volume: volume('What was used.'),
        usual_volume_per_day: volume('The highest use of a day that is usual for the tank.'),
        volume_unit,
      },
    ],
    'tank.device_silent': [
      'A device has stopped reporting',
      {
        last_reading_at: Time('When it last reported.'),
        silent_for_hours: Type.Number({ description: 'Time since `last_reading_at`, in hours.' }),
        usual_interval_hours: Type.Optional(Type.Number({ description: 'How often it reports otherwise, in hours.' })),
      },
    ],
    'tank.device_reporting': [
      'A silent device reports again',
      { silent_since: Time('When it had stopped reporting.') },
    ],
    'tank.gauge_unreliable': [
      'The levels of a tank cannot be believed',
      {
        reason: Type.Enum(['stuck_at_limit', 'contradictory_readings'], {
          description: 'What is wrong with the gauge.',
        }),
        since: Time('Since when the levels cannot be believed.'),
        fill_percentage: percentage('The level that the gauge shows'),
      },
    ],
    'tank.gauge_reliable': [
      'The levels of a tank are plausible again',
      { unreliable_since: Time('Since when they were not plausible.'), fill_percentage: percentage('The level') },
    ],
    'tank.acknowledged': [
      'Somebody handles conditions of a tank',
      {
        acknowledgement_ids: ids('IDs of the acknowledgements.'),
        conditions: ids(`The handled conditions: ${ACKNOWLEDGED_CONDITIONS.join(', ')}.`),
        until: Time('When the acknowledgement ends at the latest.'),
        comment: Type.Optional(NullableString('What the person wrote.')),
        acknowledged_by: Type.Optional(Type.String({ description: 'The key or the contact.' })),
        name: Type.Optional(NullableString('The name of the person.')),
      },
    ],
    'tank.acknowledgement_ended': [
      'Conditions of a tank are no longer handled',
      {
        ended: Type.Array(
          Type.Object({
            acknowledgement_id: Type.String({ description: 'ID of the acknowledgement.' }),
            condition: Type.String({ description: 'What was handled.' }),
            because: Type.Enum(['resolved', 'new_event', 'worse', 'expired', 'withdrawn', 'replaced'], {
              description: 'Why it ended.',
            }),
          }),
          { description: 'The acknowledgements that ended.' },
        ),
      },
    ],
    'tank.muted': [
      'Somebody muted a tank, or changed the mute',
      {
        mute_id: Type.String({ description: 'ID of the mute.' }),
        until: Time('When the mute ends.'),
        reason: Type.Optional(NullableString('Why the tank was muted.')),
        muted_by: Type.Optional(Type.String({ description: 'The key or the contact.' })),
      },
    ],
    'tank.unmuted': [
      'A tank is no longer muted',
      {
        mute_id: Type.String({ description: 'ID of the mute.' }),
        because: Type.Enum(['expired', 'withdrawn'], { description: 'Why it ended.' }),
      },
    ],
    'device.battery_low': ['The battery of a device is low', battery],
    'device.battery_ok': ['The battery of a device is good again', battery],
    'connector.down': ['A source of readings is down, or refuses its key', source],
    'connector.up': ['A source of readings works again', source],
    [RETRACTED_TYPE]: [
      'An event did not happen',
      { reason: Type.Enum([...RETRACTION_REASONS, 'late_readings'], { description: 'Why it was retracted.' }) },
    ],
  };

/** The name of each kind of object that changes, and its schema in the change feed. */
const CHANGES: Readonly<Record<ChangedKind, readonly [name: string, schema: string]>> = {
  customer: ['A customer', 'ChangedCustomer'],
  tank: ['A tank', 'ManagedTank'],
  round: ['A round', 'ChangedRound'],
  stop: ['A stop of a round, or what happened there,', 'ChangedStop'],
  delivery_note: ['A delivery note', 'WrittenDeliveryNote'],
  verdict: ['The verdict about a delivery', 'LedgerEntry'],
};

const changeData = (kind: ChangedKind, schema: string): object =>
  Type.Object({
    id: Type.String({ description: 'ID of the message. It stays the same in every attempt and every replay.' }),
    object_id: Type.String({ description: 'ID of the object, as in the change feed.' }),
    read_at: Time(
      'When the object was read. Of two messages about an object, the later one counts, whichever came first.',
    ),
    deleted: Type.Boolean({ description: 'Whether it is deleted.' }),
    [kind]: Type.Unsafe({
      anyOf: [{ $ref: `#/components/schemas/${schema}` }, { type: 'null' }],
      description: 'The object at the time of sending, as the change feed shows it. Null if it is deleted.',
    }),
  });

const receive = (type: string, summary: string, data: object): object => ({
  post: {
    operationId: `receive_${type.replace('.', '_')}`,
    summary,
    description:
      `Tankwatch sends \`${type}\` to your endpoints. Verify its signature, which follows Standard Webhooks, and ignore a ` +
      '`webhook-id` that you have processed already. Types and fields may be added: ignore those that you do not know.',
    security: [],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: Type.Object(
            {
              type: Type.Literal(type),
              timestamp: Time('When it happened; for a change, when it was found.'),
              data: Type.Unsafe(data),
            },
            { title: messageTitle(type) },
          ),
        },
      },
    },
    responses: {
      '2XX': { description: 'You have received it.' },
      '4XX': { description: 'A failure: it is sent again later. After 410, the webhook is disabled.' },
    },
  },
});

/** The title of the schema of a message, such as TankLowFillMessage for `tank.low_fill`. */
function messageTitle(type: string): string {
  const words = type.split(/[._]/).map(capitalized);
  return `${words.join('')}Message`;
}

/** The `webhooks` of the OpenAPI document: one for each type of message. */
export const OPENAPI_WEBHOOKS = Object.fromEntries([
  ...Object.entries(EVENTS).map(([type, [summary, fields]]) => {
    const data = { allOf: [{ $ref: '#/components/schemas/WebhookData' }, Type.Object(fields)] };
    return [type, receive(type, summary, data)];
  }),
  ...CHANGED_KINDS.map((kind) => {
    const [name, schema] = CHANGES[kind];
    const type = changedType(kind);
    return [type, receive(type, `${name} was created, changed or deleted`, changeData(kind, schema))];
  }),
  [
    'webhook.test',
    receive(
      'webhook.test',
      'A test that somebody asked for',
      Type.Object({ id: Type.String({ description: 'ID of the test.' }) }),
    ),
  ],
]);
