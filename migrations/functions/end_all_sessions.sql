-- For `tankwatch restore finish`: a backup may have sessions and push subscriptions that were removed after it was made.
-- Returns the number of sessions.
create or replace function end_all_sessions() returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ended int;
begin
  update sessions set ended_at = now() where ended_at is null and expires_at > now();
  get diagnostics ended = row_count;
  delete from sign_ins;
  delete from push_subscriptions;
  return ended;
end
$$;
