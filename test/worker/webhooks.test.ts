import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { answering, hanging, idsOf } from '../../engines/webhook_receiver.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { deleteTank } from '../../src/catalog/tanks.ts';
import { onlyRow } from '../../src/db/only_row.ts';
import { transaction } from '../../src/db/pool.ts';
import { recordEvents, retractEvents } from '../../src/evaluation/record_events.ts';
import { openEndpointSecret, resealEndpointSecrets, rotateSecret } from '../../src/webhooks/endpoint_secrets.ts';
import { disableEndpoint, enableEndpoint, replayEvents } from '../../src/webhooks/endpoints.ts';
import { listWebhookDeliveries, listWebhooks } from '../../src/webhooks/read_webhooks.ts';
import { updateWebhook } from '../../src/webhooks/webhook_changes.ts';
import { notifyEvents } from '../../src/worker/notify_events.ts';
import { givenEndpoint, givenTanked, givenWorker, lowFillOf, record, SECRETS_KEY } from '../support/events.ts';
import { givenKey } from '../support/fleet.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { type TestDatabase, test } from '../support/test.ts';

const soon = { interval: 20 };

const readDeliveries = (database: TestDatabase, endpointNo: number) =>
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read various columns
  listWebhookDeliveries(database.operator, endpointNo, 100) as Promise<any[]>;

const makeDueNow = (database: TestDatabase) =>
  database.owner.query(`update webhook_deliveries set next_attempt_at = now() where status = 'pending'`);

test('endpoints that subscribe to its type receive an event, signed, with tank and customer as /v1 returns them', async ({
  database,
  api,
}) => {
  const fleet = await givenTanked(
    database,
    { name: 'María López', external_key: 'C-1042' },
    { custom_id: 'house-1', external_key: 'T-4711', city: 'Puebla' },
  );
  const { text: key } = await givenKey(database.operator, { organizationNo: fleet.organizationNo });
  const all = await givenEndpoint(database, fleet.organizationNo);
  const lowOnly = await givenEndpoint(database, fleet.organizationNo, undefined, { types: ['tank.low_fill'] });
  const refilledOnly = await givenEndpoint(database, fleet.organizationNo, undefined, { types: ['tank.refilled'] });
  const foreign = await givenEndpoint(database, (await givenTanked(database)).organizationNo);
  await givenWorker(database);

  const event = lowFillOf(fleet);
  const [id] = await record(database, event);
  await expect.poll(() => [all, lowOnly].map(({ receiver }) => idsOf(receiver.received)), soon).toEqual([[id], [id]]);
  const { headers, body } = all.receiver.received[0] ?? { headers: {}, body: '' };
  expect(headers['content-type']).toBe('application/json');
  expect(new Webhook(all.secret).verify(body, headers as Record<string, string>)).toEqual({
    type: 'tank.low_fill',
    timestamp: event.occurredAt,
    data: {
      id,
      fill_percentage: 19.5,
      threshold_percentage: 20,
      tank: (await api.call(`/v1/tanks/${fleet.tank.id}`, { key })).json,
      customer: (await api.call(`/v1/customers/${fleet.customer.id}`, { key })).json,
      tank_custom_id: 'house-1',
      tank_external_key: 'T-4711',
      customer_external_key: 'C-1042',
    },
  });
  await sleep(200);
  expect([refilledOnly, foreign].map(({ receiver }) => receiver.received.length)).toEqual([0, 0]);
});

test('during a rotation messages are signed with both secrets, and a deleted tank is sent as deleted', async ({
  database,
}) => {
  const fleet = await givenTanked(database, { external_key: 'C-1' }, { custom_id: 'house-1', external_key: 'T-1' });
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  const fresh = await transaction(database.operator, (tx) => rotateSecret(tx, endpoint, 24, SECRETS_KEY));
  await transaction(database.operator, (tx) => deleteTank(tx, fleet.organizationNo, fleet.tank.no));
  await givenWorker(database);
  await record(database, lowFillOf(fleet));
  await expect.poll(() => endpoint.receiver.received.length, soon).toBe(1);
  const { headers, body } = endpoint.receiver.received[0] ?? { headers: {}, body: '' };
  for (const secret of [endpoint.secret, fresh]) {
    const message = new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(message).toMatchObject({
      data: {
        tank: { id: fleet.tank.id, object: 'tank', deleted: true },
        tank_custom_id: null,
        tank_external_key: null,
        customer_external_key: 'C-1',
      },
    });
  }
});

