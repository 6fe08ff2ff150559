import { arrayLiteral, type Tx } from '../db/pool.ts';
import type { TankReading } from './reading.ts';

export interface MonthCounter {
  tank_no: number;
  starts_ms: number;
  n: number;
}

/** The start of the UTC month that contains a time. */
export function startOfMonthMs(atMs: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
}

/**
 * Adds readings that were just inserted to the counter buckets of busy months, and splits buckets that have grown too
 * large. All given months are above the limit. A month without buckets has just crossed it.
 */
export async function countIntoBuckets(
  tx: Tx,
  busyMonths: readonly MonthCounter[],
  readings: readonly TankReading[],
): Promise<void> {
  const busyKeys = new Set(busyMonths.map(({ tank_no, starts_ms }) => `${tank_no} ${starts_ms}`));
  const toCount = readings.filter(({ tankNo, atMs }) => busyKeys.has(`${tankNo} ${startOfMonthMs(atMs)}`));
  const { rows: tooLarge } = await tx.query<{ tank_no: number; starts_at: string }>(
    `with grown as (
       update telemetry_buckets b set n = b.n + added.n
       from (
         select s.tank_no, own.starts_at, count(*) as n
         from unnest($1::int[], $2::float8[]) as s (tank_no, ms)
         cross join lateral (
           select starts_at from telemetry_buckets own
           where own.tank_no = s.tank_no
             and own.starts_at <= to_timestamp(s.ms / 1000) and own.starts_at >= utc_month(to_timestamp(s.ms / 1000))
           order by starts_at desc limit 1
         ) as own
         group by 1, 2
       ) as added
       where b.tank_no = added.tank_no and b.starts_at = added.starts_at
       returning b.tank_no, b.starts_at, b.n
     ), too_large as (
       select tank_no, starts_at from grown where n > max_bucket_items()
       union all
       select tank_no, to_timestamp(ms / 1000) from unnest($3::int[], $4::float8[]) as m (tank_no, ms)
       where not exists (
         select from telemetry_buckets b where b.tank_no = m.tank_no and b.starts_at = to_timestamp(m.ms / 1000)
       )
     )
     select tank_no, starts_at::timestamptz from too_large`,
    [
      arrayLiteral(toCount.map(({ tankNo }) => tankNo)),
      arrayLiteral(toCount.map(({ atMs }) => atMs)),
      arrayLiteral(busyMonths.map(({ tank_no }) => tank_no)),
      arrayLiteral(busyMonths.map(({ starts_ms }) => starts_ms)),
    ],
  );
  for (const { tank_no, starts_at } of tooLarge) {
    await tx.query('select split_telemetry_bucket($1, $2)', [tank_no, starts_at]);
  }
}
