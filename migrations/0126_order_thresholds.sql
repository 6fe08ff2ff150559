-- A second, higher threshold of a tank: at or below it, a delivery is to be ordered. It only adds: 0.3.0 works with it.

-- Null: none. /manage/v1, commands and imports refuse one that is not above the alert threshold. There is no check here, because
-- 0.3.0 can raise the alert threshold: evaluation then takes the tank for one without.
alter table tanks add column order_threshold_percentage smallint;
alter table tank_settings_history add column order_threshold_percentage smallint;

-- The new column comes last, so that 0.3.0 reads the same columns.
create or replace view tank_settings as
select t.no as tank_no, t.id as tank_id, t.organization_no, t.capacity, t.capacity_unit, t.deleted_at is not null as is_deleted,
       t.min_fill_alert_percentage, t.settings_changed_at, o.time_zone, t.is_batch_tank, t.report_interval_hours, t.is_mobile,
       o.unusual_use_off_at, t.order_threshold_percentage
from tanks t left join organizations o on o.no = t.organization_no;

-- A change of it is a change of the alert settings, and the change feed shows it. `updated_at` does not change, because /v1 does not
-- have the field.
create trigger set_order_threshold_changed_at before update on tanks for each row
when (old.order_threshold_percentage is distinct from new.order_threshold_percentage)
execute function set_settings_changed_at();
create trigger number_changed_order_threshold before update on tanks for each row
when (old.order_threshold_percentage is distinct from new.order_threshold_percentage)
execute function set_change_number();

grant update (order_threshold_percentage) on tanks to tankwatch_manager;
