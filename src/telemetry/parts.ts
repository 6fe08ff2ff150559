import { arrayLiteral, type Tx } from '../db/pool.ts';
import type { TankReading } from './store.ts';

/** A month, or a part of one, with its counter. */
export interface Month {
  tank_no: number;
  starts_at: string;
  n: number;
}

/**
 * Keeps the parts of busy months: counts what was just stored into them, and cuts what has grown too large. The months
 * given are all above the limit; one that has no parts yet has just crossed it.
 */
export async function countIntoParts(
  tx: Tx,
  busyMonths: readonly Month[],
  readings: readonly TankReading[],
  maxReadings: number,
): Promise<void> {
  const isBusy = new Set(busyMonths.map(({ tank_no, starts_at }) => `${tank_no} ${starts_at.slice(0, 7)}`));
  const stored = readings.filter(({ tankNo, createdAt }) => isBusy.has(`${tankNo} ${createdAt.slice(0, 7)}`));
  const { rows: tooLarge } = await tx.query<Month>(
    `with parts as (
       update telemetry_parts p set n = p.n + added.n
       from (
         select s.tank_no, own.starts_at, count(*) as n
         from unnest($1::int[], $2::timestamptz[]) as s (tank_no, created_at)
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
     select tank_no, starts_at from parts where n > $5
     union all
     select tank_no, month from unnest($3::int[], $4::timestamptz[]) as m (tank_no, month)
     where not exists (select from telemetry_parts p where p.tank_no = m.tank_no and p.starts_at = m.month)`,
    [
      arrayLiteral(stored.map(({ tankNo }) => tankNo)),
      arrayLiteral(stored.map(({ createdAt }) => createdAt)),
      arrayLiteral(busyMonths.map(({ tank_no }) => tank_no)),
      arrayLiteral(busyMonths.map(({ starts_at }) => starts_at)),
      maxReadings,
    ],
  );
  for (const { tank_no, starts_at } of tooLarge) {
    await tx.query('select split_telemetry_part($1, $2)', [tank_no, starts_at]);
  }
}
