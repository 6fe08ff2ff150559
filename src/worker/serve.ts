import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import { Registry } from 'prom-client';
import { notMigrated } from '../db/database_errors.ts';
import { migrationState, readMigrations } from '../db/migrate.ts';
import { closePool, openPool } from '../db/pool.ts';
import { cached } from '../health/cached.ts';
import { everyInterval } from '../health/every_interval.ts';
import { Outage } from '../health/outage.ts';
import type { RepeatedWork } from '../health/repeated_work.ts';
import { poolUse } from '../health/shared_metrics.ts';
import { formatsFor } from '../mail/locale.ts';
import { moveMailJobs } from '../mail/mail_jobs.ts';
import { Mailer } from '../mail/mailer.ts';
import { pushContactOf } from '../push/encrypt_push.ts';
import { ensurePushKey } from '../push/push_key.ts';
import { RemovalMirror } from '../recovery/removal_mirror.ts';
import type { WorkerConfig } from '../settings/worker_settings.ts';
import { deriveApiSecretsKey } from '../values/api_secrets_key.ts';
import { errorCode } from '../values/error_code.ts';
import { explanationOf } from '../values/explanation.ts';
import { UserError } from '../values/user_error.ts';
import { assertSecretsCanBeOpened } from '../webhooks/endpoint_secrets.ts';
import { followChanges } from '../webhooks/follow_changes.ts';
import { WebhookSender } from '../webhooks/sender.ts';
import { BacklogWatch } from './backlog_watch.ts';
import { CONCURRENCY, poolConnections, QUEUE_CONNECTIONS } from './connections.ts';
import { startCounterRecheckLoop } from './counter_recheck_loop.ts';
import { DatabaseWatch } from './database_watch.ts';
import { escalationDispatcherOf, mailDispatcherOf, pushDispatcherOf, textDispatcherOf } from './dispatchers.ts';
import { startDueWatch } from './due_watch.ts';
import { startHandlingExpiryLoop } from './handling_expiry_loop.ts';
import { HoldController, type PausableSender } from './hold_controller.ts';
import { JobQueue, type JobQueueOptions, openQueuePool } from './job_queue.ts';
import { startLedgerLoop } from './ledger_loop.ts';
import { workerMetrics } from './metrics.ts';
import { scheduleOf } from './schedule.ts';
import { mailSenders, maintenanceTasks, notificationTasks, signInMailTasks, type TaskContext } from './tasks.ts';
import { WebhookDispatcher } from './webhook_dispatcher.ts';

export interface RunningWorker {
  /** Empty if the worker is ready. */
  notReadyReasons(): Promise<readonly string[]>;
  /** Starts no more work, waits for running work, and stops. */
  close(): Promise<void>;
}

/** New jobs are announced by NOTIFY or due_watch.ts. Only retries are found by polling. */
const POLL_MS = 10_000;
const SIGN_IN_POLL_MS = 2_000;
const MOVE_MAILS_MS = 1_000;
/** The interval of polls for changes. Each webhook that gets changes costs one statement, and an ERP needs them no sooner. */
const FOLLOW_CHANGES_MS = 2_000;

/** The largest number of webhook requests in progress. */
const WEBHOOK_CONCURRENCY = 1_000;
/** The largest number of requests in progress to one endpoint whose last delivery succeeded. */
const ENDPOINT_CONCURRENCY = 8;

/** Maintenance of tables takes the longest. Deliveries do not depend on it: their lease expires after 20 s. */
const STATEMENT_TIMEOUT_MS = 120_000;
/** A database that does not answer a probe in this time counts as unreachable. */
const PROBE_TIMEOUT_MS = 3_000;

