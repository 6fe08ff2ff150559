import type pg from 'pg';
import { type Tx, transaction } from '../db/pool.ts';

/** A reading that knows its tank. */
export interface TankReading {
  tankNo: number;
  /** ISO 8601, UTC, at most milliseconds. */
  createdAt: string;
  fillPercentage: number;
}

export interface StoreResult {
  stored: number;
  /** Readings whose tank and time were there already. */
  known: number;
}

/** Above this a bucket is cut (see the list engine); the database cuts into pieces of 3,000. */
const MAX_BUCKET_READINGS = 4_000;

/** Stores readings once each, with exact counters and each tank's latest. Any order, any repeats, any number of these. */
export class ReadingStore {
  readonly #pool: pg.Pool;
  /** Months whose partition is known to exist. */
  readonly #months = new Set<string>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** All of them in one transaction: when this returns, they are committed. */
  async store(readings: readonly TankReading[]): Promise<StoreResult> {
    // Before the transaction and not inside it: a partition is made under a lock that a long batch must not hold.
    await this.#ensureMonths(readings);
    return transaction(this.#pool, (tx) => storeInTransaction(tx, readings));
  }

  async #ensureMonths(readings: readonly TankReading[]): Promise<void> {
    const months = new Set(readings.map((reading) => reading.createdAt.slice(0, 7)));
    for (const month of months.difference(this.#months)) {
      await this.#pool.query('select ensure_telemetry_month($1)', [`${month}-01T00:00:00Z`]);
      this.#months.add(month);
    }
  }
}

async function storeInTransaction(tx: Tx, readings: readonly TankReading[]): Promise<StoreResult> {
  const columns = [
    readings.map((reading) => reading.tankNo),
    readings.map((reading) => reading.createdAt),
    readings.map((reading) => reading.fillPercentage),
  ];

  // The tank's latest, which an older reading never overwrites, and with it the tank's lock: taken even where the
  // row does not change, in tank order, and in a statement of its own, so that the next one sees what its last
  // holder committed.
  await tx.query(
    `insert into tank_states as s (tank_no, latest_at, latest_fill_percentage)
     select distinct on (tank_no) tank_no, created_at, round(fill_percentage::numeric, 2)
     from unnest($1::int[], $2::timestamptz[], $3::float8[]) as r (tank_no, created_at, fill_percentage)
     order by tank_no, created_at desc
     on conflict (tank_no) do update
     set latest_at = excluded.latest_at, latest_fill_percentage = excluded.latest_fill_percentage
     where excluded.latest_at > s.latest_at`,
    columns,
  );

  // Readings and counters in one statement. Both inserts are sorted: unsorted, eight writers deadlocked 19 times in
  // six seconds. A month's first bucket begins with the month.
  const { rows: buckets } = await tx.query<{ tank_no: number; starts_at: string; n: number; added: number }>(
    `with stored as (
       insert into telemetry (tank_no, created_at, fill_percentage)
       select tank_no, created_at, round(fill_percentage::numeric, 2)
       from unnest($1::int[], $2::timestamptz[], $3::float8[]) as r (tank_no, created_at, fill_percentage)
       order by tank_no, created_at
       on conflict do nothing
       returning tank_no, created_at
     ), added as (
       select s.tank_no, coalesce(own.starts_at, date_trunc('month', s.created_at, 'UTC')) as starts_at, count(*) as n
       from stored s
       left join lateral (
         select starts_at from telemetry_buckets b
         where b.tank_no = s.tank_no
           and b.starts_at <= s.created_at and b.starts_at >= date_trunc('month', s.created_at, 'UTC')
         order by starts_at desc limit 1
       ) as own on true
       group by 1, 2
       order by 1, 2
     ), counted as (
       insert into telemetry_buckets as b (tank_no, starts_at, n)
       select tank_no, starts_at, n from added
       on conflict (tank_no, starts_at) do update set n = b.n + excluded.n
       returning tank_no, starts_at, n
     )
     select tank_no, starts_at, counted.n, added.n as added from counted join added using (tank_no, starts_at)`,
    columns,
  );
  for (const bucket of buckets) {
    if (bucket.n > MAX_BUCKET_READINGS) {
      await tx.query('select split_telemetry_bucket($1, $2)', [bucket.tank_no, bucket.starts_at]);
    }
  }
  const stored = buckets.reduce((sum, bucket) => sum + bucket.added, 0);
  return { stored, known: readings.length - stored };
}
