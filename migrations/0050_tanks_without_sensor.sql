-- Tanks without a sensor. Such a tank has a manual device with a generated serial, MAN-..., and its readings are dips: levels that
-- people saw. It only adds: 0.2.0 works with it. Its writers leave the states of these tanks to writers of this release.

-- The alphabet has no letters that are read as another one. No manufacturer writes serials like this.
create function is_manual_device(device_id text) returns boolean immutable parallel safe language sql as $$
  select device_id like 'MAN-%' and device_id ~ '^MAN-[A-HJ-NP-Z2-9]{10}$'
$$;

-- One row for each tank that has, or had, a manual device. Readings between manual_from and manual_to are dips.
create table estimated_tanks (
  tank_no         int primary key,
  organization_no int not null,
  manual_from     timestamptz(3) not null,
  manual_to       timestamptz(3) not null default 'infinity',  -- before infinity: the tank has a sensor now
  -- The range of the level is wide, or nobody has seen the level yet: somebody should look. False with a sensor.
  is_dip_wanted   boolean not null default true,
  -- False: people say that the use of this tank follows nothing, as that of a holiday home or a dryer. Then its level cannot be told.
  is_told         boolean not null default true,
  -- How many dips the owner has sent on the latest day.
  owner_dips_on   date not null default '-infinity',
  owner_dips      smallint not null default 0
) with (fillfactor = 80);
create index estimated_tanks_of_organization on estimated_tanks (organization_no, tank_no) where manual_to = 'infinity';
create index estimated_tanks_to_dip on estimated_tanks (organization_no, tank_no) where is_dip_wanted;

-- Dips that wait for a writer. A writer moves them into telemetry within about a second, in one transaction, so that each is stored
-- exactly once. The role of /manage/v1 has no right to write telemetry.
create table waiting_dips (
  no              bigint generated always as identity primary key,
  organization_no int not null,
  tank_no         int not null,
  at              timestamptz(3) not null,
  fill_percentage real not null check (fill_percentage between 0 and 100)
);

-- The use of tanks with sensors, by which tanks without one are estimated: the mean of each day in points. An empty use_case or city
-- stands for all. The worker appends a day each day, and keeps 400.
create table regional_rates (
  organization_no int not null references organizations,
  use_case        text not null,
  city            text not null,
  until_on        date not null,    -- the day of the last rate (UTC)
  rates           real[] not null check (cardinality(rates) between 1 and 400),
  tanks           int not null,     -- of the last day
  -- How these tanks differ from their mean: of the logarithm of their use relative to it.
  prior_log       real not null,
  prior_deviation real not null,
  primary key (organization_no, use_case, city)
);

-- Triggers, so that every writer of the catalog is covered.
create function add_estimated_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into estimated_tanks (tank_no, organization_no, manual_from)
  select no, organization_no, '-infinity' from new_rows where is_manual_device(assigned_device_id) order by no;
  return null;
end
$$;
create trigger add_estimated_tanks after insert on tanks
referencing new table as new_rows for each statement execute function add_estimated_tanks();

create function follow_manual_devices() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  moved int[] := array(
    select n.no from old_rows o join new_rows n using (no)
    where coalesce(is_manual_device(o.assigned_device_id), false) <> coalesce(is_manual_device(n.assigned_device_id), false)
  );
begin
  if cardinality(moved) = 0 then
    return null;
  end if;
  delete from estimated_tanks e using new_rows n where e.tank_no = n.no and n.no = any (moved) and n.deleted_at is not null;
  delete from waiting_dips d using new_rows n where d.tank_no = n.no and n.no = any (moved) and n.deleted_at is not null;
  update estimated_tanks e set manual_to = now(), is_dip_wanted = false
  from new_rows n where e.tank_no = n.no and n.no = any (moved) and not is_manual_device(n.assigned_device_id);
  insert into estimated_tanks as e (tank_no, organization_no, manual_from)
  select n.no, n.organization_no,
         -- A tank that never reported: dips of before are dips too.
         case when exists (select from tank_states s where s.tank_no = n.no) then now() else '-infinity' end
  from new_rows n where n.no = any (moved) and is_manual_device(n.assigned_device_id) order by n.no
  on conflict (tank_no) do update set manual_from = excluded.manual_from, manual_to = 'infinity', is_dip_wanted = true;
  -- A writer takes the tank state over at once, before a timer says that a device without a sensor is silent.
  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select n.no, n.organization_no, now(), now() from new_rows n
  where n.no = any (moved) and n.deleted_at is null and exists (select from tank_states s where s.tank_no = n.no)
  order by n.no
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
end
$$;
create trigger follow_manual_devices after update on tanks referencing old table as old_rows new table as new_rows
for each statement execute function follow_manual_devices();

-- A writer evaluates the tank again, as after a change of its alert settings.
create function follow_told_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select new.tank_no, new.organization_no, now(), now()
  where exists (select from tank_states s where s.tank_no = new.tank_no)
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), new.organization_no, 'tank', 'update', '{estimate}', array[new.tank_no]);
  return null;
end
$$;
create trigger follow_told_tanks after update on estimated_tanks for each row
when (old.is_told <> new.is_told) execute function follow_told_tanks();

-- The audit log says who sent a dip of which tank, and no value, as always.
create function audit_dips() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  select current_actor(), organization_no, 'tank', 'update', '{dip}', array_agg(distinct tank_no)
  from new_rows group by organization_no;
  return null;
end
$$;
create trigger audit_new_dips after insert on waiting_dips
referencing new table as new_rows for each statement execute function audit_dips();

-- The deliveries of tanks without a sensor after these times: how much was delivered, and to which level the driver filled. The
-- evaluation of these tanks reads it. Without delivery notes there are none.
create function deliveries_of_tanks(tank_nos int[], after_ms double precision[])
returns table (tank_no int, at_ms double precision, points double precision, filled_to real)
stable language sql security definer set search_path = public, pg_temp as $$
  select 0, 0::double precision, 0::double precision, 0::real where false
$$;
revoke execute on function deliveries_of_tanks from public;

----------------------------------------------------------------------------------------------------- rights

grant select on estimated_tanks to tankwatch_api, tankwatch_manager, tankwatch_worker, tankwatch_writer, tankwatch_operator;
-- Evaluation writes it. The operator evaluates too: an import of readings, and `tankwatch tanks dip`.
grant update (is_dip_wanted) on estimated_tanks to tankwatch_writer, tankwatch_operator;
grant update (owner_dips_on, owner_dips, is_told) on estimated_tanks to tankwatch_manager;
grant update (is_told) on estimated_tanks to tankwatch_operator;
grant insert on waiting_dips to tankwatch_manager, tankwatch_operator;
grant select, delete on waiting_dips to tankwatch_writer;
grant select on regional_rates to tankwatch_writer, tankwatch_operator;
grant select, insert, update, delete on regional_rates to tankwatch_worker;
grant execute on function deliveries_of_tanks to tankwatch_writer, tankwatch_operator;