test('after SECRETS_KEY was replaced, deliveries go on without a previous secret that cannot be opened', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  const newKey = 'the next key of at least thirty-two characters';
  const fresh = await transaction(database.operator, (tx) => rotateSecret(tx, endpoint, 24, newKey));
  const worker = await givenWorker(database, { SECRETS_KEY: newKey });
  await record(database, lowFillOf(fleet));
  await expect.poll(() => endpoint.receiver.received.length, soon).toBe(1);
  const { headers, body } = endpoint.receiver.received[0] ?? { headers: {}, body: '' };
  expect(new Webhook(fresh).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'tank.low_fill' });
  const signatures = (n: number): string[] =>
    String(endpoint.receiver.received[n]?.headers['webhook-signature']).split(' ');
  expect(signatures(0)).toHaveLength(1);
  await worker.close();

  // Sealing again with the new key needs the previous key. Afterwards the worker opens both secrets without the previous key.
  await transaction(database.operator, (tx) => resealEndpointSecrets(tx, [newKey, SECRETS_KEY]));
  await givenWorker(database, { SECRETS_KEY: newKey });
  await record(database, lowFillOf(fleet));
  await expect.poll(() => endpoint.receiver.received.length, soon).toBe(2);
  expect(signatures(1)).toHaveLength(2);
});

test('a failed delivery is retried with the same id until it succeeds, and all attempts are recorded', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const statuses = [500, 302, 429, 200];
  const endpoint = await givenEndpoint(database, fleet.organizationNo, (response) => {
    const status = statuses.shift() ?? 200;
    response.writeHead(status, status === 429 ? { 'retry-after': '7200' } : { location: 'http://127.0.0.1:1/' }).end();
  });
  await givenWorker(database);
  const [id] = await record(database, lowFillOf(fleet));
  const delays: number[] = [];
  for (let attempt = 1; attempt <= 3; attempt++) {
    await expect.poll(async () => (await readDeliveries(database, endpoint.no))[0]?.tried, soon).toBe(attempt);
    const [delivery] = await readDeliveries(database, endpoint.no);
    delays.push((Date.parse(delivery.next_attempt_at) - Date.parse(delivery.attempts.at(-1).at)) / 1_000);
    await makeDueNow(database);
  }
  await expect.poll(async () => (await readDeliveries(database, endpoint.no))[0]?.state, soon).toBe('delivered');
  expect(idsOf(endpoint.receiver.received)).toEqual([id, id, id, id]);
  const [delivery] = await readDeliveries(database, endpoint.no);
  expect(delivery.attempts.map((attempt: { status: number }) => attempt.status)).toEqual([500, 302, 429, 200]);
  for (const [index, planned] of [5, 300, 7_200].entries()) {
    expect(delays[index]).toBeGreaterThanOrEqual(planned);
    expect(delays[index]).toBeLessThan(planned * 1.2 + 3);
  }
  const { rows } = await database.owner.query('select failing_since from webhook_endpoints where no = $1', [
    endpoint.no,
  ]);
  expect(rows).toEqual([{ failing_since: null }]);
});

