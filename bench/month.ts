import type { Pool } from 'pg';
import type { PrivateDatabase } from '../engines/database.ts';
import { readNumber } from '../engines/read_number.ts';
import { V1_OPERATIONS } from '../src/api/v1/operations.ts';
import { openPool } from '../src/db/pool.ts';
import { Readers } from '../src/db/readers.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { dropPackedPartitions, FULL_BUDGET, packMonths } from '../src/telemetry/pack_months.ts';
import { DAY_MS } from '../src/values/time.ts';
import { type BulkFleet, createFleet } from './bulk_fleet.ts';
import { PACKING_SHARE } from './capacity/plan.ts';
import { requester, startBenchDatabase } from './database.ts';
import { readingsPerCheckpoint } from './growth/ingest.ts';
import { SHIPPED_WRITES } from './growth/size.ts';
import { fillOldMonth } from './packed_history.ts';
import { measureReadings, type ReadingCost, readingsByPhase, storeNext } from './reading_cost.ts';
import { atMost, type BenchOptions, type Check, figure, type Report } from './report.ts';
import { MEASURED_STATEMENTS, serverCost } from './server_statements.ts';

const WHOLE_FLEET = 1_000_000;
const CADENCE_MS = DAY_MS / 4;
const BATCH = 100;
/** The number of tanks whose old month is packed. The old month of a million tanks would take 11 GB. */
const PACKED_SAMPLE = 20_000;
const READ_TANKS = 200;

export interface MonthOptions extends BenchOptions {
  isFull: boolean;
  tanks: number | null;
}

/** Months of counters that each tank has in a young installation. */
const FEW_MONTHS = 3;
/** Months of counters that each tank has after ten years. */
const MANY_MONTHS = 120;

/**
 * Measures the first day of a month: its first reading creates the partitions of its days, each tank gets a counter for the
 * month, and the new partitions have no statistics. Compares the first six hours with those of the previous day, because each
 * day begins with changed rows for fleet reads, and with those of tanks that have counters of ten years. Also measures how long
 * it takes to pack a month of all tanks. Each tank has four readings a day.
 */
