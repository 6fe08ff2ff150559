-- How often the device of a tank reports, as a person has said, and tanks on vehicles. It only adds: 0.3.0 works with it, and
-- learns the interval of every device from its readings.

-- Null: the interval is learned. With a constant default, PostgreSQL writes no row.
alter table tanks add column report_interval_hours smallint;
alter table tanks add column is_mobile boolean not null default false;
alter table tank_settings_history add column report_interval_hours smallint;
alter table tank_settings_history add column is_mobile boolean not null default false;

-- The new columns come last, so that 0.3.0 reads the same columns.
create or replace view tank_settings as
select t.no as tank_no, t.id as tank_id, t.organization_no, t.capacity, t.capacity_unit, t.deleted_at is not null as is_deleted,
       t.min_fill_alert_percentage, t.settings_changed_at, o.time_zone, t.is_batch_tank, t.report_interval_hours, t.is_mobile
from tanks t left join organizations o on o.no = t.organization_no;

-- A change of them is a change of the alert settings. `updated_at` does not change, because /v1 does not have the fields.
create trigger set_device_settings_changed_at before update on tanks for each row
when (old.report_interval_hours is distinct from new.report_interval_hours or old.is_mobile is distinct from new.is_mobile)
execute function set_settings_changed_at();

-- The change feed shows them.
create trigger number_changed_device_settings before update on tanks for each row
when (old.report_interval_hours is distinct from new.report_interval_hours or old.is_mobile is distinct from new.is_mobile)
execute function set_change_number();

grant update (report_interval_hours, is_mobile) on tanks to tankwatch_manager;
