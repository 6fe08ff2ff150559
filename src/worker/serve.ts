import { EventEmitter } from 'node:events';
import { Logger, type LogLevel, parseCronItems, run, type WorkerEvents } from 'graphile-worker';
import { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import type { WorkerConfig } from '../config.ts';
import { JOBS_SCHEMA } from '../db/jobs.ts';
import { connectionConfig, openPool } from '../db/pool.ts';
import { Mailer } from '../events/mailer.ts';
import { WebhookSender } from '../events/send.ts';
import { Gate } from './gate.ts';
import { LifeLine } from './life_line.ts';
import { taskList } from './tasks.ts';

export interface RunningWorker {
  /** Settles when it has stopped, whoever stopped it. */
  ended: Promise<void>;
  /** Takes no more jobs, finishes those under way, and stops. */
  close(): Promise<void>;
}

/** New jobs are announced; this is for those that become due. Each slot asks on its own, so 100 ask 33 times a second. */
const POLL_MS = 3_000;

/** Starts the worker role: its connections, then the jobs. */
export async function serveWorker(config: WorkerConfig, logger: BaseLogger): Promise<RunningWorker> {
  const pool = openPool({ url: config.databaseUrl, applicationName: 'tankwatch worker', maxConnections: 10 });
  const queuePool = openQueuePool(config.databaseUrl);
  const sender = new WebhookSender(config.webhooks);
  const mailer = config.mail === null ? null : new Mailer(config.mail);
  const reminderDays = config.mail?.reminderDays ?? 0;
  const gate = new Gate(config.concurrency);
  const events: WorkerEvents = new EventEmitter();
  const poolId = new Promise<string>((resolve) => {
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id));
  });

  const release = async (): Promise<void> => {
    mailer?.close();
    await Promise.all([pool.end(), queuePool.end(), sender.close()]);
  };
  const runner = await run({
    pgPool: queuePool,
    schema: JOBS_SCHEMA,
    events,
    logger: queueLogger(logger),
    concurrency: config.concurrency,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    taskList: taskList({ pool, sender, mailer, reminderDays, gate }),
    parsedCronItems: parseCronItems([
      { task: 'keep_partitions', match: '23 4 * * *' },
      ...(reminderDays === 0 ? [] : [{ task: 'enqueue_reminders', match: '7 * * * *' }]),
    ]),
    forbiddenFlags: () => gate.closedFlags(),
  }).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  const lifeLine = new LifeLine(config.databaseUrl, await poolId, (error) =>
    logger.warn({ err: error }, 'the life line to the database was lost; trying again'),
  );
  lifeLine.start(pool);
  await runner.addJob('keep_partitions', {}, { jobKey: 'keep_partitions' });

  const untilStopped = async (): Promise<void> => {
    try {
      await runner.promise;
    } finally {
      await lifeLine.close();
      await release();
      logger.info('stopped');
    }
  };
  const ended = untilStopped();
  return {
    ended,
    async close() {
      logger.info('finishing what is under way');
      await runner.stop();
      await ended;
    },
  };
}

/** The queue's own connections: it wants times and large numbers as the driver gives them. */
function openQueuePool(url: string): Pool {
  const { types: _ours, ...options } = connectionConfig({ url, applicationName: 'tankwatch worker queue' });
  const pool = new Pool({ ...options, max: 10 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** One line for each job that failed; that others went well is for whoever looks closer. */
function queueLogger(logger: BaseLogger): Logger {
  const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const satisfies Record<
    LogLevel,
    string
  >;
  return new Logger(({ taskIdentifier, jobId }) => (level, message) => {
    // Jobs that wait for an answer need no connection, so there are fewer of those than slots, and meant to be.
    const isMeant = message.includes('having maxPoolSize');
    logger[isMeant ? 'debug' : levels[level]]({ task: taskIdentifier, job: jobId }, message);
  });
}
