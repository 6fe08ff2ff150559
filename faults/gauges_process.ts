import { setTimeout as sleep } from 'node:timers/promises';
import { openPool } from '../src/db/pool.ts';
import { Reevaluator } from '../src/evaluation/reevaluator.ts';
import { Recomputer } from '../src/gauges/recomputation_loop.ts';

/** Computes levels again and evaluates them, as a writer does, until it is killed. It continues after PostgreSQL was killed. */
const pool = openPool({ url: process.argv[2] ?? '', applicationName: 'recomputing' });
const recomputer = new Recomputer(pool);
const reevaluator = new Reevaluator(pool);
for (;;) {
  try {
    const { isMore } = await recomputer.recomputeBatch();
    const { reevaluated } = await reevaluator.reevaluateBatch(Date.now());
    if (!isMore && reevaluated === 0) await sleep(20);
  } catch {
    await sleep(20);
  }
}
