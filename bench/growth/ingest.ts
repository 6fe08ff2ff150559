import type { Pool } from 'pg';
import type { PrivateDatabase } from '../../engines/database.ts';
import { cpuSecondsWith } from '../../engines/process_use.ts';
import { onlyRow } from '../../src/db/only_row.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import type { TankReading } from '../../src/telemetry/reading.ts';
import { nextBatch } from '../arriving_readings.ts';
import type { BulkFleet } from '../bulk_fleet.ts';
import { statementBuffers } from '../server_statements.ts';
import type { SizeResult } from './results.ts';

type IngestResult = Pick<
  SizeResult,
  'readings_per_second' | 'cpu_us_per_reading' | 'misses_per_reading' | 'wal_bytes_per_reading' | 'wal_by_relation'
>;

const MAX_BATCH_READINGS = 1_000;

/** Ingests batches of one reading per tank, with evaluation and events. */
export async function measureIngest(
  { owner, postgres }: PrivateDatabase,
  writer: Pool,
  arriving: Generator<TankReading, never>,
  { sample, cadenceMs, isQuick }: { sample: number; cadenceMs: number; isQuick: boolean },
): Promise<IngestResult> {
  const ingester = new BatchIngester(writer);
  const batchReadings = Math.min(sample, MAX_BATCH_READINGS);
  const ingest = async (readings: number): Promise<number> => {
    for (let left = readings; left > 0; left -= batchReadings)
      await ingester.ingestReadings(nextBatch(arriving, Math.min(left, batchReadings)));
    return readings;
  };
  await ingest(Math.min(sample, isQuick ? 2_000 : 10_000)); // fills caches and compiles
  const turns: { perSecond: number; cpuUs: number; misses: number }[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const [cpu, startMs] = [await cpuSecondsWith(postgres), performance.now()];
    let readings = 0;
    const { misses } = await statementBuffers(owner, 'fleet_writer', async () => {
      readings = await ingest(Math.min(2 * sample, isQuick ? 1_000 : 8_000));
    });
    const seconds = (performance.now() - startMs) / 1_000;
    turns.push({
      perSecond: readings / seconds,
      cpuUs: (1e6 * ((await cpuSecondsWith(postgres)) - cpu)) / readings,
      misses: misses / readings,
    });
  }
  return {
    readings_per_second: Math.max(...turns.map(({ perSecond }) => perSecond)),
    cpu_us_per_reading: Math.min(...turns.map(({ cpuUs }) => cpuUs)),
    misses_per_reading: turns.reduce((sum, { misses }) => sum + misses, 0) / turns.length,
    ...(await measureWal(owner, ingest, { sample, cadenceMs, isQuick })),
  };
}

/**
 * Measures the WAL of a reading. The first change of a page after a checkpoint writes the whole page to the WAL, so the bytes
 * depend on the number of readings between checkpoints: here as many as arrive within checkpoint_timeout.
 */
async function measureWal(
  owner: Pool,
  ingest: (readings: number) => Promise<number>,
  { sample, cadenceMs, isQuick }: { sample: number; cadenceMs: number; isQuick: boolean },
) {
  const perCheckpoint = await readingsPerCheckpoint(owner, { tanks: sample, cadenceMs });
  const enough = isQuick ? 1_000 : Math.min(20_000, 2 * sample);
  await owner.query('create extension if not exists pg_walinspect');
  const bytesOf = new Map<string, number>();
  let [readings, bytes] = [0, 0];
  while (readings < enough) {
    await owner.query('checkpoint');
    const from = await currentLsn(owner);
    readings += await ingest(perCheckpoint);
    const to = await currentLsn(owner);
    for (const part of await walByRelation(owner, from, to)) {
      bytesOf.set(part.relation, (bytesOf.get(part.relation) ?? 0) + part.bytes);
      bytes += part.bytes;
    }
  }
  const largest = [...bytesOf].toSorted(([, a], [, b]) => b - a).slice(0, 12);
  return {
    wal_bytes_per_reading: bytes / readings,
    wal_by_relation: Object.fromEntries(largest.map(([name, n]) => [name, Math.round(n / readings)])),
  };
}

/** The number of readings that arrive within checkpoint_timeout. */
export async function readingsPerCheckpoint(
  owner: Pool,
  { tanks, cadenceMs }: Pick<BulkFleet, 'tanks' | 'cadenceMs'>,
): Promise<number> {
  const { rows } = await owner.query<{ seconds: number }>(
    `select setting::int as seconds from pg_settings where name = 'checkpoint_timeout'`,
  );
  return Math.max(1, Math.round((tanks * onlyRow(rows).seconds * 1_000) / cadenceMs));
}

export async function currentLsn(owner: Pool): Promise<string> {
  const { rows } = await owner.query<{ lsn: string }>('select pg_current_wal_flush_lsn() as lsn');
  return onlyRow(rows).lsn;
}

/** Sums the WAL by relation. A record counts for the first table or index that it changes. Partitions count together. */
export async function walByRelation(
  owner: Pool,
  from: string,
  to: string,
): Promise<{ relation: string; bytes: number }[]> {
  if (from === to) return [];
  const { rows } = await owner.query<{ relation: string; bytes: number }>(
    `select coalesce(regexp_replace(pg_filenode_relation(0, node)::text, '_\\d{4}(_\\d\\d)+', ''), 'other') as relation,
            sum(bytes)::float8 as bytes
     from (
       select substring(block_ref from 'rel \\d+/\\d+/(\\d+)')::oid as node, sum(record_length) as bytes
       from pg_get_wal_records_info($1, $2) group by 1
     ) as of_node
     group by 1`,
    [from, to],
  );
  return rows;
}
