import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type LogLevel, type ParsedCronItem, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import { JOBS_SCHEMA } from '../db/jobs.ts';
import { connectionConfig, IDLE_TIMEOUT_MS } from '../db/pool.ts';
import { Outage } from '../health/outage.ts';
import { Heartbeat } from './heartbeat.ts';
import type { WorkerMetrics } from './metrics.ts';

export interface JobQueueOptions {
  /** The name for messages, such as notifications. */
  name: string;
  databaseUrl: string;
  queuePool: Pool;
  tasks: TaskList;
  /** Maximum number of jobs that run at the same time. */
  concurrency: number;
  /** The interval at which each idle slot polls for a due job. New jobs are announced by NOTIFY or `wake`. */
  pollMs: number;
  cronItems?: ParsedCronItem[];
  logger: BaseLogger;
  metrics: Pick<WorkerMetrics, 'jobs'>;
}

/** One run of graphile-worker's runner. */
interface QueueRun {
  wake(): void;
  stop(): Promise<void>;
  /** Settles when the run has ended and no job is running. */
  ended: Promise<void>;
}

const RESTART_MS = 1_000;

/** Runs the jobs of the given tasks until it is closed. */
export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #outage: Outage;
  readonly #closing = new AbortController();
  #run: QueueRun;
  readonly #ended: Promise<void>;

  private constructor(options: JobQueueOptions, outage: Outage, first: QueueRun) {
    this.#options = options;
    this.#outage = outage;
    this.#run = first;
    this.#ended = this.#keepRunning();
  }

  /** Throws if the first run cannot start. After that, it restarts until it is closed. */
  static async start(options: JobQueueOptions): Promise<JobQueue> {
    const outage = new Outage(options.logger, `reading jobs of ${options.name}`);
    return new JobQueue(options, outage, await startRun(options, outage));
  }

  /** Makes all idle slots poll for a job now. */
  wake(): void {
    this.#run.wake();
  }

  /** Starts no more jobs and waits for the running ones. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#run.stop();
    await this.#ended;
  }

  /** Restarts graphile-worker's runner, which ends if the database is unavailable when a job finishes. */
  async #keepRunning(): Promise<void> {
    const recordOutage = (error: unknown): void => this.#outage.failed(error);
    await this.#run.ended.catch(recordOutage);
    while (!this.#closing.signal.aborted) {
      await sleep(RESTART_MS);
      await this.#restart().catch(recordOutage);
    }
  }

  async #restart(): Promise<void> {
    this.#run = await startRun(this.#options, this.#outage);
    if (this.#closing.signal.aborted) void this.#run.stop();
    await this.#run.ended;
  }
}

async function startRun(options: JobQueueOptions, outage: Outage): Promise<QueueRun> {
  const { databaseUrl, queuePool, tasks, concurrency, pollMs, cronItems = [], logger, metrics } = options;
  const events: WorkerEvents = new EventEmitter();
  // The label has few values, because the queue runs only known tasks.
  events.on('job:success', ({ job }) => metrics.jobs.inc({ task: job.task_identifier, outcome: 'success' }));
  events.on('job:error', ({ job }) => metrics.jobs.inc({ task: job.task_identifier, outcome: 'error' }));
  let wake = (): void => {};
  const workerPoolId = new Promise<string>((resolve) => {
    events.once('pool:create', ({ workerPool }) => {
      wake = () => workerPool.nudge(concurrency);
      resolve(workerPool.id);
    });
  });
  // After its shutdown has begun, nudge() of a pool throws.
  for (const end of ['pool:gracefulShutdown', 'pool:forcefulShutdown'] as const)
    events.once(end, () => {
      wake = () => {};
    });
  const runner = await run({
    pgPool: queuePool,
    schema: JOBS_SCHEMA,
    events,
    logger: queueLogger(logger, outage),
    concurrency,
    pollInterval: pollMs,
    noHandleSignals: true,
    taskList: tasks,
    parsedCronItems: cronItems,
    // Batching with a delay of 0 ms. Without batching, a connection lost at this point would end the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  });
  const heartbeat = new Heartbeat(databaseUrl, await workerPoolId, outage);
  heartbeat.start();
  const untilEnded = async (): Promise<void> => {
    try {
      await runner.promise;
    } finally {
      await heartbeat.close();
    }
  };
  return {
    wake: () => wake(),
    ended: untilEnded(),
    stop: () => runner.stop().catch(() => {}), // rejects if the run has already ended
  };
}

/** Opens a separate pool, because graphile-worker needs the driver's default types for times and large numbers. */
export function openQueuePool(url: string, maxConnections: number): Pool {
  const { types: _ours, ...options } = connectionConfig({
    url,
    applicationName: 'tankwatch worker queue',
    statementTimeoutMs: 30_000,
  });
  const pool = new Pool({ ...options, max: maxConnections, idleTimeoutMillis: IDLE_TIMEOUT_MS });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Logs failed jobs as errors and successful jobs at level debug. During an outage, which Outage has already logged,
 * graphile-worker's reconnection messages are logged at level debug too.
 */
function queueLogger(logger: BaseLogger, outage: Outage): Logger {
  const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const satisfies Record<
    LogLevel,
    string
  >;
  return new Logger(({ taskIdentifier, jobId }) => (level, message, meta) => {
    const isOutageMessage = outage.isOn && jobId === undefined && level !== 'debug';
    const err: unknown = meta?.['error'];
    // The texts of graphile-worker end with the message and the stack of the error, which may contain values of rows. Our loggers
    // log the error without these values.
    const text = err === undefined ? message : message.replace(/ with error.*$/s, '');
    logger[isOutageMessage ? 'debug' : levels[level]]({ task: taskIdentifier, job: jobId, err }, text);
  });
}
