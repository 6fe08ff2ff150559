import { enqueueJobs, type IfWaiting, ON_CONFLICT, type QueuedJob } from '../db/job_tables.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';

/** The kinds of mails that wait in the table mail_jobs. Sign-in mails are jobs of graphile-worker instead. */
const MAIL_TASKS = [
  'mail_event',
  'mail_retraction',
  'mail_returned',
  'mail_devices',
  'mail_digest',
  'mail_reminder',
  'mail_invitation',
  'mail_disabled_endpoint',
  'mail_connector',
] as const;
export type MailTask = (typeof MAIL_TASKS)[number];

export type MailJob = QueuedJob<MailTask>;

/** The number of jobs that are moved at a time. Other workers do not see them until the commit. */
const MOVED_JOBS = 1_000;

/** `enqueueJobs` for mails. */
export const enqueueMails = (
  db: Db,
  task: MailTask,
  wanted: string,
  values: readonly unknown[],
  ifWaiting: IfWaiting = 'replace',
): Promise<void> => enqueueJobs(db, 'mail_jobs', task, wanted, values, ifWaiting);

/**
 * Moves mails that wait as jobs of graphile-worker into mail_jobs: jobs that 0.3.0 has left, jobs that running workers of
 * 0.3.0 add, and invitations. One statement deletes and inserts, so a mail is in exactly one of the tables. Jobs that a
 * worker of 0.3.0 has locked are skipped. Returns the number of moved jobs.
 */
export async function moveMailJobs(db: Db): Promise<number> {
  const { rows } = await db.query<{ moved: number }>({
    name: 'move_mail_jobs',
    text: `with moved as (
         delete from graphile_worker._private_jobs old
         using graphile_worker._private_tasks t
         where t.id = old.task_id and old.id in (
           select j.id from graphile_worker._private_jobs j
           where j.is_available
             and j.task_id in (select id from graphile_worker._private_tasks where identifier = any ($1))
           limit ${MOVED_JOBS} for update skip locked
         )
         returning t.identifier as task, old.*
       ), inserted as (
         insert into mail_jobs as m (organization_no, task, key, payload, due_at, tries, last_error, created_at)
         select coalesce(
                  (select e.organization_no from events e
                   where e.no = coalesce(moved.payload ->> 'event_no', moved.payload -> 'event_nos' ->> 0)::bigint),
                  (select c.organization_no from contacts c where c.no = (moved.payload ->> 'contact_no')::int),
                  (select c.organization_no from customers c where c.no = (moved.payload ->> 'customer_no')::int),
                  (select w.organization_no from webhook_endpoints w where w.no = (moved.payload ->> 'endpoint_no')::int),
                  0
                ), task, coalesce(key, format('job:%s', id)), payload::jsonb, run_at, attempts, last_error, created_at
         from moved order by 3
         on conflict (key) ${ON_CONFLICT.replace}
       )
       select count(*) as moved from moved`,
    values: [MAIL_TASKS],
  });
  return onlyRow(rows).moved;
}
