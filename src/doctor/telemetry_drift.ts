import type { Pool } from 'pg';
import { type Db, type Tx, transaction } from '../db/pool.ts';
import { amount, type CheckContext, type CheckFinding, firstOfMany, monthName } from './finding.ts';
import { incompleteMonths } from './partitions.ts';

/** A wrong counter, a bucket of the wrong size, or a wrong latest reading. */
interface Drift {
  kind: 'month' | 'bucket' | 'size' | 'latest';
  tank_no: number;
  month: string;
  starts_at: string;
  /** The value of the counter, and the number of items there are. */
  counted: number;
  n: number;
  max_items: number;
  /** tank_states.latest_at; null if the tank has no row there, so that there is no lock to take. */
  state_at: string | null;
  latest_at: string | null;
}

/** All tables are keyed by tank first, so a range of tanks is a range of each table. Small ranges keep snapshots short. */
const RANGE_TANKS = 2_000;

/** With more tanks, counting all readings takes an hour or more. */
const LARGE_TANKS = 200_000;

/** Counts all readings of small installations. For large ones, the worker's continuous check is enough (counter_check.ts). */
export async function checkTelemetryCounters(context: CheckContext): Promise<CheckFinding[]> {
  if (context.isSampled === true && !context.fix && (await countTanks(context.pool)) > LARGE_TANKS) return [];
  return countAllReadings(context);
}

