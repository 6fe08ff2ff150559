-- Telemetry: the stored readings, hundreds of billions of rows, so every byte counts. `tank_no` is the only link to the
-- catalog: there is no foreign key and no trigger. Every table is keyed and read by tank_no first.
--
-- The readings of a tank in one UTC month are either plain, one row a reading in `telemetry`, or packed, one row a part in
-- `packed_telemetry`. The month counter of the tank says which (is_packed). It changes under the lock of the tank, in one
-- transaction with the rows. Only the functions below know about it: everything else reads through them.

-- The column order avoids padding (4 + 4 + 8). An index entry has exactly 24 bytes, the largest size for which a btree
-- still packs rising inserts tightly; a uuid or one more column would add half as much again to each reading.
--
-- A month that was packed leaves its rows here until its partitions are dropped. They are never read.
create table telemetry (
  tank_no         int not null,
  fill_percentage real not null check (fill_percentage between 0 and 100),  -- stored to 0.01
  created_at      timestamptz(3) not null,
  primary key (tank_no, created_at)
) partition by range (created_at);

-- How long the readings of a month stay plain after its end. Late readings are frequent in this time, and a
-- re-evaluation begins at a checkpoint of the last four weeks.
create function hot_telemetry_time() returns interval immutable parallel safe language sql as $$ select interval '840 hours' $$;

-- A month is hot until the hot time after its end has passed. Hot months are never packed.
create function first_hot_month() returns timestamptz stable language sql as $$
  select utc_month(now() - hot_telemetry_time())
$$;

-- The name of the partition of a month. The partition of a day has the day after it.
create function telemetry_partition(at timestamptz) returns text immutable language sql as $$
  select 'telemetry_' || to_char(at at time zone 'UTC', 'YYYY_MM')
$$;

-- The partitions that a month lacks. A month that has one of the two kinds keeps it. Looks at pg_class and not at to_regclass,
-- which may use a catalog snapshot of this session from before the lock.
create function missing_telemetry_partitions(at timestamptz) returns table (name text, from_at timestamptz, to_at timestamptz)
volatile language sql as $$
  with existing as (
    select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'f')
      and relname like replace(telemetry_partition(at), '_', '\_') || '%'
  ), has as (
    select exists (select from existing where existing.name = telemetry_partition(at)) as month,
           exists (select from existing where existing.name <> telemetry_partition(at)) as days
  ), expected as (
    select telemetry_partition(at) as name, utc_month(at) as from_at, next_utc_month(at) as to_at
    from has where not days and (month or at < first_hot_month())
    union all
    select telemetry_partition(at) || to_char(day, '_DD'), day at time zone 'UTC', (day + interval '1 day') at time zone 'UTC'
    from has, generate_series(utc_month(at) at time zone 'UTC', (next_utc_month(at) at time zone 'UTC') - interval '1 day',
                              interval '1 day') as day
    where not month and (days or at >= first_hot_month())
  )
  select * from expected where expected.name not in (select existing.name from existing) order by from_at
$$;

-- Creates the partitions of one UTC month if they are missing: one a day for a hot month, one for an older month. With days,
-- the tanks that report at the same time share the pages of a small index. With months, each tank late in a month has an
-- index page of its own, and every reading writes a page image to the WAL. An older month receives imported history and
-- single late readings. It is packed soon, and ten years of days would be 3,650 tables to lock.
--
-- Partitions are created when they are first needed. A new table is attached, because creating it as a partition would
-- lock the parent against readers. Runs with the rights of its owner because writers own no tables.
create function ensure_telemetry_month(at timestamptz) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part record;
begin
  if not exists (select from missing_telemetry_partitions(at)) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('telemetry partitions'));
  for part in select * from missing_telemetry_partitions(at) loop
    execute format('create table %I (like telemetry including all)', part.name);
    execute format('alter table telemetry attach partition %I for values from (%L) to (%L)', part.name, part.from_at, part.to_at);
  end loop;
