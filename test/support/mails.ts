import { expect } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { givenTanked, givenWorker, type Tanked } from './events.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';
import { type TestDatabase, untilTestEnds } from './test.ts';

export const LINK_SECRET = 'a secret of at least thirty-two characters';
export const soon = { interval: 20 };

/** The settings of a worker that sends mails to this server. */
export const mailSettings = (smtpUrl: string): Record<string, string> => ({
  SMTP_URL: smtpUrl,
  MAIL_FROM: 'Gas del Valle <alerts@gas.example>',
  PUBLIC_URL: 'https://tanks.example',
  LINK_SECRET,
});

/** Starts a mail server, a worker that sends mails to it, and the api that serves the links in the mails. */
export async function givenMailWorker(
  database: TestDatabase,
  more: Record<string, string> = {},
): Promise<{ mailbox: Mailbox; apiUrl: string }> {
  const mailbox = await startMailbox();
  const api = await untilTestEnds(startApi(database.urls.api, { LINK_SECRET }));
  await givenWorker(database, { ...mailSettings(mailbox.url), PUBLIC_URL: api.url, ...more });
  return { mailbox, apiUrl: api.url };
}

export type MailedCustomer = Tanked & { email: string };

let serial = 0;

/** An organization with one tank and one customer, whose address is verified unless set otherwise. */
export async function givenMailedCustomer(database: TestDatabase, customer = {}): Promise<MailedCustomer> {
  const email = `customer${serial++}@example.com`;
  const fleet = await givenTanked(
    database,
    { email, name: 'María <López>', is_verified: true, ...customer },
    { name: 'Casa & patio' },
  );
  return { ...fleet, email };
}

export async function setLanguage(database: TestDatabase, { organizationNo }: Tanked, language: string): Promise<void> {
  await database.owner.query('update organizations set language = $2 where no = $1', [organizationNo, language]);
}

/** Waits until no job and no mail is due. */
export async function untilNoJobIsDue(database: TestDatabase): Promise<void> {
  const dueJobs = async (): Promise<number> =>
    (
      await database.owner.query(
        `select from graphile_worker.jobs where run_at <= now()
         union all select from mail_jobs where due_at <= now() or claimed_by is not null`,
      )
    ).rows.length;
  await expect.poll(dueJobs, soon).toBe(0);
}

/** Makes the jobs due that wait for more events. */
export async function makeDeviceMailsDue(database: TestDatabase): Promise<number> {
  const { rowCount } = await database.owner.query(`update mail_jobs set due_at = now() where task = 'mail_devices'`);
  return rowCount ?? 0;
}
