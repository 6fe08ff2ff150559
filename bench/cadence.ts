import type { Pool } from 'pg';
import { cpuSecondsWith } from '../engines/process_use.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { openPool } from '../src/db/pool.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import type { TankReading } from '../src/telemetry/reading.ts';
import { DAY_MS } from '../src/values/time.ts';
import { type BulkFleet, createFleet, useBetween } from './bulk_fleet.ts';
import { ensurePartitions, fillTelemetry } from './bulk_telemetry.ts';
import { startBenchDatabase } from './database.ts';
import { currentLsn, walByRelation } from './growth/ingest.ts';
import { restartCold, SHIPPED_WRITES } from './growth/size.ts';
import { type BenchOptions, figure, type Report, round } from './report.ts';
import { MEASURED_STATEMENTS, statementBuffers } from './server_statements.ts';

/** What most devices send. A tank reports every six hours, always at the same minute, and the tanks are spread over them. */
const PER_DAY = 4;
const CADENCE_MS = DAY_MS / PER_DAY;
/** Of a machine for a million tanks. A sample gets its part of it. */
const BUFFERS_MB = 4_096;
/** The readings of a transaction. A large cell at its peak has about 10, a small one has 1. */
const BATCHES = [1, 10, 100];
/** The week is stored with this one, to be done in minutes. What smaller transactions add is measured before. */
const WEEK_BATCH = 100;

export interface CadenceOptions extends BenchOptions {
  tanks: number | null;
}

/**
 * What a reading costs the database if each tank sends four a day, with the shipped settings: WAL, CPU time, pages read and
 * written. A checkpoint is made after the readings of each checkpoint_timeout, as it would happen by time.
 */
export async function benchCadence({ isQuick, tanks: given, log }: CadenceOptions): Promise<Report> {
  const tanks = given ?? (isQuick ? 2_000 : 20_000);
  const days = isQuick ? 2 : 7;
  const buffersMb = Math.max(16, Math.round((BUFFERS_MB * tanks) / 1e6));
  const database = await startBenchDatabase({
    ...MEASURED_STATEMENTS,
    ...SHIPPED_WRITES,
    shared_buffers: `${buffersMb}MB`,
    track_wal_io_timing: 'off',
  });
  const { owner, postgres } = database;
  try {
    const latestMs = startOfDays(days + 1);
    const fleet = await createFleet(owner, {
      ...{ tanks, tanksPerOwner: 2, latestMs, cadenceMs: CADENCE_MS, spreadReadings: 1, hasSearch: false, log },
    });
    await fillTelemetry(owner, fleet, { tanks, readingsPerTank: 5 * PER_DAY, log });
    await ensurePartitions(owner, latestMs, latestMs + (days + 2) * DAY_MS);
    await owner.query('vacuum analyze');
    await owner.query('create extension if not exists pg_walinspect');
    await restartCold(database);
    const writer = openPool({ url: database.urls.writer, applicationName: 'bench' });
    const ingester = new BatchIngester(writer);
    const { rows } = await owner.query<{ seconds: number }>(
      `select setting::int as seconds from pg_settings where name = 'checkpoint_timeout'`,
    );
    const checkpointSeconds = onlyRow(rows).seconds;
    const perCheckpoint = Math.max(1, Math.round((tanks * checkpointSeconds * 1_000) / CADENCE_MS));
    const arriving = readingsByPhase(fleet, latestMs);
    const store = (readings: number, batch: number) =>
      measure({
        owner,
        cpu: () => cpuSecondsWith(postgres),
        readings,
        perCheckpoint,
        async ingest(some) {
          for (let left = some; left > 0; left -= batch) {
            const next = Array.from({ length: Math.min(left, batch) }, () => arriving.next().value);
            await ingester.ingestReadings(next.toSorted((a, b) => a.tankNo - b.tankNo));
          }
        },
      });
    await store(Math.min(tanks, 5_000), WEEK_BATCH); // fills caches and compiles
    const byBatch: BatchCost[] = [];
    for (const batch of BATCHES) {
      log(`six hours in transactions of ${batch}`);
      byBatch.push({ batch, ...(await store(tanks, batch)) });
    }
    log(`${days} days`);
    const week = await store(tanks * PER_DAY * days, WEEK_BATCH);
    await writer.end();
    const cpuUs = fitBatches(byBatch, ({ cpu_us }) => cpu_us);
    const walBytes = fitBatches(byBatch, ({ wal_bytes }) => wal_bytes);
    return {
      name: 'cadence',
      checks: [
        figure(`WAL bytes per reading, ${days} days at ${PER_DAY} a day`, week.wal_bytes),
        figure('WAL bytes of a transaction on top', walBytes.perTransaction),
        figure('CPU time per reading, us', cpuUs.perReading),
        figure('CPU time of a transaction on top, us', cpuUs.perTransaction),
        figure('pages written by checkpoints per reading', week.pages_written),
        figure('pages read per reading', week.pages_read),
        figure('WAL syncs per transaction', week.wal_syncs * WEEK_BATCH),
        ...byBatch.flatMap(({ batch, wal_bytes, cpu_us }) => [
          figure(`transactions of ${batch}: WAL bytes per reading`, wal_bytes),
          figure(`transactions of ${batch}: CPU time per reading, us`, cpu_us),
        ]),
      ],
      tanks,
      per_day: PER_DAY,
      days,
      buffers_mb: buffersMb,
      checkpoint_seconds: checkpointSeconds,
      wal_by_relation: week.wal_by_relation,
    };
  } finally {
    await database.stop();
  }
}

