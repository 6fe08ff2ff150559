import type { Db } from '../db/pool.ts';
import { findTankStatus } from '../status/refill_list.ts';
import { CONDITIONS } from '../status/sections.ts';
import { contactMail, type MailedEvent } from './event_mail_content.ts';
import { type MailOutcome, recordMail, type StoredEvent } from './event_mails.ts';
import { EVENT_OF, IS_HANDLED_SQL } from './handled_events.ts';
import type { MailContent } from './layout.ts';
import { enqueueMails } from './mail_jobs.ts';
import { organizationForContactSql, writerFor } from './mail_organization.ts';
import type { Mailer } from './mailer.ts';
import type { ReturnReason } from './translation.ts';

/**
 * SQL: the conditions that return with the event `w`, which is the end of an acknowledgement or of a mute. There is no
 * mail for an acknowledgement that was withdrawn or replaced, or whose condition is over. A loss does not return at the
 * end of a mute, because losses are mailed while a tank is muted too.
 */
const RETURNED_SQL = `(
  select x ->> 'condition' as condition, x ->> 'because' as because from jsonb_array_elements(w.data -> 'ended') as x
  where w.type = 'tank.acknowledgement_ended' and x ->> 'because' in ('worse', 'expired')
  union all
  select c.condition, 'unmuted' from tank_conditions c
  where w.type = 'tank.unmuted' and c.tank_no = w.tank_no and c.condition <> 'losing'
)`;

const BEGINS_SQL = `(values ${CONDITIONS.map(
  (condition, rank) => `(${rank}, '${condition}', '${EVENT_OF[condition]}')`,
).join(', ')}) as begins (rank, condition, type)`;

/**
 * Adds a mail job for each contact who gets mails about a condition that returns with these events, and at the end of a
 * mute the owner's mail that was not sent in the meantime. It is idempotent.
 */
export async function enqueueReturnedMails(db: Db, eventNos: readonly number[]): Promise<void> {
  await enqueueMails(
    db,
    'mail_returned',
    `select c.organization_no, format('returned:%s:%s', w.no, c.no) as key,
            jsonb_build_object('event_no', w.no, 'contact_no', c.no) as payload, now() as due_at
     from events w
     cross join lateral ${RETURNED_SQL} as returned
     join ${BEGINS_SQL} on begins.condition = returned.condition
     join contacts c on c.organization_no = w.organization_no and begins.type = any (c.types) and c.deleted_at is null
     where w.no = any ($1) and w.type in ('tank.acknowledgement_ended', 'tank.unmuted')
       and not exists (
         select from event_mails m where m.event_no = w.no and m.recipient = 'contact' and m.recipient_no = c.no
       )`,
    [eventNos],
  );
  await enqueueMails(
    db,
    'mail_event',
    `select w.organization_no, format('mail:%s:customer:%s', low.no, t.owner_no) as key,
            jsonb_build_object('event_no', low.no, 'recipient', 'customer', 'recipient_no', t.owner_no) as payload, now() as due_at
     from events w
     join tanks t on t.no = w.tank_no and t.deleted_at is null
     join customers o on o.no = t.owner_no and o.is_verified
     join tank_conditions c on c.tank_no = w.tank_no and c.condition = 'low'
     cross join lateral (
       select e.no from events e where e.tank_no = w.tank_no and e.type = 'tank.low_fill' and e.retracted_at is null
       order by e.occurred_at desc limit 1
     ) as low
     where w.no = any ($1) and w.type = 'tank.unmuted'`,
    [eventNos],
  );
}

/** Sends one mail about the most urgent condition that returned, unless it is over or handled again. */
export async function mailReturned(db: Db, mailer: Mailer, eventNo: number, contactNo: number): Promise<MailOutcome> {
  const { rows } = await db.query<StoredEvent & { because: ReturnReason }>(
    `select e.id, e.type, e.occurred_at, e.data, e.tank_no, ${organizationForContactSql('contact')} as organization, contact.email,
            contact.has_console, returned.because
     from events w
     cross join lateral ${RETURNED_SQL} as returned
     join ${BEGINS_SQL} on begins.condition = returned.condition
     join tank_conditions c on c.tank_no = w.tank_no and c.condition = begins.condition
     join contacts contact on contact.no = $2 and begins.type = any (contact.types) and contact.deleted_at is null
     join organizations o on o.no = w.organization_no and o.deleted_at is null
     cross join lateral (
       select e.* from events e
       where e.tank_no = w.tank_no and e.type = begins.type and e.retracted_at is null
       order by e.occurred_at desc limit 1
     ) as e
     where w.no = $1 and not ${IS_HANDLED_SQL}
       and not exists (
         select from event_mails m where m.event_no = w.no and m.recipient = 'contact' and m.recipient_no = $2
       )
     order by begins.rank limit 1`,
    [eventNo, contactNo],
  );
  const [event] = rows;
  const status = event && (await findTankStatus(db, event.organization.no, event.tank_no, Date.now()));
  if (event === undefined || status === undefined) return 'skipped';
  const mailed: MailedEvent = { ...event, status };
  const isSent = await mailer.send({
    to: event.email,
    replyTo: event.organization.reply_to,
    content: returnedMail(contactMail(mailed, mailer.tankUrl(event)), mailed, event.because),
    messageKey: `${event.id}.returned.${eventNo}.${contactNo}`,
  });
  if (!isSent) return 'rejected';
  await recordMail(db, eventNo, 'contact', contactNo, 'alert');
  return 'sent';
}

/** The mail about the event again, with the reason at its beginning. */
export function returnedMail(
  content: MailContent,
  { organization }: Pick<MailedEvent, 'organization'>,
  because: ReturnReason,
): MailContent {
  const { texts } = writerFor(organization);
  return {
    ...content,
    subject: `${texts.returned.mark} ${content.subject}`,
    blocks: [{ kind: 'paragraph', text: texts.returned.sentence[because] }, ...content.blocks],
  };
}