test('an endpoint is disabled after status 410 or after five days without a success', async ({ database }) => {
  const fleet = await givenTanked(database);
  const gone = await givenEndpoint(database, fleet.organizationNo, answering(410));
  const failingSixDays = await givenEndpoint(database, fleet.organizationNo, answering(500));
  const failingFourDays = await givenEndpoint(database, fleet.organizationNo, answering(500));
  const setFailingDays = (endpointNo: number, days: number) =>
    database.owner.query(
      `update webhook_endpoints set failing_since = now() - make_interval(days => $2) where no = $1`,
      [endpointNo, days],
    );
  await setFailingDays(failingSixDays.no, 6);
  await setFailingDays(failingFourDays.no, 4);
  await givenWorker(database);
  await record(database, lowFillOf(fleet));
  const states = async () =>
    (
      await database.operator.query(
        'select disabled_because from webhook_endpoints where organization_no = $1 order by no',
        [fleet.organizationNo],
      )
    ).rows.map((row) => row.disabled_because);
  await expect.poll(states, soon).toEqual(['gone', 'failing', null]);
  const before = gone.receiver.received.length;
  await record(database, lowFillOf(fleet));
  await expect.poll(() => failingFourDays.receiver.received.length, soon).toBe(2);
  expect(gone.receiver.received.length).toBe(before);
});

test.for([
  [410, 'gets another URL'],
  [500, 'gets another URL'],
  [500, 'succeeds'],
] as const)(
  'status %d does not disable an endpoint that %s during the attempt',
  async ([status, change], { database }) => {
    const { owner, operator } = database;
    const fleet = await givenTanked(database);
    const { organizationNo } = fleet;
    const endpoint = await givenEndpoint(database, organizationNo, hanging);
    const { receiver, id, no } = endpoint;
    await owner.query(`update webhook_endpoints set failing_since = now() - interval '6 days' where no = $1`, [no]);
    let answer = (): void => {};
    receiver.answer = (response) => {
      answer = () => response.writeHead(status).end();
    };
    await givenWorker(database);
    await record(database, lowFillOf(fleet));
    await expect.poll(() => receiver.received.length, soon).toBe(1);
    if (change === 'succeeds')
      await owner.query('update webhook_endpoints set failing_since = null where no = $1', [no]);
    else {
      const url = `${receiver.url}/new`;
      await transaction(operator, (tx) => updateWebhook(operatorChange(tx, organizationNo), id, { url }));
    }
    answer();
    await expect.poll(() => readDeliveries(database, no), soon).toMatchObject([{ tried: 1, last_answer: `${status}` }]);
    const [webhook] = await listWebhooks(operator, organizationNo);
    expect(webhook).toMatchObject({ enabled: true });
    if (change !== 'succeeds') expect(webhook?.failing_since).toBeNull();
  },
);

test('retracted events are not sent, and only a replay sends the events of the time in which an endpoint was disabled', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  const [early, retracted, missed] = [lowFillOf(fleet), lowFillOf(fleet), lowFillOf(fleet)];
  await transaction(database.writer, async (tx) => {
    await recordEvents(tx, [early, retracted]);
    await retractEvents(tx, [retracted]);
  });
  await givenWorker(database);
  await expect.poll(() => endpoint.receiver.received.length, soon).toBe(1);
  await transaction(database.operator, (tx) => disableEndpoint(tx, endpoint.no, 'operator'));
  const [missedId] = await record(database, missed);
  await sleep(300);
  expect(endpoint.receiver.received.length).toBe(1);

  await expect(
    transaction(database.operator, (tx) => replayEvents(tx, endpoint.no, { since: missed.occurredAt })),
  ).rejects.toThrow('this webhook is disabled');
  await transaction(database.operator, (tx) => enableEndpoint(tx, endpoint.no));
  expect(
    await transaction(database.operator, (tx) => replayEvents(tx, endpoint.no, { since: missed.occurredAt })),
  ).toBe(1);
  await expect.poll(() => idsOf(endpoint.receiver.received).at(-1), soon).toBe(missedId);
  // A replay of all events keeps their ids.
  expect(await transaction(database.operator, (tx) => replayEvents(tx, endpoint.no, { since: early.occurredAt }))).toBe(
    2,
  );
  await expect.poll(() => endpoint.receiver.received.length, soon).toBe(4);
  expect(new Set(idsOf(endpoint.receiver.received)).size).toBe(2);

  // The retracted event is recorded again and sent once. An event that is valid again at once is not sent again.
  await record(database, retracted);
  await expect.poll(() => endpoint.receiver.received.length, soon).toBe(5);
  await transaction(database.writer, async (tx) => {
    await retractEvents(tx, [early]);
    await recordEvents(tx, [early]);
  });
  await sleep(300);
  expect(endpoint.receiver.received.length).toBe(5);
});

