-- Reading telemetry, plain and packed.
--
-- Telemetry is read through functions because of packed months and because of partition pruning. Bounds that are arguments
-- prune partitions before any is opened. Bounds that a statement computes prune them afterwards, and opening costs some
-- 6 us for each partition.
--
-- A packed part is assigned to a variable before it is used, because each use of a column would decompress it again.
-- width_bucket(x, times) is a binary search: the number of times that are at most x.

-- Counts the readings from one time (inclusive) to another (exclusive) within one month.
create function count_telemetry_items(in_tank_no int, from_at timestamptz, to_at timestamptz) returns int
stable language plpgsql as $$
declare
  ends_at timestamptz := least(to_at, next_utc_month(from_at));
  origin timestamptz := packed_origin(from_at);
  part record;
  part_times int[];
  items int := 0;
begin
  if (select is_packed from telemetry_month_counters where tank_no = in_tank_no and month = utc_month(from_at)) then
    for part in
      select p.starts_at, p.times from packed_telemetry p
      where p.tank_no = in_tank_no and p.starts_at >= utc_month(from_at) and p.starts_at < ends_at
      order by p.starts_at desc
    loop
      part_times := part.times;
      items := items + greatest(0, width_bucket(packed_time(ends_at, origin) - 1, part_times)
                                   - width_bucket(packed_time(from_at, origin) - 1, part_times));
      exit when part.starts_at <= from_at;
    end loop;
    return items;
  end if;
  return (
    select count(*) from telemetry where tank_no = in_tank_no and created_at >= from_at and created_at < ends_at
  );
end
$$;

-- The buckets of one month that overlap a time range within that month, each limited to the range. A bucket inside the
-- range keeps its counter; the readings of the at most two buckets at its ends are counted. No rows if the month has no
-- buckets.
create function telemetry_buckets_in_range(in_tank_no int, range_from timestamptz, range_to timestamptz)
returns table (from_at timestamptz, to_at timestamptz, n int) stable language sql as $$
  select greatest(starts_at, range_from), least(ends_at, range_to),
         case when starts_at >= range_from and ends_at <= range_to then bucket.n
              else count_telemetry_items(in_tank_no, greatest(starts_at, range_from), least(ends_at, range_to)) end
  from (
    select starts_at::timestamptz, b.n, lead(starts_at, 1, next_utc_month(range_from)) over (order by starts_at) as ends_at
    from telemetry_buckets b
    where tank_no = in_tank_no and starts_at >= utc_month(range_from) and starts_at < next_utc_month(range_from)
  ) as bucket
  where ends_at > range_from and starts_at < range_to
$$;

-- The number of readings of a tank in a time range within one month.
create function count_telemetry_range(in_tank_no int, from_at timestamptz, to_at timestamptz) returns int
stable language plpgsql as $$
begin
  return coalesce(
    (select sum(n) from telemetry_buckets_in_range(in_tank_no, from_at, to_at)),
    count_telemetry_items(in_tank_no, from_at, to_at)
  );
end
$$;

-- The time before which a page begins that skips the newest `skip` readings of a time range within one month.
create function telemetry_page_start(in_tank_no int, range_from timestamptz, range_to timestamptz, skip bigint)
returns timestamptz stable language plpgsql as $$
declare
  origin timestamptz := packed_origin(range_from);
  month record;
  bucket record;
  part record;
  part_times int[];
  older int;
  newer int;
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
    select range_from as from_at, least(range_to, next_utc_month(range_from)) as to_at, skip,
           case when range_from = utc_month(range_from) and range_to >= next_utc_month(range_from) then month.n end as n
    into bucket;
  end if;

  if month.is_packed then
    for part in
      select p.starts_at, p.times from packed_telemetry p
      where p.tank_no = in_tank_no and p.starts_at >= utc_month(range_from) and p.starts_at < bucket.to_at
      order by p.starts_at desc
    loop
      part_times := part.times;
      older := width_bucket(packed_time(bucket.from_at, origin) - 1, part_times);
      newer := width_bucket(packed_time(bucket.to_at, origin) - 1, part_times);
      if bucket.skip < newer - older then
        return origin + (part_times[newer - bucket.skip] + 1) * interval '1 millisecond';
      end if;
      bucket.skip := bucket.skip - (newer - older);
    end loop;
  end if;

  -- From the nearer end, because each day on the way is a partition to look at. The number of readings is not known if a
  -- filter cuts the month.
  if bucket.skip > bucket.n / 2 then
    return (
      select created_at + interval '1 millisecond' from telemetry
      where tank_no = in_tank_no and created_at >= bucket.from_at and created_at < bucket.to_at
      order by created_at offset bucket.n - bucket.skip - 1 limit 1
    );
  end if;
  return (
    select created_at + interval '1 millisecond' from telemetry
    where tank_no = in_tank_no and created_at >= bucket.from_at and created_at < bucket.to_at
    order by created_at desc offset bucket.skip limit 1
  );
end
$$;

-- The first or the last `size` readings of a time range within one packed month, in that order.
create function packed_readings(
  in_tank_no int, from_at timestamptz, to_at timestamptz, size int, is_newest_first boolean
) returns table (created_at timestamptz, fill_percentage real) stable rows 100 language plpgsql as $$
declare
  origin timestamptz := packed_origin(from_at);
  parts refcursor;
  part record;
  part_times int[];
  older int;
  newer int;
