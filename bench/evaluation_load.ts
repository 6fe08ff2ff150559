import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { repeat } from '../engines/repeat.ts';
import type { Tenant } from '../engines/tenant.ts';
import { openPool } from '../src/db/pool.ts';
import { EvaluationFailureReport } from '../src/evaluation/evaluation_failures.ts';
import { EVALUATION_CONNECTIONS, runEvaluationLoops } from '../src/evaluation/evaluation_loops.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../src/values/time.ts';
import { writerMetrics } from '../src/writer/metrics.ts';
import { createOtherTank, type EvaluationFleet } from './evaluation_fleet.ts';

/** The longest time that an alert of another organization may take. */
export const MAX_ALERT_SECONDS = 60;
/** The number of batches that the writer stores at the same time. */
const LANES = 2;

export const openWriter = (url: string): ReturnType<typeof openPool> =>
  openPool({
    url,
    applicationName: 'bench writer',
    maxConnections: LANES + 1 + EVALUATION_CONNECTIONS,
    statementTimeoutMs: 60_000,
  });

/** Starts the loops of a writer without timers, which are measured alone. `stop` returns the number of re-evaluated tanks. */
export function startLoops(pool: Pool): { stop(): Promise<number> } {
  const closing = new AbortController();
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const metrics = writerMetrics(new Registry());
  const running = runEvaluationLoops({
    pool,
    storedUpToMs: () => Date.now(),
    closing: closing.signal,
    logger,
    metrics,
    failures: new EvaluationFailureReport(logger, metrics),
    firstTimersAfterMs: 86_400_000,
  });
  return {
    async stop() {
      closing.abort();
      await running;
      const { values } = await metrics.reevaluatedTanks.get();
      return values[0]?.value ?? 0;
    },
  };
}

/** Sends new readings of random tanks, 200 in a batch, about twice a second. `stop` returns the number of stored readings. */
export function sendReadings(writer: Pool, { firstTankNo, tanks }: EvaluationFleet): { stop(): Promise<number> } {
  const ingester = new BatchIngester(writer);
  let stored = 0;
  const sending = repeat(400, async () => {
    const readings = Array.from({ length: 200 }, () => ({
      tankNo: firstTankNo + Math.floor(Math.random() * tanks),
      atMs: Date.now(),
      fillPercentage: 50,
    }));
    stored += (await ingester.ingestReadings(readings)).stored;
  });
  return { stop: async () => sending.stop().then(() => stored) };
}

/** Raises alerts by late readings, one after the other and each of a new tank, and measures how long each takes. */
export function probeAlerts(owner: Pool, writer: Pool, other: Tenant) {
  const ingester = new BatchIngester(writer);
  const delaysSeconds: number[] = [];
  const probing = repeat(1_000, async () => {
    const tankNo = await createOtherTank(owner, other);
    const readings = Array.from({ length: 24 }, (_, n) => ({
      tankNo,
      atMs: Date.now() - (24 - n) * HOUR_MS,
      fillPercentage: 30 - n * 0.6,
    }));
    await ingester.ingestReadings([...readings.slice(0, 8), ...readings.slice(-1)]);
    const sentMs = performance.now();
    await ingester.ingestReadings(readings.slice(8, -1));
    while (!(await isRaised(owner, tankNo))) await sleep(50);
    delaysSeconds.push((performance.now() - sentMs) / 1_000);
  });
  return {
    async stop(): Promise<{ maxSeconds: number; alerts: number }> {
      await probing.stop();
      return { maxSeconds: Math.max(...delaysSeconds), alerts: delaysSeconds.length };
    },
  };
}

async function isRaised(owner: Pool, tankNo: number): Promise<boolean> {
  const { rows } = await owner.query<{ is_raised: boolean }>(
    `select exists (select from events where tank_no = $1 and type = 'tank.low_fill' and retracted_at is null)
       and not exists (select from reevaluations where tank_no = $1) as is_raised`,
    [tankNo],
  );
  return rows[0]?.is_raised ?? false;
}
