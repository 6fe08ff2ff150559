import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import type { PrivateDatabase } from '../../engines/database.ts';
import { MB, serverMemoryBytes } from '../../engines/process_use.ts';
import { onlyRow } from '../../src/db/only_row.ts';
import { openPool } from '../../src/db/pool.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { arrivingReadings } from '../arriving_readings.ts';
import { createFleet } from '../bulk_fleet.ts';
import { fillTelemetry } from '../bulk_telemetry.ts';
import { startBenchDatabase } from '../database.ts';
import { MEASURED_STATEMENTS } from '../server_statements.ts';
import { measureIngest } from './ingest.ts';
import { createTinyOrganization, measureReads } from './reads.ts';
import type { SizeResult } from './results.ts';

/** The shared_buffers of a machine. A sample gets its share, so that the same share of pages misses the cache. */
const BUFFERS_MB = 2_048;
const MIN_BUFFERS_MB = 16;
/** The settings of deploy/postgresql.conf for benchmarks that measure the cost of a write. */
export const SHIPPED_WRITES = { max_wal_size: '16GB', synchronous_commit: 'on' };

export interface SizeOptions {
  tanks: number;
  /** The number of tanks that have a month of readings and report. The other tanks have a state and no readings. */
  sample: number;
  readingsPerTank: number;
  isQuick: boolean;
  log: (line: string) => void;
}

/** Fills a database of one size, with the shipped settings, and measures it. */
export async function measureSize(options: SizeOptions): Promise<SizeResult> {
  const { tanks, sample, readingsPerTank, log } = options;
  const buffersMb = Math.max(MIN_BUFFERS_MB, Math.round((BUFFERS_MB * sample) / tanks));
  await using database = await startBenchDatabase({
    ...MEASURED_STATEMENTS,
    ...SHIPPED_WRITES,
    shared_buffers: `${buffersMb}MB`,
    maintenance_work_mem: '512MB',
  });
  const { owner } = database;
  const { latestMs, cadenceMs } = lateInMonth(readingsPerTank);
  const fleet = await createFleet(owner, { tanks, tanksPerOwner: 2, latestMs, cadenceMs, hasSearch: false, log });
  await fillTelemetry(owner, fleet, { tanks: sample, readingsPerTank, log });
  const tiny = await createTinyOrganization(owner);
  log('vacuum');
  await owner.query('vacuum analyze');
  const bytes = await measureBytes(owner, tanks);
  const arriving = arrivingReadings(fleet, sample);

  log('ingesting');
  await restartCold(database);
  await using writer = openPool({ url: database.urls.writer, applicationName: 'bench' });
  const ingest = await measureIngest(database, writer, arriving, { ...options, cadenceMs });
  const memory = {
    server_mb: (await serverMemoryBytes(database.postgres, 'own')) / MB,
    process_mb: process.memoryUsage().rss / MB,
  };
  log('reading');
  const reads = await measureReads(database, fleet, tiny, options, () => restartCold(database));
  return { tanks, buffers_mb: buffersMb, ...bytes, ...ingest, ...memory, reads };
}

/**
 * Returns the last Friday of this month that leaves three days, and the cadence with which a tank has this number of
 * readings by then. On a Friday, because states are stored as checkpoints once a week, and no week begins in the days after it.
 */
export function lateInMonth(readingsPerTank: number): { latestMs: number; cadenceMs: number } {
  const now = new Date();
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  let latestMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - 3 * DAY_MS;
  while (new Date(latestMs).getUTCDay() !== 5) latestMs -= DAY_MS;
  return { latestMs, cadenceMs: Math.floor((latestMs - startMs) / (readingsPerTank + 12)) };
}

/** Restarts the server so that its tables are neither in its memory nor in the cache of the operating system. */
export async function restartCold({ owner, postgres }: PrivateDatabase): Promise<void> {
  await owner.query('checkpoint');
  await postgres.kill();
  const drop = ['-exec', 'dd', 'if={}', 'iflag=nocache', 'count=0', 'status=none', ';'];
  await promisify(execFile)('find', [
    join(postgres.dataFolder, 'data', 'base'),
    '-type',
    'f',
    '-size',
    '+64k',
    ...drop,
  ]);
  await postgres.restart();
}

async function measureBytes(owner: Pool, tanks: number) {
  const { rows } = await owner.query<{ telemetry: number; readings: number; catalog: number }>(
    `select (
        (select sum(pg_total_relation_size(relid)) from pg_partition_tree('telemetry') where isleaf)
        + (select sum(pg_total_relation_size(relid)) from pg_partition_tree('telemetry_month_counters')) + pg_total_relation_size('telemetry_buckets')
      )::float8 as telemetry,
      (select sum(n) from telemetry_month_counters)::float8 as readings,
      (select sum(pg_total_relation_size(t)) from unnest(
        array['customers', 'tanks', 'device_assignments', 'tank_states', 'fleet_tanks', 'fleet_levels',
              'catalog_month_counters', 'catalog_buckets']::regclass[]) as t)::float8 as catalog`,
  );
  const { telemetry, readings, catalog } = onlyRow(rows);
  return { bytes_per_reading: telemetry / readings, bytes_per_tank: catalog / tanks };
}
