import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { atLeast, atMost, type BenchOptions, type Check, figure, type Report } from '../bench/report.ts';
import { startDatabase } from '../engines/database.ts';
import { readNumber } from '../engines/read_number.ts';
import { until } from '../engines/until.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { openPool } from '../src/db/pool.ts';
import { checkPackedMonths } from '../src/doctor/packed_months.ts';
import { checkTelemetryCounters } from '../src/doctor/telemetry_drift.ts';
import { reevaluateAllTanks } from '../src/evaluation/reevaluator.ts';
import type { TankGauge } from '../src/gauges/gauge_schema.ts';
import { recomputeAllTanks } from '../src/gauges/recomputation_loop.ts';
import { gaugePercentage } from '../src/gauges/tank_gauge.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { FULL_BUDGET, packMonths } from '../src/telemetry/pack_months.ts';
import type { Measure, TankReading } from '../src/telemetry/reading.ts';
import { HOUR_MS } from '../src/values/time.ts';
import { type KillOptions, killInTurns } from './kill_in_turns.ts';

const PROCESS = fileURLToPath(new URL('gauges_process.ts', import.meta.url));
const READINGS_PER_YEAR = 365 * 4;
const SECOND_YEAR_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - READINGS_PER_YEAR * 6 * HOUR_MS;

const WRONG: TankGauge = { shape: { form: 'box', height_mm: 1_000 }, measures: 'distance', offset_mm: 0 };
const RIGHT: TankGauge = {
  ...WRONG,
  shape: { form: 'horizontal_cylinder', diameter_mm: 1_000, length_mm: 3_000, heads: 'elliptical' },
};

/**
 * Corrects the gauges of tanks with a year of readings, and kills PostgreSQL and the process that computes the levels again in
 * turns with kill -9. Readings arrive, some of them twice. Old months are packed, but their plain rows are still there.
 */
export const runGauges = async ({ isQuick, log }: BenchOptions): Promise<Report> => ({
  name: 'gauges',
  checks: await killWhileRecomputing({ kills: 20, tanks: isQuick ? 60 : 1_000, log }),
});

export async function killWhileRecomputing({ kills, tanks, log }: KillOptions): Promise<Check[]> {
  await using database = await startDatabase();
  await using pool = openPool({ url: database.ownerUrl, applicationName: 'fault run', maxConnections: 4 });
  const nos = await addTanks(pool, tanks);
  log(`a year of ${tanks} tanks without and with measures`);
  const bytes = await storeYears(pool, nos);
  await reevaluateAllTanks(pool);
  const recorded = await readEventIds(pool);

  await setGauge(pool, nos, RIGHT);
  const stopping = new AbortController();
  const sending = sendMore(pool, nos, stopping.signal);
  const untilWorking = async (kill: number): Promise<boolean> => {
    const isWorking = await untilRecomputing(pool, kill / (kills + 1), tanks);
    // If all levels are computed before the last kill, the tanks are queued again.
    if (!isWorking) await queueAgain(pool);
    return isWorking;
  };
  const during = await killInTurns({ database, script: PROCESS, kills, untilWorking, log });
  stopping.abort();
  const acknowledged = await sending;
  const startMs = performance.now();
  let computed = 0;
  // A tank whose computation was killed is due 10 seconds later, and later each time. This makes it due now.
  await until('no tank is in the queue', async () => {
    const { rowCount } = await pool.query('update gauge_recomputations set next_attempt_at = now()');
    if (rowCount === 0) return true;
    computed += await recomputeAllTanks(pool);
    return undefined;
  });
  const perTankMs = (performance.now() - startMs) / Math.max(1, computed);
  await reevaluateAllTanks(pool);
  return [
    atLeast('kills while levels were computed again', during, Math.ceil(kills / 2)),
    ...(await verify(pool, nos, acknowledged, recorded)),
    ...bytes,
    figure('ms to compute a tank after the last kill', perTankMs),
  ];
}

/** The number of tanks that send levels without measures, to compare the bytes of a reading. */
const MAX_PLAIN_TANKS = 200;

/** Adds the tanks of ten organizations, so that the queue must divide the work among them. */
async function addTanks(pool: Pool, tanks: number): Promise<number[]> {
  await pool.query(
    `insert into organizations (code, name) select 'g' || n || 'gas', 'Gas ' || n from generate_series(0, 9) as n`,
  );
  await pool.query(
    `insert into customers (id, organization_no, email, name)
     select gen_random_uuid(), no, 'a@example.com', 'A' from organizations`,
  );
  const { rows } = await pool.query<{ no: number }>(
    `insert into tanks (id, organization_no, owner_no, name, assigned_device_id, capacity, capacity_unit, min_fill_alert_percentage)
     select gen_random_uuid(), c.organization_no, c.no, 'T' || n, 'D' || n, 1000, 'liters', 20
     from generate_series(1, $1::int) as n join (
       select no, organization_no, row_number() over (order by no) - 1 as position from customers
     ) as c on c.position = n % 10
     returning no`,
    [tanks + Math.min(tanks, MAX_PLAIN_TANKS)],
  );
  return rows.map(({ no }) => no).toSorted((a, b) => a - b);
}

