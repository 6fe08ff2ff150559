-- Delivery notes of tanks without a sensor: a note with the level after filling is a dip, and every note re-evaluates its tank. A dip
-- in the future is ignored, and one before 2000, because telemetry has no partition for it.
create or replace function follow_notes_of_estimated_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
  select n.organization_no, n.tank_no, n.at, n.filled_to
  from new_rows n join estimated_tanks e on e.tank_no = n.tank_no and e.manual_to = 'infinity' and n.at >= e.manual_from
  where n.filled_to is not null and not n.is_cancelled and n.at between '2000-01-01T00:00:00Z' and now()
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
