import type { JobHelpers, TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import { deliver } from '../events/deliver.ts';
import { notifyEvent } from '../events/notify.ts';
import type { WebhookSender } from '../events/send.ts';
import type { Gate } from './gate.ts';

export interface Workshop {
  pool: Pool;
  sender: WebhookSender;
  gate: Gate;
}

/** What can be done, by the names under which jobs ask for it. */
export function taskList({ pool, sender, gate }: Workshop): TaskList {
  return {
    notify_event: (payload) => notifyEvent(pool, numberOf(payload, 'event_no'), { mails: false }),
    deliver_webhook: (payload, helpers) =>
      behindGate(gate, helpers, async () => {
        const outcome = await deliver(pool, sender, numberOf(payload, 'delivery_no'));
        return outcome === 'delivered' || outcome === 'void';
      }),
    keep_partitions: () => keepPartitions(pool),
  };
}

/**
 * Runs a job that waits for an outside party, or gives it back to the queue where that party has enough of them. Not
 * fetching such jobs in the first place is not enough: a hundred may be fetched in the moment before the first begins.
 */
async function behindGate(gate: Gate, { job, addJob }: JobHelpers, work: () => Promise<boolean>): Promise<void> {
  const flags = Object.keys(job.flags ?? {});
  const leave = gate.enter(flags[0] ?? '');
  if (leave === undefined) {
    const { key, run_at: runAt, max_attempts: maxAttempts } = job;
    await addJob(job.task_identifier, job.payload, {
      flags,
      runAt,
      maxAttempts,
      ...(key === null ? {} : { jobKey: key }),
    });
    return;
  }
  let isGood = false;
  try {
    isGood = await work();
  } finally {
    leave(isGood);
  }
}

/** Of this month and the next, so that no reading has to wait for one to be made. */
async function keepPartitions(pool: Pool): Promise<void> {
  await pool.query('select ensure_telemetry_month(now()), ensure_telemetry_month(next_utc_month(now()))');
}

function numberOf(payload: unknown, name: string): number {
  const value = typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;
  if (typeof value !== 'number') throw new Error(`the job's payload has no ${name}`);
  return value;
}
