import type { Job, JobHelpers, Task, TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import { deliver } from '../events/deliver.ts';
import { forgetDeliveries } from '../events/endpoints.ts';
import type { Mailer } from '../events/mailer.ts';
import { type Mailed, mailEvent, type Recipient } from '../events/mails.ts';
import { mailDisabledEndpoint, mailInvitation } from '../events/notices.ts';
import { notifyEvent } from '../events/notify.ts';
import { enqueueReminders, mailReminder } from '../events/reminders.ts';
import type { WebhookSender } from '../events/send.ts';
import type { Gate } from './gate.ts';

export interface Workshop {
  pool: Pool;
  sender: WebhookSender;
  /** Null where no mails are sent. */
  mailer: Mailer | null;
  reminderDays: number;
  gate: Gate;
}

/** What can be done, by the names under which jobs ask for it. */
export function taskList(workshop: Workshop): TaskList {
  const { pool, sender, mailer, gate } = workshop;
  const mails = mailer !== null;
  return {
    notify_event: (payload) => notifyEvent(pool, numberOf(payload, 'event_no'), { mails }),
    deliver_webhook: (payload, helpers) =>
      behindGate(gate, helpers, async () => {
        const outcome = await deliver(pool, sender, numberOf(payload, 'delivery_no'), { mails });
        return outcome === 'delivered' || outcome === 'void';
      }),
    keep_tables: () => keepTables(pool),
    ...(mailer === null ? {} : mailTasks(workshop, mailer)),
  };
}

/** Where no mails are sent these are missing, and such jobs wait for a worker that sends them. */
function mailTasks({ pool, gate, reminderDays }: Workshop, mailer: Mailer): TaskList {
  const mail =
    (send: (payload: unknown) => Promise<Mailed>): Task =>
    (payload, helpers) =>
      behindGate(gate, helpers, async () => {
        if ((await send(payload)) === 'refused') helpers.logger.warn('the mail server refused a recipient for good');
        return true;
      });
  return {
    mail_event: mail((payload) =>
      mailEvent(pool, mailer, numberOf(payload, 'event_no'), recipientOf(payload), numberOf(payload, 'recipient_no')),
    ),
    mail_reminder: mail((payload) => mailReminder(pool, mailer, reminderDays, numberOf(payload, 'event_no'))),
    mail_invitation: mail((payload) => mailInvitation(pool, mailer, numberOf(payload, 'customer_no'))),
    mail_disabled_endpoint: mail((payload) => mailDisabledEndpoint(pool, mailer, numberOf(payload, 'endpoint_no'))),
    enqueue_reminders: () => enqueueReminders(pool, reminderDays),
  };
}

/** The outside party that a job waits for. A job that has one comes to the gate when it is fetched. */
export const flagOf = ({ flags }: Job): string | undefined => Object.keys(flags ?? {})[0];

/** Runs a job that the gate let in, and tells it how the party did. One that it did not goes back to the queue. */
async function behindGate(gate: Gate, { job, addJob }: JobHelpers, work: () => Promise<boolean>): Promise<void> {
  const flag = flagOf(job) ?? '';
  if (!gate.isInside(flag, job.id)) {
    const { key, run_at: runAt, max_attempts: maxAttempts } = job;
    const again = { flags: [flag], runAt, maxAttempts, ...(key === null ? {} : { jobKey: key }) };
    await addJob(job.task_identifier, job.payload, again);
    return;
  }
  let isGood = false;
  try {
    isGood = await work();
  } finally {
    gate.leave(flag, job.id, isGood);
  }
}

/** The partitions of this month and the next, so that no reading has to wait for one; and no deliveries of old. */
async function keepTables(pool: Pool): Promise<void> {
  await pool.query('select ensure_telemetry_month(now()), ensure_telemetry_month(next_utc_month(now()))');
  await forgetDeliveries(pool);
}

const recipientOf = (payload: unknown): Recipient =>
  valueOf(payload, 'recipient') === 'contact' ? 'contact' : 'customer';

function numberOf(payload: unknown, name: string): number {
  const value = valueOf(payload, name);
  if (typeof value !== 'number') throw new Error(`the job's payload has no ${name}`);
  return value;
}

const valueOf = (payload: unknown, name: string): unknown =>
  typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;
