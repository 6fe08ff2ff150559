-- The time before which a page begins that skips the newest `skip` readings of a time range within one month. It skips whole
-- buckets by their counters, and single readings only in the bucket in which the page begins.
create or replace function telemetry_page_start(in_tank_no int, range_from timestamptz, range_to timestamptz, skip bigint)
returns timestamptz stable language plpgsql as $$
declare
  month record;
  bucket record;
begin
  if skip = 0 then
    return range_to;
  end if;
  select c.n, c.is_packed into month
  from telemetry_month_counters c where c.tank_no = in_tank_no and c.month = utc_month(range_from);
  select b.from_at, b.to_at, b.n, skip - b.newer as skip into bucket
  from (
    select c.*, sum(c.n) over (order by c.from_at desc) - c.n as newer
    from telemetry_buckets_in_range(in_tank_no, range_from, range_to) c
  ) as b
  where b.newer + b.n > skip
  order by b.newer limit 1;
  if not found then
    -- A month without buckets is one range. Its number of readings is known unless a filter cuts the month.
    select range_from as from_at, least(range_to, next_utc_month(range_from)) as to_at, skip,
           case when range_from = utc_month(range_from) and range_to >= next_utc_month(range_from) then month.n end as n
    into bucket;
  end if;
  if month.is_packed then
    return packed_page_start(in_tank_no, bucket.from_at, bucket.to_at, bucket.skip);
  end if;
  return plain_page_start(in_tank_no, bucket.from_at, bucket.to_at, bucket.n, bucket.skip);
end
$$;
