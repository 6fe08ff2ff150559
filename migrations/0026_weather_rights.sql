-- Who stores and reads the weather. The trigger locks organizations for a moment.

-- Stores temperatures of an organization's places, and creates missing places. The gateway and the operator both call it, so
-- that both behave the same, and the gateway needs no right on a table. Returns the number of temperatures that changed.
create function store_temperatures(organization int, temperatures jsonb) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  max_places constant int := 5000;
  stored int;
begin
  -- One at a time in an organization: two that create the same place would wait for each other in a circle.
  perform pg_advisory_xact_lock(hashtext('tankwatch weather'), organization);
  -- Update first, insert what is missing: an insert that finds its row takes a number of the identity all the same.
  update places p
  set postal_code = coalesce(g.postal_code, p.postal_code), latitude = coalesce(g.latitude, p.latitude),
      longitude = coalesce(g.longitude, p.longitude), matched_at = null
  from (
    select distinct on (place) * from jsonb_to_recordset(temperatures)
      as g (place text, postal_code text, latitude float8, longitude float8)
  ) as g
  where p.organization_no = organization and p.name = g.place
    and (coalesce(g.postal_code, p.postal_code), coalesce(g.latitude, p.latitude), coalesce(g.longitude, p.longitude))
      is distinct from (p.postal_code, p.latitude, p.longitude);
  insert into places (organization_no, name, postal_code, latitude, longitude)
  select distinct on (place) organization, place, postal_code, latitude, longitude
  from jsonb_to_recordset(temperatures) as g (place text, postal_code text, latitude float8, longitude float8)
  where not exists (select from places p where p.organization_no = organization and p.name = g.place);
  if found and (select count(*) from places where organization_no = organization) > max_places then
    raise exception 'an organization may have at most % places with weather', max_places using errcode = 'program_limit_exceeded';
  end if;
  with changed as (
    insert into place_temperatures as t (place_no, kind, on_date, issued_at, mean_c, source)
    select distinct on (p.no, g.kind, g.date, g.issued_at) p.no, g.kind, g.date, g.issued_at, g.mean_c, g.source
    from rows from (
      jsonb_to_recordset(temperatures)
        as (place text, kind text, date date, issued_at timestamptz, mean_c real, source text)
    ) with ordinality as g (place, kind, date, issued_at, mean_c, source, position)
    join places p on p.organization_no = organization and p.name = g.place
    order by p.no, g.kind, g.date, g.issued_at, g.position desc
    on conflict (place_no, kind, on_date, issued_at) do update set mean_c = excluded.mean_c, source = excluded.source
    where (t.mean_c, t.source) is distinct from (excluded.mean_c, excluded.source)
    returning t.place_no
  ), marked as (
    update places set changed_at = clock_timestamp() where no in (select place_no from changed)
  )
  select count(*) into stored from changed;
  return stored;
end
$$;
revoke execute on function store_temperatures from public;

-- Locks tanks, as every writer of their rows does, and returns their states. Marked tanks are left out: their re-evaluation
-- computes their forecast. A function, so that the worker needs no right to change a state.
create function lock_tanks_for_weather(tank_nos int[]) returns table (tank_no int, encoded_state text)
language sql security definer set search_path = public, pg_temp as $$
  select s.tank_no, s.encoded_state from tank_states s
  where s.tank_no = any (tank_nos) and s.encoded_state is not null and s.reevaluate_from is null
  order by s.tank_no for no key update
$$;
revoke execute on function lock_tanks_for_weather from public;

-- No trigger records the operator's choice of a place, and the end of one: most changes of these tables are the worker's.
create or replace function record_command(
  in_organization_no int, in_object text, in_action text, in_fields text[], in_object_nos int[]
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if in_action not in ('import', 'issue', 'replay', 'pack', 'unpack') and in_object <> 'weather' then
    raise exception 'the action % is recorded by triggers only', in_action;
  end if;
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), in_organization_no, in_object, in_action, in_fields, in_object_nos);
end
$$;

-- A deleted organization keeps no places, which show where its tanks were.
create function delete_places() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from places where organization_no = new.no;
  return null;
end
$$;
create trigger delete_places after update on organizations for each row
when (old.erased_at is null and new.erased_at is not null) execute function delete_places();

----------------------------------------------------------------------------------------------------- rights

grant execute on function store_temperatures to tankwatch_gateway, tankwatch_operator;
grant execute on function lock_tanks_for_weather to tankwatch_worker;
-- Forecasts are computed by all that show or store them.
grant select on places, tank_weather to tankwatch_api, tankwatch_writer, tankwatch_worker, tankwatch_operator;
-- The worker learns, and follows new weather with the dates of tanks.
grant select, delete on place_temperatures to tankwatch_worker;
grant update on places to tankwatch_worker;
grant insert, update, delete on tank_weather to tankwatch_worker;
grant update (threshold_on, empty_on) on fleet_tanks to tankwatch_worker;
-- The operator chooses places, and removes them.
grant select, delete on place_temperatures to tankwatch_operator;
grant update, delete on places to tankwatch_operator;
grant insert, update, delete on tank_weather to tankwatch_operator;
