-- What people beside a leaking tank are told. It only adds: 0.2.0 works with it.

-- The number to call in an emergency. Null: that of the country, 911 or 112.
alter table organizations add column emergency_phone text;
-- What to do, in the order of safety, in the organization's own words. Null: the texts of Tankwatch.
alter table organizations add column safety_steps text[];
grant select (emergency_phone, safety_steps) on organizations to tankwatch_api;

----------------------------------------------------------------------------------------------------- sessions

-- A dispatcher who signs in on Monday is signed in for the week: a session survives a weekend without use, and ends 7 days
-- after its beginning. That of an owner ends after 30 and 180 days, as before.
create or replace function session_expiry(created_at timestamptz, used_at timestamptz, is_owner boolean) returns timestamptz
immutable language sql as $$
  select case when is_owner then least(used_at + interval '30 days', created_at + interval '180 days')
              else least(used_at + interval '72 hours', created_at + interval '7 days') end
$$;
