import type { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import { escalate, giveUpEscalation } from '../duty/escalations.ts';
import { giveUpText, sendText, type TextSender } from '../duty/send_text.ts';
import { recordFailedMail } from '../mail/failed_mails.ts';
import type { MailTask } from '../mail/mail_jobs.ts';
import { JobDispatcher } from './job_dispatcher.ts';
import type { WorkerMetrics } from './metrics.ts';
import { countMail, numberOf, type SendMail } from './tasks.ts';

interface DispatcherContext {
  pool: Pool;
  logger: BaseLogger;
  metrics: WorkerMetrics;
}

/** A slow provider takes 15 seconds for a text, and uses no connection of the database meanwhile. */
const TEXT_CONCURRENCY = 100;
/** Steps take milliseconds. */
const ESCALATION_CONCURRENCY = 2;

export const mailDispatcherOf = (
  { pool, logger, metrics }: DispatcherContext,
  senders: Readonly<Record<MailTask, SendMail>>,
  concurrency: number,
): JobDispatcher<MailTask> =>
  new JobDispatcher<MailTask>({
    pool,
    table: 'mail_jobs',
    name: 'mails',
    run: ({ task, payload }) => countMail(metrics, () => senders[task](payload)),
    onFailure: (job, because) => recordFailedMail(pool, job, because),
    concurrency,
    logger,
    metrics,
  });

export const textDispatcherOf = (
  { pool, logger, metrics }: DispatcherContext,
  options: TextSender,
): JobDispatcher<'send_text'> =>
  new JobDispatcher({
    pool,
    table: 'text_jobs',
    name: 'texts',
    async run({ payload }) {
      const outcome = await sendText(pool, options, numberOf(payload, 'text_no')).catch((error: unknown) => {
        metrics.texts.inc({ outcome: 'failed' });
        throw error;
      });
      metrics.texts.inc({ outcome });
      return outcome;
    },
    async onFailure({ payload }, because) {
      if (because === 'given_up') await giveUpText(pool, numberOf(payload, 'text_no'));
    },
    concurrency: TEXT_CONCURRENCY,
    logger,
    metrics,
  });

export const escalationDispatcherOf = (
  { pool, logger, metrics }: DispatcherContext,
  { mails }: { mails: boolean },
): JobDispatcher<'escalate'> =>
  new JobDispatcher({
    pool,
    table: 'escalation_jobs',
    name: 'escalations',
    run: ({ payload }) => escalate(pool, numberOf(payload, 'escalation_no'), { mails }),
    onFailure: ({ payload }) => giveUpEscalation(pool, numberOf(payload, 'escalation_no')),
    concurrency: ESCALATION_CONCURRENCY,
    logger,
    metrics,
  });
