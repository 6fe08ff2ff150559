-- People take on a device that says that something is wrong with it, or that was never heard of: the condition `device` of
-- acknowledgements. It has no bit in fleet_tanks.handled, because a tank with such a device is handled like all others. And a
-- search finds all phones of a customer. It only adds: 0.3.0 works with it.

-- `not valid`: what is stored is one of the first four.
alter table acknowledgements
  drop constraint acknowledgements_condition_check,
  add constraint acknowledgements_condition_check
    check (condition in ('losing', 'low', 'gauge_unreliable', 'silent', 'device')) not valid;

-- As in 0037, and the devices. The trouble of a device that is no longer on the tank does not count.
create or replace view tank_conditions as
select f.organization_no, f.tank_no, c.condition
from fleet_tanks f
cross join lateral (values
  ('losing', f.losing_seen_at > '-infinity' and f.losing_seen_at > now() - interval '48 hours'),
  ('low', f.is_low),
  ('gauge_unreliable', f.is_gauge_unreliable),
  ('silent', f.is_silent)
) as c (condition, is_true)
where c.is_true
union all
select h.organization_no, h.tank_no, 'device'
from device_health h join tanks t on t.no = h.tank_no and split_part(t.assigned_device_id, '#', 1) = h.device_id
where h.fault is not null or h.battery_low_since is not null or h.is_signal_weak
union all
select l.organization_no, l.tank_no, 'device'
from fleet_levels l join tanks t on t.no = l.tank_no
where l.latest_on = '-infinity' and t.assigned_device_id not like 'pending-%' and not is_manual_device(t.assigned_device_id);

-- As in 0037; a device is taken on until nothing is wrong with it any more.
create or replace view acknowledgement_ends as
select a.no, a.id, a.organization_no, a.tank_no, a.condition, a.until, a.comment, a.returns_at, a.acknowledged_by, a.created_at,
       case
         when a.condition = 'device' and not exists (
             select from tank_conditions c where c.tank_no = a.tank_no and c.condition = 'device'
           ) then 'resolved'
         when (f.handled & condition_bit(a.condition)) is distinct from condition_bit(a.condition) then 'resolved'
         -- Time ends a loss. A bit of another condition is cleared with the condition.
         when a.condition = 'losing' and f.losing_seen_at <= now() - interval '48 hours' then 'resolved'
         when a.condition = 'losing' and exists (
             select from events e
             where e.tank_no = a.tank_no and e.type = 'tank.rapid_loss' and e.retracted_at is null and e.occurred_at > a.loss_at
           ) then 'new_event'
         when a.returns_at is not null
           and (select l.fill from fleet_levels l where l.tank_no = a.tank_no) <= a.returns_at then 'worse'
         when a.condition = 'losing'
           and (select l.fill from fleet_levels l where l.tank_no = a.tank_no)
             <= a.fill - 2 - 1.5 * coalesce(a.loss_per_hour, 0) * coalesce((
               select greatest(0, extract(epoch from s.latest_at - a.loss_reading_at)) from tank_states s
               where s.tank_no = a.tank_no and s.latest_at > '-infinity'  -- infinite times cannot be subtracted
             ), 0) / 3600 then 'worse'
         when a.until <= now() then 'expired'
       end as over_because
from acknowledgements a
-- `offset 0`: row by row. PostgreSQL would rather read a fleet of 200,000 tanks (600 ms) than look up 1,000 of them.
left join lateral (select handled, losing_seen_at from fleet_tanks where tank_no = a.tank_no offset 0) as f on true
where a.ended_at is null;

-- As in 0037; a mute does not cover the trouble of a device, which is mailed to nobody.
create or replace view handled_conditions as
select e.organization_no, e.tank_no, e.condition, e.id as acknowledgement_id, e.until, e.comment, e.returns_at, e.acknowledged_by,
       coalesce(c.name, c.email) as name, e.created_at
from acknowledgement_ends e
left join contacts c on c.id = case when e.acknowledged_by like 'contact %' then substr(e.acknowledged_by, 9)::uuid end
where e.over_because is null
union all
select m.organization_no, m.tank_no, c.condition, null, m.until, m.reason, null, m.muted_by, null, m.created_at
from muted_tanks m
cross join lateral (select condition from tank_conditions where tank_no = m.tank_no offset 0) as c
where c.condition not in ('losing', 'device');

-- The other phones of a customer as a search compares them: each one word. Most customers have none, and null is not looked at.
create function other_phone_texts(others jsonb) returns text immutable strict parallel safe language sql as $$
  select string_agg(' ' || replace(public.search_text(phone ->> 'number'), ' ', ''), '') from jsonb_array_elements(others) as phone
$$;

-- The list of devices finds those that a person put on a tank.
grant select (organization_no) on device_assignments to tankwatch_api;
