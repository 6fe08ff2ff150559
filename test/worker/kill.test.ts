import { once } from 'node:events';
import { expect } from 'vitest';
import { answering, hanging, idsOf } from '../../engines/webhook_receiver.ts';
import { listWebhookDeliveries } from '../../src/webhooks/read_webhooks.ts';
import { givenEndpoint, givenTanked, givenWorker, lowFillOf, record, spawnWorker } from '../support/events.ts';
import { givenTank } from '../support/fleet.ts';
import { startMailbox } from '../support/mailbox.ts';
import { givenMailedCustomer, LINK_SECRET } from '../support/mails.ts';
import { within } from '../support/stopwatch.ts';
import { test } from '../support/test.ts';

test('a worker killed -9 during a delivery loses no event: another worker delivers it with the same id', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const other = await givenTank(database.operator, fleet.organizationNo, fleet.customer.no);
  const endpoint = await givenEndpoint(database, fleet.organizationNo, hanging);
  const victim = spawnWorker(database);
  const ids = await record(database, lowFillOf(fleet), lowFillOf({ ...fleet, tank: other }), lowFillOf(fleet));
  await expect.poll(() => endpoint.receiver.received.length).toBeGreaterThan(0);
  const inFlight = idsOf(endpoint.receiver.received)[0];
  victim.kill('SIGKILL');
  await once(victim, 'exit');

  endpoint.receiver.answer = answering(204);
  endpoint.receiver.received.length = 0;
  const survivor = spawnWorker(database);
  await within(30_000, () => expect.poll(() => idsOf(endpoint.receiver.received).toSorted()).toEqual(ids.toSorted()));
  expect(idsOf(endpoint.receiver.received)).toContain(inFlight);
  await expect
    .poll(async () => (await listWebhookDeliveries(database.operator, endpoint.no, 100)).map(({ state }) => state))
    .toEqual(['delivered', 'delivered', 'delivered']);

  survivor.kill('SIGTERM');
  expect(await once(survivor, 'exit')).toEqual([0, null]);
});

test('a worker that hangs in mails delivers webhooks within a second, and after it is killed -9 another sends the mails once', async ({
  database,
}) => {
  const mailbox = await startMailbox();
  mailbox.isHanging = true;
  const settings = {
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'alerts@gas.example',
    PUBLIC_URL: 'https://tanks.example',
    LINK_SECRET,
  };
  const fleets = await Promise.all(Array.from({ length: 6 }, () => givenMailedCustomer(database)));
  const [first = await givenMailedCustomer(database)] = fleets;
  const endpoint = await givenEndpoint(database, first.organizationNo);
  const victim = spawnWorker(database, settings);
  await record(database, ...fleets.map((fleet) => lowFillOf(fleet)));
  await expect.poll(() => mailbox.hung).toBe(4);
  const [id] = await record(
    database,
    lowFillOf(first, { type: 'tank.device_reporting', data: { silent_since: '2026-03-01T06:00:00.000Z' } }),
  );
  await within(1_000, () =>
    expect
      .poll(() => endpoint.receiver.received.map(({ headers }) => headers['webhook-id']), { interval: 10 })
      .toContain(id),
  );
  victim.kill('SIGKILL');
  await once(victim, 'exit');

  mailbox.isHanging = false;
  await givenWorker(database, settings);
  await expect.poll(() => mailbox.mails.length).toBe(6);
  for (const fleet of fleets) expect(mailbox.of(fleet.email).length).toBe(1);
});
