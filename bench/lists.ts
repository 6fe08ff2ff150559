import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { createTenant } from '../engines/tenant.ts';
import { listTanksOperation } from '../src/api/v1/tanks.ts';
import { listTelemetryOperation } from '../src/api/v1/telemetry.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { Readers } from '../src/db/readers.ts';
import { countTelemetry } from './bulk_telemetry.ts';
import { requester, startBenchDatabase } from './database.ts';
import { atLeast, atMost, type BenchOptions, type Check, medianMs, type Report, round } from './report.ts';

/** A page that is requested in two ways: through the counted list, and with count(*) and OFFSET. */
interface PageRequest {
  what: string;
  /** The query of the request through the counted list. */
  query: string;
  /** The bounds and the offset of the naive statement. */
  from: string;
  to: string;
  skip: number;
}

interface Timing {
  what: string;
  ms: number;
  naiveMs: number;
  ratio: number;
}

const SIZE = 10;
const START = '2023-11-01T00:00:00Z';

/** Compares deep pages of long lists with `count(*)` and OFFSET on the same data in the same run. */
export async function benchLists({ isQuick, log }: BenchOptions): Promise<Report> {
  const scale = isQuick ? 0.01 : 1; // quick: 20,000 tanks are the smallest batch
  await using database = await startBenchDatabase();
  const { owner } = database;
  const busy = await createBusyTank(owner);
  const readings = await loadTelemetry(owner, busy.tankNo, scale, log);
  const tanks = await loadTanks(owner, busy, Math.round(2_000_000 * scale), log);
  log('vacuum');
  await owner.query('vacuum analyze');
  const bytesPerReading = await measureBytesPerReading(owner);

  const readers = await Readers.open({
    url: database.urls.api,
    applicationName: 'bench',
    connections: 1,
    statementTimeoutMs: 600_000,
  });
  const read = requester([listTelemetryOperation, listTanksOperation], readers, busy.organizationNo);
  log('requesting telemetry');
  const telemetry = await measureTimes(
    owner,
    (query) => read(`/v1/tanks/:id/telemetry?${query}`, busy.tankId),
    NAIVE_TELEMETRY,
    busy.tankNo,
    telemetryRequests(readings.ofBusyTank),
  );
  log('requesting tanks');
  const tankLists = await measureTimes(
    owner,
    (query) => read(`/v1/tanks?${query}`),
    NAIVE_TANKS,
    busy.organizationNo,
    tankRequests(tanks),
  );
  await readers.close();

  return {
    name: 'lists',
    checks: [
      ...checksOf('(a) telemetry', telemetry, 300 * scale),
      ...checksOf('(b) tanks', tankLists, 100 * scale),
      atMost('bytes per reading on disk, as grown', bytesPerReading, 90),
    ],
    telemetry,
    tanks: tankLists,
    readings: readings.all,
    bytes_per_reading: round(bytesPerReading),
  };
}

/** Checks that the deepest page takes less than 2 ms or about as long as page 1, and compares it with the naive statement. */
function checksOf(what: string, timings: readonly Timing[], minRatio: number): Check[] {
  return timings.flatMap((last, index) => {
    const first = timings.slice(0, index).findLast((timing) => timing.what.startsWith('first'));
    if (first === undefined || !last.what.startsWith('last')) return [];
    return [
      last.ms < 2
        ? atMost(`${what}, ${last.what}: ms`, last.ms, 2)
        : atMost(`${what}, ${last.what}: times page 1`, last.ms / first.ms, 5),
      atLeast(`${what}, ${last.what}: times faster than naive`, last.ratio, minRatio),
    ];
  });
}

async function measureTimes(
  owner: Pool,
  ask: (query: string) => Promise<unknown>,
  naive: string,
  scopeNo: number,
  requests: readonly PageRequest[],
): Promise<Timing[]> {
  const timings: Timing[] = [];
  const name = createHash('md5').update(naive).digest('hex');
  for (const { what, query, from, to, skip } of requests) {
    const ms = await medianMs(101, () => ask(query));
    const naiveMs = await medianMs(3, () =>
      owner.query({ name, text: naive, values: [scopeNo, from, to, skip, SIZE] }),
    );
    timings.push({ what, ms: round(ms), naiveMs: round(naiveMs), ratio: round(naiveMs / ms) });
  }
  return timings;
}

const NAIVE_TELEMETRY = `select (
    select count(*) from telemetry where tank_no = $1 and created_at >= $2 and created_at < $3
  ) as total_items, created_at, fill_percentage
  from telemetry where tank_no = $1 and created_at >= $2 and created_at < $3
  order by created_at desc offset $4 limit $5`;

const NAIVE_TANKS = `select (
    select count(*) from tanks where organization_no = $1 and deleted_at is null and created_at >= $2 and created_at < $3
  ) as total_items, *
  from tanks where organization_no = $1 and deleted_at is null and created_at >= $2 and created_at < $3
  order by created_at desc, no desc offset $4 limit $5`;

