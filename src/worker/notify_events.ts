import type { Pool } from 'pg';
import { transaction } from '../db/pool.ts';
import { beginEscalations } from '../duty/begin_escalations.ts';
import { enqueueEventTexts } from '../duty/text_queue.ts';
import { DEVICE_EVENT_TYPES, enqueueDeviceMails } from '../mail/device_mails.ts';
import { hasSimultaneousEventSql } from '../mail/event_mails.ts';
import { enqueueMails } from '../mail/mail_jobs.ts';
import { enqueueReturnedMails } from '../mail/returned_mails.ts';
import { enqueueEventPushes } from '../push/push_queue.ts';
import { MAY_HAVE_RETRACTED_SQL, TIME_OF_NEW_STATE_SQL } from '../webhooks/new_state_sql.ts';

/**
 * Creates the notifications of events: a delivery for each subscribed endpoint, escalations, texts, messages to browsers and, if mails
 * are configured, a mail job for the customer and for each subscribed contact. Mails about silent and reporting devices are grouped. It
 * is idempotent. Retracted events are skipped. Recipients of a retraction are notified again if the event is valid again.
 */
export function notifyEvents(pool: Pool, eventNos: readonly number[], { mails }: { mails: boolean }): Promise<void> {
  return transaction(pool, async (tx) => {
    // Locks the endpoints like changes.ts: one that is disabled meanwhile, which cancels its deliveries, gets none after that.
    await tx.query(
      `insert into webhook_deliveries as d (endpoint_no, event_no)
       select w.no, e.no from events e
       join webhook_endpoints w on w.organization_no = e.organization_no and (w.types = '{}' or e.type = any (w.types))
       where e.no = any ($1) and e.retracted_at is null and w.disabled_at is null
       order by w.no, e.no for share of w
       on conflict (endpoint_no, event_no) do update
       set status = 'pending', tries = 0, next_attempt_at = ${TIME_OF_NEW_STATE_SQL}, finished_at = null
       where ${MAY_HAVE_RETRACTED_SQL}`,
      [eventNos],
    );
    await beginEscalations(tx, eventNos);
    await enqueueEventTexts(tx, eventNos);
    await enqueueEventPushes(tx, eventNos);
    if (!mails) return;
    await enqueueMails(
      tx,
      'mail_event',
      `select organization_no, format('mail:%s:%s:%s', event_no, recipient, recipient_no) as key,
              jsonb_build_object('event_no', event_no, 'recipient', recipient, 'recipient_no', recipient_no) as payload, now() as due_at
       from (
         select e.organization_no, e.no as event_no, 'customer' as recipient, t.owner_no as recipient_no
         from events e join tanks t on t.no = e.tank_no join customers c on c.no = t.owner_no
         where e.no = any ($1) and e.type in ('tank.low_fill', 'tank.rapid_loss') and c.is_verified
           and c.deleted_at is null
         union all
         select e.organization_no, e.no, 'contact', c.no from events e join contacts c on c.organization_no = e.organization_no
         where e.no = any ($1) and e.type = any (c.types) and e.type <> all ($2) and c.deleted_at is null
           -- The mail about the refill reports the recovery too.
           and not (e.type = 'tank.fill_recovered' and 'tank.refilled' = any (c.types) and ${hasSimultaneousEventSql('tank.refilled')})
       ) as subscribed
       where not exists (
         select from event_mails m
         where m.event_no = subscribed.event_no and m.recipient = subscribed.recipient
           and m.recipient_no = subscribed.recipient_no and m.retraction_sent_at is null
       )`,
      [eventNos, DEVICE_EVENT_TYPES],
    );
    await enqueueDeviceMails(tx, eventNos);
    await enqueueReturnedMails(tx, eventNos);
  });
}
