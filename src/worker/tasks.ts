import type { Task, TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import { createPartitions } from '../db/migrate.ts';
import { OPEN_HOURS_AFTER_DAY } from '../deliveries/round.ts';
import { endOldRounds } from '../deliveries/round_state.ts';
import { beginMissingEscalations } from '../duty/begin_escalations.ts';
import { learnRegionalRates } from '../evaluation/learn_regional_rates.ts';
import { mailDisabledEndpoint, mailInvitation } from '../mail/account_mails.ts';
import { mailConnector } from '../mail/connector_mails.ts';
import { DEVICE_EVENT_TYPES, type DeviceEventType, mailDevices } from '../mail/device_mails.ts';
import { enqueueDigests, mailDigest } from '../mail/digests.ts';
import { type MailOutcome, mailEvent, type Recipient } from '../mail/event_mails.ts';
import type { MailTask } from '../mail/mail_jobs.ts';
import type { Mailer } from '../mail/mailer.ts';
import { enqueueReminders, mailReminder } from '../mail/reminders.ts';
import { mailRetraction } from '../mail/retraction_mails.ts';
import { mailReturned } from '../mail/returned_mails.ts';
import { mailSignIn } from '../mail/sign_in_mails.ts';
import type { RetentionConfig } from '../settings/worker_settings.ts';
import { scoreOrganizations } from '../status/score_organization.ts';
import { BACKGROUND_BUDGET, dropPackedPartitions, packMonths } from '../telemetry/pack_months.ts';
import { updateWeatherForecasts } from '../weather/learn_weather.ts';
import { deleteOldForecasts } from '../weather/store_temperatures.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import { testEndpoint } from '../webhooks/test_message.ts';
import { expireTelemetry } from './expire_telemetry.ts';
import { readOpenHold } from './holds.ts';
import type { WorkerMetrics } from './metrics.ts';
import { notifyEvents } from './notify_events.ts';
import { notifyRetractions } from './notify_retractions.ts';
import {
  deleteEndedSessions,
  deleteExpiredRows,
  deleteOldIdempotencyKeys,
  eraseDeletedOrganizations,
  eraseDeletedTanks,
} from './retention.ts';

export interface TaskContext {
  pool: Pool;
  mails: boolean;
  reminderDays: number;
  retention: RetentionConfig;
  sender: WebhookSender;
  /** The keys that decrypt the secrets of endpoints. */
  secretsKeys: readonly string[];
  /** Called when new deliveries, mails and pushes may exist. */
  onNotified: () => void;
}

/** The tasks that create notifications. They run separately from all others, so that an alert does not wait for maintenance. */
export const NOTIFICATION_TASKS = ['notify_events', 'notify_retractions', 'test_webhook'] as const;

export function notificationTasks({
  pool,
  mails,
  sender,
  secretsKeys,
  onNotified,
}: TaskContext): Record<(typeof NOTIFICATION_TASKS)[number], Task> {
  return {
    notify_events: async (payload) => {
      await notifyEvents(pool, numbersOf(payload, 'event_nos'), { mails });
      onNotified();
    },
    notify_retractions: async (payload) => {
      await notifyRetractions(pool, numbersOf(payload, 'event_nos'), { mails });
      onNotified();
    },
    test_webhook: (payload) => testEndpoint(pool, sender, secretsKeys, numberOf(payload, 'endpoint_no')),
  };
}

/** The tasks that begin at fixed times (schedule.ts). */
export function maintenanceTasks({ pool, reminderDays, retention }: TaskContext): TaskList {
  return {
    maintain_tables: () => createPartitions(pool),
    pack_telemetry: async (_payload, { logger, abortSignal }) => {
      const { packed, left } = await packMonths(pool, BACKGROUND_BUDGET, { signal: abortSignal });
      const dropped = await dropPackedPartitions(pool);
      if (packed + left + dropped > 0)
        logger.info(
          `packed ${packed} months of tanks, left ${left} for later, dropped partitions of ${dropped} months`,
        );
    },
    delete_expired: async (_payload, { logger }) => {
      const counts = await deleteExpiredRows(pool, retention);
      logger.info(`deleted expired rows: ${JSON.stringify(counts)}`);
    },
    expire_telemetry: async (_payload, { logger }) => {
      const { tanks, readings, files } = await expireTelemetry(pool, retention);
      if (tanks > 0) logger.info(`dropped ${readings} expired readings of ${tanks} tanks; archive files: ${files}`);
    },
    erase_deleted_tanks: async (_payload, { logger }) => {
      logger.info(`erased the readings and events of ${await eraseDeletedTanks(pool)} deleted tanks`);
    },
    erase_deleted_organizations: async (_payload, { logger }) => {
      const erased = await eraseDeletedOrganizations(pool);
      if (erased > 0) logger.info(`erased ${erased} deleted organizations`);
    },
    follow_weather: async (_payload, { logger, abortSignal }) => {
      const { places, tanks, moved } = await updateWeatherForecasts(pool, Date.now(), abortSignal);
      if (places > 0) logger.info(`weather of ${places} places: ${tanks} tanks computed, ${moved} forecasts changed`);
    },
    learn_regional_rates: async (_payload, { logger, abortSignal }) => {
      const organizations = await learnRegionalRates(pool, Date.now(), abortSignal);
      if (organizations > 0) logger.info(`learned the use of tanks with sensors of ${organizations} organizations`);
    },
    delete_old_forecasts: async (_payload, { logger }) => {
      const deleted = await deleteOldForecasts(pool);
      if (deleted > 0) logger.info(`deleted ${deleted} old forecasts of the weather`);
    },
    delete_ended_sessions: async (_payload, { logger }) => {
      const deleted = await deleteEndedSessions(pool);
      if (deleted > 0) logger.info(`deleted ${deleted} ended sessions and sign-ins`);
    },
    delete_old_idempotency_keys: async (_payload, { logger }) => {
      const deleted = await deleteOldIdempotencyKeys(pool);
      if (deleted > 0) logger.info(`deleted ${deleted} stored responses to old requests`);
    },
    score_alerts: async (_payload, { logger, abortSignal }) => {
      const { scored, errors } = await scoreOrganizations(pool, Date.now(), abortSignal);
      logger.info(`scored the alerts and forecasts of ${scored} organizations`);
      for (const error of errors) logger.error(`the alerts of an organization could not be scored: ${String(error)}`);
    },
    end_rounds: async (_payload, { logger }) => {
      const ended = await endOldRounds(pool);
      if (ended > 0) logger.info(`ended ${ended} rounds ${OPEN_HOURS_AFTER_DAY} hours after their day`);
    },
    begin_missing_escalations: () => unlessHeld(pool, () => beginMissingEscalations(pool)),
    // Reminders and digests are not enqueued during a hold, so that a hold of three days does not end in three digests.
    enqueue_reminders: () => unlessHeld(pool, () => enqueueReminders(pool, reminderDays)),
    enqueue_digests: () => unlessHeld(pool, () => enqueueDigests(pool, Date.now())),
  };
}

/** Sends the mail of a job. */
export type SendMail = (payload: unknown) => Promise<MailOutcome>;

/** The function that sends the mails of each kind of mail job. */
export function mailSenders(pool: Pool, mailer: Mailer, reminderDays: number): Readonly<Record<MailTask, SendMail>> {
  return {
    mail_event: (payload) =>
      mailEvent(pool, mailer, numberOf(payload, 'event_no'), recipientOf(payload), numberOf(payload, 'recipient_no')),
    mail_retraction: (payload) =>
      mailRetraction(
        pool,
        mailer,
        numbersOf(payload, 'event_nos'),
        recipientOf(payload),
        numberOf(payload, 'recipient_no'),
      ),
    mail_returned: (payload) =>
      mailReturned(pool, mailer, numberOf(payload, 'event_no'), numberOf(payload, 'contact_no')),
    mail_devices: (payload) => mailDevices(pool, mailer, numberOf(payload, 'contact_no'), deviceEventTypeOf(payload)),
    mail_digest: (payload) => mailDigest(pool, mailer, numberOf(payload, 'contact_no'), textOf(payload, 'day')),
    mail_reminder: (payload) => mailReminder(pool, mailer, reminderDays, numberOf(payload, 'event_no')),
    mail_invitation: (payload) => mailInvitation(pool, mailer, numberOf(payload, 'customer_no')),
    mail_disabled_endpoint: (payload) =>
      mailDisabledEndpoint(pool, mailer, numberOf(payload, 'endpoint_no'), contactNoOf(payload)),
    mail_connector: (payload) => mailConnector(pool, mailer, numberOf(payload, 'connector_no'), contactNoOf(payload)),
  };
}

/** The tasks for sign-in mails. They can be sent while other mails are held, and do not wait for other mails. */
export function signInMailTasks(pool: Pool, mailer: Mailer, metrics: Pick<WorkerMetrics, 'mails'>): TaskList {
  return {
    mail_sign_in: async (payload, { logger }) => {
      const outcome = await countOutcome(metrics.mails, () =>
        mailSignIn(pool, mailer, numberOf(payload, 'sign_in_no')),
      );
      if (outcome === 'rejected') logger.warn('the mail server rejected a recipient permanently');
    },
  };
}

/** Counts an attempt to send something by its outcome. */
export async function countOutcome(
  counter: WorkerMetrics['mails'],
  send: () => Promise<MailOutcome>,
): Promise<MailOutcome> {
  const outcome = await send().catch((error: unknown) => {
    counter.inc({ outcome: 'failed' });
    throw error;
  });
  counter.inc({ outcome });
  return outcome;
}

async function unlessHeld(pool: Pool, enqueue: () => Promise<unknown>): Promise<void> {
  if ((await readOpenHold(pool)) === undefined) await enqueue();
}

const recipientOf = (payload: unknown): Recipient =>
  valueOf(payload, 'recipient') === 'contact' ? 'contact' : 'customer';

function deviceEventTypeOf(payload: unknown): DeviceEventType {
  const type = DEVICE_EVENT_TYPES.find((known) => known === valueOf(payload, 'type'));
  if (type === undefined) throw new Error("the job's payload has no type of device events");
  return type;
}

export function numberOf(payload: unknown, name: string): number {
  const value = valueOf(payload, name);
  if (typeof value !== 'number') throw new Error(`the job's payload has no ${name}`);
  return value;
}

/** Jobs of 0.3 have no contact: such a job mails all contacts. */
const contactNoOf = (payload: unknown): number | null =>
  valueOf(payload, 'contact_no') === undefined ? null : numberOf(payload, 'contact_no');

function textOf(payload: unknown, name: string): string {
  const value = valueOf(payload, name);
  if (typeof value !== 'string') throw new Error(`the job's payload has no ${name}`);
  return value;
}

function numbersOf(payload: unknown, name: string): number[] {
  const value = valueOf(payload, name);
  if (!Array.isArray(value)) throw new Error(`the job's payload has no ${name}`);
  return value.filter((item) => typeof item === 'number');
}

const valueOf = (payload: unknown, name: string): unknown =>
  typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;