/** Starts the worker role. Webhooks, mails and other jobs run separately, so that a slow receiver delays no others. */
export async function serveWorker(
  config: WorkerConfig,
  logger: BaseLogger,
  registry: Registry = new Registry(),
): Promise<RunningWorker> {
  const { databaseUrl, databaseSetting, webhooks, mail, secretsKeys, retention, removalsFile, folders } = config;
  const { publicUrl, hasConsole } = config;
  const mailConcurrency = mail?.concurrency ?? 0;
  const pool = openPool({
    url: databaseUrl,
    setting: databaseSetting,
    applicationName: 'tankwatch worker',
    maxConnections: poolConnections(mailConcurrency),
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    idleInTransactionTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const queuePool = openQueuePool(databaseUrl, QUEUE_CONNECTIONS);
  const metrics = workerMetrics(registry);
  metrics.watchPool('worker', () => poolUse(pool));
  metrics.watchPool('worker_queue', () => poolUse(queuePool));
  const sender = new WebhookSender(webhooks);
  const mailer = mail === null ? null : new Mailer(mail);
  const mails = mailer !== null;
  // Loads the data of regions, which takes 20 ms, before the first mail or text needs it.
  formatsFor({ language: 'en', time_zone: 'UTC' });
  const reminderDays = mail?.reminderDays ?? 0;
  const dispatcher = new WebhookDispatcher({
    pool,
    sender,
    mails,
    secretsKeys,
    concurrency: WEBHOOK_CONCURRENCY,
    endpointConcurrency: ENDPOINT_CONCURRENCY,
    logger,
    metrics,
  });
  const jobContext = { pool, logger, metrics };
  const mailDispatcher =
    mailer === null
      ? null
      : mailDispatcherOf(
          jobContext,
          (beforeSend) => mailSenders(pool, mailer.withCheck(beforeSend), reminderDays),
          mailConcurrency,
        );
  const textDispatcher = textDispatcherOf(jobContext, {
    sender,
    secretsKeys,
    apiSecretsKey: deriveApiSecretsKey(secretsKeys[0] ?? ''),
    publicUrl,
    hasConsole,
  });
  const contact = pushContactOf(publicUrl, mail?.from ?? '');
  const pushDispatcher = pushDispatcherOf(jobContext, {
    sender,
    secretsKeys,
    contact: contact ?? 'mailto:postmaster@localhost',
  });
  const escalationDispatcher = escalationDispatcherOf(jobContext, { mails });
  let notifications: JobQueue | undefined;
  let maintenance: JobQueue | undefined;
  let mailMover: NodeJS.Timeout | undefined;
  let dueWatch: NodeJS.Timeout | undefined;
  let changeFollower: NodeJS.Timeout | undefined;
  let backlog: BacklogWatch | undefined;
  let counterRechecks: RepeatedWork | undefined;
  let databaseWatch: DatabaseWatch | undefined;
  let ledgers: RepeatedWork | undefined;
  let handlingExpiry: RepeatedWork | undefined;
  const mirror = removalsFile === '' ? null : new RemovalMirror(pool, removalsFile, logger);

  const common = { databaseUrl, queuePool, logger, metrics };
  const holdController = new HoldController(
    databaseUrl,
    [
      ...[dispatcher, textDispatcher, pushDispatcher, escalationDispatcher].map(notificationSender),
      ...(mailer === null || mailDispatcher === null
        ? []
        : [
            notificationSender(mailDispatcher),
            signInSender({
              ...common,
              name: 'sign-in mails',
              tasks: signInMailTasks(pool, mailer, metrics),
              concurrency: CONCURRENCY.signInMails,
              pollMs: SIGN_IN_POLL_MS,
            }),
          ]),
    ],
    logger,
  );

  const close = async (): Promise<void> => {
    backlog?.close();
    databaseWatch?.close();
    await counterRechecks?.close();
    await ledgers?.close();
    await handlingExpiry?.close();
    clearInterval(mailMover);
    clearInterval(dueWatch);
    clearInterval(changeFollower);
    await Promise.all([notifications?.close(), maintenance?.close(), holdController.close()]);
    await mirror?.close();
    mailer?.close();
    await Promise.all([sender.close(), closePool(pool), closePool(queuePool)]);
  };
  try {
    await waitForDatabase(pool, logger);
    await assertMigrated(pool, { url: databaseUrl, setting: databaseSetting });
    await assertSecretsCanBeOpened(pool, secretsKeys);
    // Only pushes need this key. They are retried until the worker has the right key.
    await ensurePushKey(pool, secretsKeys).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      logger.error(`no notifications are sent to browsers: ${error.message}`);
    });
    const context: TaskContext = {
      pool,
      mails,
      reminderDays,
      retention,
      sender,
      secretsKeys,
      onNotified: () => {
        dispatcher.startDueDeliveries();
        mailDispatcher?.startDue();
        pushDispatcher.startDue();
      },
    };
    notifications = await JobQueue.start({
      ...common,
      name: 'notifications',
      tasks: notificationTasks(context),
      concurrency: CONCURRENCY.notifications,
      pollMs: POLL_MS,
    });
    maintenance = await JobQueue.start({
      ...common,
      name: 'maintenance',
      tasks: maintenanceTasks(context),
      concurrency: CONCURRENCY.maintenance,
      pollMs: POLL_MS,
      cronItems: scheduleOf({ mails, reminderDays }),
    });
    await holdController.start();
  } catch (error) {
    await close();
    throw error;
  }
  backlog = new BacklogWatch(pool, metrics, logger);
  counterRechecks = startCounterRecheckLoop(pool, metrics, logger);
  databaseWatch = new DatabaseWatch({ pool, folders, metrics, logger });
  ledgers = startLedgerLoop(pool, logger);
  handlingExpiry = startHandlingExpiryLoop(pool, logger);
  dueWatch = startDueWatch(
    pool,
    {
      notifications: () => notifications?.wake(),
      deliveries: () => dispatcher.startDueDeliveries(),
      mails: () => mailDispatcher?.startDue(),
      texts: () => textDispatcher.startDue(),
      pushes: () => pushDispatcher.startDue(),
      escalations: () => escalationDispatcher.startDue(),
    },
    logger,
  );
  changeFollower = startFollowingChanges(pool, logger);
  if (mails) mailMover = startMovingMails(pool, logger);
  mirror?.start();
  if (mirror === null)
    logger.warn('REMOVALS_FILE is not set: after a restore from a backup, deleted customers and revoked keys are back');
  logger.info({ mails }, 'worker runs');
  return {
    notReadyReasons: cached(async () => {
      const reason = await findUnreachableReason(pool);
      return reason === undefined ? [] : [reason];
    }),
    async close() {
      logger.info('stopping; waiting for running jobs and deliveries');
      await close();
      logger.info('stopped');
    },
  };
}

