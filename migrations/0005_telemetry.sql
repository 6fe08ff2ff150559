-- Telemetry: hundreds of billions of rows, so every byte is looked at. Only `tank_no` ties it to the catalog: no
-- foreign key, no trigger. Each table is keyed and read by tank_no first.
--
-- The column order avoids padding (4 + 4 + 8). The key is exactly 24 bytes in the index, the largest for which a
-- btree still packs rising inserts tightly; a uuid or one more column would cost half as much again per reading.
create table telemetry (
  tank_no         int not null,
  fill_percentage real not null check (fill_percentage between 0 and 100),  -- kept to 0.01
  created_at      timestamptz(3) not null,
  primary key (tank_no, created_at)
) partition by range (created_at);

-- Makes the partition of one UTC month, if it is missing. History from ten years ago may arrive today, so partitions
-- are made when they are first needed. It is attached rather than created in place, because that does not lock the
-- parent against readers. Runs with its owner's rights: writers own nothing.
create function ensure_telemetry_month(at timestamptz) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  month timestamptz := utc_month(at);
  partition text := 'telemetry_' || to_char(month at time zone 'UTC', 'YYYY_MM');
begin
  if to_regclass(partition) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('ensure_telemetry_month'));
  -- Not to_regclass again: it would answer from what this session remembers of a moment ago.
  if exists (select from pg_class where relnamespace = 'public'::regnamespace and relname = partition) then
    return;
  end if;
  execute format('create table %I (like telemetry including all)', partition);
  execute format('alter table telemetry attach partition %I for values from (%L) to (%L)', partition, month, next_utc_month(at));
end
$$;
revoke execute on function ensure_telemetry_month from public;

-- One row per tank that ever reported. Writers take its lock before they touch the tank's readings and counters, in
-- tank order, so that two of them never deadlock and never count into a part the other is splitting.
create table tank_states (
  tank_no                int primary key,
  latest_fill_percentage real not null,
  latest_at              timestamptz(3) not null
) with (fillfactor = 70);

-- Exact counters, as for the catalog (see 0004): readings per month, and parts of at most 2,000 in a busy month. A
-- tank's times are unique, so a part begins at a time alone.
create table telemetry_month_counters (
  tank_no int not null,
  n       int not null check (n >= 0),
  month   timestamptz(3) not null,
  primary key (tank_no, month)
) with (fillfactor = 70);

create table telemetry_buckets (
  tank_no   int not null,
  n         int not null check (n >= 0),
  starts_at timestamptz(3) not null,
  primary key (tank_no, starts_at)
) with (fillfactor = 70);

-- Cuts a month that has no parts yet, or one part, into pieces of 1,500, oldest first. Recounts what it cuts.
create function split_telemetry_bucket(the_tank_no int, at timestamptz) returns void language plpgsql as $$
declare
  next_at timestamptz;
begin
  select coalesce(min(starts_at), next_utc_month(at)) into next_at
  from telemetry_buckets where tank_no = the_tank_no and starts_at > at and starts_at < next_utc_month(at);

  insert into telemetry_buckets (tank_no, starts_at, n)
  select the_tank_no, case piece when 0 then at else min(created_at) end, count(*)
  from (
    select created_at, (row_number() over (order by created_at) - 1) / 1500 as piece
    from telemetry where tank_no = the_tank_no and created_at >= at and created_at < next_at
  ) as cut
  group by piece
  on conflict (tank_no, starts_at) do update set n = excluded.n;
end
$$;

----------------------------------------------------------------------------------------------------- reading

-- Telemetry is read through functions because of how partitions are pruned: bounds that arrive as arguments prune
-- before any partition is opened; bounds computed inside a statement only afterwards, and opening one costs some 6 us
-- for each month there has ever been.

-- Readings from one time up to but without another, counted one by one.
create function count_telemetry_items(the_tank_no int, from_at timestamptz, to_at timestamptz) returns int
stable language plpgsql as $$
begin
  return (
    select count(*) from telemetry where tank_no = the_tank_no and created_at >= from_at and created_at < to_at
  );
end
$$;

-- The parts of one month, cut to a range of time within it. Whole parts have their counter, the at most two that the
-- range cuts are counted. No rows where the month has no parts.
create function telemetry_buckets_in_range(the_tank_no int, range_from timestamptz, range_to timestamptz)
returns table (from_at timestamptz, to_at timestamptz, n int) stable language sql as $$
  select greatest(starts_at, range_from), least(ends_at, range_to),
         case when starts_at >= range_from and ends_at <= range_to then part.n
              else count_telemetry_items(the_tank_no, greatest(starts_at, range_from), least(ends_at, range_to)) end
  from (
    select starts_at::timestamptz, p.n, lead(starts_at, 1, next_utc_month(range_from)) over (order by starts_at) as ends_at
    from telemetry_buckets p
    where tank_no = the_tank_no and starts_at >= utc_month(range_from) and starts_at < next_utc_month(range_from)
  ) as part
  where ends_at > range_from and starts_at < range_to
$$;

-- How many readings of a tank lie in a range of time within one month.
create function count_telemetry_range(the_tank_no int, from_at timestamptz, to_at timestamptz) returns int
stable language plpgsql as $$
begin
  return coalesce(
    (select sum(n) from telemetry_buckets_in_range(the_tank_no, from_at, to_at)),
    count_telemetry_items(the_tank_no, from_at, to_at)
  );
end
$$;

-- The time before which a page begins that skips so many of the newest readings in a range of time within one month.
create function telemetry_page_start(the_tank_no int, range_from timestamptz, range_to timestamptz, skip bigint)
returns timestamptz stable language plpgsql as $$
declare
  part record;
begin
  if skip = 0 then
    return range_to;
  end if;
  select p.from_at, p.to_at, skip - p.newer as skip into part
  from (
    select c.*, sum(c.n) over (order by c.from_at desc) - c.n as newer
    from telemetry_buckets_in_range(the_tank_no, range_from, range_to) c
  ) as p
  where p.newer + p.n > skip
  order by p.newer limit 1;
  if not found then
    select range_from as from_at, range_to as to_at, skip into part;
  end if;
  return (
    select created_at + interval '1 millisecond' from telemetry
    where tank_no = the_tank_no and created_at >= part.from_at and created_at < part.to_at
    order by created_at desc offset part.skip limit 1
  );
end
$$;

create function newest_telemetry(the_tank_no int, oldest_at timestamptz, before_at timestamptz, size int)
returns table (created_at timestamptz, fill_percentage real) stable rows 10 language plpgsql as $$
begin
  return query
  select t.created_at::timestamptz, t.fill_percentage
  from telemetry t where t.tank_no = the_tank_no and t.created_at >= oldest_at and t.created_at < before_at
  order by t.created_at desc limit size;
end
$$;
