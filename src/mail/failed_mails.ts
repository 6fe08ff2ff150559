import type { Db } from '../db/pool.ts';
import type { MailJob } from './mail_jobs.ts';

/**
 * Records that a mail did not reach its recipient, for the timeline of the tank. Only mails about events of one tank
 * are shown there. The recipient of a reminder is the owner. The job itself may be deleted already.
 */
export async function recordFailedMail(
  db: Db,
  { task, payload }: Pick<MailJob, 'task' | 'payload'>,
  because: 'rejected' | 'given_up',
): Promise<void> {
  await db.query(
    `insert into failed_mails (event_no, recipient, recipient_no, kind, because)
     select e.no, coalesce(m.payload ->> 'recipient', case when m.task = 'mail_returned' then 'contact' else 'customer' end),
            coalesce(m.payload ->> 'recipient_no', m.payload ->> 'contact_no', t.owner_no::text)::int,
            case m.task when 'mail_reminder' then 'reminder' when 'mail_retraction' then 'retraction' else 'alert' end, $3
     from (values ($1::text, $2::jsonb)) as m (task, payload)
     join events e on e.no = coalesce(m.payload ->> 'event_no', m.payload -> 'event_nos' ->> 0)::bigint
     join tanks t on t.no = e.tank_no
     where m.task in ('mail_event', 'mail_returned', 'mail_reminder', 'mail_retraction')`,
    [task, JSON.stringify(payload), because],
  );
}
