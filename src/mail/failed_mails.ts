import type { Db } from '../db/pool.ts';

/**
 * Records that the mail of a job did not reach its recipient, for the timeline of the tank. Only mails about events of one tank have
 * a place there. The recipient of a reminder is the owner.
 */
export async function recordFailedMail(db: Db, jobNo: number, because: 'rejected' | 'given_up'): Promise<void> {
  await db.query(
    `insert into failed_mails (event_no, recipient, recipient_no, kind, because)
     select e.no, coalesce(m.payload ->> 'recipient', case when m.task = 'mail_returned' then 'contact' else 'customer' end),
            coalesce(m.payload ->> 'recipient_no', m.payload ->> 'contact_no', t.owner_no::text)::int,
            case m.task when 'mail_reminder' then 'reminder' when 'mail_retraction' then 'retraction' else 'alert' end, $2
     from mail_jobs m
     join events e on e.no = coalesce(m.payload ->> 'event_no', m.payload -> 'event_nos' ->> 0)::bigint
     join tanks t on t.no = e.tank_no
     where m.no = $1 and m.task in ('mail_event', 'mail_returned', 'mail_reminder', 'mail_retraction')
       and ($2 = 'rejected' or m.given_up_at is not null)`,
    [jobNo, because],
  );
}
