import type { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import { escalate, giveUpEscalation } from '../duty/escalations.ts';
import { giveUpText, sendText, type TextSender } from '../duty/send_text.ts';
import { recordFailedMail } from '../mail/failed_mails.ts';
import type { MailTask } from '../mail/mail_jobs.ts';
import { giveUpPush, type PushSender, sendPush } from '../push/send_push.ts';
import { type BeforeSend, JobDispatcher } from './job_dispatcher.ts';
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
  context: DispatcherContext,
  sendersOf: (beforeSend: BeforeSend) => Readonly<Record<MailTask, SendMail>>,
  concurrency: number,
): JobDispatcher<MailTask> =>
  new JobDispatcher({
    ...context,
    table: 'mail_jobs',
    name: 'mails',
    run: ({ task, payload }, beforeSend) =>
      countOutcome(context.metrics.mails, () => sendersOf(beforeSend)[task](payload)),
    onFailure: (job, because) => recordFailedMail(context.pool, job, because),
    concurrency,
  });

export const textDispatcherOf = (context: DispatcherContext, options: TextSender): JobDispatcher<'send_text'> =>
  new JobDispatcher({
    ...context,
    table: 'text_jobs',
    name: 'texts',
    run: ({ payload }, beforeSend) =>
      countOutcome(context.metrics.texts, () =>
        sendText(context.pool, { ...options, beforeSend }, numberOf(payload, 'text_no')),
      ),
    async onFailure({ payload }, because) {
      if (because === 'given_up') await giveUpText(context.pool, numberOf(payload, 'text_no'));
    },
    concurrency: TEXT_CONCURRENCY,
  });

export const pushDispatcherOf = (context: DispatcherContext, options: PushSender): JobDispatcher<'send_push'> =>
  new JobDispatcher({
    ...context,
    table: 'push_jobs',
    name: 'notifications in browsers',
    run: ({ payload }, beforeSend) =>
      countOutcome(context.metrics.pushes, () =>
        sendPush(context.pool, { ...options, beforeSend }, numberOf(payload, 'push_no')),
      ),
    async onFailure({ payload }, because) {
      if (because === 'given_up') await giveUpPush(context.pool, numberOf(payload, 'push_no'));
    },
    concurrency: PUSH_CONCURRENCY,
  });

export const escalationDispatcherOf = (
  context: DispatcherContext,
  { mails }: { mails: boolean },
): JobDispatcher<'escalate'> =>
  new JobDispatcher({
    ...context,
    table: 'escalation_jobs',
    name: 'escalations',
    run: ({ payload }) => escalate(context.pool, numberOf(payload, 'escalation_no'), { mails }),
    onFailure: ({ payload }) => giveUpEscalation(context.pool, numberOf(payload, 'escalation_no')),
    concurrency: ESCALATION_CONCURRENCY,
  });
