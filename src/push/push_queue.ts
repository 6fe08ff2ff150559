import type { Db } from '../db/pool.ts';
import { DUE_AT_SQL, wantsSql } from '../mail/wanted_channels.ts';
import { FALSE_ALARM_STEP } from '../values/false_alarm_step.ts';

/**
 * Stores messages and their jobs in the transaction of the caller. `wanted` is a select with the columns of the
 * messages. Each browser gets at most one message of each step of an event.
 */
async function insertPushes(db: Db, wanted: string, values: readonly unknown[]): Promise<void> {
  await db.query(
    `with made as (
       insert into pushes (organization_no, contact_no, subscription_no, event_no, step)
       select organization_no, contact_no, subscription_no, event_no, step from (${wanted}) as wanted order by event_no, subscription_no
       on conflict (event_no, subscription_no, step) where event_no is not null do nothing
       returning no, organization_no, contact_no, event_no
     )
     insert into push_jobs (organization_no, task, key, payload, due_at)
     select m.organization_no, 'send_push', 'push:' || m.no, jsonb_build_object('push_no', m.no), ${DUE_AT_SQL}
     from made m join events e on e.no = m.event_no`,
    [...values],
  );
}

/**
 * Enqueues messages about events. A browser that got a message about a retraction gets another message if the event is valid again. The
 * function is idempotent.
 */
export async function enqueueEventPushes(db: Db, eventNos: readonly number[]): Promise<void> {
  await db.query(
    `delete from pushes p using events e
     where p.event_no = any ($1) and e.no = p.event_no and e.retracted_at is null and (p.status = 'canceled' or exists (
       select from pushes f where f.event_no = p.event_no and f.subscription_no = p.subscription_no and f.step = ${FALSE_ALARM_STEP}
     ))`,
    [eventNos],
  );
  await insertPushes(
    db,
    `select s.organization_no, s.contact_no, s.no as subscription_no, e.no as event_no, 0 as step
     from events e join push_subscriptions s on s.organization_no = e.organization_no
     join contacts c on c.no = s.contact_no left join contact_reach r on r.no = c.no
     where e.no = any ($1) and e.retracted_at is null and ${wantsSql('push')}`,
    [eventNos],
  );
}

/** Enqueues messages about a step of an escalation. */
export const enqueueStepPushes = (
  db: Db,
  { eventNo, step, contactNos }: { eventNo: number; step: number; contactNos: readonly number[] },
): Promise<void> =>
  insertPushes(
    db,
    `select s.organization_no, s.contact_no, s.no as subscription_no, $1::bigint as event_no, $2::int as step
     from push_subscriptions s where s.contact_no = any ($3)`,
    [eventNo, step, contactNos],
  );

/** Enqueues messages to browsers that got, or may have got, a message about an event that was retracted. */
export const enqueueFalsePushes = (db: Db, eventNos: readonly number[]): Promise<void> =>
  insertPushes(
    db,
    `select distinct s.organization_no, s.contact_no, s.no as subscription_no, p.event_no, ${FALSE_ALARM_STEP} as step
     from pushes p join push_subscriptions s on s.no = p.subscription_no join events e on e.no = p.event_no
     where p.event_no = any ($1) and e.retracted_at is not null and p.step <> ${FALSE_ALARM_STEP}
       and (p.status = 'sent' or p.error is not null)`,
    [eventNos],
  );
