import { type Static, Type } from 'typebox';
import type { Db } from '../../db/pool.ts';
import { findSendProblem, MAX_URL_LENGTH } from '../../http/outgoing_address.ts';
import { invalidParameters } from '../../http/problem.ts';
import type { AddressConfig } from '../../settings/address_settings.ts';
import { etagOf } from '../../values/etag.ts';
import { isUuid } from '../../values/uuid7.ts';
import { listWebhooks, readWebhookDeliveryPage, type Webhook as WebhookObject } from '../../webhooks/read_webhooks.ts';
import {
  createWebhook,
  deleteWebhook,
  existingWebhook,
  replayWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../../webhooks/webhook_changes.ts';
import {
  MAX_ENABLED_WEBHOOKS,
  MAX_REPLAYED_EVENTS,
  MAX_WEBHOOKS,
  OVERLAP_HOURS,
} from '../../webhooks/webhook_limits.ts';
import { WEBHOOK_TYPES } from '../../webhooks/webhook_types.ts';
import { parseCommonEraTime } from '../parameters.ts';
import {
  Named,
  Nullable,
  NullableEnum,
  NullableString,
  NullableTime,
  optional,
  pageEnd,
  pageEndFields,
  Time,
} from '../schemas/values.ts';
import { sentence } from './body_values.ts';
import { compare } from './conditions.ts';
import {
  deletion,
  type ManageOperation,
  type ManageResponse,
  read,
  respondWith,
  withEtag,
  write,
} from './manage_operation.ts';
import { numberedPages, readNumberedPage } from './manage_parameters.ts';

const MAX_REPLAYED_IDS = 100;

const url = Type.String({
  maxLength: MAX_URL_LENGTH,
  description: 'Where events are sent: https, at a public address.',
});
const types = Type.Array(Type.Enum([...WEBHOOK_TYPES]), {
  maxItems: WEBHOOK_TYPES.length,
  description:
    'The types of messages that are sent. Empty: all events, also those of later releases, and no changes (`….changed`).',
});
const Attempt = (description: string) =>
  Nullable(description, {
    at: Time('When it was sent.'),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The status of the response. Null: no response came.',
    }),
    duration_ms: Type.Integer({ description: 'How long it took.' }),
    error: NullableString('Why no response came.'),
  });

const fields = {
  id: Type.String({ description: 'ID of the webhook.' }),
  object: Type.Literal('webhook'),
  url,
  types,
  enabled: Type.Boolean({ description: 'Whether events are sent.' }),
  disabled_at: NullableTime('When it was disabled. Read-only.'),
  disabled_because: NullableEnum(
    ['operator', 'gone', 'failing'],
    'Why it was disabled: by somebody, because the endpoint answered 410, or because it failed for days. Read-only.',
  ),
  failing_since: NullableTime('The first failure since the last success. Read-only.'),
  previous_secret_until: NullableTime('Until when messages are also signed with the previous secret. Read-only.'),
  last_test: Attempt('The result of the last test message. Null: none was sent. Read-only.'),
  created_at: Time('When it was created. Read-only.'),
  etag: Type.String({ description: 'Send it as `If-Match`.' }),
};
const Webhook = Named('Webhook', fields);
const secret = NullableString('Verifies the signatures of messages. It is shown only here. Null in a dry run.');
const WebhookWithSecret = Named('WebhookWithSecret', { ...fields, secret });
const EXAMPLE: Static<typeof Webhook> = {
  id: '01989f38-2b6d-7e04-9a1c-4f7d0c3b8e21',
  object: 'webhook',
  url: 'https://erp.example.com/tankwatch',
  types: ['tank.low_fill', 'tank.rapid_loss'],
  enabled: true,
  disabled_at: null,
  disabled_because: null,
  failing_since: null,
  previous_secret_until: null,
  last_test: { at: '2025-11-02T08:15:11.020Z', status: 200, duration_ms: 84, error: null },
  created_at: '2025-11-02T08:14:09.514Z',
  etag: '"mX4rT9vB2kQ7wL1zC6nH8d"',
};
const SECRET_EXAMPLE: Static<typeof WebhookWithSecret> = {
  ...EXAMPLE,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
};

const Delivery = Named('WebhookDelivery', {
  number: Type.Integer({ description: 'Number of the delivery. The last one of a page is `next`.' }),
  object: Type.Literal('delivery'),
  event_id: Type.String({ description: 'ID of the event; for a change, the ID of its message.' }),
  type: Type.String({ description: 'Type of the message.' }),
  occurred_at: Time('When the event happened, or the change was found.'),
  tank_id: NullableString('ID of the tank. Null: it is a change.'),
  object_id: NullableString('ID of the object that changed, as in the change feed. Null: it is an event.'),
  status: Type.Enum(['pending', 'delivered', 'failed', 'canceled'], { description: 'Its outcome so far.' }),
  attempts: Type.Integer({ description: 'How often it was sent.' }),
  last_attempt: Attempt('The last attempt. Null: there was none.'),
  next_attempt_at: NullableTime('When it is sent again. Null: it is not sent again.'),
});
const DELIVERY_EXAMPLE: Static<typeof Delivery> = {
  number: 90210,
  object: 'delivery',
  event_id: '5d1c9b7e-2f66-8a08-8f4e-01989f310c52',
  type: 'tank.low_fill',
  occurred_at: '2025-11-02T08:14:09.514Z',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  object_id: null,
  status: 'delivered',
  attempts: 1,
  last_attempt: { at: '2025-11-02T08:14:10.020Z', status: 200, duration_ms: 84, error: null },
  next_attempt_at: null,
};