end
$$;
revoke execute on function ensure_telemetry_month from public;

-- Exact counters as for the catalog (see 0003): readings per month, and buckets in a busy month. The times of a tank are
-- unique, so a bucket begins at a time alone.
create table telemetry_month_counters (
  tank_no   int not null,
  n         int not null check (n >= 0),
  month     timestamptz(3) not null,
  is_packed boolean not null default false,
  primary key (tank_no, month)
) with (fillfactor = 70);

-- The queue of packing. A reading changes none of these columns, so updates of counters stay on their page.
create index plain_telemetry_months on telemetry_month_counters (month, tank_no) where not is_packed;

create table telemetry_buckets (
  tank_no   int not null,
  n         int not null check (n >= 0),
  starts_at timestamptz(3) not null,
  primary key (tank_no, starts_at)
) with (fillfactor = 70);

-- Packed readings: a row for each part of a packed month. A month has one part, or one for each of its counter buckets. A
-- part begins with the month or with its bucket. Partitions of a year keep indexes small; ten years are ten tables.
create table packed_telemetry (
  tank_no   int not null,
  checksum  int not null,         -- see packed_checksum
  starts_at timestamptz(3) not null,
  times     int[] not null,       -- ascending, in milliseconds from packed_origin
  levels    smallint[] not null,  -- fill percentages in hundredths, parallel to times
  primary key (tank_no, starts_at)
) partition by range (starts_at);

-- lz4 reads several times faster than pglz. A server may have been built without it.
do $$
begin
  alter table packed_telemetry alter times set compression lz4, alter levels set compression lz4;
exception when feature_not_supported then null;
end
$$;

-- The time from which the times of a packed month are counted: a 31st of the month is less than 2^31 ms away.
create function packed_origin(at timestamptz) returns timestamptz immutable language sql as $$
  select utc_month(at) + interval '384 hours'
$$;
-- Rounds up to a millisecond: a bound may have microseconds, and readings before it are before the next millisecond.
create function packed_time(at timestamptz, origin timestamptz) returns int immutable language sql as $$
  select (date_part('epoch', date_trunc('milliseconds', at at time zone 'UTC' + interval '999 microseconds')
                             - origin at time zone 'UTC') * 1000)::int
$$;

-- `tankwatch doctor` computes it again for a sample of the parts. The bytes are those of the wire protocol, which do not
-- depend on the server's version and platform.
create function packed_checksum(tank_no int, starts_at timestamptz, times int[], levels smallint[]) returns int
immutable language sql as $$
  select ('x' || encode(substring(sha256(
    int4send(tank_no) || timestamptz_send(starts_at) || array_send(times) || array_send(levels)) for 4), 'hex'))::bit(32)::int
$$;

-- One row for each month that was ever packed.
create table packed_months (
  month          timestamptz(3) primary key,
  packed_at      timestamptz(3),                  -- when one of its tanks was packed last
  is_kept_plain  boolean not null default false   -- `tankwatch telemetry unpack`: do not pack it again
);

-- Splits one bucket, or a month that has no buckets yet, and counts its readings again. The month is plain.
create function split_telemetry_bucket(in_tank_no int, at timestamptz) returns void language plpgsql as $$
declare
  next_at timestamptz;
begin
  select coalesce(min(starts_at), next_utc_month(at)) into next_at
  from telemetry_buckets where tank_no = in_tank_no and starts_at > at and starts_at < next_utc_month(at);

  insert into telemetry_buckets (tank_no, starts_at, n)
  select in_tank_no, case bucket when 0 then at else min(created_at) end, count(*)
  from (
    select created_at, (row_number() over (order by created_at) - 1) / split_bucket_items() as bucket
    from telemetry where tank_no = in_tank_no and created_at >= at and created_at < next_at
  ) as split
  group by bucket
  on conflict (tank_no, starts_at) do update set n = excluded.n;
end
$$;

----------------------------------------------------------------------------------------------------- reading

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
  bucket record;
  part record;
  part_times int[];
  older int;
  newer int;
