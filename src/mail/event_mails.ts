import type { EventData, EventType } from '../alerts/event_types.ts';
import type { Db } from '../db/pool.ts';
import type { Language, MailContent } from './layout.ts';
import type { Mailer } from './mailer.ts';
import { TRANSLATIONS } from './translations.ts';

export type Recipient = 'customer' | 'contact';
/** Nothing was to be said any more, or the server will never take it. */
export type MailOutcome = 'sent' | 'void' | 'refused';

/**
 * In SQL, of a low fill `e`: the last recovery before it. All low fills after that one are of one alert, whichever of
 * them late readings made true, and an alert is told once.
 */
export const RECOVERED_BEFORE = `coalesce((
  select max(r.occurred_at) from events r
  where r.tank_no = e.tank_no and r.type = 'tank.fill_recovered' and r.retracted_at is null
    and r.occurred_at < e.occurred_at
), '-infinity')`;

/** Of the same: it is over. */
export const IS_RECOVERED = `exists (
  select from events r
  where r.tank_no = e.tank_no and r.type = 'tank.fill_recovered' and r.retracted_at is null
    and r.occurred_at > e.occurred_at
)`;

type EventMail = {
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

/** Writes to a customer or a contact about one event, unless that is over, was told already, or never happened. */
export async function mailEvent(
  db: Db,
  mailer: Mailer,
  eventNo: number,
  recipient: Recipient,
  recipientNo: number,
): Promise<MailOutcome> {
  const { rows } = await db.query<EventMail>(
    `select e.id, e.type, e.occurred_at, e.data, t.name as tank_name, owner.name as customer_name,
            o.name as organization_name, o.language, coalesce(contact.email, owner.email) as email
     from events e
     join tanks t on t.no = e.tank_no and t.deleted_at is null
     join customers owner on owner.no = t.owner_no
     join organizations o on o.no = e.organization_no
     left join contacts contact on $2 = 'contact' and contact.no = $3
     where e.no = $1 and e.retracted_at is null
       and case when $2 = 'customer' then owner.no = $3 and owner.is_verified else contact.deleted_at is null end
       and not (e.type = 'tank.low_fill' and ${IS_RECOVERED})
       and not exists (
         select from event_mails m join events told on told.no = m.event_no
         where m.recipient = $2 and m.recipient_no = $3 and told.tank_no = e.tank_no and told.type = e.type
           and (told.no = e.no or e.type = 'tank.low_fill' and told.occurred_at > ${RECOVERED_BEFORE})
       )`,
    [eventNo, recipient, recipientNo],
  );
  const [event] = rows;
  if (event === undefined) return 'void';
  const mail = {
    to: event.email,
    letter: recipient === 'customer' ? customerLetter(event) : contactLetter(event),
    messageKey: `${event.id}.${recipient}.${recipientNo}`,
  };
  if (!(await mailer.send(mail))) return 'refused';
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

function customerLetter(event: EventMail): MailContent {
  if (event.type !== 'tank.low_fill') throw new Error(`customers are not written to about ${event.type}`);
  const { language, tank_name, customer_name, organization_name, occurred_at, data } = event;
  const words = TRANSLATIONS[language];
  const { subject } = words.event(event.type, data);
  return {
    language,
    subject: `${tank_name}: ${subject}`,
    paragraphs: [
      words.greeting(customer_name),
      words.threshold(tank_name, data.fill_percentage, data.threshold_percentage),
      words.time(occurred_at),
    ],
    footer: [words.from(organization_name)],
  };
}

function contactLetter(event: EventMail): MailContent {
  const { language, tank_name, customer_name, organization_name, occurred_at, type, data } = event;
  const words = TRANSLATIONS[language];
  const { subject, sentence } = words.event(type, data);
  return {
    language,
    subject: `${tank_name} (${customer_name}): ${subject}`,
    paragraphs: [words.ofTank(tank_name, customer_name), sentence, words.time(occurred_at)],
    footer: [words.from(organization_name)],
  };
}
