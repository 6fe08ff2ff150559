import type { Pool } from 'pg';
import { type Db, type Tx, transaction } from '../db/pool.ts';
import { amount } from '../values/text_format.ts';

/** A wrong counter, a bucket of the wrong size, or a wrong latest reading. */
export interface CounterDrift {
  kind: 'month' | 'bucket' | 'size' | 'latest';
  tank_no: number;
  month: string;
  starts_at: string;
  /** The value of the counter. */
  counted: number;
  /** The real number of items. */
  n: number;
  max_items: number;
  /** tank_states.latest_at; null if the tank has no row there, so that there is no lock to take. */
  state_at: string | null;
  latest_at: string | null;
}

export interface TankRange {
  from: number;
  /** The first tank after the range. */
  to: number;
  /** Months that lack a partition. */
  missing: readonly string[];
}

/** Finds drift in one statement and so in one snapshot, because readings and counters are committed together. */
export async function findCounterDrift(db: Db, { from, to, missing }: TankRange): Promise<CounterDrift[]> {
  const inRange = 'tank_no >= $1 and tank_no < $2';
  const { rows } = await db.query<CounterDrift>(
    `with counters as materialized (
       select * from telemetry_month_counters where ${inRange}
     ), truth as materialized (
       -- The left-over plain rows of a packed month do not count.
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
       -- A busy month without buckets, or without a bucket that begins with the month, is wrong too.
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

export const describeDrift = (drift: CounterDrift): string => DESCRIPTIONS[drift.kind](drift);

const DESCRIPTIONS: Readonly<Record<CounterDrift['kind'], (drift: CounterDrift) => string>> = {
  month: ({ tank_no, month, counted, n }) =>
    `tank ${tank_no} has ${amount(n, 'readings')} in ${month.slice(0, 7)}, but telemetry_month_counters says ${counted}`,
  bucket: ({ tank_no, starts_at, counted, n }) =>
    `tank ${tank_no} has ${amount(n, 'readings')} in the bucket from ${starts_at}, but telemetry_buckets says ${counted}`,
  size: ({ tank_no, starts_at, n, max_items }) =>
    `tank ${tank_no} has ${amount(n, 'readings')} from ${starts_at} that are not all in buckets of at most ${amount(max_items, 'items')}`,
  latest: ({ tank_no, state_at, latest_at }) =>
    latest_at === null
      ? `tank ${tank_no} has no readings, but tank_states says ${state_at}`
      : `the latest reading of tank ${tank_no} is of ${latest_at}, but tank_states says ${state_at ?? 'nothing'}`,
};

/** Corrects counters. A tank without a state has no row to lock, so the whole table is locked for it, and all writers wait. */
export async function fixCounterDrift(pool: Pool, drifts: readonly CounterDrift[]): Promise<void> {
  const locked = drifts.filter((drift) => drift.state_at !== null);
  const unlocked = drifts.filter((drift) => drift.state_at === null);
  if (locked.length > 0) {
    await transaction(pool, async (tx) => {
      // The rows are locked in the order of tank_no, like those of writers, to avoid deadlocks.
      await tx.query('select from tank_states where tank_no = any ($1) order by tank_no for update', [
        locked.map((drift) => drift.tank_no),
      ]);
      await recount(tx, locked);
    });
  }
  if (unlocked.length > 0) {
    await transaction(pool, async (tx) => {
      await tx.query('lock table tank_states in share row exclusive mode');
      await recount(tx, unlocked);
    });
  }
}

/** Counts the months and their buckets again, and sets the latest reading from the readings. */
async function recount(tx: Tx, drifts: readonly CounterDrift[]): Promise<void> {
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
