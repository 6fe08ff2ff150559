import type { Pool } from 'pg';
import type { PrivateDatabase } from '../engines/database.ts';
import { cpuSecondsWith } from '../engines/process_use.ts';
import { onlyRow } from '../src/db/only_row.ts';
import type { BatchIngester } from '../src/ingest/batch_ingester.ts';
import type { TankReading } from '../src/telemetry/reading.ts';
import { uuid7 } from '../src/values/uuid7.ts';
import { mergeShares, splitIntoShares } from '../src/writer/shares.ts';
import { type BulkFleet, usedPoints } from './bulk_fleet.ts';
import { currentLsn, walByRelation } from './growth/ingest.ts';
import { round } from './report.ts';
import { statementBuffers } from './server_statements.ts';

/** Yields readings of tanks that each report at their own minute of the cadence, in an order independent of the tank numbers. */
export function* readingsByPhase(
  { firstTankNo, tanks, cadenceMs, latestOf }: BulkFleet,
  latestMs: number,
): Generator<TankReading, never> {
  for (let cycle = 0; ; cycle++) {
    for (let n = 0; n < tanks; n++) {
      const tankNo = firstTankNo + ((n * 7_919) % tanks);
      const atMs = latestMs + Math.round((cycle + (n + 1) / tanks) * cadenceMs);
      const fillPercentage = Math.max(0, latestOf(tankNo).fillPercentage - usedPoints(atMs - latestMs));
      yield { tankNo, atMs, fillPercentage };
    }
  }
}

/** Stores the next readings as a writer does, in transactions of `batch` readings. It begins with looking up the devices. */
export const storeNext =
  (ingester: BatchIngester, fleet: BulkFleet, arriving: Generator<TankReading, never>, batch: number) =>
  async (readings: number): Promise<void> => {
    for (let left = readings; left > 0; left -= batch) {
      const batchReadings = Array.from({ length: Math.min(left, batch) }, () => {
        const { tankNo, atMs, fillPercentage } = arriving.next().value;
        const deviceId = `D${tankNo - fleet.firstTankNo}`;
        return { organizationNo: fleet.organizationNo, deviceId, atMs, level: fillPercentage };
      });
      const message = { id: uuid7(), receivedAtMs: Date.now(), readings: batchReadings, rejections: [], health: [] };
      const { stored } = await ingester.ingestBatch(mergeShares(splitIntoShares(message, 1)));
      if (stored !== batchReadings.length) throw new Error(`${stored} of ${batchReadings.length} readings were stored`);
    }
  };

/** What one reading costs. */
export interface ReadingCost {
  wal_bytes: number;
  wal_syncs: number;
  writer_us: number;
  database_us: number;
  pages_written: number;
  pages_read: number;
  wal_by_relation: Record<string, number>;
}

export interface Measurement {
  database: PrivateDatabase;
  readings: number;
  perCheckpoint: number;
  ingest: (readings: number) => Promise<void>;
}

/** Stores readings, makes a checkpoint after every `perCheckpoint` of them, and returns the cost of one. */
export async function measureReadings({
  database,
  readings,
  perCheckpoint,
  ingest,
}: Measurement): Promise<ReadingCost> {
  const { owner, postgres } = database;
  const bytesOf = new Map<string, number>();
  const used = { writer: 0, both: 0 };
  await owner.query('create extension if not exists pg_walinspect');
  await owner.query('checkpoint');
  const [before, startLsn] = [await serverWork(owner), await currentLsn(owner)];
  const { misses } = await statementBuffers(owner, 'fleet_writer', async () => {
    for (let left = readings; left > 0; left -= perCheckpoint) {
      const from = await currentLsn(owner);
      const [ownBefore, bothBefore] = [ownCpuSeconds(), await cpuSecondsWith(postgres)];
      await ingest(Math.min(left, perCheckpoint));
      used.writer += ownCpuSeconds() - ownBefore;
      used.both += (await cpuSecondsWith(postgres)) - bothBefore;
      const to = await currentLsn(owner);
      for (const { relation, bytes } of await walByRelation(owner, from, to))
        bytesOf.set(relation, (bytesOf.get(relation) ?? 0) + bytes);
      await owner.query('checkpoint');
    }
  });
  const after = await serverWork(owner);
  // The whole WAL: it includes the records of vacuum and checkpoints, and the filling of its pages.
  const { rows } = await owner.query<{ bytes: number }>('select pg_wal_lsn_diff($1, $2)::float8 as bytes', [
    await currentLsn(owner),
    startLsn,
  ]);
  const largestFirst = [...bytesOf].toSorted(([, a], [, b]) => b - a);
  return {
    wal_bytes: onlyRow(rows).bytes / readings,
    wal_syncs: (after.syncs - before.syncs) / readings,
    writer_us: (1e6 * used.writer) / readings,
    database_us: (1e6 * (used.both - used.writer)) / readings,
    pages_written: (after.pages - before.pages) / readings,
    pages_read: misses / readings,
    wal_by_relation: Object.fromEntries(
      largestFirst.slice(0, 12).map(([name, bytes]) => [name, round(bytes / readings)]),
    ),
  };
}

const ownCpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

async function serverWork(owner: Pool): Promise<{ pages: number; syncs: number }> {
  await owner.query('select pg_stat_force_next_flush()');
  const { rows } = await owner.query<{ pages: number; syncs: number }>(
    `select (buffers_checkpoint + buffers_clean + buffers_backend)::float8 as pages, wal_sync::float8 as syncs
     from pg_stat_bgwriter, pg_stat_wal`,
  );
  return onlyRow(rows);
}
