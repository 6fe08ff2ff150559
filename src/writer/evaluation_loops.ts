import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Pool } from 'pg';
import { evaluateTimers, reevaluateTanks } from '../evaluation/reevaluate_tanks.ts';
import { Outage } from '../health/outage.ts';

/** Tanks per transaction. A tank is locked during its re-evaluation, and its new readings wait. */
const REEVALUATED_TANKS = 1;
const TIMER_TANKS = 50;
const LOOP_INTERVAL_MS = 500;
const TIMER_INTERVAL_MS = 15_000;
/** After a start, devices that could not connect before get time to send their readings. */
const FIRST_TIMERS_AFTER_MS = 300_000;

export interface EvaluationLoopOptions {
  pool: Pool;
  /**
   * All readings that arrived before this time are stored. Timers are not evaluated beyond it: a reading that still
   * waits in the stream, after an outage perhaps for days, may show that a device was never silent.
   */
  storedUpToMs: () => number;
  closing: AbortSignal;
  logger: FastifyBaseLogger;
}

/** Re-evaluates tanks with late readings or changed settings, and evaluates timers. Any number of writers share the work. */
export async function runEvaluationLoops({
  pool,
  storedUpToMs,
  closing,
  logger,
}: EvaluationLoopOptions): Promise<void> {
  let timersAtMs = Date.now() + FIRST_TIMERS_AFTER_MS - TIMER_INTERVAL_MS;
  const outage = new Outage(logger, 'evaluating tanks');
  while (!closing.aborted) {
    try {
      while (
        !closing.aborted &&
        (await reevaluateTanks(pool, REEVALUATED_TANKS, storedUpToMs())) === REEVALUATED_TANKS
      );
      if (Date.now() - timersAtMs > TIMER_INTERVAL_MS) {
        while (!closing.aborted && (await evaluateTimers(pool, TIMER_TANKS, storedUpToMs())) === TIMER_TANKS);
        timersAtMs = Date.now();
      }
      outage.worked();
    } catch (error) {
      outage.failed(error);
    }
    await sleep(LOOP_INTERVAL_MS, undefined, { signal: closing, ref: false }).catch(() => {});
  }
}