/** About how many tanks have readings. */
async function countTanks(db: Db): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select reltuples as n from pg_class where oid = 'tank_states'::regclass`,
  );
  return rows[0]?.n ?? 0;
}

/** Counts the readings of the next tanks again. Returns null if there are no more tanks. */
export async function sampleTelemetryCounters(
  db: Db,
  afterNo: number,
  maxTanks: number,
): Promise<{ tanks: number; lastTankNo: number; problems: string[] } | null> {
  const { rows } = await db.query<{ tank_no: number }>(
    'select tank_no from tank_states where tank_no > $1 order by tank_no limit $2',
    [afterNo, maxTanks],
  );
  const last = rows.at(-1);
  if (last === undefined) return null;
  const drifts = await findDrift(db, { from: afterNo + 1, to: last.tank_no + 1, missing: [] });
  const problems = drifts.map((drift) => DESCRIPTIONS[drift.kind](drift));
  return { tanks: rows.length, lastTankNo: last.tank_no, problems };
}

async function countAllReadings({ pool, fix, progress }: CheckContext): Promise<CheckFinding[]> {
  // A missing partition may be restored. Until then a recount would hide the loss (see partitions).
  const missing = await incompleteMonths(pool);
  const found = new Map<Drift['kind'], { first: Drift; count: number; left: number }>();

  for (let next = await nextTank(pool, 0); next !== undefined; ) {
    const range = { from: next.tankNo, to: next.tankNo + RANGE_TANKS, missing };
    const drifts = await findDrift(pool, range);
    if (fix && drifts.length > 0) await fixDrift(pool, drifts);
    const left = fix && drifts.length > 0 ? await findDrift(pool, range) : drifts;
    for (const drift of drifts) {
      const kind = found.get(drift.kind) ?? { first: drift, count: 0, left: 0 };
      found.set(drift.kind, { ...kind, count: kind.count + 1 });
    }
    for (const { kind } of left) {
      const known = found.get(kind);
      if (known !== undefined) known.left += 1;
    }
    progress(`tanks up to ${Math.min(range.to, next.lastTankNo)} of ${next.lastTankNo}`);
    next = await nextTank(pool, range.to);
  }
  return [...found.values()].map(({ first, count, left }) => ({
    problem: firstOfMany(DESCRIPTIONS[first.kind](first), count),
    remedy: remedy(first),
    fixed: left === 0,
  }));
}

const DESCRIPTIONS: Readonly<Record<Drift['kind'], (drift: Drift) => string>> = {
  month: ({ tank_no, month, counted, n }) =>
    `tank ${tank_no} has ${amount(n, 'readings')} in ${monthName(month)}, but telemetry_month_counters says ${counted}`,
  bucket: ({ tank_no, starts_at, counted, n }) =>
    `tank ${tank_no} has ${amount(n, 'readings')} in the bucket from ${starts_at}, but telemetry_buckets says ${counted}`,
  size: ({ tank_no, starts_at, n, max_items }) =>
    `tank ${tank_no} has ${amount(n, 'readings')} from ${starts_at} that are not all in buckets of at most ${amount(max_items, 'items')}`,
  latest: ({ tank_no, state_at, latest_at }) =>
    latest_at === null
      ? `tank ${tank_no} has no readings, but tank_states says ${state_at}`
      : `the latest reading of tank ${tank_no} is of ${latest_at}, but tank_states says ${state_at ?? 'nothing'}`,
};

const remedy = ({ kind, tank_no, latest_at }: Drift): string =>
  kind === 'latest' && latest_at === null
    ? `as the owner: delete from tank_states where tank_no = ${tank_no}`
    : 'run tankwatch doctor --fix, which counts again; then look for a program that writes to telemetry by itself';

/** The next tank that occurs in any of the tables, so that gaps in the numbers cost nothing. */
async function nextTank(db: Db, from: number): Promise<{ tankNo: number; lastTankNo: number } | undefined> {
  const tables = ['telemetry', 'packed_telemetry', 'telemetry_month_counters', 'telemetry_buckets', 'tank_states'];
  const bounds = tables.map(
    (table) => `select min(tank_no) as first, max(tank_no) as last from ${table} where tank_no >= $1`,
  );
  const { rows } = await db.query<{ first: number | null; last: number }>(
    `select min(first) as first, max(last) as last from (${bounds.join(' union all ')}) as bounds`,
    [from],
  );
  const [row] = rows;
  return row === undefined || row.first === null ? undefined : { tankNo: row.first, lastTankNo: row.last };
}

interface Range {
  from: number;
  /** The first tank after the range. */
  to: number;
  /** Months that lack a partition. */
  missing: readonly string[];
}

/** One statement and so one snapshot: readings and counters are committed together. */
async function findDrift(db: Db, { from, to, missing }: Range): Promise<Drift[]> {
  const inRange = 'tank_no >= $1 and tank_no < $2';
  const { rows } = await db.query<Drift>(
    `with counters as materialized (
       select * from telemetry_month_counters where ${inRange}
     ), truth as materialized (
       -- plain rows that are left of a packed month do not count
       select tank_no, utc_month(created_at) as month, count(*) as n, max(created_at) as latest_at
       from telemetry where ${inRange}
         and (tank_no, utc_month(created_at)) not in (select tank_no, month from counters where is_packed)
       group by 1, 2
       union all
       select tank_no, utc_month(starts_at), sum(cardinality(times)),
              max(packed_origin(starts_at) + times[cardinality(times)] * interval '1 millisecond')
       from packed_telemetry where ${inRange} group by 1, 2
     ), months as materialized (
       select tank_no, month, coalesce(m.n, 0) as counted, coalesce(truth.n, 0) as n
       from truth full join counters m using (tank_no, month)
       where month <> all ($3::timestamptz[])
     ), buckets as materialized (
       select *, count_telemetry_items(tank_no, starts_at, ends_at) as n
       from (
         select tank_no, utc_month(starts_at) as month, starts_at, b.n as counted,
                lead(starts_at, 1, next_utc_month(starts_at))
                  over (partition by tank_no, utc_month(starts_at) order by starts_at) as ends_at
         from telemetry_buckets b where ${inRange}
       ) as bucket
       where month <> all ($3::timestamptz[])
     ), states as (
       select tank_no, s.latest_at as state_at, t.latest_at
       from (select tank_no, max(latest_at) as latest_at from truth group by 1) as t
       full join (select * from tank_states where ${inRange}) as s using (tank_no)
     ), drift as (
       select 'month' as kind, tank_no, month, month as starts_at, counted, n from months where counted <> n
       union all
       select 'bucket', tank_no, month, starts_at, counted, n from buckets where counted <> n
       union all
       select 'size', tank_no, month, starts_at, counted, n from buckets where n > max_bucket_items()
       union all
       -- a busy month without buckets, or without a bucket that begins with the month
       select 'size', tank_no, month, month, 0, coalesce(busy.n, split.n)
       from (select tank_no, month, n from months where n > max_bucket_items()) as busy
       full join (
         select tank_no, month, sum(n) as n, min(starts_at) = month as is_whole from buckets group by 1, 2
       ) as split using (tank_no, month)
       where is_whole is not true
       union all
       select 'latest', tank_no, utc_month(coalesce(latest_at, state_at)), coalesce(latest_at, state_at), 0, 0
       from states
       where state_at is distinct from latest_at
         and (state_at is null or utc_month(state_at) <> all ($3::timestamptz[]))
     )
     select drift.*, max_bucket_items() as max_items, state_at, latest_at from drift left join states using (tank_no)
     order by tank_no, month, starts_at`,
    [from, to, missing],
  );
  return rows;
}

/** A tank without a state has no row to lock. For those few the whole table is locked and all writers wait. */
async function fixDrift(pool: Pool, drifts: readonly Drift[]): Promise<void> {
  const [locked, unlocked] = [true, false].map((hasRow) =>
    drifts.filter((drift) => (drift.state_at !== null) === hasRow),
  );
  if (locked?.length) {
    await transaction(pool, async (tx) => {
      // In the order of tank_no, like writers, so that they cannot deadlock.
      await tx.query('select from tank_states where tank_no = any ($1) order by tank_no for update', [
        locked.map((drift) => drift.tank_no),
      ]);
      await recount(tx, locked);
    });
  }
  if (unlocked?.length) {
    await transaction(pool, async (tx) => {
      await tx.query('lock table tank_states in share row exclusive mode');
      await recount(tx, unlocked);
    });
  }
}

/** Counts the months and their buckets again, and sets the latest reading from the readings. */
async function recount(tx: Tx, drifts: readonly Drift[]): Promise<void> {
  const counters = drifts.filter((drift) => drift.kind !== 'latest');
  const months = [counters.map((drift) => drift.tank_no), counters.map((drift) => drift.month)];
  const drifted = `(select distinct * from unnest($1::int[], $2::timestamptz[]) as t (tank_no, month)) as drifted`;

  await tx.query(
    `insert into telemetry_month_counters (tank_no, month, n)
     select tank_no, month, count_telemetry_items(tank_no, month, next_utc_month(month)) from ${drifted}
     on conflict (tank_no, month) do update set n = excluded.n`,
    months,
  );
  // The first bucket of a month begins with the month. An empty bucket is harmless; operators cannot delete buckets.
  await tx.query(
    `insert into telemetry_buckets (tank_no, starts_at, n)
     select tank_no, month, 0 from ${drifted} join telemetry_month_counters m using (tank_no, month)
     where m.n > max_bucket_items() or exists (
       select from telemetry_buckets b
       where b.tank_no = m.tank_no and b.starts_at >= month and b.starts_at < next_utc_month(month)
     )
     on conflict do nothing`,
    months,
  );
  await tx.query(
    `update telemetry_buckets b set n = count_telemetry_items(b.tank_no, b.starts_at, own.ends_at)
     from (
       select tank_no, starts_at,
              lead(starts_at, 1, next_utc_month(month)) over (partition by tank_no, month order by starts_at) as ends_at
       from ${drifted} join telemetry_buckets c using (tank_no)
       where starts_at >= month and starts_at < next_utc_month(month)
     ) as own
     where b.tank_no = own.tank_no and b.starts_at = own.starts_at`,
    months,
  );
  await tx.query(
    `select split_telemetry_bucket(tank_no, starts_at) from ${drifted} join telemetry_buckets b using (tank_no)
     where b.n > max_bucket_items() and starts_at >= month and starts_at < next_utc_month(month)`,
    months,
  );
  await tx.query(
    `insert into tank_states as s (tank_no, latest_at, latest_fill_percentage)
     select tank_no, newest.created_at, newest.fill_percentage
     from (select distinct tank_no from unnest($1::int[]) as t (tank_no) order by tank_no) as drifted
     cross join lateral (
       select * from (
         (select t.created_at, t.fill_percentage from telemetry t
          where t.tank_no = drifted.tank_no order by t.created_at desc limit 1)
         union all
         (select p.created_at, p.fill_percentage from newest_telemetry(drifted.tank_no, '-infinity', now(), 1) as p)
       ) as either
       order by created_at desc limit 1
     ) as newest
     on conflict (tank_no) do update
     set latest_at = excluded.latest_at, latest_fill_percentage = excluded.latest_fill_percentage
     where (s.latest_at, s.latest_fill_percentage) <> (excluded.latest_at, excluded.latest_fill_percentage)`,
    [drifts.filter((drift) => drift.kind === 'latest').map((drift) => drift.tank_no)],
  );
}
