import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { enqueueReminders } from '../../src/mail/reminders.ts';
import { reapplyRemovals } from '../../src/recovery/reapply_removals.ts';
import type { Removal } from '../../src/recovery/removal.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { lowFillOf, record } from '../support/events.ts';
import { organizationCodeOf } from '../support/fleet.ts';
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
  expect(reminder?.text).toContain('The last reading was 11.5%, on Mar 9, 2026, 6:00 AM UTC.');
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

  // The page of the link shows that reminders are off, and its button turns them on again.
  const code = await organizationCodeOf(database.owner, fleet.organizationNo);
  const offSince = async (): Promise<unknown> => {
    const args = ['customers', 'show', fleet.customer.id, '--organization', code, '--json'];
    const { stdout } = await runCommand(args, { OPERATOR_DATABASE_URL: database.urls.operator });
    return JSON.parse(stdout).reminders_off_since;
  };
  expect(await offSince()).toEqual(expect.any(String));
  const off = await callApi(apiUrl, path);
  expect(off.text).toContain(`<form method="post" action="${path}/resubscribe">`);
  expect(await offSince()).toEqual(expect.any(String));
  for (let n = 0; n < 2; n++) {
    const pressed = await callApi(apiUrl, `${path}/resubscribe`, { method: 'POST' });
    expect([pressed.status, pressed.text]).toEqual([200, expect.stringContaining('will remind you again')]);
  }
  expect(await offSince()).toBe(null);
  expect(await mailsAfterReminders()).toBe(4);
  expect((await callApi(apiUrl, path)).text).toContain('Unsubscribe from reminders');
  // After a restore, the earlier unsubscription is not applied again.
  const { rows: removals } = await database.owner.query<Removal>('select * from removals order by at, id');
  const reapplied = await transaction(database.operator, (tx) => reapplyRemovals(tx, removals));
  expect([reapplied.applied, await offSince()]).toEqual([0, null]);

  for (const token of ['unsubscribe.x.1.y', path.slice('/links/'.length).replace('unsubscribe', 'verify')])
    expect((await callApi(apiUrl, `/links/${token}/resubscribe`, { method: 'POST' })).status).toBe(404);
});