begin
  if is_newest_first then
    open parts for
    select p.starts_at, p.times, p.levels from packed_telemetry p
    where p.tank_no = in_tank_no and p.starts_at >= utc_month(from_at) and p.starts_at < to_at
    order by p.starts_at desc;
  else
    open parts for
    select p.starts_at, p.times, p.levels from packed_telemetry p
    where p.tank_no = in_tank_no and p.starts_at < to_at and p.starts_at >= coalesce((
      -- the part that contains from_at
      select max(q.starts_at) from packed_telemetry q
      where q.tank_no = in_tank_no and q.starts_at >= utc_month(from_at) and q.starts_at <= from_at
    ), utc_month(from_at))
    order by p.starts_at;
  end if;
  loop
    fetch parts into part;
    exit when not found;
    part_times := part.times;
    older := width_bucket(packed_time(from_at, origin) - 1, part_times);
    newer := width_bucket(packed_time(to_at, origin) - 1, part_times);
    if newer - older > size then
      if is_newest_first then
        older := newer - size;
      else
        newer := older + size;
      end if;
    end if;
    if newer > older then
      return query
      select origin + r.ms * interval '1 millisecond', r.level::real / 100::real
      from unnest(part_times[older + 1 : newer], part.levels[older + 1 : newer]) with ordinality as r (ms, level, position)
      order by case when is_newest_first then -r.position else r.position end;
      size := size - (newer - older);
    end if;
    exit when size = 0 or is_newest_first and part.starts_at <= from_at;
  end loop;
  close parts;
end
$$;

-- The level of a packed part at a time; null if it has no reading at that time.
create function packed_level(times int[], levels smallint[], at timestamptz) returns real
immutable language plpgsql as $$
declare
  wanted int := packed_time(at, packed_origin(at));
  position int := width_bucket(wanted, times);
begin
  return case when times[position] = wanted then levels[position]::real / 100::real end;
end
$$;

-- One page of readings, newest first.
create function newest_telemetry(in_tank_no int, oldest_at timestamptz, before_at timestamptz, size int)
returns table (created_at timestamptz, fill_percentage real) stable rows 10 language plpgsql as $$
declare
  month record;
  missing int := size;
  found_readings int;
  window_time interval;
  window_from timestamptz;
  window_to timestamptz;
begin
  for month in
    select greatest(m.month, oldest_at) as from_at, least(next_utc_month(m.month), before_at) as to_at,
           least(next_utc_month(m.month), now()) - m.month as length, m.n, m.is_packed
    from telemetry_month_counters m
    where m.tank_no = in_tank_no and m.month >= utc_month(oldest_at) and m.month < before_at
    order by m.month desc
  loop
    if month.is_packed then
      return query select * from packed_readings(in_tank_no, month.from_at, month.to_at, missing, true);
      get diagnostics found_readings = row_count;
      missing := missing - found_readings;
    else
      -- The days of the newest readings, and not the whole month: each day is a partition to open. The first window has
      -- about as many readings as are missing. Windows grow, so that a tank that became silent needs few of them.
      window_time := greatest(interval '1 day', month.length * missing / greatest(month.n, 1));
      window_to := month.to_at;
      -- The days to come have partitions too.
      if window_to > now() then
        window_to := coalesce((
          select least(window_to, latest_at + interval '1 millisecond') from tank_states where tank_no = in_tank_no
        ), window_to);
      end if;
      while missing > 0 and window_to > month.from_at loop
        window_from := greatest(month.from_at, window_to - window_time);
        return query
        select t.created_at::timestamptz, t.fill_percentage
        from telemetry t where t.tank_no = in_tank_no and t.created_at >= window_from and t.created_at < window_to
        order by t.created_at desc limit missing;
        get diagnostics found_readings = row_count;
        missing := missing - found_readings;
        window_to := window_from;
        window_time := window_time * 4;
      end loop;
    end if;
    exit when missing <= 0;
  end loop;
end
$$;

-- The first `size` readings from one time (inclusive) to another (exclusive), oldest first.
create function oldest_telemetry(in_tank_no int, from_at timestamptz, to_at timestamptz, size int)
returns table (created_at timestamptz, fill_percentage real) stable rows 1000 language plpgsql as $$
declare
  month record;
  missing int := size;
  found_readings int;
begin
  for month in
    select greatest(m.month, oldest_telemetry.from_at) as from_at,
           least(next_utc_month(m.month), oldest_telemetry.to_at) as to_at, m.is_packed
    from telemetry_month_counters m
    where m.tank_no = in_tank_no and m.month >= utc_month(oldest_telemetry.from_at) and m.month < oldest_telemetry.to_at
    order by m.month
  loop
    if month.is_packed then
      return query select * from packed_readings(in_tank_no, month.from_at, month.to_at, missing, false);
    else
      if month.to_at > now() then
        month.to_at := coalesce((
          select least(month.to_at, latest_at + interval '1 millisecond') from tank_states where tank_no = in_tank_no
        ), month.to_at);
      end if;
      return query
      select t.created_at::timestamptz, t.fill_percentage
      from telemetry t where t.tank_no = in_tank_no and t.created_at >= month.from_at and t.created_at < month.to_at
      order by t.created_at limit missing;
    end if;
    get diagnostics found_readings = row_count;
    missing := missing - found_readings;
    exit when missing <= 0;
  end loop;
end
$$;
