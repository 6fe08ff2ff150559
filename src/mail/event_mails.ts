import type { Db } from '../db/pool.ts';
import type { EventType } from '../evaluation/pure/alerts/event_types.ts';
import { findTankStatus } from '../status/refill_list.ts';
import { contactMail, customerMail, type MailedEvent } from './event_mail_content.ts';
import { IS_HANDLED_SQL, IS_MUTED_SQL } from './handled_events.ts';
import { enqueueMails } from './mail_jobs.ts';
import { organizationForContactSql } from './mail_organization.ts';
import type { Mailer } from './mailer.ts';

export type Recipient = 'customer' | 'contact';
/**
 * `skipped` means that the mail is no longer needed. `rejected` means that the mail server rejected the recipient
 * permanently.
 */
export type MailOutcome = 'sent' | 'skipped' | 'rejected';

/**
 * SQL expression: the time of the last recovery before the low-fill event `e`. All low-fill events after this time
 * belong to the same alert, because late readings can retract one of them and add another. An alert is mailed once.
 */
export const PREVIOUS_RECOVERY_SQL = previousEnd('tank.fill_recovered');

function previousEnd(ends: EventType): string {
  return `coalesce((
  select max(r.occurred_at) from events r
  where r.tank_no = e.tank_no and r.type = '${ends}' and r.retracted_at is null and r.occurred_at < e.occurred_at
), '-infinity')`;
}

/** SQL condition: the tank of the event `e` has a later event of this type. */
function hasLaterEventSql(type: EventType): string {
  return `exists (
  select from events r
  where r.tank_no = e.tank_no and r.type = '${type}' and r.retracted_at is null and r.occurred_at > e.occurred_at
)`;
}

/** SQL condition: the alert of the low-fill event `e` has ended. */
export const IS_RECOVERED_SQL = hasLaterEventSql('tank.fill_recovered');

/** SQL condition: the tank of the event `e` has an event of this type at the same time. A refill often ends an alert. */
export const hasSimultaneousEventSql = (type: EventType): string => `exists (
  select from events other
  where other.tank_no = e.tank_no and other.type = '${type}' and other.occurred_at = e.occurred_at
    and other.retracted_at is null
)`;

/** The types of events that begin and end a condition. Mails about devices have their own rules. */
const CONDITIONS = [
  { begins: 'tank.low_fill', ends: 'tank.fill_recovered' },
  { begins: 'tank.gauge_unreliable', ends: 'tank.gauge_reliable' },
] as const satisfies readonly { begins: EventType; ends: EventType }[];

/**
 * SQL condition: the mail about the event `e` to the recipient $2 and $3 is no longer useful, because it was not sent
 * in time: the mail server was unavailable, or mails were held. Mails about a loss are always sent.
 */
const IS_OUTDATED_SQL = `(
  -- Good news older than a day is not mailed. Digests and the console show it.
  e.type in ('tank.refilled', 'tank.fill_recovered', 'tank.gauge_reliable') and e.recorded_at < now() - interval '1 day'
  or e.type = 'tank.order_due' and ${hasLaterEventSql('tank.refilled')}
  ${CONDITIONS.map(
    ({ begins, ends }) => `or e.type = '${begins}' and ${hasLaterEventSql(ends)}
    -- The end of a condition is not mailed if the recipient wants mails about its beginning, but got none about it.
    or e.type = '${ends}' and '${begins}' = any (contact.types) and exists (
      select from events b
      where b.tank_no = e.tank_no and b.type = '${begins}' and b.retracted_at is null and b.notify
        and b.occurred_at < e.occurred_at and b.occurred_at > ${previousEnd(ends)}
    ) and not exists (
      select from events b join event_mails m on m.event_no = b.no
      where b.tank_no = e.tank_no and b.type = '${begins}' and b.occurred_at < e.occurred_at
        and b.occurred_at > ${previousEnd(ends)} and m.recipient = $2 and m.recipient_no = $3
    )`,
  ).join('\n  ')}
)`;

type WithoutStatus<Event> = Event extends MailedEvent ? Omit<Event, 'status'> : never;
/** An event with the fields that are read for a mail. */
export type StoredEvent = WithoutStatus<MailedEvent> & {
  id: string;
  tank_no: number;
  email: string;
  /** True if the recipient can sign in to the console. */
  has_console: boolean;
};

