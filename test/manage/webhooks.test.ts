import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { type Receiver, startReceiver } from '../../engines/webhook_receiver.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { disableEndpoint } from '../../src/webhooks/endpoints.ts';
import { listWebhooks } from '../../src/webhooks/read_webhooks.ts';
import { deleteWebhook, rotateWebhookSecret, updateWebhook } from '../../src/webhooks/webhook_changes.ts';
import { givenEndpoint, givenWorker, lowFillOf, record, SECRETS_KEY, type Tanked } from '../support/events.ts';
import { givenCustomer, givenTank } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { soon } from '../support/mails.ts';
import { givenManageApi, givenManagedOrganization, type ManageApi, test } from '../support/manage.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';

async function givenFleet(database: TestDatabase): Promise<Tanked & { key: string }> {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const customer = await givenCustomer(database.operator, organizationNo);
  return { key, organizationNo, customer, tank: await givenTank(database.operator, organizationNo, customer.no) };
}

/** An api that allows the receivers of tests, with a key that the worker derives. */
async function givenLocalApi(database: TestDatabase, { allowsPrivate = 'true' } = {}): Promise<ManageApi> {
  return givenManageApi(database, {
    API_SECRETS_KEY: deriveApiSecretsKey(SECRETS_KEY),
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: allowsPrivate,
  });
}

async function givenReceiver(): Promise<Receiver> {
  return untilTestEnds(startReceiver());
}

/** Throws if the last message is not signed with the secret. */
const verifyLast = ({ received }: Receiver, secret: string): unknown => {
  const { body = '', headers = {} } = received.at(-1) ?? {};
  return new Webhook(secret).verify(body, headers as Record<string, string>);
};

test('a webhook is created, tested, rotated, disabled, enabled and replayed, and its secret is shown once', async ({
  database,
}) => {
  const manage = await givenLocalApi(database);
  const receiver = await givenReceiver();
  const fleet = await givenFleet(database);
  const { key } = fleet;
  await givenWorker(database);
  const idempotencyKey = 'one-webhook';
  const body = { url: receiver.url, types: ['tank.low_fill'] };
  const made = await manage.call(key, 'POST', '/webhooks', { body, idempotencyKey });
  expect([made.status, made.json]).toEqual([
    201,
    expect.objectContaining({ ...body, enabled: true, last_test: null, secret: expect.stringMatching(/^whsec_/) }),
  ]);
  const { id, secret } = made.json;
  const path = `/webhooks/${id}`;
  // The same request again has the same answer, and no second endpoint.
  expect((await manage.call(key, 'POST', '/webhooks', { body, idempotencyKey })).json.secret).toBe(secret);
  const listed = await manage.call(key, 'GET', '/webhooks');
  expect([listed.json.data.length, listed.text.includes('whsec_')]).toEqual([1, false]);
  const { rows } = await database.owner.query('select secret from webhook_endpoints where id = $1', [id]);
  expect(rows[0].secret).not.toContain(secret.slice(6));

  expect((await manage.call(key, 'POST', `${path}/test`, { body: {} })).status).toBe(202);
  const webhook = async () => (await manage.call(key, 'GET', '/webhooks')).json.data[0];
  await expect.poll(async () => (await webhook()).last_test, soon).toMatchObject({ status: 204, error: null });
  expect(verifyLast(receiver, secret)).toMatchObject({ type: 'webhook.test' });

  const event = lowFillOf(fleet);
  const [eventId] = await record(database, event);
  await expect.poll(() => receiver.received.length, soon).toBe(2);
  const rotated = await manage.call(key, 'POST', `${path}/rotate_secret`, { body: { overlap_hours: 1 } });
  expect([rotated.status, rotated.json.previous_secret_until === null]).toEqual([200, false]);
  expect((await manage.call(key, 'POST', `${path}/replay`, { body: { event_ids: [eventId] } })).json.events).toBe(1);
  await expect.poll(() => receiver.received.length, soon).toBe(3);
  // Both secrets sign, also a test message.
  for (const valid of [secret, rotated.json.secret])
    expect(verifyLast(receiver, valid)).toMatchObject({ data: { id: eventId } });
  await manage.call(key, 'POST', `${path}/test`, { body: {} });
  await expect.poll(() => receiver.received.length, soon).toBe(4);
  for (const valid of [secret, rotated.json.secret])
    expect(verifyLast(receiver, valid)).toMatchObject({ type: 'webhook.test' });
  const deliveries = async () => (await manage.call(key, 'GET', `${path}/deliveries`)).json;
  await expect.poll(deliveries, soon).toMatchObject({
    has_more: false,
    data: [
      { event_id: eventId, tank_id: fleet.tank.id, status: 'delivered', attempts: 2, last_attempt: { status: 204 } },
    ],
  });

  const { etag } = await webhook();
  const off = await manage.call(key, 'PATCH', path, { body: { enabled: false }, ifMatch: etag });
  expect(off.json).toMatchObject({ enabled: false, disabled_because: 'operator' });
  expect((await manage.call(key, 'PATCH', path, { body: { enabled: true }, ifMatch: etag })).status).toBe(412);
  expect((await manage.call(key, 'POST', `${path}/replay`, { body: { since: event.occurredAt } })).status).toBe(409);
  await manage.call(key, 'PATCH', path, { body: { enabled: true, types: [] }, ifMatch: off.json.etag });
  const again = { body: { since: event.occurredAt } };
  expect((await manage.call(key, 'POST', `${path}/replay?dry_run=true`, again)).json.events).toBe(1);
  expect((await manage.call(key, 'POST', `${path}/replay`, again)).json.events).toBe(1);
  await expect.poll(() => receiver.received.length, soon).toBe(5);

  const { json: audit } = await manage.call(key, 'GET', '/audit');
  const ofWebhook = audit.data.filter(({ changed_id }: { changed_id: string }) => changed_id === id);
  const names = ofWebhook.map(({ changed_name }: { changed_name: string }) => changed_name);
  expect(new Set(names)).toEqual(new Set([new URL(made.json.url).host]));
  const changes = ofWebhook.map(({ action, fields }: { action: string; fields: string[] }) =>
    [action, ...fields].join(' '),
  );
  expect(changes).toEqual([
    'replay',
    'update disabled_at disabled_because',
    'update types',
    'update disabled_at disabled_because',
    'update last_test',
    'replay',
    'update previous_secret previous_secret_until secret',
    'update last_test',
    'create',
  ]);
});

