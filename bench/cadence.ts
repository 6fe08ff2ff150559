import type { Pool } from 'pg';
import { onlyRow } from '../src/db/only_row.ts';
import { openPool } from '../src/db/pool.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { DAY_MS } from '../src/values/time.ts';
import { createFleet } from './bulk_fleet.ts';
import { ensurePartitions, fillTelemetry } from './bulk_telemetry.ts';
import { startBenchDatabase } from './database.ts';
import { readingsPerCheckpoint } from './growth/ingest.ts';
import { restartCold, SHIPPED_WRITES } from './growth/size.ts';
import { measureReadings, type ReadingCost, readingsByPhase, storeNext } from './reading_cost.ts';
import { type BenchOptions, figure, type Report } from './report.ts';
import { MEASURED_STATEMENTS } from './server_statements.ts';

/** Readings that most devices send in a day. */
const USUAL_PER_DAY = 4;
/** The shared_buffers of a machine for a million tanks. A smaller fleet gets its share. */
const BUFFERS_MB = 4_096;
/** Readings in one transaction. A large cell at its peak has about 10, a small one has 1. */
const BATCHES = [1, 10, 100];
/** Readings in one transaction of the measured days, so that they take minutes. What smaller ones add is measured before. */
const DAYS_BATCH = 100;

export interface CadenceOptions extends BenchOptions {
  tanks: number | null;
  perDay: number | null;
}

/**
 * Measures what a reading costs at the usual cadence, with the shipped settings: WAL, CPU time, pages read and written, disk.
 * Each tank reports at its own minute. A checkpoint follows the readings of each checkpoint_timeout, as it would by time.
 */
export async function benchCadence({
  isQuick,
  tanks: given,
  perDay: givenPerDay,
  log,
}: CadenceOptions): Promise<Report> {
  const tanks = given ?? (isQuick ? 2_000 : 20_000);
  const perDay = givenPerDay ?? USUAL_PER_DAY;
  const days = isQuick ? 1 : 7;
  const buffersMb = Math.max(16, Math.round((BUFFERS_MB * tanks) / 1e6));
  await using database = await startBenchDatabase({
    ...MEASURED_STATEMENTS,
    ...SHIPPED_WRITES,
    shared_buffers: `${buffersMb}MB`,
  });
  const { owner } = database;
  const latestMs = startOfDays();
  const cadenceMs = DAY_MS / perDay;
  const fleet = await createFleet(owner, {
    tanks,
    tanksPerOwner: 2,
    latestMs,
    cadenceMs,
    spreadReadings: 1,
    hasSearch: false,
    log,
  });
  await fillTelemetry(owner, fleet, { tanks, readingsPerTank: Math.ceil(5 * perDay), log });
  await ensurePartitions(owner, latestMs, latestMs + (days + 2) * DAY_MS);
  await owner.query('vacuum analyze');
  await restartCold(database);
  await using writer = openPool({ url: database.urls.writer, applicationName: 'bench' });
  const ingester = new BatchIngester(writer);
  const perCheckpoint = await readingsPerCheckpoint(owner, fleet);
  const arriving = readingsByPhase(fleet, latestMs);
  const store = (readings: number, batch: number) =>
    measureReadings({ database, readings, perCheckpoint, ingest: storeNext(ingester, fleet, arriving, batch) });
  const sampleReadings = Math.min(tanks * perDay, isQuick ? 1_000 : 10_000);
  await store(sampleReadings, DAYS_BATCH); // fills caches and compiles
  const byBatch: BatchCost[] = [];
  for (const batch of BATCHES) {
    log(`${sampleReadings} readings in transactions of ${batch}`);
    byBatch.push({ batch, ...(await store(sampleReadings, batch)) });
  }
  log(`${days} days`);
  const wholeDays = await store(tanks * perDay * days, DAYS_BATCH);
  const writerUs = fitBatches(byBatch, ({ writer_us }) => writer_us);
  const databaseUs = fitBatches(byBatch, ({ database_us }) => database_us);
  return {
    name: 'cadence',
    checks: [
      figure(`WAL bytes per reading at ${perDay} a day`, wholeDays.wal_bytes),
      figure('disk per reading in partitions of a day, bytes', await hotBytes(owner, latestMs)),
      figure('CPU of the writer per reading, us', writerUs.perReading),
      figure('CPU of the writer per transaction, us', writerUs.perTransaction),
      figure('CPU of PostgreSQL per reading, us', databaseUs.perReading),
      figure('CPU of PostgreSQL per transaction, us', databaseUs.perTransaction),
      figure('pages written per reading', wholeDays.pages_written),
      figure('pages read per reading', wholeDays.pages_read),
      figure('WAL syncs per transaction', (byBatch[1]?.wal_syncs ?? 0) * (byBatch[1]?.batch ?? 0)),
      ...byBatch.map(({ batch, wal_bytes }) => figure(`transactions of ${batch}: WAL bytes per reading`, wal_bytes)),
    ],
    tanks,
    per_day: perDay,
    days,
    buffers_mb: buffersMb,
    wal_by_relation: wholeDays.wal_by_relation,
  };
}

interface BatchCost extends ReadingCost {
  batch: number;
}

/** A Thursday with nine days of the same month after it, so that one week begins in the time and no month does. */
function startOfDays(): number {
  const now = new Date();
  let startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 8);
  while (new Date(startMs).getUTCDay() !== 4) startMs += DAY_MS;
  return startMs;
}

/** The disk of a reading in the partition of the first day, with its share of the counters. */
async function hotBytes(owner: Pool, startMs: number): Promise<number> {
  const { rows } = await owner.query<{ bytes: number }>(
    `with day as (
       select to_char($1::timestamptz at time zone 'UTC', '"telemetry_"YYYY_MM_DD') as name
     )
     select (pg_total_relation_size(name::regclass)
              / (select count(*) from telemetry where created_at >= $1 and created_at < $1::timestamptz + interval '1 day')
            + (select (select sum(pg_total_relation_size(relid)) from pg_partition_tree('telemetry_month_counters'))::float8 / sum(n) from telemetry_month_counters)
           )::float8 as bytes
     from day`,
    [new Date(startMs).toISOString()],
  );
  return onlyRow(rows).bytes;
}

/** Splits a cost into that of a reading and that of a transaction, by comparing the smallest and the largest transactions. */
function fitBatches(costs: readonly BatchCost[], costOf: (cost: BatchCost) => number) {
  const [first, last] = [costs[0], costs.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('nothing was measured');
  const perTransaction = (costOf(first) - costOf(last)) / (1 / first.batch - 1 / last.batch);
  return { perTransaction, perReading: costOf(last) - perTransaction / last.batch };
}
