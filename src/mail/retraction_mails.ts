import type { Db } from '../db/pool.ts';
import { RETRACTION_REASONS, type RetractionReason } from '../evaluation/pure/alerts/event_types.ts';
import { findTankStatus } from '../status/refill_list.ts';
import type { TankStatus } from '../status/tank_status.ts';
import { emergencyNumber } from './emergency_number.ts';
import type { MailedEvent } from './event_mail_content.ts';
import { type MailOutcome, PREVIOUS_RECOVERY_SQL, type Recipient, type StoredEvent } from './event_mails.ts';
import type { MailContent } from './layout.ts';
import { enqueueMails } from './mail_jobs.ts';
import { frameOf, type MailOrganization, organizationForContactSql, writerFor } from './mail_organization.ts';
import type { Mailer } from './mailer.ts';
import { noTankUrl, placeFacts, type TankUrl, tankLink } from './tank_facts.ts';
import { describeEvent } from './translation.ts';

/**
 * SQL condition: the retracted event `e` was only moved in time, so the mail about it was right. Low-fill events are one
 * alert until the tank recovers; other events are the same within a day.
 */
export const IS_MOVED_SQL = `e.retracted_because is distinct from 'gauge_fault' and exists (
  select from events same
  where same.tank_no = e.tank_no and same.type = e.type and same.retracted_at is null
    and (same.occurred_at between e.occurred_at - interval '1 day' and e.occurred_at + interval '1 day'
      or e.type = 'tank.low_fill' and same.occurred_at > ${PREVIOUS_RECOVERY_SQL})
)`;

type RetractedEvent = StoredEvent & { no: number; retracted_because: RetractionReason | null };

/**
 * Sends one mail that events of a tank were retracted, to a recipient who got mails about them. Skipped if the events
 * are valid again, or if the recipient got this mail already or was removed.
 */
export async function mailRetraction(
  db: Db,
  mailer: Mailer,
  eventNos: readonly number[],
  recipient: Recipient,
  recipientNo: number,
): Promise<MailOutcome> {
  const { rows: events } = await db.query<RetractedEvent>(
    `select e.no, e.id, e.type, e.occurred_at, e.data, e.tank_no, e.retracted_because, ${organizationForContactSql('contact')} as organization,
            coalesce(contact.email, customer.email) as email, coalesce(contact.has_console, true) as has_console
     from event_mails m
     join events e on e.no = m.event_no
     join tanks t on t.no = e.tank_no and t.deleted_at is null
     join organizations o on o.no = e.organization_no and o.deleted_at is null
     left join contacts contact on m.recipient = 'contact' and contact.no = m.recipient_no and contact.deleted_at is null
     left join customers customer on m.recipient = 'customer' and customer.no = m.recipient_no and customer.is_verified
       and customer.deleted_at is null
     where m.event_no = any ($1) and m.recipient = $2 and m.recipient_no = $3 and m.kind = 'alert'
       and m.sent_at is not null and m.retraction_sent_at is null and e.retracted_at is not null
       and coalesce(contact.no, customer.no) is not null and not (${IS_MOVED_SQL})
     order by e.occurred_at, e.no`,
    [eventNos, recipient, recipientNo],
  );
  const [first] = events;
  const status = first && (await findTankStatus(db, first.organization.no, first.tank_no, Date.now()));
  if (first === undefined || status === undefined) return 'skipped';
  const isSent = await mailer.send({
    to: first.email,
    replyTo: first.organization.reply_to,
    content: retractionMail(events, first.organization, status, { recipient, tankUrl: mailer.tankUrl(first) }),
    messageKey: `${first.id}.retraction.${recipient}.${recipientNo}`,
  });
  if (!isSent) return 'rejected';
  await db.query(
    `update event_mails set retraction_sent_at = now()
     where event_no = any ($1) and recipient = $2 and recipient_no = $3 and kind = 'alert'`,
    [events.map(({ no }) => no), recipient, recipientNo],
  );
  // An event may have become valid again while the mail was sent.
  await enqueueMails(
    db,
    'mail_event',
    `select e.organization_no, format('mail:%s:%s:%s', e.no, $2::text, $3::int) as key,
            jsonb_build_object('event_no', e.no, 'recipient', $2::text, 'recipient_no', $3::int) as payload, now() as due_at
     from events e where e.no = any ($1) and e.retracted_at is null and e.notify`,
    [events.map(({ no }) => no), recipient, recipientNo],
  );
  return 'sent';
}

type WrongEvent = Pick<MailedEvent, 'type' | 'data' | 'occurred_at'> & { retracted_because: RetractionReason | null };

/** The reason in the mail. If the events have different reasons, the first one in RETRACTION_REASONS counts. */
const reasonOf = (events: readonly WrongEvent[]): RetractionReason | null =>
  RETRACTION_REASONS.find((reason) => events.some(({ retracted_because }) => retracted_because === reason)) ?? null;

/** The mail about a retraction: the reported events, why they were wrong, and what the gauge shows now. */
export function retractionMail(
  events: readonly WrongEvent[],
  organization: MailOrganization,
  { tank, owner, reading }: Pick<TankStatus, 'tank' | 'owner' | 'reading'>,
  { recipient, tankUrl = noTankUrl }: { recipient: Recipient; tankUrl?: TankUrl },
): MailContent {
  const writer = writerFor(organization, tank);
  const { formats, texts } = writer;
  const reported = events.map(({ type, data, occurred_at }) => ({
    // The subject of the original mail.
    subject:
      recipient === 'customer' && type === 'tank.rapid_loss'
        ? texts.loss.subject
        : describeEvent(texts, type, data).subject,
    at: formats.shortTime(occurred_at),
  }));
  // A person beside the tank who smells or sees something must not trust a correction.
  const isLossOfOwner = recipient === 'customer' && events.some(({ type }) => type === 'tank.rapid_loss');
  const sentence = texts.retraction.sentence({
    tank: tank.name,
    reported,
    because: reasonOf(events),
    level: reading === null ? null : formats.percent(reading.fill_percentage),
    emergencyNumber: isLossOfOwner ? emergencyNumber(organization) : null,
  });
  return {
    ...frameOf(organization, writer),
    subject: texts.retraction.subject(recipient === 'contact' ? `${tank.name} (${owner.name})` : tank.name),
    heading: texts.retraction.subject(tank.name),
    tone: 'neutral',
    blocks: [
      { kind: 'paragraph', text: sentence },
      ...(recipient === 'contact' ? [{ kind: 'facts', facts: placeFacts({ tank, owner }, writer) } as const] : []),
      ...tankLink({ tank }, tankUrl, writer),
    ],
  };
}
