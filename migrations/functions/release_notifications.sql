-- Ends the open hold. Returns when it began, or null if nothing was held.
--
-- Several jobs create deliveries at the same time, so their times are not in the order of the events. What was held gets times in
-- this order, a millisecond apart, which end now: workers claim it by these times. Changes have no event and come after them. 100,000 deliveries take some seconds.
--
-- An endpoint that failed before the hold could not recover during it: that time does not count for the five days after which it
-- is disabled.
create or replace function release_notifications() returns timestamptz
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ended notification_holds;
begin
  update notification_holds set released_at = now(), released_by = current_actor() where released_at is null
  returning * into ended;
  if ended.no is null then
    return null;
  end if;
  update webhook_deliveries d set next_attempt_at = now() - make_interval(secs => waiting.after_it / 1000.0)
  from (
    select no, row_number() over (partition by endpoint_no order by event_no desc, no desc) as after_it
    -- A lease without a result belongs to a worker that was killed: nobody sends while notifications are held.
    from webhook_deliveries where status = 'pending' and (next_attempt_at <= now() or tries = 0)
  ) as waiting
  where d.no = waiting.no;
  update webhook_endpoints set failing_since = failing_since + (now() - greatest(ended.held_at, failing_since))
  where failing_since is not null and disabled_at is null;
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), null, 'notification hold', 'update', '{released_at}', '{}');
  return ended.held_at;
end
$$;