begin
  if skip = 0 then
    return range_to;
  end if;
  select b.from_at, b.to_at, skip - b.newer as skip into bucket
  from (
    select c.*, sum(c.n) over (order by c.from_at desc) - c.n as newer
    from telemetry_buckets_in_range(in_tank_no, range_from, range_to) c
  ) as b
  where b.newer + b.n > skip
  order by b.newer limit 1;
  if not found then
    select range_from as from_at, least(range_to, next_utc_month(range_from)) as to_at, skip into bucket;
  end if;

  if (select is_packed from telemetry_month_counters where tank_no = in_tank_no and month = utc_month(range_from)) then
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

----------------------------------------------------------------------------------------------------- packing

-- Packs the next plain tanks of old months, at most `max_tanks` after the given month and tank, in one transaction.
-- Returns where it ended, or nothing if no month is left. A tank that a writer holds is left for the next run, and so is a
-- tank whose counter is wrong: dropping its plain rows could hide a loss.
create function pack_telemetry(
  after_month timestamptz, after_tank_no int, max_tanks int,
  out month timestamptz, out last_tank_no int, out looked_at int, out packed int
) language plpgsql security definer set search_path = public, pg_temp
-- The statements below look up few rows in tables of any size. A plan for an empty table would read all of them later.
set enable_seqscan = off
as $$
declare
  from_tank_no int := after_tank_no + 1;
  tank_nos int[];
begin
  month := after_month;
  loop
    select c.month, c.tank_no into month, from_tank_no
    from telemetry_month_counters c
    where not c.is_packed and (c.month, c.tank_no) >= (pack_telemetry.month, from_tank_no) and c.month < first_hot_month()
    order by c.month, c.tank_no limit 1;
    if month is null then
      return;
    end if;
    exit when not exists (select from packed_months k where k.month = pack_telemetry.month and k.is_kept_plain);
    month := next_utc_month(month);
    from_tank_no := 0;
  end loop;
  perform ensure_packed_year(month);
  tank_nos := array(
    select c.tank_no from telemetry_month_counters c
    where not c.is_packed and c.month = pack_telemetry.month and c.tank_no >= from_tank_no
    order by c.tank_no limit max_tanks
  );
  looked_at := cardinality(tank_nos);
  last_tank_no := tank_nos[looked_at];
  packed := pack_tank_months(array(
    select s.tank_no from tank_states s where s.tank_no = any (tank_nos) order by s.tank_no for no key update skip locked
  ), pack_telemetry.month);
end
$$;
revoke execute on function pack_telemetry from public;

-- Packs one month of tanks that the caller has locked. Returns how many were packed.
create function pack_tank_months(tank_nos int[], in_month timestamptz) returns int language plpgsql as $$
declare
  ends_at timestamptz := next_utc_month(in_month);
  origin timestamptz := packed_origin(in_month);
  packed int;
