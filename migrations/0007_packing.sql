-- Packing old months, unpacking them, and dropping the partitions that are not needed any more.

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

-- Drops the partitions of years whose packed readings retention or unpacking has removed, and returns how many.
create function drop_empty_packed_years() returns int
language plpgsql security definer set search_path = public, pg_temp
set lock_timeout = '300ms'  -- as above
as $$
declare
  partition record;
  dropped int := 0;
begin
  for partition in
    select inhrelid::regclass as name, right(relname, 4)::int as year
    from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = 'packed_telemetry'::regclass and relname ~ '^packed_telemetry_\d{4}$'
  loop
    continue when is_packed_year_in_use(partition.name, partition.year);
    perform pg_advisory_xact_lock(hashtext('telemetry partitions'));
    lock table only packed_telemetry in access exclusive mode;
    -- Looked at again: with this lock nobody can add packed readings.
    continue when is_packed_year_in_use(partition.name, partition.year);
    execute format('drop table %s', partition.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end
$$;
revoke execute on function drop_empty_packed_years from public;

-- Whether a year has packed readings, or plain ones that may be packed just now.
create function is_packed_year_in_use(partition regclass, in_year int) returns boolean language plpgsql
-- The index finds the first row at once. The table may begin with many pages of deleted rows.
set enable_seqscan = off
as $$
declare
  has_rows boolean;
begin
  execute format('select exists (select from (select from %s order by tank_no limit 1) as first)', partition) into has_rows;
  return has_rows or exists (
    select from telemetry_month_counters c
    where not c.is_packed and c.month >= make_timestamptz(in_year, 1, 1, 0, 0, 0, 'UTC')
      and c.month < make_timestamptz(in_year + 1, 1, 1, 0, 0, 0, 'UTC')
  );
end
$$;
revoke execute on function is_packed_year_in_use from public;

-- Whether plain rows of a month are or may be read: a tank is plain, or was packed a short time ago.
create function is_month_in_use(in_month timestamptz) returns boolean language sql as $$
  select exists (select from telemetry_month_counters where month = in_month and not is_packed)
      or exists (select from packed_months where month = in_month and (is_kept_plain or packed_at > now() - interval '10 minutes'))
$$;
revoke execute on function is_month_in_use from public;
