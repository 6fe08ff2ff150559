import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Pool } from 'pg';
import { refoldTanks, tickTanks } from '../events/refold_tanks.ts';

/** One at a time is folded again: it is locked meanwhile, and its readings wait. */
const REFOLDED_AT_ONCE = 1;
const TICKED_AT_ONCE = 50;
const LOOK_EVERY_MS = 500;
const TICK_EVERY_MS = 15_000;

/** Judges what no reading in order does: late ones, changed settings, and the clock. Any number of writers share it. */
export async function keepJudging(pool: Pool, closing: AbortSignal, logger: FastifyBaseLogger): Promise<void> {
  let tickedAtMs = 0;
  let isFailing = false;
  while (!closing.aborted) {
    try {
      while (!closing.aborted && (await refoldTanks(pool, REFOLDED_AT_ONCE)) === REFOLDED_AT_ONCE);
      if (Date.now() - tickedAtMs > TICK_EVERY_MS) {
        while (!closing.aborted && (await tickTanks(pool, TICKED_AT_ONCE)) === TICKED_AT_ONCE);
        tickedAtMs = Date.now();
      }
      isFailing = false;
    } catch (error) {
      if (!isFailing) logger.error({ err: error }, 'tanks cannot be judged; trying until they can');
      isFailing = true;
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: closing, ref: false }).catch(() => {});
  }
}
