import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, onTestFinished } from 'vitest';
import { hanging, startReceiver } from '../../engines/webhook_receiver.ts';
import { transaction } from '../../src/db/pool.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { WebhookSender } from '../../src/webhooks/sender.ts';
import { workerMetrics } from '../../src/worker/metrics.ts';
import { notifyEvents } from '../../src/worker/notify_events.ts';
import { WebhookDispatcher } from '../../src/worker/webhook_dispatcher.ts';
import { givenEndpoint, givenTanked, lowFillOf, record, SECRETS_KEY } from '../support/events.ts';
import { within } from '../support/stopwatch.ts';
import { type TestDatabase, test, untilTestEnds } from '../support/test.ts';

const notifyAll = async (database: TestDatabase): Promise<void> => {
  const { rows } = await database.owner.query<{ no: number }>('select no from events');
  await notifyEvents(
    database.worker,
    rows.map((row) => row.no),
    { mails: false },
  );
};

test('hanging endpoints use at most 75 % of the concurrency, and a healthy endpoint uses the rest', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const hung = await untilTestEnds(startReceiver(hanging));
  const healthy = await givenEndpoint(database, fleet.organizationNo);
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: true });
  const logger = pino({ level: 'silent' });
  const dispatcher = new WebhookDispatcher({
    pool: database.worker,
    sender,
    mails: false,
    secretsKeys: [SECRETS_KEY],
    concurrency: 8,
    endpointConcurrency: 8,
    logger,
    metrics: workerMetrics(new Registry()),
  });
  onTestFinished(async () => {
    hung.release();
    await dispatcher.stop();
    await sender.close();
  });
  await record(database, lowFillOf(fleet));
  await notifyAll(database);
  dispatcher.start();
  await expect.poll(() => healthy.receiver.received.length, { interval: 10 }).toBe(1);

  await transaction(database.operator, async (tx) => {
    for (let n = 0; n < 20; n++) {
      await createEndpoint(tx, fleet.organizationNo, { url: `${hung.url}/${n}`, types: [] }, SECRETS_KEY);
    }
  });
  for (let round = 2; round <= 6; round++) {
    await record(database, lowFillOf(fleet), lowFillOf(fleet));
    await notifyAll(database);
    dispatcher.startDueDeliveries();
    const sent = (round - 1) * 2 + 1;
    await within(1_000, () => expect.poll(() => healthy.receiver.received.length, { interval: 10 }).toBe(sent));
  }
  expect(hung.received.length).toBe(6); // 75 % of 8
});
