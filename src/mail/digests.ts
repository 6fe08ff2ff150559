import type { Pool } from 'pg';
import { type Db, transaction } from '../db/pool.ts';
import { DAY_MS, MINUTE_MS } from '../values/time.ts';
import { zonedMinute } from '../values/zoned_time.ts';
import { isWorthSending, readDigest } from './digest_content.ts';
import { digestMail } from './digest_mail.ts';
import type { MailOutcome } from './event_mails.ts';
import { enqueueMails } from './mail_jobs.ts';
import { type MailOrganization, organizationForContactSql } from './mail_organization.ts';
import type { Mailer } from './mailer.ts';

/**
 * An event has the time when its transaction began, and is visible when the transaction has ended. A digest leaves the
 * last minute to the next digest, so that no event is missed.
 */
const COMMIT_DELAY_MS = MINUTE_MS;
/** A digest after a long outage begins with the events of the last week. */
const MAX_PERIOD_MS = 7 * DAY_MS;
/** The records of sent digests are kept for this many days. */
const KEPT_DAYS = 14;

interface DigestContact {
  contact_no: number;
  digest_at: string;
  digest_since: string;
  time_zone: string;
  /** The day of the latest digest, such as `2026-11-15`. */
  latest_day: string | null;
}

/**
 * Adds a job for each contact whose digest of today is due. Node computes the local times of the zones, because Node has
 * checked the names of the zones, and PostgreSQL may know other names. PostgreSQL finds the contacts, so that this
 * process reads none whose time has not come or whose digest was sent.
 */
export async function enqueueDigests(db: Db, nowMs: number): Promise<void> {
  const { rows: zones } = await db.query<{ time_zone: string }>('select distinct time_zone from organizations');
  const clocks = zones.map(({ time_zone }) => zonedMinute(nowMs, time_zone));
  const { rows } = await db.query<Omit<DigestContact, 'latest_day'>>(
    `select c.no as contact_no, to_char(c.digest_at, 'HH24:MI') as digest_at, c.digest_since, o.time_zone
     from unnest($1::text[], $2::timestamp[]) as zone (time_zone, now)
     join organizations o on o.time_zone = zone.time_zone
     join contacts c on c.organization_no = o.no and c.digest_at <= zone.now::time and c.deleted_at is null
     where not exists (select from digests d where d.contact_no = c.no and d.day >= zone.now::date)
     order by c.no`,
    [zones.map(({ time_zone }) => time_zone), clocks],
  );
  const due = rows.flatMap((contact) => {
    const day = dueDay({ ...contact, latest_day: null }, nowMs);
    return day === null ? [] : [{ contact_no: contact.contact_no, day }];
  });
  if (due.length === 0) return;
  // The task runs every minute. An existing job stays as it is, with its attempts and its delay.
  await enqueueMails(
    db,
    'mail_digest',
    `select c.organization_no, format('digest:%s:%s', c.no, due.day) as key,
            jsonb_build_object('contact_no', c.no, 'day', due.day) as payload, now() as due_at
     from unnest($1::int[], $2::text[]) as due (contact_no, day) join contacts c on c.no = due.contact_no`,
    [due.map(({ contact_no }) => contact_no), due.map(({ day }) => day)],
    'keep_job',
  );
}

/**
 * Today in the contact's time zone if the time of the digest has passed and no digest of today was sent, otherwise null. A time that a
 * change of the clock skips counts as passed after the change. A time that occurs twice counts once, because the day is the same.
 */
export function dueDay(
  { digest_at, digest_since, time_zone, latest_day }: Omit<DigestContact, 'contact_no'>,
  nowMs: number,
): string | null {
  const now = zonedMinute(nowMs, time_zone);
  const day = now.slice(0, 10);
  const scheduled = `${day} ${digest_at}`;
  const isChosenInTime = zonedMinute(Date.parse(digest_since), time_zone) <= scheduled;
  return now >= scheduled && isChosenInTime && (latest_day === null || latest_day < day) ? day : null;
}

/**
 * Sends the digest of a day to a contact, once. The transaction is open while the mail is sent: another worker with the
 * same job waits for the key, and then finds that the digest was sent, or sends it if this worker has died. Only a worker
 * that dies between the server's acceptance and the commit causes a second mail, which has the same Message-ID.
 */
export async function mailDigest(pool: Pool, mailer: Mailer, contactNo: number, day: string): Promise<MailOutcome> {
  const { rows } = await pool.query<
    Omit<DigestContact, 'contact_no'> & {
      id: string;
      email: string;
      has_console: boolean;
      organization: MailOrganization;
      covered_until: string | null;
      is_done: boolean;
    }
  >(
    `select c.id, c.email, to_char(c.digest_at, 'HH24:MI') as digest_at, c.digest_since, o.time_zone,
            (select max(d.day)::text from digests d where d.contact_no = c.no) as latest_day, c.has_console, ${organizationForContactSql('c')} as organization,
            (select max(d.covered_until) from digests d where d.contact_no = c.no) as covered_until,
            exists (select from digests d where d.contact_no = c.no and d.day >= $2::date) as is_done
     from contacts c join organizations o on o.no = c.organization_no
     where c.no = $1 and c.deleted_at is null and c.digest_at is not null`,
    [contactNo, day],
  );
  const [contact] = rows;
  if (contact === undefined || contact.is_done) return 'skipped';
  const { id, email, organization, covered_until } = contact;
  const nowMs = Date.now();
  // The digest of an earlier day is skipped, because the digest of today has the same content. It was late because
  // mails were held or the mail server was unavailable.
  const today = dueDay(contact, nowMs);
  if (today !== null && day < today) return 'skipped';
  const fromMs = covered_until === null ? nowMs - DAY_MS : Math.max(Date.parse(covered_until), nowMs - MAX_PERIOD_MS);
  const period = { fromMs, untilMs: nowMs - COMMIT_DELAY_MS };
  const digest = await readDigest(pool, organization.no, period, nowMs);
  return transaction(pool, async (tx) => {
    const isWorth = isWorthSending(digest);
    const claimed = await tx.query(
      `insert into digests (contact_no, day, outcome, covered_until) values ($1, $2, $3, $4) on conflict do nothing`,
      [contactNo, day, isWorth ? 'sent' : 'empty', new Date(period.untilMs).toISOString()],
    );
    if (claimed.rowCount === 0) return 'skipped';
    await tx.query(`delete from digests where contact_no = $1 and day < $2::date - ${KEPT_DAYS}`, [contactNo, day]);
    if (!isWorth) return 'skipped';
    const content = digestMail(organization, digest, nowMs, mailer.tankUrl(contact), mailer.consoleUrlOf(contact));
    const messageKey = `${id}.digest.${day}`;
    if (await mailer.send({ to: email, replyTo: organization.reply_to, content, messageKey })) return 'sent';
    await tx.query(`update digests set outcome = 'rejected' where contact_no = $1 and day = $2`, [contactNo, day]);
    return 'rejected';
  });
}