test('addresses that no message could reach are refused, and so are more webhooks than an organization may have', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  const create = (url: string, query = '') => manage.call(key, 'POST', `/webhooks${query}`, { body: { url } });
  for (const url of [
    'http://erp.example.com',
    'https://127.0.0.1/',
    'https://[::ffff:10.0.0.1]/',
    'https://localhost/',
  ]) {
    const { status, json } = await create(url);
    expect([url, status, json.errors?.[0]?.param]).toEqual([url, 422, 'url']);
  }
  const dry = await create('https://1.1.1.1/hook', '?dry_run=true');
  expect([dry.status, dry.json.secret]).toEqual([201, null]);
  const made = await Promise.all(Array.from({ length: 21 }, () => create('https://1.1.1.1/hook')));
  expect(made.map(({ status }) => status).filter((status) => status !== 201)).toEqual([409]);
  const first = made.find(({ status }) => status === 201);
  const path = `/webhooks/${first?.json.id}`;
  for (const body of [
    {},
    { since: 'yesterday' },
    { since: '2026-01-01T00:00:00Z', event_ids: [] },
    { event_ids: ['x'] },
  ])
    expect([body, (await manage.call(key, 'POST', `${path}/replay`, { body })).status]).toEqual([body, 422]);
  const { status } = await manage.call(key, 'POST', `${path}/rotate_secret`, { body: { overlap_hours: 500 } });
  expect(status).toBe(422);
});

test('a repeated request gets its stored answer, also if its address would be refused today', async ({ database }) => {
  const { key } = await givenManagedOrganization(database);
  const [before, today] = await Promise.all([
    givenLocalApi(database),
    givenLocalApi(database, { allowsPrivate: 'false' }),
  ]);
  const request = { body: { url: 'http://127.0.0.1:9/' }, idempotencyKey: 'stored' };
  const { status, text } = await before.call(key, 'POST', '/webhooks', request);
  const repeated = await today.call(key, 'POST', '/webhooks', request);
  expect([status, repeated.status, repeated.text]).toEqual([201, 201, text]);
  const other = await today.call(key, 'POST', '/webhooks', { ...request, idempotencyKey: 'other' });
  expect([other.status, other.json.errors[0].param]).toEqual([422, 'url']);
});

