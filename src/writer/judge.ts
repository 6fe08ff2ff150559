import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Pool } from 'pg';
import { refoldTanks, tickTanks } from '../events/refold_tanks.ts';

/** Few at a time: their tanks are locked meanwhile, and their readings wait. */
const TANKS_AT_ONCE = 20;
const LOOK_EVERY_MS = 500;
const TICK_EVERY_MS = 15_000;

/** Judges what no reading in order does: late ones, changed settings, and the clock. Any number of writers share it. */
export async function keepJudging(pool: Pool, closing: AbortSignal, logger: FastifyBaseLogger): Promise<void> {
  let tickedAtMs = 0;
  let isFailing = false;
  while (!closing.aborted) {
    try {
      while (!closing.aborted && (await refoldTanks(pool, TANKS_AT_ONCE)) === TANKS_AT_ONCE);
      if (Date.now() - tickedAtMs > TICK_EVERY_MS) {
        while (!closing.aborted && (await tickTanks(pool, TANKS_AT_ONCE)) === TANKS_AT_ONCE);
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
