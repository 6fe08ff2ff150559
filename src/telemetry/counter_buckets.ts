import { arrayLiteral, type Tx } from '../db/pool.ts';
import type { TankReading } from './reading.ts';

/** A month, or a part of one, with its counter. */
export interface MonthCounter {
  tank_no: number;
  starts_ms: number;
  n: number;
}

/** When the UTC month began that a time is in. */
export function startOfMonthMs(atMs: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
}

/**
 * Keeps the parts of busy months: counts what was just stored into them, and cuts what has grown too large. The months
 * given are all above the limit; one that has no parts yet has just crossed it.
 */
export async function countIntoBuckets(
  tx: Tx,
  busyMonths: readonly MonthCounter[],
  readings: readonly TankReading[],
  maxReadings: number,
): Promise<void> {
  const isBusy = new Set(busyMonths.map(({ tank_no, starts_ms }) => `${tank_no} ${starts_ms}`));
  const stored = readings.filter(({ tankNo, atMs }) => isBusy.has(`${tankNo} ${startOfMonthMs(atMs)}`));
  const { rows: tooLarge } = await tx.query<{ tank_no: number; starts_at: string }>(
    `with parts as (
       update telemetry_buckets p set n = p.n + added.n
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
       where p.tank_no = added.tank_no and p.starts_at = added.starts_at
       returning p.tank_no, p.starts_at, p.n
     ), too_large as (
       select tank_no, starts_at from parts where n > $5
       union all
       select tank_no, to_timestamp(ms / 1000) from unnest($3::int[], $4::float8[]) as m (tank_no, ms)
       where not exists (
         select from telemetry_buckets p where p.tank_no = m.tank_no and p.starts_at = to_timestamp(m.ms / 1000)
       )
     )
     select tank_no, starts_at::timestamptz from too_large`,
    [
      arrayLiteral(stored.map(({ tankNo }) => tankNo)),
      arrayLiteral(stored.map(({ atMs }) => atMs)),
      arrayLiteral(busyMonths.map(({ tank_no }) => tank_no)),
      arrayLiteral(busyMonths.map(({ starts_ms }) => starts_ms)),
      maxReadings,
    ],
  );
  for (const { tank_no, starts_at } of tooLarge) {
    await tx.query('select split_telemetry_bucket($1, $2)', [tank_no, starts_at]);
  }
}
