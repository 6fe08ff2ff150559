import { Type } from 'typebox';
import { ALL_EVENT_TYPES } from '../../evaluation/pure/alerts/event_types.ts';
import { RETRACTED_TYPE } from '../../webhooks/message.ts';
import { Deleted, NullableString, Time } from '../schemas/values.ts';

const reference = (name: string, description: string, object: string) =>
  Type.Optional(Type.Unsafe({ anyOf: [{ $ref: `#/components/schemas/${name}` }, Deleted(object)], description }));

/** The `data` of a webhook that all events have. Each type adds its own fields. */
export const WebhookData = Type.Object(
  {
    id: Type.String({
      description: `ID of the event, or of the message of ${RETRACTED_TYPE}. It stays the same in every attempt and every replay.`,
    }),
    tank: reference('Tank', 'The tank as the API returns it at the time of sending.', 'tank'),
    customer: reference('Customer', 'The owner of the tank, as the API returns it at the time of sending.', 'customer'),
    tank_custom_id: Type.Optional(NullableString('Your own number of the tank. Null if it has none or is deleted.')),
    customer_external_key: Type.Optional(
      NullableString(
        'Your own number of the customer, which the API does not return. Null if it has none or is deleted.',
      ),
    ),
    muted_until: Type.Optional(
      Time('Only while the tank is muted: until when. Nobody gets a mail about it meanwhile.'),
    ),
    event_id: Type.Optional(
      Type.String({ description: `Only of ${RETRACTED_TYPE}: ID of the event that did not happen.` }),
    ),
    event_type: Type.Optional(Type.String({ description: `Only of ${RETRACTED_TYPE}: type of that event.` })),
    event_occurred_at: Type.Optional(Time(`Only of ${RETRACTED_TYPE}: when that event was said to have happened.`)),
  },
  { title: 'WebhookData' },
);

const WebhookEvent = Type.Object({
  type: Type.String({
    description: `Type of the event: ${ALL_EVENT_TYPES.join(', ')}, ${RETRACTED_TYPE}, or webhook.test. We may add types: ignore those that you do not know.`,
  }),
  timestamp: Time('When the event happened.'),
  data: Type.Unsafe({ $ref: '#/components/schemas/WebhookData' }),
});

/** The `webhooks` of the OpenAPI document. */
export const OPENAPI_WEBHOOKS = {
  event: {
    post: {
      operationId: 'receiveEvent',
      summary: 'Receive an event',
      description:
        'Tankwatch sends this request to your endpoints. Verify its signature, which follows Standard Webhooks, and ignore a `webhook-id` that you have processed already.',
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema: WebhookEvent } } },
      responses: { '2XX': { description: 'You have received the event. Any other response is a failure.' } },
    },
  },
};