/** The measure of reading `n`: the tank empties by 1.5 mm between two readings, and is filled when it is nearly empty. */
const measureAt = (tankNo: number, n: number): Measure => ({
  kind: 'distance',
  value: 2_000 + (((tankNo * 131 + n) * 15) % 7_500),
});
const timeOf = (n: number): number => SECOND_YEAR_MS + n * 6 * HOUR_MS;

function levelBy(gauge: TankGauge, measure: Measure): number {
  const level = gaugePercentage(gauge, measure);
  if (typeof level !== 'number') throw new Error(level.detail);
  return level;
}

const readingOf = (tankNo: number, n: number): TankReading & { measure: Measure } => {
  const measure = measureAt(tankNo, n);
  return { tankNo, atMs: timeOf(n), fillPercentage: levelBy(WRONG, measure), measure };
};
const yearOf = (tankNo: number): TankReading[] =>
  Array.from({ length: READINGS_PER_YEAR }, (_, n) => readingOf(tankNo, n));

const withoutMeasures = (tankNo: number): TankReading[] =>
  yearOf(tankNo).map(({ atMs, fillPercentage }) => ({ tankNo, atMs, fillPercentage }));

async function setGauge(pool: Pool, nos: readonly number[], gauge: TankGauge): Promise<void> {
  await pool.query(
    `insert into tank_gauges (tank_no, organization_no, definition)
     select no, organization_no, $2 from tanks where no = any ($1)
     on conflict (tank_no, from_at) do update set definition = excluded.definition`,
    [nos, gauge],
  );
}

/** Stores a year of readings of each tank. The first tanks get levels without measures, and are removed from `nos`. */
async function storeYears(pool: Pool, nos: number[]): Promise<Check[]> {
  const plainTanks = nos.splice(0, Math.min(nos.length / 2, MAX_PLAIN_TANKS));
  const checks: Check[] = [];
  await setGauge(pool, nos, WRONG);
  // The first tank fills the first pages of the partitions, which are not counted.
  await new BatchIngester(pool, { isEvaluating: false }).ingestReadings(withoutMeasures(plainTanks.shift() ?? 0));
  for (const [name, tankNos, isMeasured] of [
    ['without a measure', plainTanks, false],
    ['with a measure', nos, true],
  ] as const) {
    const before = await readSizes(pool);
    const ingester = new BatchIngester(pool, { isEvaluating: isMeasured });
    for (const tankNo of tankNos) await ingester.ingestReadings(isMeasured ? yearOf(tankNo) : withoutMeasures(tankNo));
    const stored = await readSizes(pool);
    // Packs months and leaves their plain rows.
    await packMonths(pool, FULL_BUDGET);
    const packed = await readSizes(pool);
    const packedReadings = await readNumber(
      pool,
      'select sum(n) as n from telemetry_month_counters where is_packed and tank_no = any ($1)',
      [tankNos],
    );
    checks.push(
      figure(`bytes of a plain reading ${name}`, (stored.plain - before.plain) / (tankNos.length * READINGS_PER_YEAR)),
      figure(`bytes of a packed reading ${name}`, (packed.packed - before.packed) / packedReadings),
    );
  }
  return checks;
}

async function readSizes(pool: Pool): Promise<{ plain: number; packed: number }> {
  const { rows } = await pool.query<{ plain: number; packed: number }>(
    `select coalesce(sum(pg_relation_size(inhrelid) + pg_indexes_size(inhrelid)) filter (where inhparent = 'telemetry'::regclass), 0)::float8 as plain,
            coalesce(sum(pg_relation_size(inhrelid) + pg_indexes_size(inhrelid)) filter (where inhparent = 'packed_telemetry'::regclass), 0)::float8 as packed
     from pg_inherits`,
  );
  return onlyRow(rows);
}

/** Sends new readings, late ones in packed months, and repeated ones. Returns those that were acknowledged. */
async function sendMore(pool: Pool, nos: readonly number[], signal: AbortSignal): Promise<TankReading[]> {
  const ingester = new BatchIngester(pool);
  const acknowledged: TankReading[] = [];
  for (let n = 0; !signal.aborted; n++) {
    const tankNo = nos[(n * 7) % nos.length] ?? 0;
    const measure = measureAt(tankNo, n % READINGS_PER_YEAR);
    const late = {
      tankNo,
      atMs: timeOf((n * 37) % READINGS_PER_YEAR) + 60_000,
      fillPercentage: levelBy(WRONG, measure),
      measure,
    };
    const readings = [late, ...[1, 2, 3].map((part) => readingOf(tankNo, (n * 91 + part) % READINGS_PER_YEAR))];
    try {
      const { conflicts } = await ingester.ingestReadings(readings);
      acknowledged.push(...readings.filter((_, index) => !conflicts.some((conflict) => conflict.index === index)));
    } catch {
      await sleep(50);
    }
    await sleep(10);
  }
  return acknowledged;
}