export async function benchMonth({ isQuick, isFull, tanks: given, log }: MonthOptions): Promise<Report> {
  const tanks = given ?? (isFull ? WHOLE_FLEET : isQuick ? 2_000 : 100_000);
  const young = await withFleet({ tanks, months: FEW_MONTHS, log }, async (ready) => {
    const { database, fleet, store, storeSixHours } = ready;
    const before = await storeSixHours('the first six hours of the last day of a month');
    await store(2 * tanks);
    const last = await storeSixHours('the last six hours of the last day of a month');
    const readsBefore = await measureReads(database, fleet);
    const first = await storeSixHours('the first six hours of the new month');
    const readsFirst = await measureReads(database, fleet);
    const second = await storeSixHours('the second six hours of the new month');
    await database.owner.query('analyze');
    const readsAnalyzed = await measureReads(database, fleet);
    const packing = await measurePacking(ready, log);
    return { before, last, first, second, readsBefore, readsFirst, readsAnalyzed, packing };
  });
  const old = await withFleet(
    { tanks, months: MANY_MONTHS, log },
    async ({ database, fleet, store, storeSixHours }) => {
      await store(4 * tanks);
      const first = await storeSixHours('the first six hours of the new month');
      return { first, reads: await measureReads(database, fleet) };
    },
  );
  const { before, last, first, second, readsBefore, readsFirst, readsAnalyzed, packing } = young;
  return {
    name: 'month',
    checks: [
      figure('CPU time per reading, first six hours of the last day of a month, us', before.cpu_us),
      figure('CPU time per reading, last six hours of the last day of a month, us', last.cpu_us),
      figure('CPU time per reading, first six hours of the month, us', first.cpu_us),
      figure('CPU time per reading, second six hours of the month, us', second.cpu_us),
      atMost('CPU time, first six hours of the month against those of the day before', first.cpu_us / before.cpu_us, 2),
      figure('WAL bytes per reading, first six hours of the last day of a month', before.wal_bytes),
      figure('WAL bytes per reading, last six hours of the last day of a month', last.wal_bytes),
      figure('WAL bytes per reading, first six hours of the month', first.wal_bytes),
      figure('WAL bytes per reading, second six hours of the month', second.wal_bytes),
      atMost(
        'WAL, first six hours of the month against those of the day before',
        first.wal_bytes / before.wal_bytes,
        2,
      ),
      figure(`WAL bytes per reading, first six hours with ${MANY_MONTHS} months of counters`, old.first.wal_bytes),
      atMost(
        `WAL, first six hours: ${MANY_MONTHS} months of counters against ${FEW_MONTHS}`,
        old.first.wal_bytes / first.wal_bytes,
        1.2,
      ),
      figure(`buffers of page 1 of the readings of a tank with ${MANY_MONTHS} months of counters`, old.reads.buffers),
      figure('first transaction of the month, which creates the partitions, ms', first.firstMs),
      figure('slowest transaction of the first six hours, ms', first.slowestMs),
      figure('slowest transaction of the first six hours of the day before, ms', before.slowestMs),
      figure('buffers of page 1 of the readings of a tank, on the day before', readsBefore.buffers),
      figure('buffers of page 1 of the readings of a tank, on the first day without statistics', readsFirst.buffers),
      figure('buffers of page 1 of the readings of a tank, on the first day with statistics', readsAnalyzed.buffers),
      atMost('buffers of page 1 without statistics against with', readsFirst.buffers / readsAnalyzed.buffers, 1.5),
      figure('fastest execution of page 1, on the day before, ms', readsBefore.minMs),
      figure('fastest execution of page 1, on the first day, ms', readsFirst.minMs),
      ...packing,
    ],
    tanks,
    wal_by_relation: first.wal_by_relation,
    wal_by_relation_of_the_day_before: before.wal_by_relation,
    wal_by_relation_of_many_months: old.first.wal_by_relation,
  };
}

interface GivenFleet {
  database: PrivateDatabase;
  worker: Pool;
  fleet: BulkFleet;
  /** Stores the next readings. */
  store: (readings: number) => Promise<void>;
  /** Stores the next reading of each tank, and returns the cost of one reading. */
  storeSixHours: (title: string) => Promise<ReadingCost & { cpu_us: number; slowestMs: number; firstMs: number }>;
}

/** Creates a fleet at the beginning of the last day of a month, whose tanks have counters of `months` months. */
async function withFleet<T>(
  { tanks, months, log }: { tanks: number; months: number; log: BenchOptions['log'] },
  work: (given: GivenFleet) => Promise<T>,
): Promise<T> {
  await using database = await startBenchDatabase({ ...MEASURED_STATEMENTS, ...SHIPPED_WRITES });
  const { owner } = database;
  await using writer = openPool({ url: database.urls.writer, applicationName: 'bench' });
  await using worker = openPool({ url: database.urls.worker, applicationName: 'bench' });
  const now = new Date();
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const latestMs = monthMs - 2 * DAY_MS - 1;
  const fleet = await createFleet(owner, {
    tanks,
    tanksPerOwner: 2,
    latestMs,
    cadenceMs: CADENCE_MS,
    spreadReadings: 1,
    hasSearch: false,
    log,
  });
  log(`${months} months of counters`);
  await countEarlierMonths(owner, fleet, monthMs, months);
  await owner.query('vacuum analyze');

  const ingester = new BatchIngester(writer);
  const perCheckpoint = await readingsPerCheckpoint(owner, fleet);
  const store = storeNext(ingester, fleet, readingsByPhase(fleet, latestMs), BATCH);
  // Stores a whole day, because its first readings replace the rows for fleet reads that were created in bulk.
  await store((DAY_MS / CADENCE_MS) * tanks);
  const storeSixHours: GivenFleet['storeSixHours'] = async (title) => {
    log(title);
    let [slowestMs, firstMs] = [0, 0];
    const cost = await measureReadings({
      database,
      readings: tanks,
      perCheckpoint,
      async ingest(readings) {
        for (let left = readings; left > 0; left -= BATCH) {
          const startMs = performance.now();
          await store(Math.min(left, BATCH));
          const ms = performance.now() - startMs;
          if (firstMs === 0) firstMs = ms;
          slowestMs = Math.max(slowestMs, ms);
        }
      },
    });
    return { ...cost, cpu_us: cost.writer_us + cost.database_us, slowestMs, firstMs };
  };
  return await work({ database, worker, fleet, store, storeSixHours });
}