test('an organization has at most 200 webhooks in all, and lists have the enabled ones first', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const create = () => manage.call(key, 'POST', '/webhooks', { body: { url: 'https://1.1.1.1/hook' } });
  const { json: oldest } = await create();
  // An older release had no limit.
  await database.owner.query(
    `insert into webhook_endpoints (id, organization_no, url, types, secret, disabled_at, disabled_because)
     select gen_random_uuid(), $1, 'https://1.1.1.1/' || n, '{}', 'sealed', now(), 'operator' from generate_series(1, 210) as n`,
    [organizationNo],
  );
  const { status, json } = await create();
  expect([status, json.code, json.detail]).toEqual([
    409,
    'conflict',
    'The organization has 200 webhooks already, disabled ones included. Delete one of them first, or give one of them the new URL with PATCH.',
  ]);
  const { data } = (await manage.call(key, 'GET', '/webhooks')).json;
  const settings = (await callApi(manage.url, '/fleet/v1/settings', { key })).json;
  const newest = [data[1]?.url, data[199]?.url];
  expect([data.length, data[0].id, ...newest]).toEqual([200, oldest.id, 'https://1.1.1.1/210', 'https://1.1.1.1/12']);
  expect(settings.webhooks.map(({ id }: { id: string }) => id)).toEqual(data.map(({ id }: { id: string }) => id));
});

test('a change of a webhook reads it after a worker that disables it meanwhile', async ({ database }) => {
  const { operator, owner, worker } = database;
  const { organizationNo } = await givenFleet(database);
  const { id, no } = await givenEndpoint(database, organizationNo);
  const seen: boolean[] = [];
  const waiting = await transaction(worker, async (tx) => {
    await disableEndpoint(tx, no, 'failing');
    const done = transaction(operator, (other) =>
      updateWebhook(operatorChange(other, organizationNo), id, { enabled: true }, ({ enabled }) => seen.push(enabled)),
    );
    await expectLockWaits(owner, 1);
    return { done };
  });
  await waiting.done;
  expect(seen).toEqual([false]);
  expect(await listWebhooks(operator, organizationNo)).toMatchObject([{ enabled: true }]);
});

test('the events that wait to be sent stay when a webhook of all events gets another URL', async ({ database }) => {
  const { operator, owner } = database;
  const fleet = await givenFleet(database);
  const { organizationNo } = fleet;
  const { id, no } = await givenEndpoint(database, organizationNo);
  const [eventId] = await record(database, lowFillOf(fleet));
  await owner.query(`insert into webhook_deliveries (endpoint_no, event_no) select $1, no from events where id = $2`, [
    no,
    eventId,
  ]);
  const url = 'https://erp.example.com/new';
  await transaction(operator, (tx) => updateWebhook(operatorChange(tx, organizationNo), id, { url }));
  const { rows } = await owner.query('select status from webhook_deliveries where endpoint_no = $1', [no]);
  expect(rows).toEqual([{ status: 'pending' }]);
});

test('a webhook that is deleted while its secret is rotated gets no secret', async ({ database }) => {
  const { operator, owner } = database;
  const { organizationNo } = await givenFleet(database);
  const { id, no } = await givenEndpoint(database, organizationNo);
  const waiting = await transaction(operator, async (tx) => {
    await deleteWebhook(operatorChange(tx, organizationNo), id);
    const done = transaction(operator, (other) =>
      rotateWebhookSecret(operatorChange(other, organizationNo), id, 24, SECRETS_KEY),
    );
    done.catch(() => {});
    await expectLockWaits(owner, 1);
    return { done };
  });
  await expect(waiting.done).rejects.toThrow('no such webhook');
  const { rows } = await owner.query('select secret from webhook_endpoints where no = $1', [no]);
  expect(rows).toEqual([{ secret: '' }]);
});
