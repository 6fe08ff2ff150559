-- The month counters of readings in partitions of a year. 0078 converts the table; this migration only has the functions for it. 0.3.0
-- works with both.
--
-- In one table, the counters of a tank are neighbors in the primary key. After ten years they fill nearly half of an index page, so that the
-- first reading of a tank in a month changes a page that few others share, and writes it to the WAL. In the partition of a year, a
-- page has about 20 tanks.

-- Creates the partitions up to the year of this time. The years before the first partition are in telemetry_month_counters_earlier.
create function ensure_counter_years(at timestamptz) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  last_year int := extract(year from at at time zone 'UTC');
  next_year int;
begin
  for attempt in 1 .. 2 loop
    select max(right(c.relname, 4)::int) + 1 into next_year
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'telemetry_month_counters'::regclass and c.relname ~ '^telemetry_month_counters_\d{4}$';
    if next_year is null or next_year > last_year then
      return;  -- null if 0078 has not run yet
    end if;
    -- Checks again after the lock, because another session may have created them.
    perform pg_advisory_xact_lock(hashtext('telemetry partitions'));
  end loop;
  for year in next_year .. last_year loop
    perform add_counter_partition(year, make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC'));
  end loop;
end
$$;
revoke execute on function ensure_counter_years from public;

-- A new table is attached, because creating it as a partition would lock the parent against readers.
create function add_counter_partition(year int, from_at timestamptz) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  name text := 'telemetry_month_counters_' || year;
begin
  execute format('create table %I (like telemetry_month_counters including all) with (fillfactor = 70)', name);
  execute format('alter table telemetry_month_counters attach partition %I for values from (%L) to (%L)',
                 name, from_at, make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC'));
end
$$;
revoke execute on function add_counter_partition from public;

-- Makes the table that exists the first partition, for all months before `bound`. It is not rewritten: a constraint that is validated
-- while writers continue tells PostgreSQL that all rows belong there.
create function attach_earlier_counters(bound timestamptz) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  year int := extract(year from bound at time zone 'UTC');
  given record;
begin
  perform set_config('lock_timeout', '200ms', true);
  lock table telemetry_month_counters in access exclusive mode;
  alter table telemetry_month_counters rename to telemetry_month_counters_earlier;
  alter index telemetry_month_counters_pkey rename to telemetry_month_counters_earlier_pkey;
  alter index plain_telemetry_months rename to telemetry_month_counters_earlier_plain;
  create table telemetry_month_counters (
    tank_no   int not null,
    n         int not null constraint telemetry_month_counters_n_check check (n >= 0),
    month     timestamptz(3) not null,
    is_packed boolean not null default false,
    primary key (tank_no, month)
  ) partition by range (month);
  create index plain_telemetry_months on telemetry_month_counters (month, tank_no) where not is_packed;
  execute format('alter table telemetry_month_counters attach partition telemetry_month_counters_earlier '
                 'for values from (minvalue) to (%L)', bound);
  perform add_counter_partition(year, bound);
  -- Rows of the next year may arrive before a process calls ensure_telemetry_month with it.
  perform add_counter_partition(year + 1, make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC'));
  for given in
    select g.grantee::regrole as role, g.privilege_type as privilege
    from pg_class c, aclexplode(c.relacl) g
    where c.oid = 'telemetry_month_counters_earlier'::regclass and g.grantee <> c.relowner
  loop
    execute format('grant %s on telemetry_month_counters to %s', given.privilege, given.role);
    execute format('revoke %s on telemetry_month_counters_earlier from %s', given.privilege, given.role);
  end loop;
end
$$;
revoke execute on function attach_earlier_counters from public;

-- Converts the table, in short transactions. It may be repeated.
create procedure partition_month_counters() language plpgsql as $$
declare
  is_empty boolean := not exists (select from telemetry_month_counters);
  -- The months to come. Rows of a month that begins later are not stored while this runs.
  bound timestamptz := case when is_empty then date_trunc('year', now() at time zone 'UTC') at time zone 'UTC'
                            else next_utc_month(now() + interval '7 days') end;
begin
  if (select relkind from pg_class where oid = 'telemetry_month_counters'::regclass) = 'p' then
    return;
  end if;
  for attempt in 1 .. 120 loop
    begin
      perform set_config('lock_timeout', '200ms', true);
      alter table telemetry_month_counters drop constraint if exists is_earlier_month;
      if not is_empty then
        execute format('alter table telemetry_month_counters add constraint is_earlier_month check (month < %L) not valid', bound);
      end if;
      exit;
    exception when lock_not_available or deadlock_detected then
      if attempt = 120 then raise; end if;
    end;
    perform pg_sleep(1);
  end loop;
  commit;
  if not is_empty then
    alter table telemetry_month_counters validate constraint is_earlier_month;
    commit;
  end if;
  for attempt in 1 .. 120 loop
    begin
      perform attach_earlier_counters(bound);
      exit;
    exception when lock_not_available or deadlock_detected then
      if attempt = 120 then raise; end if;
    end;
    perform pg_sleep(1);
  end loop;
  commit;
  alter table telemetry_month_counters_earlier drop constraint if exists is_earlier_month;
  commit;
end
$$;
revoke execute on procedure partition_month_counters from public;
