-- Telemetry: the stored readings, hundreds of billions of rows, so every byte counts. `tank_no` is the only link to the
-- catalog: there is no foreign key and no trigger. Every table is keyed and read by tank_no first.
--
-- The column order avoids padding (4 + 4 + 8). An index entry has exactly 24 bytes, the largest size for which a btree
-- still packs rising inserts tightly; a uuid or one more column would add half as much again to each reading.
create table telemetry (
  tank_no         int not null,
  fill_percentage real not null check (fill_percentage between 0 and 100),  -- stored to 0.01
  created_at      timestamptz(3) not null,
  primary key (tank_no, created_at)
) partition by range (created_at);

-- Creates the partition of one UTC month if it is missing. An import may bring readings of ten years ago, so partitions
-- are created when they are first needed. The new table is attached, because creating it as a partition would lock the
-- parent against readers. Runs with the rights of its owner because writers own no tables.
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
  -- Not to_regclass again: it may use a catalog snapshot of this session from before the lock.
  if exists (select from pg_class where relnamespace = 'public'::regnamespace and relname = partition) then
    return;
  end if;
  execute format('create table %I (like telemetry including all)', partition);
  execute format('alter table telemetry attach partition %I for values from (%L) to (%L)', partition, month, next_utc_month(at));
end
$$;
revoke execute on function ensure_telemetry_month from public;

-- Exact counters as for the catalog (see 0003): readings per month, and buckets in a busy month. The times of a tank are
-- unique, so a bucket begins at a time alone.
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

-- Splits one bucket, or a month that has no buckets yet, and counts its readings again.
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

-- Telemetry is read through functions because of partition pruning. Bounds that are arguments prune partitions before
-- any is opened. Bounds that a statement computes prune them afterwards, and opening costs some 6 us for each month that
-- has readings.

-- Counts the readings from one time (inclusive) to another (exclusive) one by one.
create function count_telemetry_items(in_tank_no int, from_at timestamptz, to_at timestamptz) returns int
stable language plpgsql as $$
begin
  return (
    select count(*) from telemetry where tank_no = in_tank_no and created_at >= from_at and created_at < to_at
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
  bucket record;
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
    select range_from as from_at, range_to as to_at, skip into bucket;
  end if;
  return (
    select created_at + interval '1 millisecond' from telemetry
    where tank_no = in_tank_no and created_at >= bucket.from_at and created_at < bucket.to_at
    order by created_at desc offset bucket.skip limit 1
  );
end
$$;

-- One page of readings, newest first.
create function newest_telemetry(in_tank_no int, oldest_at timestamptz, before_at timestamptz, size int)
returns table (created_at timestamptz, fill_percentage real) stable rows 10 language plpgsql as $$
begin
  return query
  select t.created_at::timestamptz, t.fill_percentage
  from telemetry t where t.tank_no = in_tank_no and t.created_at >= oldest_at and t.created_at < before_at
  order by t.created_at desc limit size;
end
$$;

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
