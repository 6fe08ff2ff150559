-- Batch tanks: trucks fetch from them and fill them, as in a depot. A sudden fall of such a tank is no loss. It only adds:
-- 0.2.0 works with it and evaluates batch tanks as all others.

-- With a constant default, PostgreSQL writes no row.
alter table tanks add column is_batch_tank boolean not null default false;
alter table tank_settings_history add column is_batch_tank boolean not null default false;

-- The new column comes last, so that 0.2.0 reads the same columns.
create or replace view tank_settings as
select t.no as tank_no, t.id as tank_id, t.organization_no, t.capacity, t.capacity_unit, t.deleted_at is not null as is_deleted,
       t.min_fill_alert_percentage, t.settings_changed_at, o.time_zone, t.is_batch_tank
from tanks t left join organizations o on o.no = t.organization_no;

-- A change of it is a change of the alert settings. `updated_at` does not change, because /v1 does not have the field.
create trigger set_batch_tank_changed_at before update on tanks for each row
when (old.is_batch_tank is distinct from new.is_batch_tank)
execute function set_settings_changed_at();

-- As before, with the new setting.
create or replace function record_settings_change() returns trigger language plpgsql as $$
begin
  -- Of two changes in one millisecond, the first has the settings that were in effect before.
  insert into tank_settings_history (tank_no, at, min_fill_alert_percentage, capacity, capacity_unit, is_batch_tank)
  select o.no, now(), o.min_fill_alert_percentage, o.capacity, o.capacity_unit, o.is_batch_tank
  from old_rows o join new_rows n using (no)
  where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit, o.is_batch_tank)
    is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit, n.is_batch_tank)
  order by o.no
  on conflict do nothing;

  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select n.no, n.organization_no, now(), now()
  from old_rows o join new_rows n using (no)
  where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit, o.is_batch_tank)
    is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit, n.is_batch_tank)
    and exists (select from tank_states s where s.tank_no = n.no)
  order by n.no
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
end
$$;
