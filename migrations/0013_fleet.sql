-- The fleet reads (/fleet/v1): which tank needs attention first, with filters, sorts and counts.

-- One row for each live tank, with coarse values to filter and sort by. Not columns of tank_states: an index on a value
-- that changes with every reading would end the cheap (HOT) updates of that table. Days and whole percents change about
-- once a day. A page of tanks joins the exact values by key.
-- No column is null, so that a cursor can compare whole rows: "no reading yet" has values that sort last.
create table fleet_tanks (
  tank_no             int primary key,
  organization_no     int not null,
  owner_no            int not null,
  city                text not null default '',   -- as in tanks; '' for none
  use_case            text not null default '',
  -- When the level reaches the threshold. -infinity: the tank is low now. infinity: not within two years, or unknown.
  -- For a silent device or an unreliable gauge it is the earliest date, because the level is not known.
  threshold_on        date not null default 'infinity',
  -- When the tank is empty, likely; infinity as above. Low tanks are sorted by it.
  empty_on            date not null default 'infinity',
  is_low              boolean not null default false,
  is_silent           boolean not null default false,
  is_gauge_unreliable boolean not null default false,
  losing_seen_at      timestamptz(3) not null default '-infinity',
  refilled_on         date not null default '-infinity'
) with (fillfactor = 80);

-- Also one row for each live tank: the values that change most often, on every day and with every whole percent. Such a
-- change enters a row into three indexes here, and into nine if these values were columns of fleet_tanks. Then ingest took
-- 16 % more CPU time than without both tables. Who locks rows of both tables, locks those of this one first.
create table fleet_levels (
  tank_no         int primary key,
  organization_no int not null,
  fill            smallint not null default 101,           -- whole percents; 101: no reading yet
  latest_on       date not null default '-infinity'
) with (fillfactor = 80);

create index fleet_levels_by_fill on fleet_levels (organization_no, fill, tank_no);
create index fleet_levels_by_latest on fleet_levels (organization_no, latest_on, tank_no);

create index fleet_tanks_by_urgency on fleet_tanks (organization_no, threshold_on, empty_on, tank_no);
create index fleet_tanks_in_order on fleet_tanks (organization_no, tank_no);
create index fleet_tanks_of_owner on fleet_tanks (owner_no, threshold_on, empty_on, tank_no);
create index fleet_tanks_of_city on fleet_tanks (organization_no, city, threshold_on, empty_on, tank_no);
create index fleet_tanks_by_refill on fleet_tanks (organization_no, refilled_on, threshold_on, empty_on, tank_no);
-- Most tanks are residential: they need no index of their own.
create index fleet_tanks_of_use on fleet_tanks (organization_no, use_case, threshold_on, empty_on, tank_no)
where use_case in ('commercial', 'industrial');
-- The tanks with a status, in the order of urgency. Few tanks have one.
create index fleet_tanks_low on fleet_tanks (organization_no, threshold_on, empty_on, tank_no) where is_low;
create index fleet_tanks_silent on fleet_tanks (organization_no, threshold_on, empty_on, tank_no) where is_silent;
create index fleet_tanks_unreliable on fleet_tanks (organization_no, threshold_on, empty_on, tank_no) where is_gauge_unreliable;
create index fleet_tanks_losing on fleet_tanks (organization_no, losing_seen_at) where losing_seen_at > '-infinity';

-- Triggers, so that every writer of the catalog is covered. They run with the rights of their owner: only the writer role
-- changes these tables itself.
create function add_fleet_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into fleet_tanks (tank_no, organization_no, owner_no, city, use_case)
  select no, organization_no, owner_no, coalesce(city, ''), coalesce(use_case, '')
  from new_rows where deleted_at is null order by no;
  insert into fleet_levels (tank_no, organization_no)
  select no, organization_no from new_rows where deleted_at is null order by no;
  return null;
end
$$;
create trigger add_fleet_tanks after insert on tanks
referencing new table as new_rows for each statement execute function add_fleet_tanks();

