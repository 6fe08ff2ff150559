import type { Pool } from 'pg';
import type { PrivateDatabase } from '../engines/database.ts';
import { readNumber } from '../engines/read_number.ts';
import { V1_OPERATIONS } from '../src/api/v1/operations.ts';
import { openPool } from '../src/db/pool.ts';
import { Readers } from '../src/db/readers.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { BACKGROUND_BUDGET, dropPackedPartitions, FULL_BUDGET, packMonths } from '../src/telemetry/pack_months.ts';
import type { TankReading } from '../src/telemetry/reading.ts';
import { HOUR_MS } from '../src/values/time.ts';
import { arrivingReadings, nextBatch } from './arriving_readings.ts';
import { type BulkFleet, createFleet } from './bulk_fleet.ts';
import { fillTelemetry } from './bulk_telemetry.ts';
import { requester, startBenchDatabase } from './database.ts';
import { measureIngest } from './growth/ingest.ts';
import { lateInMonth, restartCold, SHIPPED_WRITES } from './growth/size.ts';
import { bytesPerReading, fillOldMonth, type OldMonth } from './packed_history.ts';
import { atLeast, atMost, type BenchOptions, figure, type Report, upperMedian } from './report.ts';
import { MEASURED_STATEMENTS, serverCost, statementBuffers } from './server_statements.ts';

const READINGS_PER_MONTH = 350;
/** A month in a year of its own for each kind, so that its size is that of one table. */
const REGULAR: OldMonth = { month: '2023-04', readings: READINGS_PER_MONTH, isIrregular: false };
const IRREGULAR: OldMonth = { month: '2024-04', readings: READINGS_PER_MONTH, isIrregular: true };
/** A month with four readings a day. */
const SPARSE: OldMonth = { month: '2022-04', readings: 120, isIrregular: true, everyHours: 6 };
/** The month that is packed while readings are ingested. */
const PACKED_DURING_INGEST: OldMonth = { month: '2025-04', readings: READINGS_PER_MONTH, isIrregular: true };
const COLD_TANKS = 30;

/** Measures what packing saves and costs, and the cost of reading packed readings. */
export async function benchPacked({ isQuick, log }: BenchOptions): Promise<Report> {
  const tanks = isQuick ? 1_000 : 20_000;
  const { latestMs } = lateInMonth(READINGS_PER_MONTH);
  const cadenceMs = HOUR_MS;
  await using database = await startBenchDatabase({
    ...MEASURED_STATEMENTS,
    ...SHIPPED_WRITES,
    shared_buffers: isQuick ? '128MB' : '1GB',
  });
  const { owner } = database;
  await using writer = openPool({ url: database.urls.writer, applicationName: 'bench' });
  await using worker = openPool({ url: database.urls.worker, applicationName: 'bench' });
  const fleet = await createFleet(owner, { tanks, tanksPerOwner: 2, latestMs, cadenceMs, log });
  await fillTelemetry(owner, fleet, { tanks, readingsPerTank: READINGS_PER_MONTH, log });
  for (const month of [SPARSE, REGULAR, IRREGULAR]) {
    log(`storing ${month.month}`);
    await fillOldMonth(owner, fleet, month);
  }
  await owner.query('vacuum analyze');

  log('reading plain months');
  const plain = await measureReads(database, fleet);
  log('ingesting late in the month');
  const arriving = arrivingReadings(fleet, tanks);
  const ingest = await measureIngest(database, writer, arriving, { sample: tanks, cadenceMs, isQuick });
  log('packing');
  const { seconds, months } = await packAll(owner, worker);
  await owner.query('vacuum analyze');
  log('reading packed months');
  const packed = await measureReads(database, fleet);
  const [sparseBytes, regularBytes, irregularBytes] = [
    await bytesPerReading(owner, 2022),
    await bytesPerReading(owner, 2023),
    await bytesPerReading(owner, 2024),
  ];
  log('ingesting while packing runs');
  await fillOldMonth(owner, fleet, PACKED_DURING_INGEST);
  const during = await ingestWhilePacking(writer, worker, arriving, isQuick);

  return {
    name: 'packed',
    checks: [
      atMost('bytes per reading with keys and counters, regular times', regularBytes, 9),
      atMost('bytes per reading with keys and counters, irregular times', irregularBytes, 9),
      figure('bytes per reading with keys and counters, 120 a month', sparseBytes),
      atMost('buffers of a page of 100 packed readings', packed.pageBuffers, 10),
      figure('buffers of a page of 100 plain readings', plain.pageBuffers),
      figure('buffers of the whole request for the deepest page, packed', packed.requestBuffers),
      figure('buffers of the whole request for the deepest page, plain', plain.requestBuffers),
      atMost('deepest page warm, packed against plain', packed.warmMs / plain.warmMs, 1.5),
      figure('deepest page warm, packed, ms in the server', packed.warmMs),
      // Milliseconds depend on what else reads from the disk, so the buffers decide.
      atMost('deepest page cold, buffers read, packed against plain', packed.coldMisses / plain.coldMisses, 1),
      figure('deepest page cold, buffers read, packed', packed.coldMisses),
      figure('deepest page cold, buffers read, plain', plain.coldMisses),
      figure('deepest page cold, fastest of 30 tanks, packed, ms', packed.coldMs),
      figure('deepest page cold, fastest of 30 tanks, plain, ms', plain.coldMs),
      atMost('WAL bytes per reading late in the month', ingest.wal_bytes_per_reading, 2_048),
      atLeast('ingest while packing runs, against without', during.ratio, 0.9),
      figure('months of tanks packed during ingest', during.packed),
      figure('months of tanks packed per second, one connection', months / seconds),
    ],
    tanks,
    readings_per_month: READINGS_PER_MONTH,
    wal_by_relation: ingest.wal_by_relation,
  };
}

