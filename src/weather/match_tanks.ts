import type { Db } from '../db/pool.ts';

/** The largest distance between a place and its tanks. At larger distances, mountains and coasts change the weather. */
export const MAX_DISTANCE_KM = 50;
export const KM_PER_DEGREE = 111.2;
const BATCH_TANKS = 5_000;

/**
 * Finds the place of each tank of an organization: the place that the operator chose, otherwise the nearest place
 * within 50 km, otherwise the place whose postal code is the longest prefix of the postal code of the tank. A tank keeps what it
 * has learned when its place changes.
 */
export async function matchTanks(db: Db, organizationNo: number): Promise<void> {
  let afterNo: number | null = 0;
  while (afterNo !== null) afterNo = await matchBatch(db, organizationNo, afterNo);
  await db.query('update places set matched_at = clock_timestamp() where organization_no = $1', [organizationNo]);
}

/** Matches the tanks of one batch. Returns the number of the last tank; null after the last batch. */
async function matchBatch(db: Db, organizationNo: number, after: number): Promise<number | null> {
  const { rows } = await db.query<{ last_no: number | null }>(MATCH_BATCH, [organizationNo, after, BATCH_TANKS]);
  return rows[0]?.last_no ?? null;
}

// An index finds a band of latitudes. Then the distance is computed on a plane, with an error of a few meters at 50 km. Each prefix is
// looked up: `like prefix || '%'` would compare each tank with each place. Places whose tanks change are computed again.
const MATCH_BATCH = `
with batch as materialized (
  select t.no, t.organization_no, t.latitude, t.longitude, upper(replace(t.postal_code, ' ', '')) as postal_code
  from tanks t where t.organization_no = $1 and t.no > $2 and t.deleted_at is null order by t.no limit $3
), matched as (
  select b.no as tank_no, coalesce(near.no, coded.no) as place_no,
         case when near.no is not null then 'coordinates' else 'postal_code' end as matched_by
  from batch b
  left join lateral (
    select p.no from places p
    cross join lateral (
      select sqrt((p.latitude - b.latitude) ^ 2 + (
        (180 - abs(180 - abs(p.longitude - b.longitude))) * cos(radians(b.latitude))
      ) ^ 2) * ${KM_PER_DEGREE} as km
    ) as distance
    where p.organization_no = $1 and p.latitude between b.latitude - ${MAX_DISTANCE_KM / KM_PER_DEGREE}
                                                    and b.latitude + ${MAX_DISTANCE_KM / KM_PER_DEGREE}
      and km <= ${MAX_DISTANCE_KM}
    order by km, p.no limit 1
  ) as near on true
  left join lateral (
    select p.no from places p
    where near.no is null and p.organization_no = $1
      and p.postal_code = any (array(select left(b.postal_code, n) from generate_series(1, length(b.postal_code)) as n))
    order by length(p.postal_code) desc, p.no limit 1
  ) as coded on true
), removed as (
  delete from tank_weather w using matched m
  where w.tank_no = m.tank_no and m.place_no is null and w.matched_by <> 'choice'
), stored as (
  insert into tank_weather as w (tank_no, place_no, matched_by)
  select m.tank_no, m.place_no, m.matched_by from matched m join fleet_tanks f on f.tank_no = m.tank_no
  where m.place_no is not null order by m.tank_no
  on conflict (tank_no) do update set place_no = excluded.place_no, matched_by = excluded.matched_by
  where w.matched_by <> 'choice' and (w.place_no, w.matched_by) is distinct from (excluded.place_no, excluded.matched_by)
  returning w.place_no
), marked as (
  update places set changed_at = clock_timestamp() where no in (select place_no from stored)
)
select case when count(*) = $3 then max(no) end as last_no from batch`;
