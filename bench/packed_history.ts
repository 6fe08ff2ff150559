import type { Pool } from 'pg';
import { onlyRow } from '../src/db/only_row.ts';

/** Readings of one old month of each tank, in the order in which they arrived. */
export interface OldMonth {
  /** Such as 2024-03. */
  month: string;
  readings: number;
  /** Irregular times differ by up to 50 minutes, to the millisecond. Otherwise a tank reports at whole hours. */
  isIrregular: boolean;
  /** Default: 2. */
  everyHours?: number;
}

export async function fillOldMonth(
  owner: Pool,
  { firstTankNo, tanks }: { firstTankNo: number; tanks: number },
  { month, readings, isIrregular, everyHours = 2 }: OldMonth,
): Promise<void> {
  const start = `${month}-01T00:00:00Z`;
  await owner.query('select ensure_telemetry_month($1)', [start]);
  await owner.query(
    `insert into telemetry (tank_no, created_at, fill_percentage)
     select tank_no, $3::timestamptz + n * $6::int * interval '1 hour'
              + case when $5 then floor(random() * 3000000) * interval '1 millisecond' else interval '0' end,
            round((80 - n * 60.0 / $4 + random() * 0.6)::numeric, 2)
     from generate_series(0, $4::int - 1) as n, generate_series($1::int, $1::int + $2::int - 1) as tank_no
     order by n, tank_no`,
    [firstTankNo, tanks, start, readings, isIrregular, everyHours],
  );
  await owner.query(
    `insert into telemetry_month_counters (tank_no, month, n)
     select tank_no, $3, $4 from generate_series($1::int, $1::int + $2::int - 1) as tank_no`,
    [firstTankNo, tanks, start, readings],
  );
}

/** Returns the bytes per reading of a packed year, with its key and its share of the counters. */
export async function bytesPerReading(owner: Pool, year: number): Promise<number> {
  const { rows } = await owner.query<{ bytes: number }>(
    `select (pg_total_relation_size('packed_telemetry_${year}') / readings
              + (select sum(pg_total_relation_size(relid)) from pg_partition_tree('telemetry_month_counters')) / all_months * months / readings)::float8 as bytes
     from (
       select count(*)::float8 as all_months,
              count(*) filter (where date_part('year', month at time zone 'UTC') = $1)::float8 as months,
              sum(n) filter (where date_part('year', month at time zone 'UTC') = $1)::float8 as readings
       from telemetry_month_counters
     ) as counted`,
    [year],
  );
  return onlyRow(rows).bytes;
}