async function packAll(owner: Pool, worker: Pool): Promise<{ seconds: number; months: number }> {
  const startMs = performance.now();
  const { packed: months } = await packMonths(worker, FULL_BUDGET);
  const seconds = (performance.now() - startMs) / 1_000;
  await owner.query(`update packed_months set packed_at = now() - interval '11 minutes'`);
  await dropPackedPartitions(worker);
  return { seconds, months };
}

interface Reads {
  /** Buffers of the function that returns a page, without counters and the start of the page. */
  pageBuffers: number;
  requestBuffers: number;
  warmMs: number;
  coldMs: number;
  coldMisses: number;
}

/** Measures reads of the deepest page of 100 readings, which are the oldest ones of the oldest month. */
async function measureReads(database: PrivateDatabase, fleet: BulkFleet): Promise<Reads> {
  const { owner, urls } = database;
  const { rows: tanks } = await owner.query<{ id: string }>(
    'select id from tanks where no = any ($1::int[]) order by no',
    [
      Array.from(
        { length: COLD_TANKS + 1 },
        (_, n) => fleet.firstTankNo + n * Math.floor(fleet.tanks / COLD_TANKS - 1),
      ),
    ],
  );
  const counted = 'select sum(n)::int as n from telemetry_month_counters where tank_no = $1';
  const readings = await readNumber(owner, counted, [fleet.firstTankNo]);
  const path = `/v1/tanks/:id/telemetry?size=100&page=${Math.floor(readings / 100)}`;
  await restartCold(database);
  const readers = await Readers.open({ url: urls.api, applicationName: 'bench', connections: 1 });
  const read = requester(V1_OPERATIONS, readers, fleet.organizationNo);
  const cold = { ms: [] as number[], misses: [] as number[] };
  for (const [index, { id }] of tanks.entries()) {
    let ms = 0;
    const { misses } = await statementBuffers(owner, 'fleet_api', async () => {
      const startMs = performance.now();
      await read(path, id);
      ms = performance.now() - startMs;
    });
    if (index === 0) continue; // the first read also reads the catalog and makes plans
    cold.ms.push(ms);
    cold.misses.push(misses);
  }
  const runs = 200;
  const { minMs, buffers } = await serverCost(owner, runs, async () => {
    for (let run = 0; run < runs; run++) await read(path, tanks[0]?.id);
  });
  const page = async (): Promise<unknown> =>
    readers.query({ name: 'page', text: 'select * from newest_telemetry($1, $2, $3, 100)' }, [
      fleet.firstTankNo,
      `${REGULAR.month}-01T00:00:00Z`,
      `${REGULAR.month}-20T00:00:00Z`,
    ]);
  await page();
  const { buffers: pageBuffers } = await serverCost(owner, runs, async () => {
    for (let run = 0; run < runs; run++) await page();
  });
  await readers.close();
  return {
    pageBuffers,
    requestBuffers: buffers,
    warmMs: minMs,
    coldMs: Math.min(...cold.ms),
    coldMisses: upperMedian(cold.misses),
  };
}

/** Ingests in turns, with and without packing at the same time, and compares the medians. */
async function ingestWhilePacking(
  writer: Pool,
  worker: Pool,
  arriving: Generator<TankReading, never>,
  isQuick: boolean,
): Promise<{ ratio: number; packed: number }> {
  const ingester = new BatchIngester(writer);
  const measureRate = async (): Promise<number> => {
    const startMs = performance.now();
    for (let batch = 0; batch < (isQuick ? 6 : 20); batch++) await ingester.ingestReadings(nextBatch(arriving, 500));
    return 1_000 / (performance.now() - startMs);
  };
  await measureRate(); // warm-up
  const [beside, alone]: [number[], number[]] = [[], []];
  let packed = 0;
  for (let pair = 0; pair < 9; pair++) {
    const stopping = new AbortController();
    const packing = packMonths(worker, BACKGROUND_BUDGET, { signal: stopping.signal });
    beside.push(await measureRate());
    stopping.abort();
    packed += (await packing).packed;
    alone.push(await measureRate());
  }
  return { ratio: upperMedian(beside) / upperMedian(alone), packed };
}
