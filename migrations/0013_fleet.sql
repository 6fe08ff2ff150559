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
  fill                smallint not null default 101,  -- whole percents; 101: no reading yet
  is_low              boolean not null default false,
  is_silent           boolean not null default false,
  is_gauge_unreliable boolean not null default false,
  losing_seen_at      timestamptz(3) not null default '-infinity',
  latest_on           date not null default '-infinity',
  refilled_on         date not null default '-infinity'
) with (fillfactor = 80);

create index fleet_tanks_by_urgency on fleet_tanks (organization_no, threshold_on, empty_on, tank_no);
create index fleet_tanks_in_order on fleet_tanks (organization_no, tank_no);
create index fleet_tanks_of_owner on fleet_tanks (owner_no, threshold_on, empty_on, tank_no);
create index fleet_tanks_of_city on fleet_tanks (organization_no, city, threshold_on, empty_on, tank_no);
create index fleet_tanks_by_fill on fleet_tanks (organization_no, fill, tank_no);
create index fleet_tanks_by_latest on fleet_tanks (organization_no, latest_on, tank_no);
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
-- changes this table itself.
create function add_fleet_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into fleet_tanks (tank_no, organization_no, owner_no, city, use_case)
  select no, organization_no, owner_no, coalesce(city, ''), coalesce(use_case, '')
  from new_rows where deleted_at is null order by no;
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

-- The shape of a tank's level for a chart: of each bucket of time the number of readings, the first, lowest, highest and
-- last one. Drawn in a pixel column each, they look like all readings. Buckets without a reading are left out. A loop,
-- because bounds that are arguments prune partitions before any is opened (see 0006).
create function telemetry_series(in_tank_no int, from_at timestamptz, bucket_width interval, buckets int)
returns table (starts_at timestamptz, n int, first_fill real, lowest_fill real, highest_fill real, last_fill real)
stable language plpgsql as $$
declare
  ends_at timestamptz;
begin
  for bucket in 0 .. buckets - 1 loop
    starts_at := from_at + bucket * bucket_width;
    ends_at := starts_at + bucket_width;
    select count(*), min(t.fill_percentage), max(t.fill_percentage),
           (array_agg(t.fill_percentage))[1], (array_agg(t.fill_percentage))[count(*)]
    into n, lowest_fill, highest_fill, first_fill, last_fill
    from oldest_telemetry(in_tank_no, telemetry_series.starts_at, ends_at, 2147483647) as t;
    continue when n = 0;
    return next;
  end loop;
end
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

grant select on fleet_tanks, tank_states, events to tankwatch_api;
grant select on organization_settings, contact_settings, webhook_settings to tankwatch_api;
grant select, update on fleet_tanks to tankwatch_writer;
-- For `tankwatch doctor --fix`.
grant select, insert, update, delete on fleet_tanks to tankwatch_operator;
grant select on fleet_tanks to tankwatch_worker;
