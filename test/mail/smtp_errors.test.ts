import { expect, onTestFinished } from 'vitest';
import { startMailServer } from '../../engines/mail_server.ts';
import { answering } from '../../engines/webhook_receiver.ts';
import { givenEndpoint, givenWorker, lowFillOf, record } from '../support/events.ts';
import { givenContact } from '../support/fleet.ts';
import { givenMailedCustomer, givenMailWorker, mailSettings, soon, untilNoJobIsDue } from '../support/mails.ts';
import { test } from '../support/test.ts';

test('a mail is sent again after a temporary SMTP error, such as that about a disabled webhook, and not after a permanent one', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database);
  await givenEndpoint(database, fleet.organizationNo, answering(410));
  await givenContact(database.operator, fleet.organizationNo, {
    email: 'dispatch@gas.example',
    types: ['tank.refilled'],
  });
  mailbox.refusal = { status: 451, message: `<${fleet.email}> try again later` };
  await record(database, lowFillOf(fleet));
  const jobErrors = async () =>
    (await database.owner.query('select last_error from mail_jobs where last_error is not null order by no')).rows.map(
      (row) => row.last_error,
    );
  await expect.poll(jobErrors, soon).toEqual([expect.stringContaining('451'), expect.stringContaining('451')]);
  expect((await jobErrors()).join()).not.toContain('@');

  mailbox.refusal = undefined;
  await database.owner.query('update mail_jobs set due_at = now()');
  await expect.poll(() => mailbox.of('dispatch@gas.example')[0]?.subject, soon).toBe('A webhook was disabled');
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  expect(mailbox.of('dispatch@gas.example')[0]?.text).toMatch(/The webhook to 127\.0\.0\.1:\d+ was disabled/);

  const other = await givenMailedCustomer(database);
  mailbox.refusal = { status: 550, message: `<${other.email}> unknown` };
  await record(database, lowFillOf(other));
  await untilNoJobIsDue(database);
  expect(await jobErrors()).toEqual([]);
  expect(mailbox.of(other.email)).toEqual([]);
});

test('a contact whose address is refused delays no mail to another contact, who gets one', async ({ database }) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database, { is_verified: false });
  await givenEndpoint(database, fleet.organizationNo, answering(410));
  for (const email of ['first@gas.example', 'second@gas.example', 'third@gas.example'])
    await givenContact(database.operator, fleet.organizationNo, { email, types: ['tank.refilled'] });
  const refused = 'second@gas.example';
  mailbox.refusal = { status: 451, message: 'try again later', of: refused };
  await record(database, lowFillOf(fleet));
  const tries = async () =>
    (await database.owner.query('select tries from mail_jobs where last_error is not null')).rows.map(
      (row) => row.tries,
    );
  const counts = () => ['first@gas.example', refused, 'third@gas.example'].map((one) => mailbox.of(one).length);
  await expect.poll(tries, soon).toEqual([1]);
  await database.owner.query('update mail_jobs set due_at = now()');
  await expect.poll(tries, soon).toEqual([2]);
  await untilNoJobIsDue(database);
  expect(counts()).toEqual([1, 0, 1]);
  mailbox.refusal = undefined;
  await database.owner.query('update mail_jobs set due_at = now()');
  await expect.poll(counts, soon).toEqual([1, 1, 1]);
});

test('a mail waits while the server refuses its sender permanently, which no recipient causes', async ({
  database,
}) => {
  const mails: string[][] = [];
  let refuses = true;
  const server = await startMailServer({ onMail: ({ to }) => mails.push(to), refusesSenders: () => refuses });
  onTestFinished(() => server.stop());
  await givenWorker(database, mailSettings(server.url));
  const fleet = await givenMailedCustomer(database);
  await record(database, lowFillOf(fleet));
  const errors = async () => (await database.owner.query('select last_error from mail_jobs')).rows;
  await expect.poll(errors, soon).toEqual([{ last_error: expect.stringContaining('550') }]);
  refuses = false;
  await database.owner.query('update mail_jobs set due_at = now()');
  await expect.poll(() => mails, soon).toEqual([[fleet.email]]);
});

test('if TLS is required, a mail server without STARTTLS gets no mail', async ({ database }) => {
  const { mailbox } = await givenMailWorker(database, { SMTP_REQUIRE_TLS: 'true' });
  const fleet = await givenMailedCustomer(database);
  await record(database, lowFillOf(fleet));
  const jobErrors = async () =>
    (await database.owner.query('select last_error from mail_jobs where last_error is not null')).rows;
  await expect.poll(jobErrors, soon).toEqual([{ last_error: expect.stringContaining('did not accept a mail (ETLS') }]);
  expect(mailbox.mails).toEqual([]);
});