/** Waits until a share of the tanks is computed and a transaction is computing. Returns false if all are computed, or after 30 s. */
async function untilRecomputing(pool: Pool, share: number, tanks: number): Promise<boolean> {
  for (let attempt = 0; attempt < 6_000; attempt++) {
    const { rows } = await pool.query<{ waiting: number; is_active: boolean }>(
      `select (select count(*) from gauge_recomputations)::int as waiting, exists (
         select from pg_stat_activity where application_name = 'recomputing' and backend_xid is not null
       ) as is_active`,
    );
    const { waiting, is_active } = onlyRow(rows);
    if (is_active && waiting <= (1 - share) * tanks) return true;
    if (waiting === 0) return false;
    await sleep(5);
  }
  return false;
}

const queueAgain = (pool: Pool) =>
  pool.query(
    `insert into gauge_recomputations (tank_no, organization_no) select tank_no, organization_no from tank_gauges on conflict do nothing`,
  );

const readEventIds = async (pool: Pool): Promise<Set<string>> =>
  new Set((await pool.query<{ id: string }>('select id from events')).rows.map(({ id }) => id));

const readValidEvents = async (pool: Pool): Promise<string[]> =>
  (
    await pool.query<{ text: string }>(
      `select concat_ws(' ', tank_no, id, type, occurred_at, data, readings) as text from events
       where retracted_at is null order by tank_no, occurred_at, type`,
    )
  ).rows.map(({ text }) => text);

async function verify(
  pool: Pool,
  nos: readonly number[],
  acknowledged: readonly TankReading[],
  recorded: ReadonlySet<string>,
): Promise<Check[]> {
  let total = 0;
  const keyOf = ({ tankNo, atMs }: TankReading): string => `${tankNo} ${new Date(atMs).toISOString()}`;
  const late = new Map(acknowledged.map((reading) => [keyOf(reading), reading]));
  let [differing, lost, doubled, duplicates, conflicts] = [0, 0, 0, 0, 0];
  const ingester = new BatchIngester(pool);
  for (const tankNo of nos) {
    const own = new Map([...late].filter(([, reading]) => reading.tankNo === tankNo));
    for (const reading of yearOf(tankNo)) own.set(keyOf(reading), reading);
    // The list of readings in /v1 uses this function.
    const { rows } = await pool.query<{ created_at: string; fill_percentage: number }>(
      `select created_at, fill_percentage from newest_telemetry($1, '-infinity', 'infinity', 10000)`,
      [tankNo],
    );
    const stored = new Map(rows.map((row) => [`${tankNo} ${row.created_at}`, row.fill_percentage]));
    doubled += rows.length - stored.size;
    for (const [key, { measure }] of own) {
      const level = stored.get(key);
      if (level === undefined) lost++;
      else if (measure && level !== levelBy(RIGHT, measure)) differing++;
    }
    const again = await ingester.ingestReadings([...own.values()]);
    duplicates += again.duplicates;
    conflicts += again.conflicts.length;
    total += own.size;
  }
  const found = await readValidEvents(pool);
  const ids = await readEventIds(pool);
  const leftOver = await readNumber(
    pool,
    `select count(*)::int as n from telemetry t
     join telemetry_month_counters c on c.tank_no = t.tank_no and c.month = utc_month(t.created_at) and c.is_packed
     cross join lateral (
       select m.* from oldest_measures(t.tank_no, t.created_at, t.created_at + interval '1 millisecond', 1) as m
     ) as packed
     where t.tank_no = any ($1) and (packed.fill_percentage, packed.gauge_value) is distinct from (t.fill_percentage, t.gauge_value)`,
    [nos.slice(0, 20)],
  );
  // Evaluates all tanks from their first reading, as if their levels had always been right.
  await pool.query('delete from tank_checkpoints');
  await pool.query('update tank_states set reevaluate_from = to_timestamp(0) where tank_no = any ($1)', [nos]);
  await pool.query(
    'insert into reevaluations (tank_no, organization_no) select no, organization_no from tanks where no = any ($1) on conflict do nothing',
    [nos],
  );
  await reevaluateAllTanks(pool);
  const recounted = new Set(await readValidEvents(pool));
  return [
    atMost('levels that differ from a recount', differing, 0),
    atMost('readings lost', lost, 0),
    atMost('readings stored twice', doubled, 0),
    atMost('readings sent again that are not duplicates', total - duplicates, 0),
    atMost('conflicts', conflicts, 0),
    atMost('left-over plain rows that differ from the packed ones', leftOver, 0),
    atMost('event ids lost', [...recorded].filter((id) => !ids.has(id)).length, 0),
    atMost(
      'events that differ from a recount',
      found.filter((event) => !recounted.has(event)).length + Math.abs(found.length - recounted.size),
      0,
    ),
    atMost('tanks in the queue', await readNumber(pool, 'select count(*) as n from gauge_recomputations'), 0),
    atMost(
      'counters that differ from a recount',
      (await checkTelemetryCounters({ pool, fix: false, progress: () => {} })).length,
      0,
    ),
    atMost('damaged packed months', (await checkPackedMonths(pool)).length, 0),
    figure('readings', total),
    figure('events', found.length),
  ];
}
