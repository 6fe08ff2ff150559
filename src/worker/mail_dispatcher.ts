import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import { Outage } from '../health/outage.ts';
import { recordFailedMail } from '../mail/failed_mails.ts';
import {
  claimMails,
  extendMailLeases,
  finishMail,
  MAIL_LEASE_SECONDS,
  type MailJob,
  type MailTask,
  retryMail,
} from '../mail/mail_jobs.ts';
import type { WorkerMetrics } from './metrics.ts';
import { countMail, type SendMail } from './tasks.ts';

const EXTEND_MS = (MAIL_LEASE_SECONDS * 1_000) / 3;

export interface MailDispatcherOptions {
  pool: Pool;
  senders: Readonly<Record<MailTask, SendMail>>;
  /** Maximum number of mails that are sent at the same time. */
  concurrency: number;
  logger: BaseLogger;
  metrics: Pick<WorkerMetrics, 'mails' | 'jobs'>;
}

/**
 * Sends due mails when due_watch.ts finds some, and when an attempt has ended. Organizations are served in rotation, so
 * that 200,000 mails of one do not delay those of another.
 */
export class MailDispatcher {
  readonly #options: MailDispatcherOptions;
  readonly #id = randomUUID();
  readonly #running = new Map<number, Promise<void>>();
  readonly #outage: Outage;
  #extendTimer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | null = null;
  #mustClaimAgain = false;
  #isStopped = true;
  /** The next claim begins with the organization after this number. */
  #afterNo = 0;

  constructor(options: MailDispatcherOptions) {
    this.#options = options;
    this.#outage = new Outage(options.logger, 'reading due mails');
  }

  start(): void {
    this.#isStopped = false;
    this.startDueMails();
    clearInterval(this.#extendTimer);
    this.#extendTimer = setInterval(() => void this.#extendLeases(), EXTEND_MS);
  }

  /** Starts due mails up to the capacity. A call during a running query causes one more query. */
  startDueMails(): void {
    this.#mustClaimAgain = true;
    this.#claiming ??= this.#claimUntilDone().finally(() => {
      this.#claiming = null;
    });
  }

  /** Starts no more mails and waits for the running ones. It can be started again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#claiming;
    await Promise.all(this.#running.values());
    clearInterval(this.#extendTimer);
  }

  async #claimUntilDone(): Promise<void> {
    while (this.#mustClaimAgain && !this.#isStopped) {
      this.#mustClaimAgain = false;
      try {
        await this.#claim();
        this.#outage.worked();
      } catch (error) {
        this.#outage.failed(error);
      }
    }
  }

  async #claim(): Promise<void> {
    const limit = this.#options.concurrency - this.#running.size;
    if (limit <= 0) return;
    const afterNo = this.#afterNo;
    const claimed = await claimMails(this.#options.pool, { claimedBy: this.#id, afterNo, limit });
    for (const job of claimed) this.#start(job);
    // If fewer mails than wanted were claimed, all organizations were served, and the next claim begins with the first
    // one.
    this.#afterNo = claimed.length < limit ? 0 : (claimed.at(-1)?.organization_no ?? 0);
    if (claimed.length > 0 || afterNo > 0) this.#mustClaimAgain = true;
  }

  #start(job: MailJob): void {
    const attempt = this.#attempt(job).finally(() => {
      this.#running.delete(job.no);
      this.startDueMails();
    });
    this.#running.set(job.no, attempt);
  }

  async #attempt(job: MailJob): Promise<void> {
    const { pool, senders, logger, metrics } = this.#options;
    const { no, task } = job;
    let isRejected = false;
    try {
      try {
        isRejected = (await countMail(metrics, () => senders[task](job.payload))) === 'rejected';
        if (isRejected) logger.warn({ task, job: no }, 'the mail server rejected a recipient permanently');
        metrics.jobs.inc({ task, outcome: 'success' });
      } catch (error) {
        metrics.jobs.inc({ task, outcome: 'error' });
        logger.error({ task, job: no, err: error }, 'a mail could not be sent');
        const message = error instanceof Error ? error.message : String(error);
        if (await retryMail(pool, this.#id, job, message)) await this.#recordFailure(job, 'given_up');
        return;
      }
      await finishMail(pool, this.#id, job);
      if (isRejected) await this.#recordFailure(job, 'rejected');
    } catch (error) {
      logger.error({ task, job: no, err: error }, 'the result of a mail could not be recorded; it is looked at again');
    }
  }

  /** After the job, so that a failure here does not send a rejected mail again. */
  async #recordFailure(job: MailJob, because: 'rejected' | 'given_up'): Promise<void> {
    const { pool, logger } = this.#options;
    await recordFailedMail(pool, job, because).catch((error: unknown) =>
      logger.error({ task: job.task, job: job.no, err: error }, 'a failed mail is missing in the timeline of its tank'),
    );
  }

  /** A mail server may need longer than a lease. */
  async #extendLeases(): Promise<void> {
    if (this.#running.size === 0) return;
    await extendMailLeases(this.#options.pool, this.#id, [...this.#running.keys()]).catch((error: unknown) =>
      this.#outage.failed(error),
    );
  }
}
