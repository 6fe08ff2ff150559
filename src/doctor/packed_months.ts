import type { Db } from '../db/pool.ts';
import { type CheckFinding, finding, firstOfMany, monthName } from './finding.ts';

/** The number of parts in the sample, and the number of neighbouring parts at each position. */
const SAMPLE_PARTS = 2_000;
const NEIGHBOURS = 20;

interface DamagedPart {
  tank_no: number;
  month: string;
  problem: 'checksum' | 'order' | 'counter';
}

const DESCRIPTIONS: Readonly<Record<DamagedPart['problem'], string>> = {
  checksum: 'do not match their checksum',
  order: 'are not in order, or not in their month',
  counter: 'are packed, but telemetry_month_counters says that they are plain',
};

/** Verifies a random sample of the packed parts. The check of counters counts the readings of all parts. */
export async function checkPackedMonths(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<DamagedPart>(
    `with place as materialized (
       select first_no + floor(random() * (last_no - first_no + 1))::int as from_no
       from (select min(tank_no) as first_no, max(tank_no) as last_no from packed_telemetry) as bounds,
            generate_series(1, $1::int / $2::int)
     ), sample as materialized (
       select distinct p.*
       from place cross join lateral (
         select q.* from packed_telemetry q where q.tank_no >= place.from_no order by q.tank_no, q.starts_at limit $2
       ) as p
     ), checked as (
       select s.tank_no, utc_month(s.starts_at) as month,
              case
                when s.checksum <> packed_checksum(s.tank_no, s.starts_at, s.times, s.levels, s.gauge_values) then 'checksum'
                when cardinality(s.times) <> cardinality(s.levels) or cardinality(s.times) <> cardinality(s.gauge_values)
                  or s.times <> array(select distinct unnest(s.times) order by 1)
                  or s.times[1] < packed_time(s.starts_at, packed_origin(s.starts_at))
                  or s.times[cardinality(s.times)]
                    >= packed_time(next_utc_month(s.starts_at), packed_origin(s.starts_at)) then 'order'
                when c.is_packed is not true then 'counter'
              end as problem
       from sample s
       left join telemetry_month_counters c on c.tank_no = s.tank_no and c.month = utc_month(s.starts_at)
     )
     select * from checked where problem is not null order by tank_no, month`,
    [SAMPLE_PARTS, NEIGHBOURS],
  );
  return [...Map.groupBy(rows, ({ problem }) => problem).values()].flatMap((parts) => {
    const [first] = parts;
    if (first === undefined) return [];
    const { tank_no, month, problem } = first;
    const text = `the packed readings of tank ${tank_no} in ${monthName(month)} ${DESCRIPTIONS[problem]}`;
    return [
      finding(
        firstOfMany(text, parts.length),
        'restore the rows of packed_telemetry from a backup; then look for a program that writes to it by itself, and for faulty disks',
      ),
    ];
  });
}
