import type { EventData, EventType } from '../alerts/event_types.ts';
import type { Db } from '../db/pool.ts';
import type { Language, MailContent } from './layout.ts';
import type { Mailer } from './mailer.ts';
import { TRANSLATIONS } from './translations.ts';

export type Recipient = 'customer' | 'contact';
/** `skipped`: the mail is not needed any more. `rejected`: the mail server rejected the recipient permanently. */
export type MailOutcome = 'sent' | 'skipped' | 'rejected';

/**
 * SQL expression: the time of the last recovery before the low-fill event `e`. All low-fill events after this time
 * belong to the same alert, because late readings can retract one of them and add another. An alert is mailed once.
 */
export const PREVIOUS_RECOVERY_SQL = `coalesce((
  select max(r.occurred_at) from events r
  where r.tank_no = e.tank_no and r.type = 'tank.fill_recovered' and r.retracted_at is null
    and r.occurred_at < e.occurred_at
), '-infinity')`;

/** SQL condition: the alert of the low-fill event `e` has ended. */
export const IS_RECOVERED_SQL = `exists (
  select from events r
  where r.tank_no = e.tank_no and r.type = 'tank.fill_recovered' and r.retracted_at is null
    and r.occurred_at > e.occurred_at
)`;

type MailedEvent = {
  [Type in EventType]: {
    id: string;
    type: Type;
    occurred_at: string;
    data: EventData[Type];
    tank_name: string;
    customer_name: string;
    organization_name: string;
    language: Language;
    email: string;
  };
}[EventType];

/** Sends a mail about one event, unless the event was retracted, its alert has ended or was mailed already. */
export async function mailEvent(
  db: Db,
  mailer: Mailer,
  eventNo: number,
  recipient: Recipient,
  recipientNo: number,
): Promise<MailOutcome> {
  const { rows } = await db.query<MailedEvent>(
    `select e.id, e.type, e.occurred_at, e.data, t.name as tank_name, owner.name as customer_name,
            o.name as organization_name, o.language, coalesce(contact.email, owner.email) as email
     from events e
     join tanks t on t.no = e.tank_no and t.deleted_at is null
     join customers owner on owner.no = t.owner_no
     join organizations o on o.no = e.organization_no
     left join contacts contact on $2 = 'contact' and contact.no = $3
     where e.no = $1 and e.retracted_at is null
       and case when $2 = 'customer' then owner.no = $3 and owner.is_verified else contact.deleted_at is null end
       and not (e.type = 'tank.low_fill' and ${IS_RECOVERED_SQL})
       and not exists (
         select from event_mails m join events mailed on mailed.no = m.event_no
         where m.recipient = $2 and m.recipient_no = $3 and mailed.tank_no = e.tank_no and mailed.type = e.type
           and (mailed.no = e.no or e.type = 'tank.low_fill' and mailed.occurred_at > ${PREVIOUS_RECOVERY_SQL})
       )`,
    [eventNo, recipient, recipientNo],
  );
  const [event] = rows;
  if (event === undefined) return 'skipped';
  const mail = {
    to: event.email,
    content: recipient === 'customer' ? customerMail(event) : contactMail(event),
    messageKey: `${event.id}.${recipient}.${recipientNo}`,
  };
  if (!(await mailer.send(mail))) return 'rejected';
  await recordMail(db, eventNo, recipient, recipientNo, 'alert');
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
    `insert into event_mails (event_no, recipient, recipient_no, kind) values ($1, $2, $3, $4) on conflict do nothing`,
    [eventNo, recipient, recipientNo, kind],
  );
}

function customerMail(event: MailedEvent): MailContent {
  if (event.type !== 'tank.low_fill') throw new Error(`customers get no mails about ${event.type}`);
  const { language, tank_name, customer_name, organization_name, occurred_at, data } = event;
  const texts = TRANSLATIONS[language];
  const { subject } = texts.event(event.type, data);
  return {
    language,
    subject: `${tank_name}: ${subject}`,
    paragraphs: [
      texts.greeting(customer_name),
      texts.lowFill(tank_name, data.fill_percentage, data.threshold_percentage),
      texts.time(occurred_at),
    ],
    footer: [texts.sentBy(organization_name)],
  };
}

function contactMail(event: MailedEvent): MailContent {
  const { language, tank_name, customer_name, organization_name, occurred_at, type, data } = event;
  const texts = TRANSLATIONS[language];
  const { subject, sentence } = texts.event(type, data);
  return {
    language,
    subject: `${tank_name} (${customer_name}): ${subject}`,
    paragraphs: [texts.tankOf(tank_name, customer_name), sentence, texts.time(occurred_at)],
    footer: [texts.sentBy(organization_name)],
  };
}
