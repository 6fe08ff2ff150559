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

/** Above this a month, or a part of one, is cut (see the list engine) into pieces of 1,500. */
const MAX_PART_READINGS = 2_000;

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

  // Readings and counters in one statement. Inserts are sorted: unsorted, eight writers deadlocked 19 times in six
  // seconds. Parts are there only where a month is busy.
  const { rows: grown } = await tx.query<Grown>(
    `with stored as (
       insert into telemetry (tank_no, created_at, fill_percentage)
       select tank_no, created_at, round(fill_percentage::numeric, 2)
       from unnest($1::int[], $2::timestamptz[], $3::float8[]) as r (tank_no, created_at, fill_percentage)
       order by tank_no, created_at
       on conflict do nothing
       returning tank_no, created_at
     ), months as (
       insert into telemetry_months as m (tank_no, month, n)
       select tank_no, utc_month(created_at) as month, count(*) from stored group by 1, 2 order by 1, 2
       on conflict (tank_no, month) do update set n = m.n + excluded.n
       returning tank_no, month, n
     ), parts as (
       update telemetry_parts p set n = p.n + added.n
       from (
         select s.tank_no, own.starts_at, count(*) as n
         from stored s
         cross join lateral (
           select starts_at from telemetry_parts own
           where own.tank_no = s.tank_no
             and own.starts_at <= s.created_at and own.starts_at >= utc_month(s.created_at)
           order by starts_at desc limit 1
         ) as own
         group by 1, 2
       ) as added
       where p.tank_no = added.tank_no and p.starts_at = added.starts_at
       returning p.tank_no, p.starts_at, p.n
     )
     select (select count(*) from stored) as stored, too_large.*
     from (select) as always left join (
       select tank_no, starts_at from parts where n > $4
       union all
       select tank_no, month from months m
       where n > $4 and not exists (select from telemetry_parts p where p.tank_no = m.tank_no and p.starts_at = m.month)
     ) as too_large on true`,
    [...columns, MAX_PART_READINGS],
  );
  for (const part of grown) {
    if (part.tank_no !== null) await tx.query('select split_telemetry_part($1, $2)', [part.tank_no, part.starts_at]);
  }
  const stored = grown[0]?.stored ?? 0;
  return { stored, known: readings.length - stored };
}

/** How many were stored, beside each part that has grown too large; beside nothing where none has. */
type Grown = { stored: number } & ({ tank_no: number; starts_at: string } | { tank_no: null; starts_at: null });