create function follow_changed_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  changed int[] := array(
    select n.no from old_rows o join new_rows n using (no)
    where (o.owner_no, o.city, o.use_case, o.deleted_at) is distinct from (n.owner_no, n.city, n.use_case, n.deleted_at)
  );
begin
  if cardinality(changed) > 0 then
    -- Writers lock these rows in the order of tank_no too, so that neither waits for the other in a circle.
    perform from fleet_levels l join new_rows n on n.no = l.tank_no
    where l.tank_no = any (changed) and n.deleted_at is not null order by l.tank_no for update of l;
    delete from fleet_levels l using new_rows n
    where l.tank_no = n.no and n.no = any (changed) and n.deleted_at is not null;
    perform from fleet_tanks where tank_no = any (changed) order by tank_no for update;
    delete from fleet_tanks f using new_rows n
    where f.tank_no = n.no and n.no = any (changed) and n.deleted_at is not null;
    update fleet_tanks f set owner_no = n.owner_no, city = coalesce(n.city, ''), use_case = coalesce(n.use_case, '')
    from new_rows n where f.tank_no = n.no and n.no = any (changed) and n.deleted_at is null;
  end if;
  return null;
end
$$;
create trigger follow_changed_tanks after update on tanks referencing old table as old_rows new table as new_rows
for each statement execute function follow_changed_tanks();

----------------------------------------------------------------------------------------------------- search

-- Both extensions are trusted: the owner of a database may create them. A schema of their own keeps their functions out of
-- the list of rights that `tankwatch doctor` compares. An administrator may have created them elsewhere before.
create schema extensions;
create extension if not exists pg_trgm schema extensions;
create extension if not exists btree_gin schema extensions;
set local search_path = public, extensions;

-- The functions of these indexes name their schema: a restore builds the indexes with an empty search path.
-- Lower case without accents, so that "maria" finds "María".
create function fold_text(given text) returns text immutable parallel safe language sql as $$
  select translate(lower(given), 'áàâäãåéèêëíìîïóòôöõúùûüñç', 'aaaaaaeeeeiiiiooooouuuunc')
$$;
create function tank_search_text(name text, custom_id text, device_id text, city text, postal_code text) returns text
immutable parallel safe language sql as $$
  select public.fold_text(coalesce(name, '') || ' ' || coalesce(custom_id, '') || ' ' || coalesce(device_id, '') || ' '
    || coalesce(city, '') || ' ' || coalesce(postal_code, ''))
$$;
create function customer_search_text(name text, email text, phone text, external_key text) returns text
immutable parallel safe language sql as $$
  select public.fold_text(coalesce(name, '') || ' ' || coalesce(email, '') || ' ' || coalesce(phone, '') || ' '
    || coalesce(external_key, ''))
$$;
create index tanks_by_text on tanks using gin
  (organization_no, tank_search_text(name, custom_id, assigned_device_id, city, postal_code) gin_trgm_ops)
where deleted_at is null;
create index customers_by_text on customers using gin
  (organization_no, customer_search_text(name, email, phone, external_key) gin_trgm_ops)
where deleted_at is null;
set local search_path = public;
-- Tanks near a place: a band of latitudes, then the longitudes within it.
create index tanks_by_place on tanks (organization_no, latitude, longitude, no)
where deleted_at is null and latitude is not null and longitude is not null;

----------------------------------------------------------------------------------------------------- series

-- The buckets of a series that overlap a time range, each limited to it.
create function series_buckets(
  series_from timestamptz, bucket_width interval, buckets int, range_from timestamptz, range_to timestamptz
) returns table (bucket int, from_at timestamptz, to_at timestamptz) immutable rows 100 language sql as $$
  select b, greatest(range_from, series_from + b * bucket_width), least(range_to, series_from + (b + 1) * bucket_width)
  from generate_series(
    greatest(0, (date_part('epoch', range_from - series_from) / date_part('epoch', bucket_width))::int - 1),
    least(buckets - 1, (date_part('epoch', range_to - series_from) / date_part('epoch', bucket_width))::int + 1)
  ) as b
  where greatest(range_from, series_from + b * bucket_width) < least(range_to, series_from + (b + 1) * bucket_width)
