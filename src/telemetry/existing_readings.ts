import type { Tx } from '../db/pool.ts';
import type { TankReading } from './reading.ts';

export interface ExistingReading {
  /** What the tank has at this time: stored, or else said first. */
  kept: number;
  is_new: boolean;
  is_conflict: boolean;
}

/** Holds readings against what is stored, and against earlier ones of the same list. In their order. */
export async function findExistingReadings(tx: Tx, readings: readonly TankReading[]): Promise<ExistingReading[]> {
  const { rows } = await tx.query<ExistingReading>(
    `select coalesce(stored.fill, r.first_fill) as kept, stored.fill is null and r.turn = 1 as is_new,
            coalesce(stored.fill, r.first_fill) <> r.fill as is_conflict
     from (
       select tank_no, to_timestamp(ms / 1000) as created_at, at, fill, first_value(fill) over same as first_fill, row_number() over same as turn
       from (
         select * from unnest($1::int[], $2::float8[], $3::real[])
           with ordinality as given (tank_no, ms, fill, at)
       ) as given
       window same as (partition by tank_no, ms order by at)
     ) as r
     -- The offset keeps this one look into one partition per reading, where a join might read all of them.
     left join lateral (
       select fill_percentage as fill from telemetry t
       where t.tank_no = r.tank_no and t.created_at = r.created_at offset 0
     ) as stored on true
     order by r.at`,
    [
      readings.map((reading) => reading.tankNo),
      readings.map((reading) => reading.atMs),
      readings.map((reading) => Math.round(reading.fillPercentage * 100) / 100),
    ],
  );
  return rows;
}
