import { type FeedSource, readByNumber } from './change_feed.ts';
import { FOLLOWED_DAYS } from './feed_state.ts';

/**
 * The number of positions that each row of reading_batches gets; a row has fewer readings. The position of a reading is the number of
 * its row times this, plus its index in the row.
 */
const POSITIONS_PER_BATCH = 128;

const readLevels = readByNumber('level', {
  name: 'changed_levels',
  text: `select t.no::text as ref, false as is_deleted, t.id, t.id as tank_id, t.custom_id, c.id as owner_id, c.external_key,
      s.latest_at as created_at, s.latest_fill_percentage as fill_percentage
    from tanks t join tank_states s on s.tank_no = t.no and s.latest_at > '-infinity' join customers c on c.no = t.owner_no
    where t.no = any ($1::int[]) and t.deleted_at is null`,
});

/**
 * The latest levels: first those of all tanks, then those of tanks with new readings, in the order in which these were stored. After a
 * late reading, a tank comes again with the same level.
 */
export const LEVEL_SOURCES: readonly FeedSource<'level'>[] = [
  {
    kind: 'level',
    key: 'bigint',
    read: readLevels,
    positions: (afterKey) =>
      `select tank_no::text as key, tank_no::text as ref, tank_no::bigint as no, null::uuid as id, 0::bigint as change_number
       from fleet_tanks
       where organization_no = $1 and $2::bigint <= 0 and tank_no > case when $2::bigint < 0 then -1 else ${afterKey}::bigint end
       order by organization_no, tank_no limit $3`,
  },
  {
    kind: 'level',
    key: 'bigint',
    keptDays: FOLLOWED_DAYS,
    read: readLevels,
    positions: (afterKey) =>
      `select (b.no * ${POSITIONS_PER_BATCH} + i.at)::text as key, i.tank_no::text as ref, b.no * ${POSITIONS_PER_BATCH} + i.at as no,
              null::uuid as id, b.change_number
       from (
         select * from reading_batches
         -- There is one lower bound, because PostgreSQL would read the index from the lower one of two bounds.
         where organization_no = $1 and change_number < final_change_number($1)
           and (change_number, no) >= (greatest($2::bigint, $4::bigint),
             case when $2::bigint >= $4::bigint then ${afterKey}::bigint / ${POSITIONS_PER_BATCH} else 0 end)
         order by change_number, no limit $3 + 1
       ) as b
       cross join lateral unnest(b.tank_nos) with ordinality as i (tank_no, at)
       where (b.change_number, b.no * ${POSITIONS_PER_BATCH} + i.at) > ($2::bigint, ${afterKey}::bigint)
       order by b.change_number, b.no, i.at limit $3`,
  },
];
