import type { Statement } from './readers.ts';

/**
 * A counted list: one statement, and so one snapshot, returns the exact total and any page, newest first. Its cost
 * depends neither on the depth of the page nor on the length of the list.
 *
 * It uses exact counters that every write maintains: items per month, and counter buckets within a busy month. The statement adds
 * up months from the newest to find the month where the page begins; the source finds the position in that month. A time filter
 * cuts at most two months, and the source counts their remaining items with the buckets.
 */
export interface CountedListSource {
  name: string;
  /** SQL for the rows (month, n) of the scope $1. */
  months: string;
  /** SQL for the number of items from from_at (inclusive) to to_at (exclusive), both within one month. */
  count: string;
  /** SQL for one row (before_at, before_no): the key below which a page begins that skips `skip` items of that range. */
  start: string;
  /** SQL for the rows of the page with the names of /v1: $5 items below (before_at, before_no), none older than oldest_at. */
  page: string;
}

/** Parameters: $1 scope, $2 from (inclusive), $3 to (exclusive), $4 number of items to skip, $5 number of items to return. */
export function countedList(source: CountedListSource): Statement {
  const text = `
with month as (
  -- a month ends where the next newer one with items begins
  select month as starts_at, lag(month, 1, 'infinity') over (order by month desc) as ends_at, n
  from (${source.months}) as m
), cut as (
  select greatest(starts_at, $2) as from_at, least(ends_at, $3) as to_at, n,
         starts_at >= $2::timestamptz and ends_at <= $3::timestamptz as is_whole
  from month where ends_at > $2::timestamptz and starts_at < $3::timestamptz
), placed as materialized (
  select from_at, to_at, n, sum(n) over (order by from_at desc) as up_to  -- items in this month and all newer ones
  from (select from_at, to_at, case when is_whole then n else ${source.count} end as n from cut) as counted
), first_month as (
  select from_at, to_at, $4::bigint - (up_to - n) as skip from placed where up_to > $4::bigint order by up_to limit 1
), start as (
  select before_at, before_no, coalesce(
    (select from_at from placed where up_to >= $4::bigint + $5::int order by up_to limit 1), $2::timestamptz
  ) as oldest_at
  from first_month cross join lateral (${source.start}) as s
)
select total.total_items, item.*
from (select coalesce(max(up_to), 0) as total_items from placed) as total
left join (start cross join lateral (${source.page}) as item) on true`;
  return { name: source.name, text };
}

/**
 * A list that is too short to need counters: the statement counts and skips items. Its parameters are those of `countedList`;
 * additional ones begin at $6. `items` is the text after `from`, including all conditions. `columns` have the names of /v1.
 */
export function uncountedList(source: { name: string; columns: string; items: string }): Statement {
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
