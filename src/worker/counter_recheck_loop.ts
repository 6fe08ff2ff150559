import type { Pool } from 'pg';
import type { StatusLogger } from '../health/outage.ts';
import { RepeatedWork } from '../health/repeated_work.ts';
import { checkNextTanks } from '../telemetry/counter_check.ts';
import type { WorkerMetrics } from './metrics.ts';

/** Counting three years of hourly readings of 50 tanks takes about a second. */
const BATCH_TANKS = 50;
/** The share of the time in which a statement runs. Five million tanks with three years of readings take eleven days. */
const BUSY_SHARE = 0.1;
const MIN_PAUSE_MS = 1_000;
const IDLE_PAUSE_MS = 60_000;

/** Recounts the readings of all tanks in the background, a few tanks at a time, in endless rounds. */
export const startCounterRecheckLoop = (pool: Pool, metrics: WorkerMetrics, logger: StatusLogger): RepeatedWork =>
  new RepeatedWork(logger, 'checking counters', IDLE_PAUSE_MS, async () => {
    const startMs = performance.now();
    const batch = await checkNextTanks(pool, BATCH_TANKS);
    metrics.checkedTanks.set(batch.checked_tanks);
    metrics.wrongCounters.set(Math.max(batch.wrong_counters, batch.ended_wrong));
    metrics.checkRoundEnd.set(batch.ended_at === null ? 0 : Date.parse(batch.ended_at) / 1_000);
    return batch.isIdle ? IDLE_PAUSE_MS : Math.max(MIN_PAUSE_MS, (performance.now() - startMs) * (1 / BUSY_SHARE - 1));
  });
