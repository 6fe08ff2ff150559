import type { Db } from '../db/pool.ts';
import { findTankStatus } from '../status/refill_list.ts';
import type { TankStatus } from '../status/tank_status.ts';
import { levelBar, orderAdvice } from './event_mail_content.ts';
import { IS_RECOVERED_SQL, type MailOutcome, PREVIOUS_RECOVERY_SQL, recordMail } from './event_mails.ts';
import { IS_HANDLED_SQL } from './handled_events.ts';
import type { Block, MailContent } from './layout.ts';
import { enqueueMails } from './mail_jobs.ts';
import { frameOf, MAIL_ORGANIZATION_SQL, type MailOrganization, writerFor } from './mail_organization.ts';
import type { Mailer } from './mailer.ts';
import { forecastFacts, levelFacts, noTankUrl, type TankUrl, tankLink } from './tank_facts.ts';

/** Reminders of an alert are sent for this many days. */
const REMINDER_PERIOD_DAYS = 90;

interface Reminder {
  event_no: number;
  event_id: string;
  tank_no: number;
  customer_no: number;
  customer_id: string;
  email: string;
  organization: MailOrganization;
  reminders: number;
}

/**
 * Reads the reminders that are due: the last mail about the alert was sent $1 days ago, the tank is still low, the
 * customer has not unsubscribed, and the tank is not handled. With $2, reads only the reminder of this event.
 */
async function readDueReminders(db: Db, reminderDays: number, eventNo: number | null): Promise<Reminder[]> {
  const { rows } = await db.query<Reminder>(
    `select e.no as event_no, e.id as event_id, e.tank_no, c.no as customer_no, c.id as customer_id, c.email,
            ${MAIL_ORGANIZATION_SQL} as organization, mailed.reminders
     from event_mails m
     join events e on e.no = m.event_no and e.type = 'tank.low_fill'
     join tanks t on t.no = e.tank_no and t.deleted_at is null and t.owner_no = m.recipient_no
     join customers c on c.no = t.owner_no and c.is_verified
     join organizations o on o.no = c.organization_no and o.deleted_at is null
     cross join lateral (
       select max(sent_at) as last_at, count(*) filter (where kind = 'reminder') as reminders
       from event_mails again
       where again.event_no = m.event_no and again.recipient = 'customer' and again.recipient_no = m.recipient_no
     ) as mailed
     where m.kind = 'alert' and m.recipient = 'customer'
       and m.sent_at > now() - make_interval(days => ${REMINDER_PERIOD_DAYS})
       and m.sent_at <= now() - make_interval(days => $1) and mailed.last_at <= now() - make_interval(days => $1)
       and ($2::bigint is null or e.no = $2)
       and not ${IS_RECOVERED_SQL}
       -- The alert is still open. Late readings may have replaced the low-fill event that was mailed.
       and exists (
         select from events low
         where low.tank_no = e.tank_no and low.type = 'tank.low_fill' and low.retracted_at is null
           and low.occurred_at > ${PREVIOUS_RECOVERY_SQL}
       )
       and not exists (select from reminder_unsubscribes u where u.customer_no = c.no)
       and not ${IS_HANDLED_SQL}`,
    [reminderDays, eventNo],
  );
  return rows;
}

/** Adds a job for each reminder that is due. */
export async function enqueueReminders(db: Db, reminderDays: number): Promise<void> {
  const due = await readDueReminders(db, reminderDays, null);
  if (due.length === 0) return;
  await enqueueMails(
    db,
    'mail_reminder',
    `select organization_no, 'reminder:' || no as key, jsonb_build_object('event_no', no) as payload, now() as due_at
     from events where no = any ($1)`,
    [due.map((reminder) => reminder.event_no)],
  );
}

export async function mailReminder(
  db: Db,
  mailer: Mailer,
  reminderDays: number,
  eventNo: number,
): Promise<MailOutcome> {
  const [reminder] = await readDueReminders(db, reminderDays, eventNo);
  const status = reminder && (await findTankStatus(db, reminder.organization.no, reminder.tank_no, Date.now()));
  if (reminder === undefined || status === undefined) return 'skipped';
  const { organization, customer_id, email } = reminder;
  const unsubscribeUrl = await mailer.linkFor(db, 'unsubscribe', { id: customer_id, email, organization });
  const isSent = await mailer.send({
    to: email,
    replyTo: organization.reply_to,
    content: reminderMail(organization, status, unsubscribeUrl, mailer.tankUrl({ has_console: true })),
    messageKey: `${reminder.event_id}.reminder.${reminder.reminders + 1}.${reminder.customer_no}`,
    unsubscribeUrl,
  });
  if (!isSent) return 'rejected';
  await recordMail(db, eventNo, 'customer', reminder.customer_no, 'reminder');
  return 'sent';
}

export function reminderMail(
  organization: MailOrganization,
  status: TankStatus,
  unsubscribeUrl: string,
  tankUrl: TankUrl = noTankUrl,
  nowMs: number = Date.now(),
): MailContent {
  const { tank, owner, reading } = status;
  const writer = writerFor(organization, tank);
  const { texts } = writer;
  const frame = frameOf(organization, writer);
  // The reading of a tank without a sensor is a dip, and the level has fallen since.
  const levelNow = (status.state?.dips ? status.forecast?.fillPercentage : undefined) ?? reading?.fill_percentage ?? 0;
  const known: { bar: Block[]; facts: Block[] } =
    reading === null
      ? { bar: [], facts: [] }
      : {
          bar: [
            levelBar(status, levelNow, 'warning'),
            { kind: 'paragraph', text: texts.lastReading(reading.fill_percentage, reading.created_at) },
          ],
          facts: [
            {
              kind: 'facts',
              facts: [
                ...levelFacts(status, levelNow, writer, status.reason !== 'silent'),
                ...forecastFacts(status, writer),
              ],
            },
          ],
        };
  return {
    ...frame,
    subject: texts.stillLowSubject(tank.name),
    heading: texts.stillLowSubject(tank.name),
    tone: 'warning',
    blocks: [
      { kind: 'paragraph', text: texts.greeting(owner.name) },
      { kind: 'paragraph', text: texts.stillLow(tank.name, tank.min_fill_alert_percentage) },
      ...known.bar,
      ...orderAdvice(organization, status, writer, nowMs),
      ...known.facts,
      ...tankLink(status, tankUrl, writer),
      { kind: 'link', label: texts.unsubscribe, url: unsubscribeUrl },
    ],
    footer: [texts.whyReminders, ...frame.footer],
  };
}
