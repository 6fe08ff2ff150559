import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Pool } from 'pg';
import type { Counter, Gauge } from 'prom-client';
import { Outage } from '../health/outage.ts';
import { readBacklog } from './backlog.ts';
import type { EvaluationFailureReport } from './evaluation_failures.ts';
import { TimerScan } from './fire_timers.ts';
import { OutdatedStateScan } from './outdated_states.ts';
import { countFailingTanks, resumeWaitingTanks } from './reevaluation_queue.ts';
import { Reevaluator } from './reevaluator.ts';

/** One connection for each loop of re-evaluations, and one for the timers. The other loops use a connection for a short time. */
export const EVALUATION_CONNECTIONS = 3;
const REEVALUATION_LOOPS = EVALUATION_CONNECTIONS - 1;
const REEVALUATION_INTERVAL_MS = 500;
const TIMER_INTERVAL_MS = 5_000;
const WATCH_INTERVAL_MS = 10_000;
/** Timers fire only after this time, so that devices that could not connect before the start can send their readings. */
const INITIAL_TIMER_DELAY_MS = 300_000;

export interface EvaluationLoopMetrics {
  reevaluatedTanks: Counter;
  evaluatedTimers: Counter;
  failingTanks: Gauge;
  backlogTanks: Gauge;
  backlogSeconds: Gauge;
  timerLagSeconds: Gauge;
}

export interface EvaluationLoopOptions {
  pool: Pool;
  /**
   * All readings that arrived before this time are stored. Timers do not fire beyond it: a reading that still
   * waits in the stream, after an outage perhaps for days, may show that a device was never silent.
   */
  storedUpToMs: () => number;
  closing: AbortSignal;
  logger: FastifyBaseLogger;
  metrics: EvaluationLoopMetrics;
  failures: EvaluationFailureReport;
  firstTimersAfterMs?: number;
}

/**
 * Re-evaluates tanks with late readings, changed settings or a state of an older release, and fires timers. Each has
 * loops of its own, so that neither waits for the other. Any number of writers share the work.
 */
export async function runEvaluationLoops(options: EvaluationLoopOptions): Promise<void> {
  const { pool, storedUpToMs, metrics, failures, firstTimersAfterMs = INITIAL_TIMER_DELAY_MS } = options;
  const reevaluator = new Reevaluator(pool);
  const timers = new TimerScan(pool);
  const outdated = new OutdatedStateScan(pool);

  const reevaluate = async (): Promise<boolean> => {
    const result = await reevaluator.reevaluateBatch(storedUpToMs());
    metrics.reevaluatedTanks.inc(result.reevaluated);
    failures.addFailing(result.failures);
    return result.reevaluated + result.dequeued > 0;
  };
  const fireTimers = async (): Promise<boolean> => {
    const result = await timers.fireBatch(storedUpToMs());
    metrics.evaluatedTimers.inc(result.tanks);
    failures.addFailing(result.failures);
    return result.isMore;
  };
  let isUpgradeLogged = false;
  const queueOutdated = async (): Promise<boolean> => {
    const { queued, isMore } = await outdated.queueBatch();
    if (queued > 0 && !isUpgradeLogged) {
      isUpgradeLogged = true;
      options.logger.info('an older release wrote the states of tanks; re-evaluating these tanks in the background');
    }
    return isMore;
  };
  const watch = async (): Promise<boolean> => {
    await resumeWaitingTanks(pool);
    metrics.failingTanks.set(await countFailingTanks(pool));
    const backlog = await readBacklog(pool, storedUpToMs());
    metrics.backlogTanks.set(backlog.tanks);
    metrics.backlogSeconds.set(backlog.oldest_seconds);
    metrics.timerLagSeconds.set(backlog.timer_lag_seconds);
    return false;
  };

  await Promise.all([
    ...Array.from({ length: REEVALUATION_LOOPS }, () =>
      repeat(options, 're-evaluating tanks', REEVALUATION_INTERVAL_MS, 0, reevaluate),
    ),
    repeat(options, 'evaluating timers', TIMER_INTERVAL_MS, firstTimersAfterMs, fireTimers),
    repeat(options, 'looking for states of an older release', REEVALUATION_INTERVAL_MS, 0, queueOutdated),
    repeat(options, 'looking for tanks that cannot be evaluated', WATCH_INTERVAL_MS, 0, watch),
  ]);
}

/** Repeats work until the writer closes: at once while there is more to do, otherwise after an interval. */
export async function repeat(
  { closing, logger }: Pick<EvaluationLoopOptions, 'closing' | 'logger'>,
  name: string,
  intervalMs: number,
  firstAfterMs: number,
  work: () => Promise<boolean>,
): Promise<void> {
  const outage = new Outage(logger, name);
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: closing, ref: false }).catch(() => {});
  await pause(firstAfterMs);
  while (!closing.aborted) {
    let isMore = false;
    try {
      isMore = await work();
      outage.worked();
    } catch (error) {
      outage.failed(error);
    }
    if (!isMore) await pause(intervalMs);
  }
}
