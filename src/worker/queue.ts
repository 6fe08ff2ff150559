import { EventEmitter } from 'node:events';
import { Logger, type LogLevel, parseCronItems, run, type WorkerEvents } from 'graphile-worker';
import { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import type { WorkerConfig } from '../config.ts';
import { JOBS_SCHEMA } from '../db/jobs.ts';
import { connectionConfig } from '../db/pool.ts';
import { Turnstile } from './gate.ts';
import { LifeLine } from './life_line.ts';
import { flagOf, taskList, type Workshop } from './tasks.ts';

export interface Queue {
  /** Settles when no job is under way any more, whoever stopped it. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** New jobs are announced; this is for those that become due. Each slot asks on its own, so 100 ask 33 times a second. */
const POLL_MS = 3_000;

/** Takes jobs from the queue and does them, as many at once as there are slots. */
export async function startQueue(
  workshop: Workshop,
  queuePool: Pool,
  { databaseUrl, concurrency }: WorkerConfig,
  logger: BaseLogger,
): Promise<Queue> {
  const events: WorkerEvents = new EventEmitter();
  const poolId = new Promise<string>((resolve) => {
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id));
  });
  const turnstile = new Turnstile();
  events.on('job:start', ({ job }) => {
    const flag = flagOf(job);
    if (flag !== undefined) workshop.gate.enter(flag, job.id);
    turnstile.leave();
  });
  events.on('worker:getJob:empty', () => turnstile.leave());
  events.on('worker:getJob:error', () => turnstile.leave());
  const runner = await run({
    pgPool: queuePool,
    schema: JOBS_SCHEMA,
    events,
    logger: queueLogger(logger),
    concurrency,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    taskList: taskList(workshop),
    parsedCronItems: parseCronItems([
      { task: 'keep_tables', match: '23 4 * * *' },
      ...(workshop.reminderDays === 0 ? [] : [{ task: 'enqueue_reminders', match: '7 * * * *' }]),
    ]),
    forbiddenFlags: async () => {
      await turnstile.enter();
      return workshop.gate.closedFlags();
    },
    // In batches, if of what ends in the same turn: without, a lost connection here would end the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  });
  const lifeLine = new LifeLine(databaseUrl, await poolId, (error) =>
    logger.warn({ err: error }, 'the life line to the database was lost; trying again'),
  );
  lifeLine.start(workshop.pool);

  const untilStopped = async (): Promise<void> => {
    try {
      await runner.promise;
    } finally {
      await lifeLine.close();
    }
  };
  const ended = untilStopped();
  let isStopping = false;
  return {
    ended,
    async stop() {
      if (!isStopping) {
        isStopping = true;
        await runner.stop().catch(() => {}); // it had stopped by itself
      }
      await ended.catch(() => {});
    },
  };
}

/**
 * The queue's own connections: it wants times and large numbers as the driver gives them. An answer that never comes is
 * given up, because everybody waits for their turn behind it.
 */
export function openQueuePool(url: string): Pool {
  const { types: _ours, ...options } = connectionConfig({ url, applicationName: 'tankwatch worker queue' });
  const pool = new Pool({ ...options, max: 10, query_timeout: 30_000 });
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
