import type { Pool } from 'pg';
import { transaction } from '../db/pool.ts';
import { enqueueFalseAlarms } from '../duty/text_queue.ts';
import { enqueueRetractionMails } from '../mail/event_mails.ts';
import { enqueueFalsePushes } from '../push/push_queue.ts';
import { RETRACTED_TYPE } from '../webhooks/message.ts';
import { TIME_OF_NEW_STATE_SQL } from '../webhooks/new_state_sql.ts';

/**
 * Notifies only those who were notified of retracted events: each endpoint that got the event, or may have got it, and
 * each person who got a mail, a text or a push about it. An event that is valid again is skipped. It is idempotent.
 */
export function notifyRetractions(
  pool: Pool,
  eventNos: readonly number[],
  { mails }: { mails: boolean },
): Promise<void> {
  return transaction(pool, async (tx) => {
    // The delivery of the event becomes the delivery of its retraction. If there was no attempt, the event was never sent, and the
    // dispatcher cancels the delivery.
    await tx.query(
      `update webhook_deliveries d
       set status = 'pending', tries = 0, finished_at = null,
           next_attempt_at = ${TIME_OF_NEW_STATE_SQL}
       from events e, webhook_endpoints w
       where d.event_no = any ($1) and e.no = d.event_no and e.retracted_at is not null
         and w.no = d.endpoint_no and w.disabled_at is null
         and (d.status = 'pending' or d.attempts <> '[]')
         and not (d.status = 'delivered' and coalesce(d.attempts -> -1 ->> 'type', '') = '${RETRACTED_TYPE}')`,
      [eventNos],
    );
    if (mails) await enqueueRetractionMails(tx, eventNos);
    await enqueueFalseAlarms(tx, eventNos);
    await enqueueFalsePushes(tx, eventNos);
  });
}
