import type { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import { escalate, giveUpEscalation } from '../duty/escalations.ts';
import { giveUpText, sendText, type TextSender } from '../duty/send_text.ts';
import { recordFailedMail } from '../mail/failed_mails.ts';
import type { MailTask } from '../mail/mail_jobs.ts';
import { giveUpPush, type PushSender, sendPush } from '../push/send_push.ts';
import { JobDispatcher } from './job_dispatcher.ts';
import type { WorkerMetrics } from './metrics.ts';
import { countOutcome, numberOf, type SendMail } from './tasks.ts';

interface DispatcherContext {
  pool: Pool;
  logger: BaseLogger;
  metrics: WorkerMetrics;
}

/** A slow provider or push service takes 15 seconds. Meanwhile, the job uses no connection to the database. */
const TEXT_CONCURRENCY = 100;
const PUSH_CONCURRENCY = 100;
/** Few are enough, because a step takes milliseconds. */
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
    run: ({ task, payload }) => countOutcome(metrics.mails, () => senders[task](payload)),
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
    run: ({ payload }) => countOutcome(metrics.texts, () => sendText(pool, options, numberOf(payload, 'text_no'))),
    async onFailure({ payload }, because) {
      if (because === 'given_up') await giveUpText(pool, numberOf(payload, 'text_no'));
    },
    concurrency: TEXT_CONCURRENCY,
    logger,
    metrics,
  });

export const pushDispatcherOf = (
  { pool, logger, metrics }: DispatcherContext,
  options: PushSender,
): JobDispatcher<'send_push'> =>
  new JobDispatcher({
    pool,
    table: 'push_jobs',
    name: 'notifications in browsers',
    run: ({ payload }) => countOutcome(metrics.pushes, () => sendPush(pool, options, numberOf(payload, 'push_no'))),
    async onFailure({ payload }, because) {
      if (because === 'given_up') await giveUpPush(pool, numberOf(payload, 'push_no'));
    },
    concurrency: PUSH_CONCURRENCY,
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
