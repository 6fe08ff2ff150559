-- Ends a session, and removes the browser that gets notifications since then.
create or replace function end_session(of_prefix text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update sessions set ended_at = now() where prefix = of_prefix and ended_at is null;
  delete from push_subscriptions where session_prefix = of_prefix;
$$;
