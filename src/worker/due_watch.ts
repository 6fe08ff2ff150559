import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { everyInterval } from '../health/every_interval.ts';
import { Outage, type StatusLogger } from '../health/outage.ts';

/** The interval of polls. An alert waits for at most two polls: for its job, and for its deliveries if another worker has run the job. */
const POLL_MS = 300;

const DUE_KINDS = ['notifications', 'deliveries', 'mails', 'texts', 'pushes', 'escalations'] as const;
type DueKind = (typeof DUE_KINDS)[number];

/**
 * Looks up whether there is due work of each kind. Each is one lookup in an index, independent of the number of waiting
 * rows. Jobs with priority -10 are added without NOTIFY (enqueue_quietly).
 */
export async function findDue(db: Db): Promise<Record<DueKind, boolean>> {
  const { rows } = await db.query<Record<DueKind, boolean>>({
    name: 'find_due',
    text: `select exists (select from graphile_worker._private_jobs
                   where is_available = true and priority = -10 and run_at <= now()) as notifications,
           exists (select from webhook_deliveries where status = 'pending' and next_attempt_at <= now()) as deliveries,
           exists (select from mail_jobs where given_up_at is null and due_at <= now()) as mails,
           exists (select from text_jobs where given_up_at is null and due_at <= now()) as texts,
           exists (select from push_jobs where given_up_at is null and due_at <= now()) as pushes,
           exists (select from escalation_jobs where given_up_at is null and due_at <= now()) as escalations`,
  });
  return onlyRow(rows);
}

/** Polls with one statement for everything that is due, and wakes the senders. */
export function startDueWatch(
  pool: Pool,
  wake: Readonly<Record<DueKind, () => void>>,
  logger: StatusLogger,
): NodeJS.Timeout {
  const outage = new Outage(logger, 'looking for what is due');
  return everyInterval(POLL_MS, outage, async () => {
    const due = await findDue(pool);
    // After an outage all senders are woken, so that those that failed log that they work again.
    for (const kind of DUE_KINDS) if (due[kind] || outage.isOn) wake[kind]();
  }).timer;
}
