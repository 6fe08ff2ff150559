import type pg from 'pg';
import { onlyRow } from '../catalog/rows.ts';
import { type Tx, transaction } from '../db/pool.ts';
import { compareWithStored } from './compare.ts';

/** A reading that knows its tank. */
export interface TankReading {
  tankNo: number;
  /** ISO 8601, UTC, at most milliseconds. */
  createdAt: string;
  fillPercentage: number;
}

export interface StoreResult {
  stored: number;
  /** Readings whose tank and time were there already, with the same value. */
  known: number;
  /** Readings whose tank has, or was given earlier in the list, another value at their time. */
  conflicts: Conflict[];
}

export interface Conflict {
  /** Its place in the list. */
  index: number;
  /** What the tank has. */
  kept: number;
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
    await this.ensureMonths(readings);
    return transaction(this.#pool, (tx) => storeReadings(tx, readings));
  }

  /** Before the transaction and not inside it: a partition is made under a lock that a long batch must not hold. */
  async ensureMonths(readings: readonly Pick<TankReading, 'createdAt'>[]): Promise<void> {
    const months = new Set(readings.map((reading) => reading.createdAt.slice(0, 7)));
    for (const month of months.difference(this.#months)) {
      await this.#pool.query('select ensure_telemetry_month($1)', [`${month}-01T00:00:00Z`]);
      this.#months.add(month);
    }
  }
}

export async function storeReadings(tx: Tx, readings: readonly TankReading[]): Promise<StoreResult> {
  if (readings.length === 0) return { stored: 0, known: 0, conflicts: [] };
  // Where a list says two things of one moment, the first is taken, as it is when they arrive one after the other.
  const firsts = new Map<string, number>();
  readings.forEach(({ tankNo, createdAt }, index) => {
    const key = `${tankNo} ${createdAt}`;
    if (!firsts.has(key)) firsts.set(key, index);
  });
  const indexes = [...firsts.values()];
  const { stored, unstored } = await insertReadings(
    tx,
    indexes.flatMap((index) => readings[index] ?? []),
  );

  const isFirst = new Set(indexes);
  const left = [
    ...readings.keys().filter((index) => !isFirst.has(index)),
    ...unstored.flatMap((place) => indexes[place - 1] ?? []),
  ];
  if (left.length === 0) return { stored, known: 0, conflicts: [] };
  const compared = await compareWithStored(
    tx,
    left.flatMap((index) => readings[index] ?? []),
  );
  const conflicts = left.flatMap((index, at) => {
    const { is_conflict = false, kept = 0 } = compared[at] ?? {};
    return is_conflict ? [{ index, kept }] : [];
  });
  return { stored, known: left.length - conflicts.length, conflicts };
}

/** Says which were there already, by their places from 1 on. No two may be of the same tank and time. */
async function insertReadings(
  tx: Tx,
  readings: readonly TankReading[],
): Promise<{ stored: number; unstored: readonly number[] }> {
  const columns = [
    readings.map((reading) => reading.tankNo),
    readings.map((reading) => reading.createdAt),
    readings.map((reading) => Math.round(reading.fillPercentage * 100) / 100),
  ];

  // The tank's latest, which an older reading never overwrites, and with it the tank's lock: taken even where the
  // row does not change, in tank order, and in a statement of its own, so that the next one sees what its last
  // holder committed.
  await tx.query(
    `insert into tank_states as s (tank_no, latest_at, latest_fill_percentage)
     select distinct on (tank_no) tank_no, created_at, fill_percentage
     from unnest($1::int[], $2::timestamptz[], $3::real[]) as r (tank_no, created_at, fill_percentage)
     order by tank_no, created_at desc
     on conflict (tank_no) do update
     set latest_at = excluded.latest_at, latest_fill_percentage = excluded.latest_fill_percentage
     where excluded.latest_at > s.latest_at`,
    columns,
  );

  // Readings and counters in one statement. Inserts are sorted: unsorted, eight writers deadlocked 19 times in six
  // seconds. Parts are there only where a month is busy.
  const { rows } = await tx.query<Inserted>(
    `with given as (
       select * from unnest($1::int[], $2::timestamptz[], $3::real[])
         with ordinality as r (tank_no, created_at, fill_percentage, place)
     ), stored as (
       insert into telemetry (tank_no, created_at, fill_percentage)
       select tank_no, created_at, fill_percentage from given order by tank_no, created_at
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
     ), too_large as (
       select tank_no, starts_at from parts where n > $4
       union all
       select tank_no, month from months m
       where n > $4 and not exists (select from telemetry_parts p where p.tank_no = m.tank_no and p.starts_at = m.month)
     )
     select (select count(*) from stored) as stored,
            case when (select count(*) from stored) < cardinality($1) then array(
              select place::int from given g where not exists (
                select from stored s where s.tank_no = g.tank_no and s.created_at = g.created_at
              )
            ) else '{}' end as unstored,
            array(select tank_no from too_large) as large_tank_nos,
            array(select starts_at::timestamptz::text from too_large) as large_starts`,
    [...columns, MAX_PART_READINGS],
  );
  const { stored, unstored, large_tank_nos, large_starts } = onlyRow(rows);
  for (const [at, tankNo] of large_tank_nos.entries()) {
    await tx.query('select split_telemetry_part($1, $2)', [tankNo, large_starts[at]]);
  }
  return { stored, unstored };
}

interface Inserted {
  stored: number;
  unstored: number[];
  /** Parts that have grown too large: their tank, and where each begins. */
  large_tank_nos: number[];
  large_starts: string[];
}
