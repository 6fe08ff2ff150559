import { setTimeout as sleep } from 'node:timers/promises';
import type { BaseLogger } from 'pino';
import { Refusal } from '../catalog/refusal.ts';
import type { WorkerConfig } from '../config.ts';
import { migrationState, readMigrations } from '../db/migrate.ts';
import { openPool } from '../db/pool.ts';
import { Mailer } from '../events/mailer.ts';
import { WebhookSender } from '../events/send.ts';
import { Gate } from './gate.ts';
import { openQueuePool, type Queue, startQueue } from './queue.ts';

export interface RunningWorker {
  /** Settles when it has stopped. */
  ended: Promise<void>;
  /** Takes no more jobs, finishes those under way, and stops. */
  close(): Promise<void>;
}

const RESTART_MS = 1_000;

/** Starts the worker role: its connections, then the jobs. */
export async function serveWorker(config: WorkerConfig, logger: BaseLogger): Promise<RunningWorker> {
  const pool = openPool({ url: config.databaseUrl, applicationName: 'tankwatch worker', maxConnections: 10 });
  const queuePool = openQueuePool(config.databaseUrl);
  const sender = new WebhookSender(config.webhooks);
  const mailer = config.mail === null ? null : new Mailer(config.mail);
  const reminderDays = config.mail?.reminderDays ?? 0;
  const workshop = { pool, sender, mailer, reminderDays, gate: new Gate(config.concurrency) };
  const start = (): Promise<Queue> => startQueue(workshop, queuePool, config, logger);
  const release = async (): Promise<void> => {
    mailer?.close();
    await Promise.all([pool.end(), queuePool.end(), sender.close()]);
  };

  const closing = new AbortController();
  let queue: Queue;
  try {
    const { pending } = await migrationState(pool, await readMigrations());
    if (pending.length > 0) throw new Refusal('the database lacks migrations; run: tankwatch migrate');
    queue = await start();
  } catch (error) {
    await release();
    throw error;
  }

  const untilEnded = (running: Queue): Promise<void> =>
    running.ended.catch((error: unknown) => logger.error({ err: error }, 'the queue was lost; starting again'));
  /** The queue gives up when it cannot note that a job is done. A database that is back gets another one. */
  const work = async (): Promise<void> => {
    await untilEnded(queue);
    while (!closing.signal.aborted) {
      await sleep(RESTART_MS);
      try {
        queue = await start();
      } catch (error) {
        logger.error({ err: error }, 'the queue could not be started; trying again');
        continue;
      }
      if (closing.signal.aborted) void queue.stop();
      await untilEnded(queue);
    }
    await release();
    logger.info('stopped');
  };
  const ended = work();
  return {
    ended,
    async close() {
      logger.info('finishing what is under way');
      closing.abort();
      await queue.stop();
      await ended;
    },
  };
}