begin
  if in_month >= first_hot_month() then
    raise exception 'the month % is hot', in_month;
  end if;
  with part as (
    select c.tank_no, coalesce(b.starts_at, c.month) as starts_at,
           lead(b.starts_at, 1, ends_at) over (partition by c.tank_no order by b.starts_at) as to_at
    from telemetry_month_counters c
    left join telemetry_buckets b on b.tank_no = c.tank_no and b.starts_at >= in_month and b.starts_at < ends_at
    where c.tank_no = any (tank_nos) and c.month = in_month and not c.is_packed and not exists (
      -- a wrong counter must not stop the other tanks
      select from packed_telemetry p where p.tank_no = c.tank_no and p.starts_at >= in_month and p.starts_at < ends_at
    )
  ), packing as materialized (
    select part.tank_no, part.starts_at, r.times, r.levels
    from part cross join lateral (
      select array_agg(packed_time(t.created_at, origin)) as times,
             array_agg(round(t.fill_percentage * 100)::smallint) as levels
      from (
        select t.created_at, t.fill_percentage from telemetry t
        where t.tank_no = part.tank_no and t.created_at >= part.starts_at and t.created_at < part.to_at
          and t.created_at >= in_month and t.created_at < ends_at
        order by t.created_at
      ) as t
    ) as r
  ), exact as (
    select p.tank_no from packing p
    join telemetry_month_counters c on c.tank_no = p.tank_no and c.month = in_month
    group by p.tank_no, c.n having sum(coalesce(cardinality(p.times), 0)) = c.n
  ), stored as (
    insert into packed_telemetry (tank_no, starts_at, times, levels, checksum)
    select p.tank_no, p.starts_at, p.times, p.levels, packed_checksum(p.tank_no, p.starts_at, p.times, p.levels)
    from packing p join exact using (tank_no)
    where p.times is not null
    order by p.tank_no, p.starts_at
  )
  update telemetry_month_counters c set is_packed = true
  from exact where c.tank_no = exact.tank_no and c.month = in_month;
  get diagnostics packed = row_count;

  insert into packed_months (month, packed_at) values (in_month, clock_timestamp())
  on conflict (month) do update set packed_at = excluded.packed_at;
  return packed;
end
$$;
revoke execute on function pack_tank_months from public;

create function ensure_packed_year(at timestamptz) returns void language plpgsql as $$
declare
  year timestamp := date_trunc('year', at at time zone 'UTC');
  partition text := 'packed_telemetry_' || to_char(year, 'YYYY');
begin
  if to_regclass(partition) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('telemetry partitions'));
  if exists (select from pg_class where relnamespace = 'public'::regnamespace and relname = partition) then
    return;
  end if;
  execute format('create table %I (like packed_telemetry including all)', partition);
  execute format('alter table packed_telemetry attach partition %I for values from (%L) to (%L)',
                 partition, year at time zone 'UTC', (year + interval '1 year') at time zone 'UTC');
end
$$;
revoke execute on function ensure_packed_year from public;

-- Makes packed months of tanks plain again, before new readings are added to them. The arrays are parallel. The caller
-- holds the locks of the tanks, and the partitions of the months exist. Plain rows that were not dropped yet are equal to
-- the packed ones, so they stay.
create function unpack_tank_months(tank_nos int[], months timestamptz[]) returns void
language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off
as $$
declare
  target record;
begin
  for target in
    select c.tank_no, c.month::timestamptz as starts_at, next_utc_month(c.month) as ends_at
    from unnest(tank_nos, months) as t (tank_no, month) join telemetry_month_counters c using (tank_no, month)
    where c.is_packed order by 1, 2
  loop
    insert into telemetry (tank_no, created_at, fill_percentage)
    select target.tank_no, r.created_at, r.fill_percentage
    from packed_readings(target.tank_no, target.starts_at, target.ends_at, 2147483647, false) as r
    on conflict do nothing;
    delete from packed_telemetry
    where tank_no = target.tank_no and starts_at >= target.starts_at and starts_at < target.ends_at;
    update telemetry_month_counters set is_packed = false
    where tank_no = target.tank_no and month = target.starts_at;
  end loop;
end
$$;
revoke execute on function unpack_tank_months from public;

-- Makes a whole month plain again and keeps it plain: at most `max_tanks` tanks after the given one, in one transaction.
-- Returns the last of them, or null if none is left. The caller has created the partitions of the month.
create function unpack_telemetry(
  in_month timestamptz, after_tank_no int, max_tanks int, out last_tank_no int, out unpacked int
) language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off
as $$
declare
  tank_nos int[];
begin
  insert into packed_months (month, is_kept_plain) values (utc_month(in_month), true)
  on conflict (month) do update set is_kept_plain = true;
  tank_nos := array(
    select distinct p.tank_no from packed_telemetry p
    where p.starts_at >= utc_month(in_month) and p.starts_at < next_utc_month(in_month) and p.tank_no > after_tank_no
    order by p.tank_no limit max_tanks
  );
  perform from tank_states where tank_no = any (tank_nos) order by tank_no for no key update;
  perform unpack_tank_months(tank_nos, array_fill(utc_month(in_month), array[cardinality(tank_nos)]));
  unpacked := cardinality(tank_nos);
  last_tank_no := tank_nos[unpacked];