function telemetryRequests(total: number): PageRequest[] {
  const all = { from: '-infinity', to: 'infinity' };
  // Both bounds are inside a month and inside a bucket. 90 % of the readings are between them.
  const from = '2024-02-19T13:17:05.123Z';
  const to = '2026-10-11T07:41:55.877Z';
  const share = (Date.parse(to) - Date.parse(from)) / (Date.parse('2026-11-01') - Date.parse(START));
  const inside = Math.floor(total * share * 0.999);
  const filter = `created_at_gte=${from}&created_at_lte=${new Date(Date.parse(to) - 1).toISOString()}&`;
  const page = (what: string, items: number, prefix: string, bounds: { from: string; to: string }): PageRequest[] =>
    [
      { what: `first${what}`, number: 1 },
      { what: `middle${what}`, number: Math.floor(items / SIZE / 2) },
      { what: `last${what}`, number: Math.floor(items / SIZE) },
    ].map(({ what: name, number }) => ({
      what: name,
      query: `${prefix}page=${number}`,
      ...bounds,
      skip: (number - 1) * SIZE,
    }));
  return [...page('', total, '', all), ...page(', filtered', inside, filter, { from, to })];
}

function tankRequests(total: number): PageRequest[] {
  const deep = Math.round((total / SIZE) * 0.95); // page 190,000 of 2,000,000 tanks
  return [
    { what: 'first', query: 'page=1', from: '-infinity', to: 'infinity', skip: 0 },
    { what: `last (page ${deep})`, query: `page=${deep}`, from: '-infinity', to: 'infinity', skip: (deep - 1) * SIZE },
  ];
}

interface BusyTank {
  organizationNo: number;
  ownerNo: number;
  tankNo: number;
  tankId: string;
}

async function createBusyTank(owner: Pool): Promise<BusyTank> {
  const given = { devices: 1, tank: () => ({ created_at: START }) };
  const { organizationNo, customerNo: ownerNo, tanks } = await createTenant(owner, given);
  return { organizationNo, ownerNo, tankNo: onlyRow(tanks).no, tankId: onlyRow(tanks).id };
}

/**
 * Creates one tank with 5,000,000 readings over 36 months, and 20 million readings of 20,000 other tanks, in the order in
 * which they would arrive. The counters are computed afterwards with the functions that writers use.
 */
async function loadTelemetry(
  owner: Pool,
  busyTankNo: number,
  scale: number,
  log: (line: string) => void,
): Promise<{ ofBusyTank: number; all: number }> {
  const days = Math.round((Date.parse('2026-11-01') - Date.parse(START)) / 86_400_000);
  const busyPerDay = Math.round((5_000_000 * scale) / days);
  const othersPerDay = Math.round((20_000_000 * scale) / days);
  for (let day = 0; day < days; day++) {
    const at = new Date(Date.parse(START) + day * 86_400_000).toISOString();
    if (at.slice(8, 10) === '01') {
      log(`loading telemetry: day ${day} of ${days}`);
      await owner.query('select ensure_telemetry_month($1)', [at]);
    }
    await owner.query(
      `insert into telemetry (tank_no, created_at, fill_percentage)
       select tank_no, created_at, round((20 + 60 * random())::numeric, 1) from (
         select $2::int as tank_no, $1::timestamptz + n * (interval '1 day' / $3::int) as created_at
         from generate_series(0, $3::int - 1) n
         union all
         select 1000000 + (n * 7919 + $5::int * 104729) % 20000, $1::timestamptz + n * (interval '1 day' / $4::int)
         from generate_series(0, $4::int - 1) n
       ) as arriving
       order by created_at`,
      [at, busyTankNo, busyPerDay, othersPerDay, day],
    );
  }
  log('counting telemetry');
  await countTelemetry(owner);
  return { ofBusyTank: busyPerDay * days, all: (busyPerDay + othersPerDay) * days };
}

/** Inserts half of the tanks with 1,000 per timestamp, and the others spread over 1,000 days. Triggers maintain the counters. */
async function loadTanks(owner: Pool, busy: BusyTank, tanks: number, log: (line: string) => void): Promise<number> {
  const batch = 20_000;
  for (let first = 0; first < tanks; first += batch) {
    if (first % 200_000 === 0) log(`loading tanks: ${first} of ${tanks}`);
    await owner.query(
      `insert into tanks (id, organization_no, owner_no, assigned_device_id, capacity, capacity_unit,
                          min_fill_alert_percentage, name, created_at)
       select gen_random_uuid(), $1, $2, 'D' || n, 500, 'liters', 20, 'Tank ' || n,
              case when n < $5::int / 2
                then timestamptz '2026-10-01T12:00:00Z' + (n / 1000) * interval '3 seconds'
                else timestamptz '2023-11-01T00:00:00Z' + (n::float8 / $5) * interval '1000 days'
              end
       from generate_series($3::int, $3::int + $4::int - 1) n`,
      [busy.organizationNo, busy.ownerNo, first, batch, tanks],
    );
  }
  return tanks + 1;
}

async function measureBytesPerReading(owner: Pool): Promise<number> {
  const { rows } = await owner.query<{ bytes: number; readings: number }>(
    `select (sum(pg_total_relation_size(inhrelid)) + (select sum(pg_total_relation_size(relid)) from pg_partition_tree('telemetry_month_counters'))
              + pg_total_relation_size('telemetry_buckets'))::float8 as bytes,
            (select count(*) from telemetry) as readings
     from pg_inherits where inhparent = 'telemetry'::regclass`,
  );
  const { bytes, readings } = onlyRow(rows);
  return bytes / readings;
}