/** A Thursday with whole days of the same month after it, so that one week begins in the time and no month does. */
function startOfDays(days: number): number {
  const now = new Date();
  let startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 8);
  while (new Date(startMs).getUTCDay() !== 4) startMs += DAY_MS;
  const isSameMonth = new Date(startMs + days * DAY_MS).getUTCMonth() === new Date(startMs).getUTCMonth();
  if (!isSameMonth) throw new RangeError(`a month has no ${days} days after its second Thursday`);
  return startMs;
}

/** Each tank reports at its own minute of the six hours, in an order that has nothing to do with the tank numbers. */
function* readingsByPhase(
  { firstTankNo, tanks, latestOf }: BulkFleet,
  latestMs: number,
): Generator<TankReading, never> {
  for (let round = 0; ; round++) {
    for (let n = 0; n < tanks; n++) {
      const tankNo = firstTankNo + ((n * 7_919) % tanks);
      const atMs = latestMs + Math.round((round + (n + 1) / tanks) * CADENCE_MS);
      const fillPercentage = Math.max(0, latestOf(tankNo).fillPercentage - useBetween(atMs - latestMs));
      yield { tankNo, atMs, fillPercentage };
    }
  }
}

/** For each reading. */
interface ReadingCost {
  wal_bytes: number;
  wal_syncs: number;
  cpu_us: number;
  pages_written: number;
  pages_read: number;
  wal_by_relation: Record<string, number>;
}

interface BatchCost extends ReadingCost {
  batch: number;
}

interface Measurement {
  owner: Pool;
  cpu: () => Promise<number>;
  readings: number;
  perCheckpoint: number;
  ingest: (readings: number) => Promise<void>;
}

async function measure({ owner, cpu, readings, perCheckpoint, ingest }: Measurement): Promise<ReadingCost> {
  const bytesOf = new Map<string, number>();
  let cpuUsed = 0;
  await owner.query('checkpoint');
  const before = await serverWork(owner);
  const { misses } = await statementBuffers(owner, 'fleet_writer', async () => {
    for (let left = readings; left > 0; left -= perCheckpoint) {
      const [from, cpuBefore] = [await currentLsn(owner), await cpu()];
      await ingest(Math.min(left, perCheckpoint));
      cpuUsed += (await cpu()) - cpuBefore;
      const to = await currentLsn(owner);
      for (const { relation, bytes } of await walByRelation(owner, from, to))
        bytesOf.set(relation, (bytesOf.get(relation) ?? 0) + bytes);
      await owner.query('checkpoint');
    }
  });
  const after = await serverWork(owner);
  const all = [...bytesOf].toSorted(([, a], [, b]) => b - a);
  return {
    wal_bytes: all.reduce((sum, [, bytes]) => sum + bytes, 0) / readings,
    wal_syncs: (after.syncs - before.syncs) / readings,
    cpu_us: (1e6 * cpuUsed) / readings,
    pages_written: (after.pages - before.pages) / readings,
    pages_read: misses / readings,
    wal_by_relation: Object.fromEntries(all.slice(0, 12).map(([name, bytes]) => [name, round(bytes / readings)])),
  };
}

async function serverWork(owner: Pool): Promise<{ pages: number; syncs: number }> {
  await owner.query('select pg_stat_force_next_flush()');
  const { rows } = await owner.query<{ pages: number; syncs: number }>(
    `select (buffers_checkpoint + buffers_clean + buffers_backend)::float8 as pages, wal_sync::float8 as syncs
     from pg_stat_bgwriter, pg_stat_wal`,
  );
  return onlyRow(rows);
}

/** A reading costs this, and each transaction this on top: from the smallest and the largest transactions. */
function fitBatches(costs: readonly BatchCost[], costOf: (cost: BatchCost) => number) {
  const [first, last] = [costs[0], costs.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('nothing was measured');
  const perTransaction = (costOf(first) - costOf(last)) / (1 / first.batch - 1 / last.batch);
  return { perTransaction, perReading: costOf(last) - perTransaction / last.batch };
}