const NewReplay = Named('NewReplay', {
  since: Type.Optional(Time('Events that happened at this time or later.')),
  event_ids: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MAX_REPLAYED_IDS,
      description: `IDs of at most ${MAX_REPLAYED_IDS} events or messages of changes.`,
    }),
  ),
});

const webhookEtag = ({ id, url: address, types: wanted, enabled }: WebhookObject): string =>
  etagOf([id, address, wanted, enabled]);

async function respondWithWebhook(
  db: Db,
  organizationNo: number,
  id: string,
  status: 200 | 201 | 202 = 200,
  more: object = {},
): Promise<ManageResponse> {
  const response = respondWith(await existingWebhook(db, organizationNo, id), webhookEtag, status);
  return { ...response, body: { ...response.body, ...more } };
}

/**
 * Refuses a URL to which no request may be sent, as the command does. A host name that cannot be resolved now is
 * accepted, because it may exist tomorrow.
 */
async function checkUrl(given: string | undefined, webhooks: AddressConfig): Promise<void> {
  const problem = given === undefined ? undefined : await findSendProblem(given, webhooks);
  if (problem?.isCertain !== true) return;
  throw invalidParameters([{ param: 'url', code: 'invalid', detail: sentence(problem.reason) }]);
}

/** Parses which events are sent again. Throws 422. */
function parseReplay({ since, event_ids: ids }: Static<typeof NewReplay>): { since: string } | { eventIds: string[] } {
  const refuse = (param: string, detail: string) => invalidParameters([{ param, code: 'invalid', detail }]);
  if (ids !== undefined && since === undefined) {
    if (ids.every(isUuid)) return { eventIds: ids };
    throw refuse('event_ids', 'Must be IDs of events.');
  }
  if (since === undefined || ids !== undefined) throw refuse('since', 'Give either since or event_ids.');
  const parsed = parseCommonEraTime(since);
  if (!('value' in parsed)) throw invalidParameters([{ param: 'since', ...parsed }]);
  return { since: new Date(parsed.value.ms).toISOString() };
}

const idOfWebhook = { id: 'ID of the webhook.' };
const common = {
  tag: 'manage webhooks',
  allowedCallers: ['key', 'administrator'],
  item: Webhook,
  example: EXAMPLE,
} as const;
const action = { ...common, method: 'POST', pathParameters: idOfWebhook, queue: 'other' } as const;

