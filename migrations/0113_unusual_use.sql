-- Unusual use on the page of the day, and a setting of an organization that turns it off. It only adds: 0.3.0 works with it.

-- Since when the organization wants no reports of unusual use; null: it wants them. A time and not a flag, so that what was
-- reported before stays reported when a tank is evaluated again.
alter table organizations add column unusual_use_off_at timestamptz(3);

-- The new columns come last, so that 0.3.0 reads the same columns.
create or replace view tank_settings as
select t.no as tank_no, t.id as tank_id, t.organization_no, t.capacity, t.capacity_unit, t.deleted_at is not null as is_deleted,
       t.min_fill_alert_percentage, t.settings_changed_at, o.time_zone, t.is_batch_tank, t.report_interval_hours, t.is_mobile,
       o.unusual_use_off_at
from tanks t left join organizations o on o.no = t.organization_no;
create or replace view organization_settings as
select no as organization_no, code, name, language, time_zone, phone, reply_to, default_product,
       unusual_use_off_at is null as reports_unusual_use
from organizations where deleted_at is null;

-- When unusual use of the tank was last reported. With a constant default, PostgreSQL writes no row.
alter table fleet_tanks add column unusual_use_at timestamptz not null default '-infinity';

-- Who turns the reports off sees none of them any more. Locks the rows in the order of writers.
create function forget_unusual_use() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from fleet_tanks where organization_no = new.no and unusual_use_at > '-infinity' order by tank_no for no key update;
  update fleet_tanks set unusual_use_at = '-infinity' where organization_no = new.no and unusual_use_at > '-infinity';
  return null;
end
$$;
create trigger forget_unusual_use after update on organizations for each row
when (old.unusual_use_off_at is null and new.unusual_use_off_at is not null) execute function forget_unusual_use();

grant select (unusual_use_off_at), update (unusual_use_off_at) on organizations to tankwatch_manager;
