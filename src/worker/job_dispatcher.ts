import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import {
  claimJobs,
  extendLeases,
  finishJob,
  hasLease,
  type JobTable,
  LEASE_SECONDS,
  type QueuedJob,
  retryJob,
} from '../db/job_tables.ts';
import { Outage } from '../health/outage.ts';
import { ClaimLoop } from './claim_loop.ts';
import type { WorkerMetrics } from './metrics.ts';

const EXTEND_MS = (LEASE_SECONDS * 1_000) / 3;

export type BeforeSend = () => Promise<void>;

export interface JobDispatcherOptions<Task extends string> {
  pool: Pool;
  table: JobTable;
  /** The name of the jobs for the log, such as `mails`. */
  name: string;
  /**
   * Runs a job. `rejected` means that it can never succeed. Throws if it must be tried again. It calls `beforeSend` right before it sends
   * something, which throws if another worker may send it.
   */
  run: (job: QueuedJob<Task>, beforeSend: BeforeSend) => Promise<'sent' | 'skipped' | 'rejected'>;
  /** Called after a job was rejected, or was tried too often. */
  onFailure: (job: QueuedJob<Task>, because: 'rejected' | 'given_up') => Promise<void>;
  /** Maximum number of jobs that run at the same time. */
  concurrency: number;
  logger: BaseLogger;
  metrics: Pick<WorkerMetrics, 'jobs'>;
}

/**
 * Runs due jobs of a table when due_watch.ts finds some, and when an attempt has ended. Organizations are served in rotation, so
 * that 200,000 mails of one organization do not delay those of another.
 */
export class JobDispatcher<Task extends string> {
  readonly #options: JobDispatcherOptions<Task>;
  readonly #id = randomUUID();
  readonly #running = new Map<number, Promise<void>>();
  readonly #outage: Outage;
  #extendTimer: NodeJS.Timeout | undefined;
  readonly #loop: ClaimLoop;
  /** The next claim begins with the organization after this number. */
  #afterNo = 0;

  constructor(options: JobDispatcherOptions<Task>) {
    this.#options = options;
    this.#outage = new Outage(options.logger, `reading due ${options.name}`);
    this.#loop = new ClaimLoop(() => this.#claim(), this.#outage);
  }

  start(): void {
    this.#loop.start();
    clearInterval(this.#extendTimer);
    this.#extendTimer = setInterval(() => void this.#extendLeases(), EXTEND_MS);
  }

  /** Starts due jobs up to the capacity. A call during a running query causes one more query. */
  startDue(): void {
    this.#loop.wake();
  }

  /** Starts no more jobs and waits for the running ones. It can be started again. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#running.values());
    clearInterval(this.#extendTimer);
  }

  async #claim(): Promise<boolean> {
    const { pool, table, concurrency } = this.#options;
    const limit = concurrency - this.#running.size;
    if (limit <= 0) return false;
    const afterNo = this.#afterNo;
    const claimed = await claimJobs<Task>(pool, table, { claimedBy: this.#id, afterNo, limit });
    // After a suspension, this process may claim a job that it still runs.
    for (const job of claimed) if (!this.#running.has(job.no)) this.#start(job);
    // If fewer jobs than wanted were claimed, all organizations were served, and the next claim begins with the first one.
    this.#afterNo = claimed.length < limit ? 0 : (claimed.at(-1)?.organization_no ?? 0);
    return claimed.length > 0 || afterNo > 0;
  }

  #start(job: QueuedJob<Task>): void {
    const attempt = this.#attempt(job).finally(() => {
      this.#running.delete(job.no);
      this.startDue();
    });
    this.#running.set(job.no, attempt);
  }

  async #attempt(job: QueuedJob<Task>): Promise<void> {
    const { pool, table, run, logger, metrics } = this.#options;
    const { no, task } = job;
    let isRejected = false;
    const beforeSend = async (): Promise<void> => {
      if (!(await hasLease(pool, table, this.#id, job))) throw new Error('the lease of the job has ended');
    };
    try {
      try {
        isRejected = (await run(job, beforeSend)) === 'rejected';
        if (isRejected) logger.warn({ task, job: no }, 'a recipient was rejected permanently');
        metrics.jobs.inc({ task, outcome: 'success' });
      } catch (error) {
        metrics.jobs.inc({ task, outcome: 'error' });
        logger.error({ task, job: no, err: error }, 'a job failed; it is tried again');
        const message = error instanceof Error ? error.message : String(error);
        if (await retryJob(pool, table, this.#id, job, message)) await this.#recordFailure(job, 'given_up');
        return;
      }
      await finishJob(pool, table, this.#id, job);
      if (isRejected) await this.#recordFailure(job, 'rejected');
    } catch (error) {
      logger.error({ task, job: no, err: error }, 'the result of a job could not be recorded; it is looked at again');
    }
  }

  /** Called after the job was finished, so that a failure here does not send a rejected mail again. */
  async #recordFailure(job: QueuedJob<Task>, because: 'rejected' | 'given_up'): Promise<void> {
    const { onFailure, logger } = this.#options;
    await onFailure(job, because).catch((error: unknown) =>
      logger.error({ task: job.task, job: job.no, err: error }, 'the failure of a job could not be recorded'),
    );
  }

  /** Extends the leases of the running jobs, because an attempt may need longer than a lease. */
  async #extendLeases(): Promise<void> {
    if (this.#running.size === 0) return;
    const { pool, table } = this.#options;
    await extendLeases(pool, table, this.#id, [...this.#running.keys()]).catch((error: unknown) =>
      this.#outage.failed(error),
    );
  }
}