test('no delivery waits for an endpoint that is disabled while the deliveries of an event are created', async ({
  database,
}) => {
  const { operator, owner, worker } = database;
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  const [id] = await record(database, lowFillOf(fleet));
  const { rows } = await owner.query<{ no: number }>('select no from events where id = $1', [id]);
  const waiting = await transaction(operator, async (tx) => {
    await disableEndpoint(tx, endpoint.no, 'operator');
    const done = notifyEvents(worker, [onlyRow(rows).no], { mails: false });
    await Promise.race([done, expectLockWaits(owner, 1)]);
    return { done };
  });
  await waiting.done;
  expect(await readDeliveries(database, endpoint.no)).toEqual([]);
});

test('a replay requested during an attempt is not lost', async ({ database }) => {
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo, (response) => {
    setTimeout(() => response.writeHead(204).end(), 500);
  });
  await givenWorker(database);
  const event = lowFillOf(fleet);
  const [id] = await record(database, event);
  await expect.poll(() => endpoint.receiver.received.length, soon).toBe(1);
  await transaction(database.operator, (tx) => replayEvents(tx, endpoint.no, { since: event.occurredAt }));
  await expect.poll(() => idsOf(endpoint.receiver.received), soon).toEqual([id, id]);
  await expect
    .poll(async () => (await readDeliveries(database, endpoint.no))[0], soon)
    .toMatchObject({
      state: 'delivered',
      tried: 2,
    });
});

test('while other receivers hang, a healthy receiver does not wait for them', async ({ database }) => {
  const fleet = await givenTanked(database);
  const hung = await Promise.all(
    Array.from({ length: 12 }, () => givenEndpoint(database, fleet.organizationNo, hanging)),
  );
  const healthy = await givenEndpoint(database, fleet.organizationNo);
  await givenWorker(database);
  const recordedAtMs = new Map<string, number>();
  for (let round = 0; round < 30; round++) {
    const ids = await record(database, ...Array.from({ length: 4 }, () => lowFillOf(fleet)));
    for (const id of ids) recordedAtMs.set(id, Date.now());
    await sleep(100);
  }
  await expect.poll(() => healthy.receiver.received.length, soon).toBe(120);
  const delaysMs = healthy.receiver.received.map(
    ({ headers, atMs }) => atMs - (recordedAtMs.get(String(headers['webhook-id'])) ?? 0),
  );
  const slowestFirstMs = delaysMs.toSorted((a, b) => b - a);
  expect(slowestFirstMs[0]).toBeLessThan(12_000); // a receiver that hangs has 15 s
  expect(hung.every(({ receiver }) => receiver.received.length > 0)).toBe(true);
  for (const { receiver } of hung) receiver.release();
});

test('a signing secret is encrypted for its own endpoint only, and a worker with another key does not start', async ({
  database,
}) => {
  const { organizationNo } = await givenTanked(database);
  const [first, second] = [
    await givenEndpoint(database, organizationNo),
    await givenEndpoint(database, organizationNo),
  ];
  const { rows } = await database.owner.query<{ secret: string }>(
    'select secret from webhook_endpoints where no = $1',
    [first.no],
  );
  const sealed = rows[0]?.secret ?? '';
  expect(sealed).toMatch(/^v1\./);
  expect(sealed).not.toContain(first.secret.slice('whsec_'.length, 20));
  expect(openEndpointSecret([SECRETS_KEY], first.id, sealed)).toBe(first.secret);
  expect(() => openEndpointSecret([SECRETS_KEY], second.id, sealed)).toThrow('cannot be decrypted');
  await expect(givenWorker(database, { SECRETS_KEY: 'another key of thirty-two characters' })).rejects.toThrow(
    `the stored secret of the webhook ${second.id} cannot be decrypted; set SECRETS_KEY or SECRETS_KEY_PREVIOUS to the value it was stored with.`,
  );
});