/**
 * Sends a mail about one event, unless the event was retracted, its alert has ended or was mailed already, it is
 * handled (then only the owner gets the mail), or the tank is muted.
 */
export async function mailEvent(
  db: Db,
  mailer: Mailer,
  eventNo: number,
  recipient: Recipient,
  recipientNo: number,
): Promise<MailOutcome> {
  const { rows } = await db.query<StoredEvent>(
    `select e.id, e.type, e.occurred_at, e.data, e.tank_no, ${organizationForContactSql('contact')} as organization,
            coalesce(contact.email, owner.email) as email, coalesce(contact.has_console, true) as has_console,
            e.type = 'tank.refilled' and ${hasSimultaneousEventSql('tank.fill_recovered')} as "isRecovery"
     from events e
     join tanks t on t.no = e.tank_no and t.deleted_at is null
     join customers owner on owner.no = t.owner_no
     join organizations o on o.no = e.organization_no and o.deleted_at is null
     left join contacts contact on $2 = 'contact' and contact.no = $3
     where e.no = $1 and e.retracted_at is null
       and case when $2 = 'customer' then owner.no = $3 and owner.is_verified else contact.deleted_at is null end
       and not ${IS_OUTDATED_SQL}
       and not ($2 = 'contact' and ${IS_HANDLED_SQL}) and not ${IS_MUTED_SQL}
       and not exists (
         select from event_mails m join events mailed on mailed.no = m.event_no
         where m.recipient = $2 and m.recipient_no = $3 and m.retraction_sent_at is null and mailed.tank_no = e.tank_no and mailed.type = e.type
           and (mailed.no = e.no or e.type = 'tank.low_fill' and mailed.occurred_at > ${PREVIOUS_RECOVERY_SQL}
             -- Late readings can move the event by hours.
             or e.type = 'tank.order_due' and abs(date_part('epoch', mailed.occurred_at - e.occurred_at)) <= 86400)
       )`,
    [eventNo, recipient, recipientNo],
  );
  const [event] = rows;
  const status = event && (await findTankStatus(db, event.organization.no, event.tank_no, Date.now()));
  if (event === undefined || status === undefined) return 'skipped';
  const mailed: MailedEvent = { ...event, status };
  const mail = {
    to: event.email,
    replyTo: event.organization.reply_to,
    content: (recipient === 'customer' ? customerMail : contactMail)(mailed, mailer.tankUrl(event)),
    messageKey: `${event.id}.${recipient}.${recipientNo}`,
  };
  if (!(await mailer.send(mail))) return 'rejected';
  await recordMail(db, eventNo, recipient, recipientNo, 'alert');
  // The event may have been retracted while the mail was sent.
  await enqueueRetractionMails(db, [eventNo]);
  return 'sent';
}

export async function recordMail(
  db: Db,
  eventNo: number,
  recipient: Recipient,
  recipientNo: number,
  kind: 'alert' | 'reminder',
): Promise<void> {
  await db.query(
    `insert into event_mails (event_no, recipient, recipient_no, kind) values ($1, $2, $3, $4)
     on conflict (event_no, recipient, recipient_no) where kind = 'alert'
     do update set sent_at = now(), retraction_sent_at = null`,
    [eventNo, recipient, recipientNo, kind],
  );
}

/**
 * Adds a job for each person who got a mail about a retracted event: one for all events of a tank, because one gauge
 * fault often causes several. Mails about devices are left out: after an outage, late readings retract thousands of
 * such events, and the mail that the devices report again is enough.
 */
export async function enqueueRetractionMails(db: Db, eventNos: readonly number[]): Promise<void> {
  await enqueueMails(
    db,
    'mail_retraction',
    `select organization_no, format('retraction:%s:%s:%s', event_nos[1], recipient, recipient_no) as key,
            jsonb_build_object('event_nos', event_nos, 'recipient', recipient, 'recipient_no', recipient_no) as payload, now() as due_at
     from (
       select e.organization_no, array_agg(e.no order by e.no) as event_nos, m.recipient, m.recipient_no
       from events e join event_mails m on m.event_no = e.no and m.kind = 'alert'
       where e.no = any ($1) and e.retracted_at is not null and e.type not in ('tank.device_silent', 'tank.device_reporting')
         and m.sent_at is not null and m.retraction_sent_at is null
       group by e.organization_no, e.tank_no, m.recipient, m.recipient_no
     ) as notified`,
    [eventNos],
  );
}
