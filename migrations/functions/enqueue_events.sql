-- Enqueues the notifications of events. See enqueue_quietly.
create or replace function enqueue_events(event_nos bigint[]) returns void
language sql security definer set search_path = public, pg_temp as $$
  select enqueue_quietly('notify_events', event_nos)
$$;
