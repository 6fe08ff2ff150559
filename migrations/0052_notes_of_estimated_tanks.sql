-- Delivery notes of tanks without a sensor: the evaluation of these tanks learns from them. It only adds: 0.2.0 works with it.

-- As in 0050, from the notes that name the tank and are not cancelled. Points are percent of the capacity.
create or replace function deliveries_of_tanks(tank_nos int[], after_ms double precision[])
returns table (tank_no int, at_ms double precision, points double precision, filled_to real)
stable language sql security definer set search_path = public, pg_temp as $$
  select t.no, round(date_part('epoch', n.at) * 1000),
         100 * n.volume * case n.unit when 'gallons' then 3.785411784 else 1 end
           / (t.capacity * case t.capacity_unit when 'gallons' then 3.785411784 else 1 end),
         n.filled_to
  from unnest(tank_nos, after_ms) as s (tank_no, after_ms)
  join tanks t on t.no = s.tank_no
  join delivery_notes n on n.tank_no = s.tank_no and n.at > to_timestamp(s.after_ms / 1000) and n.at <= now()
  where not n.is_cancelled
$$;

-- A note of a tank without a sensor: "filled to 80 %" is a dip, and the tank is evaluated again from the time of the note.
create function follow_notes_of_estimated_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
  select n.organization_no, n.tank_no, n.at, n.filled_to
  from new_rows n join estimated_tanks e on e.tank_no = n.tank_no and e.manual_to = 'infinity' and n.at >= e.manual_from
  where n.filled_to is not null and not n.is_cancelled and n.at <= now()
    -- The level of a note that was corrected in other fields is stored already.
    and not exists (
      select from newest_telemetry(n.tank_no, n.at, n.at + interval '1 millisecond', 1) as t where t.fill_percentage = n.filled_to
    );
  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select n.tank_no, min(n.organization_no), min(n.at), now()
  from new_rows n join estimated_tanks e on e.tank_no = n.tank_no
  where exists (select from tank_states s where s.tank_no = n.tank_no)
  group by n.tank_no order by n.tank_no
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
end
$$;
create trigger follow_new_notes_of_estimated_tanks after insert on delivery_notes referencing new table as new_rows
for each statement execute function follow_notes_of_estimated_tanks();
create trigger follow_changed_notes_of_estimated_tanks after update on delivery_notes referencing new table as new_rows
for each statement execute function follow_notes_of_estimated_tanks();
