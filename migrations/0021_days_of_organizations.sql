-- The days of fleet_tanks (threshold_on, empty_on, refilled_on) are now those of the organization's time zone: "within 3 days"
-- means the same to a dispatcher at any hour. 0.2.0 writes days of UTC; a row changes at least once a day.

-- The time zone comes last, so that 0.2.0 reads the same columns. PostgreSQL leaves the join out where nobody reads it.
create or replace view tank_settings as
select t.no as tank_no, t.id as tank_id, t.organization_no, t.capacity, t.capacity_unit, t.deleted_at is not null as is_deleted,
       t.min_fill_alert_percentage, t.settings_changed_at, o.time_zone
from tanks t left join organizations o on o.no = t.organization_no;
