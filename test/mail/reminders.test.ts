import { expect } from 'vitest';
import { enqueueReminders } from '../../src/mail/reminders.ts';
import { lowFillOf, record } from '../support/events.ts';
import { callApi } from '../support/http.ts';
import { givenMailedCustomer, givenMailWorker, soon, untilNoJobIsDue } from '../support/mails.ts';
import { test } from '../support/test.ts';

test('reminders are sent at the configured interval until the customer unsubscribes with one click', async ({
  database,
}) => {
  const { mailbox, apiUrl } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database);
  await record(database, lowFillOf(fleet));
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  await untilNoJobIsDue(database);
  const makeMailsOlder = (days: number) =>
    database.owner.query(
      `update event_mails set sent_at = sent_at - make_interval(days => $2) where recipient = 'customer' and recipient_no = $1`,
      [fleet.customer.no, days],
    );
  const mailsAfterReminders = async () => {
    await enqueueReminders(database.worker, 7);
    await untilNoJobIsDue(database);
    return mailbox.of(fleet.email).length;
  };
  expect(await mailsAfterReminders()).toBe(1);
  await database.owner.query(
    `insert into tank_states (tank_no, latest_fill_percentage, latest_at) values ($1, 11.5, '2026-03-09T06:00Z')`,
    [fleet.tank.no],
  );
  await makeMailsOlder(8);
  expect(await mailsAfterReminders()).toBe(2);
  expect(await mailsAfterReminders()).toBe(2);

  const reminder = mailbox.of(fleet.email)[1];
  expect(reminder?.subject).toBe('Reminder: Casa & patio is still low');
  expect(reminder?.text).toContain('The last reading was 11.5 %, at Mar 9, 2026, 6:00 AM UTC.');
  expect(reminder?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
  const link = /^<(.*)>$/.exec(reminder?.headers['list-unsubscribe'] ?? '')?.[1] ?? '';
  expect(link.startsWith(`${apiUrl}/links/unsubscribe.`)).toBe(true);
  expect(reminder?.text).toContain(link);

  // A mail scanner opens the link. The customer stays subscribed.
  const path = link.slice(apiUrl.length);
  const page = await callApi(apiUrl, path);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('<form method="post">')]);
  await makeMailsOlder(8);
  expect(await mailsAfterReminders()).toBe(3);
  // One-click unsubscribe of a mail program (RFC 8058), with both form types.
  const boundary = '----x';
  for (const [type, body] of [
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      `multipart/form-data; boundary=${boundary}`,
      `--${boundary}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${boundary}--\r\n`,
    ],
  ] as const) {
    const clicked = await callApi(apiUrl, path, { method: 'POST', headers: { 'content-type': type }, body });
    expect([clicked.status, clicked.text]).toEqual([200, expect.stringContaining('no more reminders')]);
  }
  await makeMailsOlder(8);
  expect(await mailsAfterReminders()).toBe(3);
});