end
$$;
revoke execute on function unpack_telemetry from public;

-- Drops the partitions of the oldest month that is packed completely, and returns the month, or null if there is none. Never
-- deletes single rows. A reader whose snapshot is older than the packing still reads the plain rows, so partitions stay
-- for ten minutes after that, longer than any statement of a reader runs.
create function drop_packed_partitions() returns timestamptz
language plpgsql security definer set search_path = public, pg_temp
-- Dropping a partition locks its parent against readers. It must not wait behind a long transaction, because all readers
-- would wait behind it.
set lock_timeout = '300ms'
as $$
declare
  old_month timestamptz;
  partition record;
begin
  for old_month in
    select distinct to_date(substring(relname from 11 for 7), 'YYYY_MM')::timestamp at time zone 'UTC'
    from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = 'telemetry'::regclass and relname ~ '^telemetry_\d{4}_\d\d(_\d\d)?$'
    order by 1
  loop
    exit when old_month >= first_hot_month();
    continue when is_month_in_use(old_month);
    perform pg_advisory_xact_lock(hashtext('telemetry partitions'));
    lock table only telemetry in access exclusive mode;
    -- Looked at again: with this lock nobody can add readings.
    continue when is_month_in_use(old_month);
    for partition in
      select inhrelid::regclass as name from pg_inherits join pg_class c on c.oid = inhrelid
      where inhparent = 'telemetry'::regclass and c.relname like replace(telemetry_partition(old_month), '_', '\_') || '%'
    loop
      execute format('drop table %s', partition.name);
    end loop;
    return old_month;
  end loop;
  return null;
end
$$;
revoke execute on function drop_packed_partitions from public;

-- Whether plain rows of a month are or may be read: a tank is plain, or was packed a short time ago.
create function is_month_in_use(in_month timestamptz) returns boolean language sql as $$
  select exists (select from telemetry_month_counters where month = in_month and not is_packed)
      or exists (select from packed_months where month = in_month and (is_kept_plain or packed_at > now() - interval '10 minutes'))
$$;
revoke execute on function is_month_in_use from public;

----------------------------------------------------------------------------------------------------- rejected readings

-- Readings that were not stored, each with its reason and its payload. An operator can inspect them, replay them after
-- the cause is fixed, or discard them. A stream message may be delivered more than once; its id and the index in it
-- keep a rejected reading from being recorded twice.
create table rejected_readings (
  no              bigint generated always as identity primary key,
  organization_no int,   -- null, like device_id, if the payload did not name it
  device_id       text,
  code            text not null,
  detail          text not null,
  raw             bytea not null,
  format          text not null,  -- the payload format of `raw`
  received_at     timestamptz(3) not null,
  message_id      uuid not null,
  place           int not null,  -- the index of the reading in the message
  settled_at      timestamptz(3),
  settlement      text check (settlement in ('replayed', 'discarded')),
  settled_by      text,
  unique (message_id, place),
  check ((settled_at is null) = (settlement is null) and (settled_at is null) = (settled_by is null))
);
create index rejected_readings_open on rejected_readings (organization_no, no) where settled_at is null;

----------------------------------------------------------------------------------------------------- position in the stream

-- Up to which message of a stream the readings are known to be in this database. After a failover or a restore, the
-- database may have lost readings of messages that nats-server lists as committed. Writers notice that the server is
-- another one or was restarted, and process the messages after this position again (src/writer/stream_position.ts).
create table stream_positions (
  stream             text primary key,
  committed_sequence bigint not null,
  server_started_at  timestamptz not null  -- pg_postmaster_start_time() of the server that confirmed the position
);
