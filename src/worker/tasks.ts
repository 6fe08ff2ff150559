import type { Task, TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import { forgetDeliveries } from '../notices/endpoints.ts';
import type { Mailer } from '../notices/mailer.ts';
import { type Mailed, mailEvent, type Recipient } from '../notices/mails.ts';
import { mailDisabledEndpoint, mailInvitation } from '../notices/notices.ts';
import { notifyEvents } from '../notices/notify.ts';
import { enqueueReminders, mailReminder } from '../notices/reminders.ts';

export interface Desk {
  pool: Pool;
  mails: boolean;
  reminderDays: number;
  /** There may be webhooks to send now. */
  onNotified: () => void;
}

/** What is done at once, by the names under which jobs ask for it. */
export function deskTasks({ pool, mails, reminderDays, onNotified }: Desk): TaskList {
  return {
    notify_events: async (payload) => {
      await notifyEvents(pool, numbersOf(payload, 'event_nos'), { mails });
      onNotified();
    },
    keep_tables: () => keepTables(pool),
    enqueue_reminders: () => enqueueReminders(pool, reminderDays),
  };
}

/** What waits for the mail server. Where no mails are sent, such jobs wait for a worker that sends them. */
export function mailTasks(pool: Pool, mailer: Mailer, reminderDays: number): TaskList {
  const mail =
    (send: (payload: unknown) => Promise<Mailed>): Task =>
    async (payload, { logger }) => {
      if ((await send(payload)) === 'refused') logger.warn('the mail server refused a recipient for good');
    };
  return {
    mail_event: mail((payload) =>
      mailEvent(pool, mailer, numberOf(payload, 'event_no'), recipientOf(payload), numberOf(payload, 'recipient_no')),
    ),
    mail_reminder: mail((payload) => mailReminder(pool, mailer, reminderDays, numberOf(payload, 'event_no'))),
    mail_invitation: mail((payload) => mailInvitation(pool, mailer, numberOf(payload, 'customer_no'))),
    mail_disabled_endpoint: mail((payload) => mailDisabledEndpoint(pool, mailer, numberOf(payload, 'endpoint_no'))),
  };
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

function numbersOf(payload: unknown, name: string): number[] {
  const value = valueOf(payload, name);
  if (!Array.isArray(value)) throw new Error(`the job's payload has no ${name}`);
  return value.filter((item) => typeof item === 'number');
}

const valueOf = (payload: unknown, name: string): unknown =>
  typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;
