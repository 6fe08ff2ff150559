import { expect } from 'vitest';
import { hanging } from '../../engines/webhook_receiver.ts';
import { givenEndpoint, givenTanked, givenWorker, lowFillOf, record } from '../support/events.ts';
import { startMailbox } from '../support/mailbox.ts';
import { givenMailedCustomer, mailSettings, soon } from '../support/mails.ts';
import { test } from '../support/test.ts';

test('MAIL_CONCURRENCY is the number of mails that a worker sends at a time', async ({ database }) => {
  const mailbox = await startMailbox();
  mailbox.isHanging = true;
  const fleets = await Promise.all(Array.from({ length: 12 }, () => givenMailedCustomer(database)));
  await givenWorker(database, { ...mailSettings(mailbox.url), MAIL_CONCURRENCY: '9' });
  await record(database, ...fleets.map((fleet) => lowFillOf(fleet)));
  await expect.poll(() => mailbox.hung, soon).toBe(9);
});

test('an endpoint that works gets eight deliveries of a worker at a time', async ({ database }) => {
  const fleet = await givenTanked(database);
  const { receiver } = await givenEndpoint(database, fleet.organizationNo);
  await givenWorker(database);
  await record(database, lowFillOf(fleet));
  await expect.poll(() => receiver.received.length, soon).toBe(1);
  // The worker may send eight at a time only after a recorded success. The second delivery follows that record.
  await record(database, lowFillOf(fleet));
  await expect.poll(() => receiver.received.length, soon).toBe(2);
  receiver.answer = hanging;
  await record(database, ...Array.from({ length: 20 }, () => lowFillOf(fleet)));
  await expect.poll(() => receiver.received.length, soon).toBe(2 + 8);
  receiver.release();
});
