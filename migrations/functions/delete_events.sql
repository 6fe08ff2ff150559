-- Deletes events with their deliveries, mails, texts and notifications, except for events with a delivery that is still attempted.
create or replace function delete_events(event_nos bigint[]) returns int
language plpgsql as $$
declare
  deleted int;
  finished bigint[] := array(
    select given.no from unnest(event_nos) as given (no)
    where not exists (select from webhook_deliveries d where d.event_no = given.no and d.status = 'pending')
  );
begin
  delete from webhook_deliveries where event_no = any (finished);
  delete from event_mails where event_no = any (finished);
  delete from failed_mails where event_no = any (finished);
  delete from texts t using escalations x where x.event_no = any (finished) and t.escalation_no = x.no;
  delete from pushes where event_no = any (finished);
  delete from escalations where event_no = any (finished);
  delete from events where no = any (finished);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