const notificationSender = (dispatcher: Omit<PausableSender, 'lock'>): PausableSender => ({
  lock: 'notifications',
  start: () => dispatcher.start(),
  stop: () => dispatcher.stop(),
});

/** The queue of sign-in mails. While it is stopped, its jobs wait in the database and lose no attempts. */
function signInSender(options: JobQueueOptions): PausableSender {
  let queue: JobQueue | undefined;
  return {
    lock: 'signInMails',
    async start() {
      queue ??= await JobQueue.start(options);
    },
    async stop() {
      await queue?.close();
      queue = undefined;
    },
  };
}

/** Moves mails out of the table of jobs, where 0.3.0 puts them, even while notifications are held. */
function startMovingMails(pool: Pool, logger: BaseLogger): NodeJS.Timeout {
  const outage = new Outage(logger, 'moving mails from the table of jobs');
  return everyInterval(MOVE_MAILS_MS, outage, async () => {
    let moved = await moveMailJobs(pool);
    while (moved > 0) moved = await moveMailJobs(pool);
  }).timer;
}

/** Adds deliveries of changes, even while notifications are held. */
function startFollowingChanges(pool: Pool, logger: BaseLogger): NodeJS.Timeout {
  const outage = new Outage(logger, 'following changes for webhooks');
  return everyInterval(FOLLOW_CHANGES_MS, outage, async () => {
    const onFailure = (error: unknown, endpointNo: number): void =>
      logger.warn({ err: error, endpoint_no: endpointNo }, 'the changes for a webhook could not be read; trying again');
    let added = await followChanges(pool, onFailure);
    while (added > 0) added = await followChanges(pool, onFailure);
  }).timer;
}

async function assertMigrated(pool: Pool, address: { url: string; setting: string }): Promise<void> {
  const { pending } = await migrationState(pool, await readMigrations());
  const [first] = pending;
  if (first !== undefined) throw new UserError(notMigrated(address, `${first.name} is pending`));
}

/** Returns why the database cannot be reached; undefined if it responds. */
function findUnreachableReason(pool: Pool): Promise<string | undefined> {
  const reason = 'the database cannot be reached; notifications wait until it can';
  const response = pool.query('select').then(
    () => undefined,
    (error: unknown) => explanationOf(error)?.sentence ?? reason,
  );
  return Promise.race([response, sleep(PROBE_TIMEOUT_MS, reason, { ref: false })]);
}

/** Waits until the database can be reached. Throws if it rejects the login or does not exist. */
async function waitForDatabase(pool: Pool, logger: BaseLogger): Promise<void> {
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