/** Inserts the counters of earlier months as writers would have left them. The newest two months are not packed. */
async function countEarlierMonths(
  owner: Pool,
  { firstTankNo, tanks }: BulkFleet,
  monthMs: number,
  months: number,
): Promise<void> {
  await owner.query('select ensure_telemetry_month($1)', [new Date(monthMs - DAY_MS).toISOString()]);
  await owner.query(
    `insert into telemetry_month_counters (tank_no, month, n, is_packed)
     select tank_no, utc_month($3::timestamptz - months * interval '1 month'), 120, months > 2
     from generate_series($1::int, $1::int + $2::int - 1) as tank_no, generate_series(1, $4) as months order by 2, 1`,
    [firstTankNo, tanks, new Date(monthMs).toISOString(), months],
  );
}

async function measureReads({ owner, urls }: PrivateDatabase, { organizationNo, firstTankNo, tanks }: BulkFleet) {
  const { rows } = await owner.query<{ id: string }>('select id from tanks where no = any ($1::int[])', [
    Array.from({ length: READ_TANKS }, (_, n) => firstTankNo + Math.floor((n * tanks) / READ_TANKS)),
  ]);
  const readers = await Readers.open({ url: urls.api, applicationName: 'bench', connections: 1 });
  try {
    const read = requester(V1_OPERATIONS, readers, organizationNo);
    const readAll = async (): Promise<void> => {
      for (const { id } of rows) await read('/v1/tanks/:id/telemetry?size=10', id);
    };
    await readAll();
    return await serverCost(owner, rows.length, readAll);
  } finally {
    await readers.close();
  }
}

/** Packs an old month of a sample, among the counters of all tanks, and drops its partitions. */
async function measurePacking({ database, worker, fleet }: GivenFleet, log: BenchOptions['log']): Promise<Check[]> {
  const { owner } = database;
  const sample = Math.min(PACKED_SAMPLE, fleet.tanks);
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 6)).toISOString().slice(0, 7);
  log(`packing ${month} of ${sample} tanks`);
  await fillOldMonth(
    owner,
    { firstTankNo: fleet.firstTankNo, tanks: sample },
    { month, readings: 120, isIrregular: true, everyHours: 6 },
  );
  await owner.query('vacuum analyze');
  const startMs = performance.now();
  const { packed } = await packMonths(worker, FULL_BUDGET);
  const perSecond = (packed * 1_000) / (performance.now() - startMs);
  const months = await readNumber(owner, 'select count(*) as n from packed_months');
  await owner.query(`update packed_months set packed_at = now() - interval '11 minutes'`);
  const dropStartMs = performance.now();
  await dropPackedPartitions(worker);
  return [
    atMost('tanks whose month was not packed', sample - packed, 0),
    figure('months of tanks packed a second without a pause', perSecond),
    figure(
      `hours to pack a month of ${WHOLE_FLEET} tanks in the background, extrapolated`,
      WHOLE_FLEET / (perSecond * PACKING_SHARE) / 3_600,
    ),
    figure('ms to drop the partitions of the packed months', (performance.now() - dropStartMs) / Math.max(1, months)),
  ];
}
