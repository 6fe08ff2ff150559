import { expect } from 'vitest';
import { enqueueReminders } from '../../src/mail/reminders.ts';
import { recordExpiredHandling } from '../../src/worker/handling_expiry_loop.ts';
import { givenEndpoint, lowFillOf, record } from '../support/events.ts';
import { givenContact } from '../support/fleet.ts';
import { givenMailedCustomer, givenMailWorker, type MailedCustomer, soon, untilNoJobIsDue } from '../support/mails.ts';
import { type TestDatabase, test } from '../support/test.ts';

const makeLow = ({ owner }: TestDatabase, { tank }: MailedCustomer) =>
  owner.query('update fleet_tanks set is_low = true where tank_no = $1', [tank.no]);

const acknowledgeLow = ({ owner }: TestDatabase, { organizationNo, tank }: MailedCustomer) =>
  owner.query(
    `insert into acknowledgements (id, organization_no, tank_no, condition, until)
     values (gen_random_uuid(), $1, $2, 'low', now() + interval '1 hour')`,
    [organizationNo, tank.no],
  );

const mute = ({ owner }: TestDatabase, { organizationNo, tank }: MailedCustomer) =>
  owner.query(
    `insert into mutes (id, organization_no, tank_no, until) values (gen_random_uuid(), $1, $2, now() + interval '1 hour')`,
    [organizationNo, tank.no],
  );

const expireHandling = ({ owner }: TestDatabase, { tank }: MailedCustomer) =>
  Promise.all([
    owner.query('update acknowledgements set until = now() where tank_no = $1', [tank.no]),
    owner.query('update mutes set until = now() where tank_no = $1', [tank.no]),
  ]);

async function givenDispatcher(database: TestDatabase, { organizationNo }: MailedCustomer): Promise<string> {
  const email = `dispatch${organizationNo}@gas.example`;
  await givenContact(database.operator, organizationNo, {
    email,
    types: ['tank.low_fill', 'tank.rapid_loss', 'tank.refilled'],
  });
  return email;
}

test('contacts get no mail about an acknowledged tank until the acknowledgement expires, and its owner gets one', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database);
  const email = await givenDispatcher(database, fleet);
  await makeLow(database, fleet);
  await acknowledgeLow(database, fleet);
  await record(database, lowFillOf(fleet));
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  await untilNoJobIsDue(database);
  expect(mailbox.of(email)).toEqual([]);

  // The owner gets no reminder while the problem is acknowledged.
  await database.owner.query(
    `update event_mails set sent_at = sent_at - interval '8 days' where recipient = 'customer' and recipient_no = $1`,
    [fleet.customer.no],
  );
  await enqueueReminders(database.worker, 7);
  await untilNoJobIsDue(database);
  expect(mailbox.of(fleet.email).length).toBe(1);

  await expireHandling(database, fleet);
  await recordExpiredHandling(database.worker);
  await expect
    .poll(() => mailbox.of(email).map(({ subject }) => subject), soon)
    .toEqual([expect.stringMatching(/^Still open: Casa & patio/)]);
  expect(mailbox.of(email)[0]?.text).toContain('The problem is still open.');
  await enqueueReminders(database.worker, 7);
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(2);
  await untilNoJobIsDue(database);
  expect(mailbox.of(email).length).toBe(1);
});

test('a muted tank causes webhooks and only mails about losses, and a problem that is open after the mute is mailed', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database);
  const email = await givenDispatcher(database, fleet);
  const { receiver } = await givenEndpoint(database, fleet.organizationNo);
  await mute(database, fleet);
  await makeLow(database, fleet);
  await record(database, lowFillOf(fleet));
  await expect.poll(() => receiver.received.length, soon).toBe(1);
  expect(JSON.parse(receiver.received[0]?.body ?? '{}').data.muted_until).toMatch(/Z$/);
  await untilNoJobIsDue(database);
  expect([...mailbox.of(email), ...mailbox.of(fleet.email)]).toEqual([]);
  const data = { from_percentage: 60, to_percentage: 7, hours: 5, lost_volume: 100, volume_unit: 'liters' as const };
  await record(database, lowFillOf(fleet, { type: 'tank.rapid_loss', data }));
  await expect.poll(() => [mailbox.of(email).length, mailbox.of(fleet.email).length], soon).toEqual([1, 1]);

  await expireHandling(database, fleet);
  await recordExpiredHandling(database.worker);
  await expect.poll(() => [mailbox.of(email).length, mailbox.of(fleet.email).length], soon).toEqual([2, 2]);
  expect(mailbox.of(email)[1]?.subject).toMatch(/^Still open: /);
});
