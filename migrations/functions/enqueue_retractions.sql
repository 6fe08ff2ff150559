-- Enqueues the notifications of withdrawn events. See enqueue_quietly.
create or replace function enqueue_retractions(event_nos bigint[]) returns void
language sql security definer set search_path = public, pg_temp as $$
  select enqueue_quietly('notify_retractions', event_nos)
$$;