$$;

-- The pieces in plain months. One statement for all of them opens each partition once, and planning it for two months of days
-- takes 20 ms, so its plan is kept. An aggregate over a range of the index takes half of the time of grouping. The first and
-- the last reading are found by the index: an array of all levels would take three times as long.
create function plain_series_pieces(in_tank_no int, from_at timestamptz, bucket_width interval, buckets int)
returns table (bucket int, piece_at timestamptz, n int, first_fill real, lowest_fill real, highest_fill real, last_fill real)
stable rows 1000 language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  ends_at timestamptz := from_at + buckets * bucket_width;
begin
  return query
  select piece.bucket, piece.from_at, a.n, first.fill_percentage, a.lowest, a.highest, last.fill_percentage
  from telemetry_month_counters m
  cross join lateral series_buckets(plain_series_pieces.from_at, bucket_width, buckets, m.month, next_utc_month(m.month)) as piece
  cross join lateral (
    select count(*)::int as n, min(t.fill_percentage) as lowest, max(t.fill_percentage) as highest
    from telemetry t
    where t.tank_no = in_tank_no and t.created_at >= piece.from_at and t.created_at < piece.to_at
      and t.created_at >= plain_series_pieces.from_at and t.created_at < ends_at  -- prunes partitions before they are opened
  ) as a
  cross join lateral (
    select t.fill_percentage from telemetry t
    where t.tank_no = in_tank_no and t.created_at >= piece.from_at and t.created_at < piece.to_at
      and t.created_at >= plain_series_pieces.from_at and t.created_at < ends_at
    order by t.created_at limit 1
  ) as first
  cross join lateral (
    select t.fill_percentage from telemetry t
    where t.tank_no = in_tank_no and t.created_at >= piece.from_at and t.created_at < piece.to_at
      and t.created_at >= plain_series_pieces.from_at and t.created_at < ends_at
    order by t.created_at desc limit 1
  ) as last
  where m.tank_no = in_tank_no and not m.is_packed and m.month >= utc_month(plain_series_pieces.from_at) and m.month < ends_at;
end
$$;

-- The pieces in packed months: ranges of positions in the arrays of a part. A statement for each part: planned each time, it
-- would take 0.6 ms instead of 0.2.
create function packed_series_pieces(in_tank_no int, from_at timestamptz, bucket_width interval, buckets int)
returns table (bucket int, piece_at timestamptz, n int, first_fill real, lowest_fill real, highest_fill real, last_fill real)
stable rows 1000 language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  ends_at timestamptz := from_at + buckets * bucket_width;
  part record;
  part_times int[];
  part_levels smallint[];
  origin timestamptz;
begin
  for part in
    select p.starts_at::timestamptz, p.times, p.levels
    from telemetry_month_counters m
    join packed_telemetry p on p.tank_no = m.tank_no and p.starts_at >= m.month and p.starts_at < next_utc_month(m.month)
    where m.tank_no = in_tank_no and m.is_packed and m.month >= utc_month(from_at) and m.month < ends_at
      and p.starts_at < ends_at and p.starts_at >= coalesce((
        -- the part that contains from_at
        select max(q.starts_at) from packed_telemetry q
        where q.tank_no = in_tank_no and q.starts_at >= utc_month(from_at) and q.starts_at <= from_at
      ), from_at)
  loop
    part_times := part.times;
    part_levels := part.levels;
    origin := packed_origin(part.starts_at);
    return query
    select piece.bucket, part.starts_at, piece.newer - piece.older, part_levels[piece.older + 1]::real / 100::real,
           l.lowest::real / 100::real, l.highest::real / 100::real, part_levels[piece.newer]::real / 100::real
    from (
      select b.bucket, width_bucket(packed_time(b.from_at, origin) - 1, part_times) as older,
             width_bucket(packed_time(b.to_at, origin) - 1, part_times) as newer
      from series_buckets(
        packed_series_pieces.from_at, bucket_width, buckets,
        origin + part_times[1] * interval '1 millisecond',
        origin + (part_times[cardinality(part_times)] + 1) * interval '1 millisecond'
      ) as b
      offset 0
    ) as piece
    cross join lateral (
      select min(level) as lowest, max(level) as highest
      from (select unnest(part_levels[piece.older + 1 : piece.newer]) as level) as levels
    ) as l
    where piece.newer > piece.older;
  end loop;