export const WEBHOOK_OPERATIONS: readonly ManageOperation[] = [
  write({
    ...common,
    method: 'POST',
    path: '/manage/v1/webhooks',
    operationId: 'createWebhook',
    summary: 'Add a webhook',
    description:
      'Sends events to a URL from now on. The secret that verifies the signatures is in this answer only. At most ' +
      `${MAX_ENABLED_WEBHOOKS} are enabled at a time, and an organization has at most ${MAX_WEBHOOKS}. A private address is 422.`,
    item: WebhookWithSecret,
    example: SECRET_EXAMPLE,
    statuses: [201],
    // The change locks the organization, because it counts the enabled endpoints.
    queue: 'catalog',
    body: Named('NewWebhook', { url, types: Type.Optional(types) }),
    prepare: ({ values, webhooks }) => checkUrl(values.url, webhooks),
    async handle({ values, secretsKey, ...change }) {
      const issued = await createWebhook(change, { types: [], ...values }, secretsKey);
      const secretOnce = { secret: change.isDryRun ? null : issued.secret };
      return respondWithWebhook(change.tx, change.organizationNo, issued.id, 201, secretOnce);
    },
  }),
  read({
    ...common,
    path: '/manage/v1/webhooks',
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description:
      'Returns all webhooks without their secrets: the enabled ones, then the disabled ones, each newest first.',
    item: Named('Webhooks', { object: Type.Literal('list'), data: Type.Array(Webhook) }),
    example: { object: 'list', data: [EXAMPLE] },
    async read({ db, organizationNo }) {
      const webhooks = await listWebhooks(db, organizationNo);
      const data = webhooks.map((webhook) => withEtag(webhook, webhookEtag));
      return { status: 200, body: { object: 'list', data } };
    },
  }),
  read({
    ...common,
    path: '/manage/v1/webhooks/:id',
    pathParameters: idOfWebhook,
    operationId: 'retrieveWebhook',
    summary: 'Retrieve a webhook',
    description: 'Returns the webhook with its ETag, without its secret.',
    read: ({ db, organizationNo, path: { id = '' } }) => respondWithWebhook(db, organizationNo, id),
  }),
  write({
    ...common,
    method: 'PATCH',
    path: '/manage/v1/webhooks/:id',
    pathParameters: idOfWebhook,
    operationId: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      'Changes the given fields (JSON Merge Patch, RFC 7396). Disabling cancels what waits to be sent. Enabling sends new ' +
      'events only; replay those that were missed. What changed meanwhile is sent, each object once.',
    queue: 'catalog',
    body: Named('WebhookPatch', optional({ url, types, enabled: fields.enabled })),
    condition: 'required',
    prepare: ({ values, webhooks }) => checkUrl(values.url, webhooks),
    async handle({ path: { id = '' }, values, condition, ...change }) {
      await updateWebhook(change, id, values, compare(condition, webhookEtag));
      return respondWithWebhook(change.tx, change.organizationNo, id);
    },
  }),
  write({
    ...common,
    ...deletion,
    path: '/manage/v1/webhooks/:id',
    pathParameters: idOfWebhook,
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Deletes the webhook for good and cancels what waits to be sent. Deleting again changes nothing.',
    queue: 'catalog',
    condition: 'required',
    async handle({ path: { id = '' }, condition, ...change }) {
      await deleteWebhook(change, id, compare(condition, webhookEtag));
      return { status: 204, body: null };
    },
  }),
  write({
    ...action,
    path: '/manage/v1/webhooks/:id/rotate_secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    description:
      'Makes a new secret, which is in this answer only. Messages are signed with both secrets during the overlap, so that ' +
      'the receiver can switch at any time.',
    item: WebhookWithSecret,
    example: SECRET_EXAMPLE,
    body: Named('SecretRotation', {
      overlap_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: OVERLAP_HOURS.max,
          description: `How long messages are still signed with the old secret, in hours: 0 to ${OVERLAP_HOURS.max}; ${OVERLAP_HOURS.default} if missing.`,
        }),
      ),
    }),
    async handle({ path: { id = '' }, values, secretsKey, ...change }) {
      const { overlap_hours: hours = OVERLAP_HOURS.default } = values;
      const issued = await rotateWebhookSecret(change, id, hours, secretsKey);
      const secretOnce = { secret: change.isDryRun ? null : issued };
      return respondWithWebhook(change.tx, change.organizationNo, id, 200, secretOnce);
    },
  }),
  write({
    ...action,
    path: '/manage/v1/webhooks/:id/test',
    operationId: 'testWebhook',
    summary: 'Test a webhook',
    description:
      'Sends a signed message of the type `webhook.test` within seconds. `last_test` then has the status of the response and ' +
      'its time, never its content.',
    statuses: [202],
    body: Named('WebhookTest', {}),
    async handle({ path: { id = '' }, ...change }) {
      const { no } = await existingWebhook(change.tx, change.organizationNo, id);
      if (!change.isDryRun) await change.tx.query('select enqueue_webhook_test($1), record_webhook_test($1)', [no]);
      return respondWithWebhook(change.tx, change.organizationNo, id, 202);
    },
  }),
  write({
    ...action,
    path: '/manage/v1/webhooks/:id/replay',
    operationId: 'replayWebhook',
    summary: 'Send events again',
    description:
      'Sends events again, of the types that the webhook wants, also those that were delivered, with the same IDs: all since ' +
      `a time, at most ${MAX_REPLAYED_EVENTS}, or those that you name; also the messages of changes. A disabled webhook is 409.`,
    item: Named('Replay', {
      object: Type.Literal('replay'),
      events: Type.Integer({ description: 'How many events and messages of changes are sent again.' }),
    }),
    example: { object: 'replay', events: 12 },
    statuses: [202],
    body: NewReplay,
    async handle({ path: { id = '' }, values, ...change }) {
      const events = await replayWebhook(change, id, parseReplay(values));
      return { status: 202, body: { object: 'replay', events } };
    },
  }),
  read({
    ...common,
    path: '/manage/v1/webhooks/:id/deliveries',
    pathParameters: idOfWebhook,
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries to a webhook',
    description: 'Returns what was sent or waits to be sent, newest first.',
    parameters: numberedPages,
    item: Named('WebhookDeliveries', { object: Type.Literal('list'), data: Type.Array(Delivery), ...pageEndFields }),
    example: { object: 'list', data: [DELIVERY_EXAMPLE], ...pageEnd('90210') },
    async read({ db, organizationNo, path, parameters }) {
      const { no } = await existingWebhook(db, organizationNo, path['id'] ?? '');
      const body = await readNumberedPage(parameters, (page) => readWebhookDeliveryPage(db, no, page));
      return { status: 200, body };
    },
  }),
];
