import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { startMailServer } from '../../engines/mail_server.ts';
import { answering, hanging, idsOf } from '../../engines/webhook_receiver.ts';
import { transaction } from '../../src/db/pool.ts';
import { enqueueMails } from '../../src/mail/mail_jobs.ts';
import { attemptWebhookDelivery, claimWebhookDeliveries, LEASE_SECONDS } from '../../src/webhooks/deliveries.ts';
import { listWebhookDeliveries } from '../../src/webhooks/read_webhooks.ts';
import { WebhookSender } from '../../src/webhooks/sender.ts';
import {
  givenEndpoint,
  givenTanked,
  givenWorker,
  lowFillOf,
  record,
  SECRETS_KEY,
  spawnWorker,
} from '../support/events.ts';
import { givenTank } from '../support/fleet.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { startMailbox } from '../support/mailbox.ts';
import { givenMailedCustomer, LINK_SECRET, mailSettings, soon, untilNoJobIsDue } from '../support/mails.ts';
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

test('a worker that was suspended while it prepared a mail does not send it if another worker has sent it', async ({
  database,
}) => {
  const mailbox = await startMailbox();
  const [fleet, later] = [await givenMailedCustomer(database), await givenMailedCustomer(database)];
  const [id] = await record(database, lowFillOf(fleet, { notify: false }));
  const victim = spawnWorker(database, mailSettings(mailbox.url));
  await transaction(database.owner, async (tx) => {
    await tx.query('lock table event_mails in access exclusive mode');
    await enqueueMails(
      database.worker,
      'mail_event',
      `select e.organization_no, 'suspended' as key, now() as due_at,
              jsonb_build_object('event_no', e.no, 'recipient', 'customer', 'recipient_no', $2::int) as payload
       from events e where e.id = $1`,
      [id, fleet.customer.no],
    );
    await expectLockWaits(database.owner, 1);
    victim.kill('SIGSTOP');
  });
  await database.owner.query('update mail_jobs set due_at = now()'); // as after the time of a lease
  const other = await givenWorker(database, mailSettings(mailbox.url));
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  await untilNoJobIsDue(database);
  await other.close();

  victim.kill('SIGCONT');
  await record(database, lowFillOf(later));
  await expect.poll(() => mailbox.of(later.email).length, soon).toBe(1);
  expect(mailbox.of(fleet.email).length).toBe(1);
});

test('a worker whose lease has ended while it sends a mail does not begin to send it a second time', async ({
  database,
}) => {
  const recipients: (() => void)[] = [];
  let mails = 0;
  const server = await startMailServer({
    onMail: () => mails++,
    onRecipient: (answer) => recipients.push(() => answer()),
  });
  onTestFinished(() => server.stop());
  const [fleet, next] = [await givenMailedCustomer(database), await givenMailedCustomer(database)];
  await givenWorker(database, mailSettings(server.url));
  await record(database, lowFillOf(fleet));
  await expect.poll(() => recipients.length, soon).toBe(1);
  // As if it had been suspended. It may extend the lease once more before it looks for due jobs, so the lease is ended until it claims.
  const endLease = 'update mail_jobs set due_at = now() where tries = 1';
  await expect.poll(async () => (await database.owner.query(endLease)).rowCount, soon).toBe(0);
  await record(database, lowFillOf(next));
  await expect.poll(async () => (await database.owner.query('select from mail_jobs')).rowCount, soon).toBe(2);
  await expect.poll(() => recipients.length, soon).toBe(2);
  for (const accept of recipients) accept();
  await untilNoJobIsDue(database);
  expect([recipients.length, mails]).toEqual([2, 2]);
});

test('a worker that was suspended longer than its lease does not post a webhook that it had claimed', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  const [id] = await record(database, lowFillOf(fleet, { notify: false }));
  await database.owner.query(
    'insert into webhook_deliveries (endpoint_no, event_no) select $1, no from events where id = $2',
    [endpoint.no, id],
  );
  const capacity = { byEndpoint: new Map<number, number>(), perOtherEndpoint: 1, total: 1 };
  const [delivery] = await claimWebhookDeliveries(database.worker, capacity);
  if (delivery === undefined) throw new Error('no delivery is due');
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: true });
  onTestFinished(() => sender.close());
  const attempt = (claimedMs: number) =>
    attemptWebhookDelivery(
      database.worker,
      sender,
      { ...delivery, claimedMs },
      { mails: false, secretsKeys: [SECRETS_KEY] },
    );
  await expect(attempt(delivery.claimedMs - LEASE_SECONDS * 1_000)).rejects.toThrow(
    'the lease of the delivery has ended',
  );
  expect(endpoint.receiver.received.length).toBe(0);
  expect(await attempt(delivery.claimedMs)).toBe('delivered');
});
