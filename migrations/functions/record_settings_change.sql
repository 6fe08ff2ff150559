-- Keeps the former settings of changed tanks in the history, and has their readings evaluated again.
create or replace function record_settings_change() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- If there are two changes in one millisecond, the first has the settings that were in effect before.
  insert into tank_settings_history (
    tank_no, at, min_fill_alert_percentage, capacity, capacity_unit, is_batch_tank, report_interval_hours, is_mobile,
    order_threshold_percentage
  )
  select o.no, now(), o.min_fill_alert_percentage, o.capacity, o.capacity_unit, o.is_batch_tank, o.report_interval_hours, o.is_mobile,
         o.order_threshold_percentage
  from old_rows o join new_rows n using (no)
  where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit, o.is_batch_tank, o.report_interval_hours, o.is_mobile,
         o.order_threshold_percentage)
    is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit, n.is_batch_tank, n.report_interval_hours, n.is_mobile,
                         n.order_threshold_percentage)
  order by o.no
  on conflict do nothing;

  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select n.no, n.organization_no, now(), now()
  from old_rows o join new_rows n using (no)
  where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit, o.is_batch_tank, o.report_interval_hours, o.is_mobile,
         o.order_threshold_percentage)
    is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit, n.is_batch_tank, n.report_interval_hours, n.is_mobile,
                         n.order_threshold_percentage)
    and exists (select from tank_states s where s.tank_no = n.no)
  order by n.no
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
end
$$;
