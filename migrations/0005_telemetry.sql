-- Telemetry: the stored readings, hundreds of billions of rows, so every byte counts. `tank_no` is the only link to the
-- catalog: there is no foreign key and no trigger. Every table is keyed and read by tank_no first.
--
-- The readings of a tank in one UTC month are either plain, one row a reading in `telemetry`, or packed, one row a part in
-- `packed_telemetry`. The month counter of the tank says which (is_packed). It changes under the lock of the tank, in one
-- transaction with the rows. Only the functions of 0006 (reads) and 0007 (packing) know about it: everything else reads
-- through them.

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

----------------------------------------------------------------------------------------------------- partitions

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

----------------------------------------------------------------------------------------------------- counters

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

----------------------------------------------------------------------------------------------------- packed months

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
