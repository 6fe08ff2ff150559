import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type LogLevel, type ParsedCronItem, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import { JOBS_SCHEMA } from '../db/jobs.ts';
import { connectionConfig } from '../db/pool.ts';
import { Outage } from '../health/outage.ts';
import { Heartbeat } from './heartbeat.ts';

export interface JobQueueOptions {
  databaseUrl: string;
  queuePool: Pool;
  tasks: TaskList;
  /** Jobs done at once. */
  hands: number;
  cronItems: ParsedCronItem[];
  logger: BaseLogger;
}

interface Run {
  stop(): Promise<void>;
  /** Settles when no job is under way any more, whoever stopped it. */
  ended: Promise<void>;
}

/** New jobs are announced; this is for those that become due. */
const POLL_MS = 1_000;
const RESTART_MS = 1_000;

/** Takes jobs of some kinds from the queue and does them, from its start until it is closed. */
export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #outage: Outage;
  readonly #closing = new AbortController();
  #run: Run;
  readonly #ended: Promise<void>;

  private constructor(options: JobQueueOptions, outage: Outage, first: Run) {
    this.#options = options;
    this.#outage = outage;
    this.#run = first;
    this.#ended = this.#keepRunning();
  }

  /** Throws where it cannot be started; from then on it outlives whatever becomes of the database. */
  static async start(options: JobQueueOptions): Promise<JobQueue> {
    const outage = new Outage(options.logger, 'taking jobs from the queue');
    return new JobQueue(options, outage, await startRun(options, outage));
  }

  /** Takes no more jobs and finishes those under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#run.stop();
    await this.#ended;
  }

  /** The library gives up when it cannot note that a job is done. A database that is back gets another run. */
  async #keepRunning(): Promise<void> {
    const tell = (error: unknown): void => this.#outage.failed(error);
    await this.#run.ended.catch(tell);
    while (!this.#closing.signal.aborted) {
      await sleep(RESTART_MS);
      await this.#runAgain().catch(tell);
    }
  }

  async #runAgain(): Promise<void> {
    this.#run = await startRun(this.#options, this.#outage);
    if (this.#closing.signal.aborted) void this.#run.stop();
    await this.#run.ended;
  }
}

async function startRun(options: JobQueueOptions, outage: Outage): Promise<Run> {
  const { databaseUrl, queuePool, tasks, hands, cronItems, logger } = options;
  const events: WorkerEvents = new EventEmitter();
  const poolId = new Promise<string>((resolve) => {
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id));
  });
  const runner = await run({
    pgPool: queuePool,
    schema: JOBS_SCHEMA,
    events,
    logger: queueLogger(logger, outage),
    concurrency: hands,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    taskList: tasks,
    parsedCronItems: cronItems,
    // In batches, if of what ends in the same turn: without, a lost connection here would end the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  });
  const lifeLine = new Heartbeat(databaseUrl, await poolId, outage);
  lifeLine.start(queuePool);
  const untilEnded = async (): Promise<void> => {
    try {
      await runner.promise;
    } finally {
      await lifeLine.close();
    }
  };
  return {
    ended: untilEnded(),
    stop: () => runner.stop().catch(() => {}), // it had stopped by itself
  };
}

/** The queue's own connections: it wants times and large numbers as the driver gives them. */
export function openQueuePool(url: string): Pool {
  const { types: _ours, ...options } = connectionConfig({ url, applicationName: 'tankwatch worker queue' });
  const pool = new Pool({ ...options, max: 10 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * One line for each job that failed; that others went well is for whoever looks closer. So is each attempt of the
 * library's own to get its connections back: that there is an outage was said.
 */
function queueLogger(logger: BaseLogger, outage: Outage): Logger {
  const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const satisfies Record<
    LogLevel,
    string
  >;
  return new Logger(({ taskIdentifier, jobId }) => (level, message) => {
    const isKnown = outage.isOn && jobId === undefined && level !== 'debug';
    logger[isKnown ? 'debug' : levels[level]]({ task: taskIdentifier, job: jobId }, message);
  });
}
