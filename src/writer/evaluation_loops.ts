import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Pool } from 'pg';
import { evaluateTimers, reevaluateTanks } from '../evaluation/reevaluate_tanks.ts';
import { Outage } from '../health/outage.ts';

/** One at a time is folded again: it is locked meanwhile, and its readings wait. */
const REFOLDED_AT_ONCE = 1;
const TICKED_AT_ONCE = 50;
const LOOK_EVERY_MS = 500;
const TICK_EVERY_MS = 15_000;
/** After a start, devices that found nobody to send to come first. */
const FIRST_TICK_AFTER_MS = 300_000;

export interface EvaluationLoopOptions {
  pool: Pool;
  /**
   * The time up to which everything that was heard is stored. The clock says nothing beyond it: what still waits in the
   * stream, after an outage perhaps for days, may show that a tank was never silent.
   */
  heardUpToMs: () => number;
  closing: AbortSignal;
  logger: FastifyBaseLogger;
}

/** Judges what no reading in order does: late ones, changed settings, and the clock. Any number of writers share it. */
export async function runEvaluationLoops({ pool, heardUpToMs, closing, logger }: EvaluationLoopOptions): Promise<void> {
  let tickedAtMs = Date.now() + FIRST_TICK_AFTER_MS - TICK_EVERY_MS;
  const outage = new Outage(logger, 'judging tanks');
  while (!closing.aborted) {
    try {
      while (!closing.aborted && (await reevaluateTanks(pool, REFOLDED_AT_ONCE, heardUpToMs())) === REFOLDED_AT_ONCE);
      if (Date.now() - tickedAtMs > TICK_EVERY_MS) {
        while (!closing.aborted && (await evaluateTimers(pool, TICKED_AT_ONCE, heardUpToMs())) === TICKED_AT_ONCE);
        tickedAtMs = Date.now();
      }
      outage.worked();
    } catch (error) {
      outage.failed(error);
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: closing, ref: false }).catch(() => {});
  }
}
