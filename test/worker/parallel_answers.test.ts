import type { ServerResponse } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import type { Receiver } from '../../engines/webhook_receiver.ts';
import { attemptWebhookDelivery, claimWebhookDeliveries } from '../../src/webhooks/deliveries.ts';
import { listWebhookDeliveries } from '../../src/webhooks/read_webhooks.ts';
import { WebhookSender } from '../../src/webhooks/sender.ts';
import { notifyEvents } from '../../src/worker/notify_events.ts';
import { givenEndpoint, givenTanked, lowFillOf, record, SECRETS_KEY } from '../support/events.ts';
import { type TestDatabase, test } from '../support/test.ts';

const PARALLEL = 8;

/** Answers when all parallel requests have arrived, so that all results are recorded at the same time. */
function answeringAtOnce(statusOf: (request: number) => number): Receiver['answer'] {
  const waiting: ServerResponse[] = [];
  return (response) => {
    waiting.push(response);
    if (waiting.length < PARALLEL) return;
    for (const [n, held] of waiting.entries()) held.writeHead(statusOf(n)).end();
  };
}

async function attemptInParallel(
  database: TestDatabase,
  statusOf: (request: number) => number,
  { isFailing = false } = {},
) {
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo, answeringAtOnce(statusOf));
  await record(database, ...Array.from({ length: PARALLEL }, () => lowFillOf(fleet)));
  const { rows } = await database.owner.query<{ no: number }>('select no from events where organization_no = $1', [
    fleet.organizationNo,
  ]);
  await notifyEvents(
    database.worker,
    rows.map(({ no }) => no),
    { mails: false },
  );
  if (isFailing)
    await database.owner.query('update webhook_endpoints set failing_since = now() where no = $1', [endpoint.no]);
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: true });
  onTestFinished(() => sender.close());
  const capacity = { byEndpoint: new Map<number, number>(), perOtherEndpoint: PARALLEL, total: PARALLEL };
  const claimed = await claimWebhookDeliveries(database.worker, capacity);
  expect(claimed.length).toBe(PARALLEL);
  const options = { mails: false, secretsKeys: [SECRETS_KEY] };
  const outcomes = await Promise.all(
    claimed.map((delivery) => attemptWebhookDelivery(database.worker, sender, delivery, options).catch(String)),
  );
  return { outcomes, deliveries: await listWebhookDeliveries(database.operator, endpoint.no, 100) };
}

test('parallel answers 410 disable the endpoint, and every attempt is recorded', async ({ database }) => {
  const { outcomes, deliveries } = await attemptInParallel(database, () => 410);
  expect(outcomes.toSorted()).toEqual(['disabled', ...Array.from({ length: PARALLEL - 1 }, () => 'failed')]);
  expect(deliveries.map(({ last_answer }) => last_answer)).toEqual(Array.from({ length: PARALLEL }, () => '410'));
  expect(deliveries.filter(({ state }) => state === 'pending')).toEqual([]);
});

test('every attempt is recorded if a failing endpoint answers 410 and 204 at once', async ({ database }) => {
  const options = { isFailing: true };
  const { outcomes, deliveries } = await attemptInParallel(database, (n) => (n % 2 === 0 ? 410 : 204), options);
  expect(outcomes.filter((outcome) => outcome.includes('deadlock'))).toEqual([]);
  expect(deliveries.map(({ last_answer }) => String(last_answer)).toSorted()).toEqual([
    ...Array.from({ length: PARALLEL / 2 }, () => '204'),
    ...Array.from({ length: PARALLEL / 2 }, () => '410'),
  ]);
});
