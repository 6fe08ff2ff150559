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
  month timestamptz := date_trunc('month', at, 'UTC');
  next_month timestamptz := (month at time zone 'UTC' + interval '1 month') at time zone 'UTC';
  partition text := 'telemetry_' || to_char(month at time zone 'UTC', 'YYYY_MM');
begin
  if to_regclass(partition) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('ensure_telemetry_month'));
  if to_regclass(partition) is not null then
    return;
  end if;
  execute format('create table %I (like telemetry including all)', partition);
  execute format('alter table telemetry attach partition %I for values from (%L) to (%L)', partition, month, next_month);
end
$$;
revoke execute on function ensure_telemetry_month from public;

-- One row per tank that ever reported. Writers take its lock before they touch the tank's readings and counters, in
-- tank order, so that two of them never deadlock and never count into a bucket the other is splitting.
create table tank_states (
  tank_no                int primary key,
  latest_fill_percentage real not null,
  latest_at              timestamptz(3) not null
) with (fillfactor = 70);

-- Exact counters, as for the catalog (see 0004). A bucket never crosses a month, so that what lies in one bucket lies
-- in one partition, and every month with readings has a bucket that begins with the month.
create table telemetry_buckets (
  tank_no   int not null,
  n         int not null check (n >= 0),
  starts_at timestamptz(3) not null,
  primary key (tank_no, starts_at)
) with (fillfactor = 70);

-- Recounts one bucket and cuts it into pieces of 3,000, oldest first.
create function split_telemetry_bucket(the_tank_no int, at timestamptz) returns void
language plpgsql as $$
declare
  next_at timestamptz := (date_trunc('month', at, 'UTC') at time zone 'UTC' + interval '1 month') at time zone 'UTC';
begin
  select least(next_at, min(starts_at)) into next_at
  from telemetry_buckets where tank_no = the_tank_no and starts_at > at and starts_at < next_at;

  insert into telemetry_buckets (tank_no, starts_at, n)
  select the_tank_no, case piece when 0 then at else min(created_at) end, count(*)
  from (
    select created_at, (row_number() over (order by created_at) - 1) / 3000 as piece
    from telemetry where tank_no = the_tank_no and created_at >= at and created_at < next_at
  ) as cut
  group by piece
  on conflict (tank_no, starts_at) do update set n = excluded.n;
end
$$;

-- The three looks a list takes at telemetry. They are functions because of how partitions are pruned: bounds that
-- arrive as arguments prune before any partition is opened; bounds computed inside a statement only afterwards, and
-- opening costs some 6 us for each month there has ever been.
create function count_telemetry(the_tank_no int, from_at timestamptz, to_at timestamptz) returns bigint
stable language plpgsql as $$
begin
  return (
    select count(*) from telemetry where tank_no = the_tank_no and created_at >= from_at and created_at < to_at
  );
end
$$;

create function nth_newest_telemetry(the_tank_no int, from_at timestamptz, to_at timestamptz, skip bigint)
returns timestamptz stable language plpgsql as $$
begin
  return (
    select created_at from telemetry where tank_no = the_tank_no and created_at >= from_at and created_at < to_at
    order by created_at desc offset skip limit 1
  );
end
$$;

create function newest_telemetry(the_tank_no int, from_at timestamptz, up_to timestamptz, size int)
returns table (created_at timestamptz, fill_percentage real) stable rows 10 language plpgsql as $$
begin
  return query
  select t.created_at::timestamptz, t.fill_percentage
  from telemetry t where t.tank_no = the_tank_no and t.created_at >= from_at and t.created_at <= up_to
  order by t.created_at desc limit size;
end
$$;