end
$$;

-- The shape of a tank's level for a chart: of each bucket of time the number of readings, the first, lowest, highest and
-- last one. Drawn in a pixel column each, they look like all readings. Buckets without a reading are left out. A bucket that
-- spans several months or packed parts has a piece in each of them.
create function telemetry_series(in_tank_no int, from_at timestamptz, bucket_width interval, buckets int)
returns table (starts_at timestamptz, n int, first_fill real, lowest_fill real, highest_fill real, last_fill real)
stable rows 1000 language sql as $$
  select from_at + bucket * bucket_width, sum(p.n)::int,
         (array_agg(p.first_fill order by p.piece_at))[1], min(p.lowest_fill), max(p.highest_fill),
         (array_agg(p.last_fill order by p.piece_at desc))[1]
  from (
    select * from plain_series_pieces(in_tank_no, from_at, bucket_width, buckets)
    union all
    select * from packed_series_pieces(in_tank_no, from_at, bucket_width, buckets)
  ) as p
  group by bucket order by bucket
$$;

-- The number of readings of a tank in a time range, from the counters of the months inside it.
create function count_telemetry(in_tank_no int, from_at timestamptz, to_at timestamptz) returns int
stable language sql as $$
  select coalesce(sum(case when month >= from_at and next_utc_month(month) <= to_at then n
                           else count_telemetry_range(in_tank_no, greatest(month, from_at), least(next_utc_month(month), to_at))
                      end), 0)::int
  from telemetry_month_counters where tank_no = in_tank_no and month < to_at and next_utc_month(month) > from_at
$$;

-- The level at a time: the last reading at or before it, within the last `within`.
create function level_at(in_tank_no int, at timestamptz, within interval) returns real stable language plpgsql as $$
begin
  -- readings have whole milliseconds
  return (
    select t.fill_percentage from newest_telemetry(
      in_tank_no, date_trunc('milliseconds', at - within) + interval '1 millisecond',
      date_trunc('milliseconds', at) + interval '1 millisecond', 1) as t
  );
end
$$;

----------------------------------------------------------------------------------------------------- settings

-- What the settings page of the console shows. The api role reads these views and not their tables: an endpoint has its
-- signing secrets beside its URL, and the path of a URL often has a token.
create view organization_settings as
select no as organization_no, code, name, language, time_zone, phone, reply_to from organizations where deleted_at is null;

create view contact_settings as
select organization_no, no, id, email, types, to_char(digest_at, 'HH24:MI') as digest_at, has_console from contacts
where deleted_at is null;

create view webhook_settings as
select organization_no, no, id, substring(url from '^https?://(?:[^/?#@]*@)?([^/?#]+)') as host, types, failing_since,
       disabled_at, disabled_because
from webhook_endpoints;

----------------------------------------------------------------------------------------------------- rights

grant select on fleet_tanks, fleet_levels, tank_states, events to tankwatch_api;
grant select on organization_settings, contact_settings, webhook_settings to tankwatch_api;
grant select, update on fleet_tanks, fleet_levels to tankwatch_writer;
-- For `tankwatch doctor --fix`.
grant select, insert, update, delete on fleet_tanks, fleet_levels to tankwatch_operator;
grant select on fleet_tanks, fleet_levels to tankwatch_worker;
