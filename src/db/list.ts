import type { Statement } from './readers.ts';

/**
 * The list engine: the exact total and any page of a list, newest first, from one statement and so from one snapshot,
 * at a cost that depends on neither the depth of the page nor the length of the list.
 *
 * It rests on counters. A list's items, ordered by (created_at, no), are cut into buckets of at most 4,000 neighbours
 * whose sizes are kept exact by whoever writes. Summing them newest first tells in which bucket the page begins; only
 * inside that one are items skipped. A filter on time cuts at most two buckets, and those are counted.
 *
 * A source tells where the buckets and the items are. Bounds are pairs (at, no), half open; a source whose times are
 * unique ignores the `no`.
 */
export interface CountedSource {
  name: string;
  /** Rows (starts_at, starts_no, n): the buckets of the scope $1. */
  buckets: string;
  /** A number: how many items lie from (from_at, from_no) up to but without (to_at, to_no). */
  count: string;
  /** One row (at, no): the item that `skip` newer ones precede within those bounds. */
  nth: string;
  /** The page's rows as the wire names them: `size` items at or before (first.at, first.no), none before `oldest_at`. */
  page: string;
}

/** Parameters: $1 scope, $2 from (inclusive), $3 to (exclusive), $4 how many to skip, $5 how many to return. */
export function countedList(source: CountedSource): Statement {
  const text = `
with bucket as (
  select starts_at, starts_no, n,
         lag(starts_at, 1, 'infinity') over newest_first as ends_at,
         lag(starts_no, 1, 0) over newest_first as ends_no
  from (${source.buckets}) as b
  window newest_first as (order by starts_at desc, starts_no desc)
), cut as (
  -- the part of each bucket that lies in the asked range
  select starts_at, starts_no, n, whole_start and whole_end as whole,
         case when whole_start then starts_at else $2 end as from_at,
         case when whole_start then starts_no else 0 end as from_no,
         case when whole_end then ends_at else $3 end as to_at,
         case when whole_end then ends_no else 0 end as to_no
  from (
    select *, (starts_at, starts_no) >= ($2::timestamptz, 0) as whole_start,
              (ends_at, ends_no) <= ($3::timestamptz, 0) as whole_end
    from bucket
    where (ends_at, ends_no) > ($2::timestamptz, 0) and (starts_at, starts_no) < ($3::timestamptz, 0)
  ) as touching
), counted as (
  select starts_at, starts_no, from_at, from_no, to_at, to_no,
         case when whole then n else (${source.count}) end as n
  from cut
), placed as materialized (
  -- up_to: how many items lie in this bucket and all newer ones
  select from_at, from_no, to_at, to_no, n, sum(n) over (order by starts_at desc, starts_no desc) as up_to
  from counted
), total as (
  select coalesce(max(up_to), 0)::bigint as total_items from placed
), first_bucket as (
  select from_at, from_no, to_at, to_no, $4::bigint - (up_to - n)::bigint as skip
  from placed where up_to > $4::bigint order by up_to limit 1
), last_bucket as (
  select from_at from placed where up_to >= $4::bigint + $5::int order by up_to limit 1
), first as (
  select nth.at, nth.no, coalesce((select from_at from last_bucket), $2::timestamptz) as oldest_at
  from first_bucket cross join lateral (${source.nth}) as nth
)
select total.total_items, item.*
from total left join (first cross join lateral (${source.page}) as item) on true`;
  return { name: source.name, text };
}

/** A list of the catalog: `columns` are the wire's, of an item `i`. Equal times are ordered by number. */
export function catalogList(source: {
  name: string;
  list: 'organization_customers' | 'organization_tanks' | 'owner_tanks';
  items: 'customers' | 'tanks';
  scope: 'organization_no' | 'owner_no';
  columns: string;
}): Statement {
  const live = `${source.items} i where i.${source.scope} = $1 and i.deleted_at is null`;
  const withinBounds = `(i.created_at, i.no) >= (from_at, from_no) and (i.created_at, i.no) < (to_at, to_no)`;
  return countedList({
    name: source.name,
    buckets: `select starts_at, starts_no, n from catalog_buckets where list = '${source.list}' and scope_no = $1`,
    count: `select count(*) from ${live} and ${withinBounds}`,
    nth: `select i.created_at as at, i.no from ${live} and ${withinBounds}
      order by i.created_at desc, i.no desc offset skip limit 1`,
    page: `select ${source.columns} from ${live}
      and (i.created_at, i.no) <= (first.at, first.no) and i.created_at >= oldest_at
      order by i.created_at desc, i.no desc limit $5::int`,
  });
}

/**
 * A list too short to need counters: count and skip. Parameters as above, with more scope or filters from $6 on.
 * `items` is everything after `from` and up to the last condition; `columns` the page's as the wire names them.
 */
export function shortList(source: { name: string; columns: string; items: string }): Statement {
  const range = `i.created_at >= $2::timestamptz and i.created_at < $3::timestamptz`;
  const text = `
select total.total_items, item.*
from (select count(*) as total_items from ${source.items} and ${range}) as total
left join lateral (
  select ${source.columns} from ${source.items} and ${range}
  order by i.created_at desc, i.no desc offset $4::bigint limit $5::int
) as item on true`;
  return { name: source.name, text };
}
