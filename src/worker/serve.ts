import { setTimeout as sleep } from 'node:timers/promises';
import { parseCronItems } from 'graphile-worker';
import type { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import type { WorkerConfig } from '../config.ts';
import { migrationState, readMigrations } from '../db/migrate.ts';
import { openPool } from '../db/pool.ts';
import { Outage } from '../health/outage.ts';
import { Mailer } from '../mail/mailer.ts';
import { errorCode } from '../values/error_code.ts';
import { DAY_MS } from '../values/time.ts';
import { UserError } from '../values/user_error.ts';
import { WebhookSender } from '../webhooks/sender.ts';
import { JobQueue, openQueuePool } from './job_queue.ts';
import { mailTasks, notificationTasks } from './tasks.ts';
import { WebhookDispatcher } from './webhook_dispatcher.ts';

export interface RunningWorker {
  /** What stands in the way; empty when all is well. */
  notReadyReasons(): Promise<readonly string[]>;
  /** Takes on nothing more, finishes what is under way, and stops. */
  close(): Promise<void>;
}

/** Jobs done at once: those that are done at once, and those that wait for the mail server. */
const DESK_HANDS = 4;
const MAIL_HANDS = 4;

/** Starts the worker role. Whoever waits for somebody outside waits apart: webhooks, mails, and all the rest. */
export async function serveWorker(config: WorkerConfig, logger: BaseLogger): Promise<RunningWorker> {
  const { databaseUrl, concurrency, webhooks, mail } = config;
  const pool = openPool({ url: databaseUrl, applicationName: 'tankwatch worker', maxConnections: 10 });
  const queuePool = openQueuePool(databaseUrl);
  const sender = new WebhookSender(webhooks);
  const mailer = mail === null ? null : new Mailer(mail);
  const mails = mailer !== null;
  const reminderDays = mail?.reminderDays ?? 0;
  const dispatcher = new WebhookDispatcher({ pool, sender, mails, concurrency, logger });
  const queues: JobQueue[] = [];

  const close = async (): Promise<void> => {
    await Promise.all(queues.map((queue) => queue.close()));
    await dispatcher.close();
    mailer?.close();
    await Promise.all([sender.close(), pool.end(), queuePool.end()]);
  };
  try {
    await untilReachable(pool, logger);
    const { pending } = await migrationState(pool, await readMigrations());
    if (pending.length > 0) throw new UserError('the database lacks migrations; run: tankwatch migrate');
    const common = { databaseUrl, queuePool, logger };
    const desk = notificationTasks({ pool, mails, reminderDays, onNotified: () => dispatcher.look() });
    const cronItems = parseCronItems([
      { task: 'keep_tables', match: '23 4 * * *', options: { backfillPeriod: DAY_MS } },
      ...(reminderDays === 0 ? [] : [{ task: 'enqueue_reminders', match: '7 * * * *' }]),
    ]);
    queues.push(await JobQueue.start({ ...common, tasks: desk, hands: DESK_HANDS, cronItems }));
    if (mailer !== null) {
      const tasks = mailTasks(pool, mailer, reminderDays);
      queues.push(await JobQueue.start({ ...common, tasks, hands: MAIL_HANDS, cronItems: [] }));
    }
  } catch (error) {
    await close();
    throw error;
  }
  dispatcher.start();
  logger.info({ mails }, 'worker runs');
  return {
    async notReadyReasons() {
      const isThere = await pool.query('select').then(
        () => true,
        () => false,
      );
      return isThere ? [] : ['the database cannot be reached; what is to be told waits in it'];
    },
    async close() {
      logger.info('finishing what is under way');
      await close();
      logger.info('stopped');
    },
  };
}

/** A database that is away is no reason not to start; one that refuses the login is. */
async function untilReachable(pool: Pool, logger: BaseLogger): Promise<void> {
  const outage = new Outage(logger, 'connecting to the database');
  for (;;) {
    try {
      await pool.query('select');
      outage.worked();
      return;
    } catch (error) {
      if (/^(28|3D)/.test(errorCode(error) ?? '')) throw error;
      outage.failed(error);
      await sleep(1_000);
    }
  }
}
