import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { atLeast, atMost, type BenchOptions, type Check, figure, type Report } from '../bench/report.ts';
import { startDatabase } from '../engines/database.ts';
import { readNumber } from '../engines/read_number.ts';
import { openPool } from '../src/db/pool.ts';
import { checkPackedMonths } from '../src/doctor/packed_months.ts';
import { checkTelemetryCounters } from '../src/doctor/telemetry_drift.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { Random } from '../src/simulation/random.ts';
import { dropPackedPartitions, FULL_BUDGET, packMonths } from '../src/telemetry/pack_months.ts';
import type { TankReading } from '../src/telemetry/reading.ts';
import { type KillOptions, killInTurns } from './kill_in_turns.ts';

const PROCESS = fileURLToPath(new URL('packing_process.ts', import.meta.url));
const MONTHS = [0, 1, 2, 3].map((month) => Date.UTC(2025, month));
const BATCH_READINGS = 20;

/** Kills PostgreSQL and the process that packs in turns with kill -9, while late readings arrive for packed months. */
export const runPacking = async ({ isQuick, log }: BenchOptions): Promise<Report> => ({
  name: 'packing',
  checks: await killWhilePacking({ kills: 20, tanks: isQuick ? 40 : 400, log }),
});

export async function killWhilePacking({ kills, tanks, log }: KillOptions): Promise<Check[]> {
  await using database = await startDatabase();
  await using pool = openPool({ url: database.ownerUrl, applicationName: 'fault run', maxConnections: 4 });
  const sent: Sent = { acknowledged: new Map(), unknown: new Map() };
  await storeHistory(pool, tanks, sent);
  const stopping = new AbortController();
  const writing = sendLateReadings(pool, tanks, sent, stopping.signal);
  const during = await killInTurns({
    database,
    script: PROCESS,
    kills,
    untilWorking: () => untilPacking(pool),
    log,
  });
  stopping.abort();
  await writing;
  const mixedFaults = await countFaults(pool, sent);
  // Packs everything and drops every plain row, so that only packed rows are read.
  await packMonths(pool, FULL_BUDGET);
  await pool.query(`update packed_months set packed_at = now() - interval '11 minutes'`);
  await dropPackedPartitions(pool);
  const packedFaults = await countFaults(pool, sent);
  const partitions = await readNumber(
    pool,
    `select count(*) as n from pg_inherits where inhparent = 'telemetry'::regclass and inhrelid::regclass::text like 'telemetry_2025%'`,
  );
  return [
    atLeast('kills while a statement packed', during, Math.ceil(kills / 2)),
    ...checkFaults('with packed and plain months', mixedFaults),
    ...checkFaults('with packed months only', packedFaults),
    atMost('partitions left', partitions, 0),
    figure('readings acknowledged', sent.acknowledged.size),
    figure('readings unknown', sent.unknown.size),
  ];
}

/** The levels of sent readings by tank and time. A reading that is sent again has the same level. */
interface Sent {
  acknowledged: Map<string, number>;
  /** Readings without an answer, which may or may not be stored. */
  unknown: Map<string, number>;
}

const keyOf = (tankNo: number, atMs: number): string => `${tankNo} ${new Date(atMs).toISOString()}`;
const levelOf = (tankNo: number, atMs: number): number => ((tankNo * 7 + atMs / 1_000) % 10_001) / 100;

async function storeHistory(pool: Pool, tanks: number, sent: Sent): Promise<void> {
  for (const monthMs of MONTHS) {
    for (let tankNo = 1; tankNo <= tanks; tankNo++) {
      const times = Array.from({ length: 100 }, (_, n) => monthMs + n * 6 * 3_600_000);
      await send(new BatchIngester(pool, { isEvaluating: false }), readingsAt(tankNo, times), sent);
    }
  }
}

const readingsAt = (tankNo: number, times: readonly number[]): TankReading[] =>
  times.map((atMs) => ({ tankNo, atMs, fillPercentage: levelOf(tankNo, atMs) }));

async function send(ingester: BatchIngester, readings: readonly TankReading[], sent: Sent): Promise<void> {
  const add = (to: Map<string, number>): void => {
    for (const { tankNo, atMs, fillPercentage } of readings) to.set(keyOf(tankNo, atMs), fillPercentage);
  };
  try {
    await ingester.ingestReadings(readings);
    add(sent.acknowledged);
  } catch {
    add(sent.unknown);
    await sleep(50);
  }
}

/** Sends late readings of all months, some of which are duplicates, until the signal. */
async function sendLateReadings(pool: Pool, tanks: number, sent: Sent, signal: AbortSignal): Promise<void> {
  const random = new Random(15);
  const ingester = new BatchIngester(pool, { isEvaluating: false });
  const pick = (count: number): number => Math.floor(random.next() * count);
  while (!signal.aborted) {
    const readings = Array.from({ length: BATCH_READINGS }, () => {
      const monthMs = MONTHS[pick(MONTHS.length)] ?? 0;
      return readingsAt(1 + pick(tanks), [monthMs + pick(27 * 24 * 12) * 300_000]);
    }).flat();
    await send(ingester, readings, sent);
    await sleep(20);
  }
}

/** Waits until a statement of the packing process runs. Returns false after about 10 s. */
async function untilPacking(pool: Pool): Promise<boolean> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    const { rows } = await pool.query(
      `select from pg_stat_activity
       where application_name = 'packing' and state = 'active' and query like '%pack_telemetry(%'`,
    );
    if (rows.length > 0) return true;
    await sleep(5);
  }
  return false;
}

interface Faults {
  lost: number;
  storedTwice: number;
  differing: number;
  neverSent: number;
  drift: number;
  damaged: number;
}

async function countFaults(pool: Pool, { acknowledged, unknown }: Sent): Promise<Faults> {
  const { rows } = await pool.query<{ tank_no: number; created_at: string; fill_percentage: number }>(
    `select s.tank_no, r.created_at, r.fill_percentage
     from tank_states s cross join lateral oldest_telemetry(s.tank_no, '-infinity', 'infinity', 2147483647) as r`,
  );
  const stored = new Map(rows.map((row) => [`${row.tank_no} ${row.created_at}`, row.fill_percentage]));
  const sent = new Map([...unknown, ...acknowledged]);
  return {
    lost: [...acknowledged.keys()].filter((key) => !stored.has(key)).length,
    storedTwice: rows.length - stored.size,
    differing: [...stored].filter(([key, level]) => sent.has(key) && sent.get(key) !== level).length,
    neverSent: [...stored.keys()].filter((key) => !sent.has(key)).length,
    drift: (await checkTelemetryCounters({ pool, fix: false, progress: () => {} })).length,
    damaged: (await checkPackedMonths(pool)).length,
  };
}

const checkFaults = (when: string, found: Faults): Check[] => [
  atMost(`acknowledged readings lost, ${when}`, found.lost, 0),
  atMost(`readings stored twice, ${when}`, found.storedTwice, 0),
  atMost(`readings stored with another value, ${when}`, found.differing, 0),
  atMost(`stored readings that were never sent, ${when}`, found.neverSent, 0),
  atMost(`counters that differ from a recount, ${when}`, found.drift, 0),
  atMost(`damaged packed months, ${when}`, found.damaged, 0),
];
