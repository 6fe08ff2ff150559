-- A dispatcher who signs in on Monday is signed in for the week: a session survives a weekend without use, and ends 7 days
-- after its beginning. That of an owner ends after 30 days without use, and 180 days after its beginning.
create or replace function session_expiry(created_at timestamptz, used_at timestamptz, is_owner boolean) returns timestamptz
immutable language sql as $$
  select case when is_owner then least(used_at + interval '30 days', created_at + interval '180 days')
              else least(used_at + interval '72 hours', created_at + interval '7 days') end
$$;
