-- Finds where a page of readings begins, in plain and in packed months apart. The functions of 0006_telemetry_reads.sql that
-- are not here stay as they are.

-- The time before which a page begins that skips the newest `skip` readings of a time range within one packed month; null if
-- the range has no more readings.
create function packed_page_start(in_tank_no int, from_at timestamptz, to_at timestamptz, skip bigint)
returns timestamptz stable language plpgsql as $$
declare
  origin timestamptz := packed_origin(from_at);
  part record;
  -- A variable, because each use of the column would decompress it again.
  part_times int[];
  older int;
  newer int;
begin
  for part in
    select p.times from packed_telemetry p
    where p.tank_no = in_tank_no and p.starts_at >= utc_month(from_at) and p.starts_at < to_at
    order by p.starts_at desc
  loop
    part_times := part.times;
    older := width_bucket(packed_time(from_at, origin) - 1, part_times);
    newer := width_bucket(packed_time(to_at, origin) - 1, part_times);
    if skip < newer - older then
      return origin + (part_times[newer - skip] + 1) * interval '1 millisecond';
    end if;
    skip := skip - (newer - older);
  end loop;
  return null;
end
$$;

-- The same for a time range within one plain month. `n` is the number of readings in the range; null if it is not known.
create function plain_page_start(in_tank_no int, from_at timestamptz, to_at timestamptz, n int, skip bigint)
returns timestamptz stable language plpgsql as $$
begin
  -- From the nearer end, because each day on the way is a partition to look at.
  if skip > n / 2 then
    return (
      select created_at + interval '1 millisecond' from telemetry
      where tank_no = in_tank_no and created_at >= from_at and created_at < to_at
      order by created_at offset n - skip - 1 limit 1
    );
  end if;
  return (
    select created_at + interval '1 millisecond' from telemetry
    where tank_no = in_tank_no and created_at >= from_at and created_at < to_at
    order by created_at desc offset skip limit 1
  );
end
$$;

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
