-- Events that were told to somebody and then retracted. It only adds: 0.2.0 works with it. 0.2.0 retracts without a reason, and
-- a worker of 0.2.0 cancels the delivery of a retraction that it claims.

-- When the recipient of a mail was told that its event was retracted. A column and not a mail of its own: erasure and retention
-- find it with the mail. If the event is valid again, the mail is sent again and the column is null again.
alter table event_mails add column retraction_sent_at timestamptz(3);

-- Why the event was retracted: `gauge_fault`, the level is back where it was before. Null: late readings changed the history.
alter table events add column retracted_because text;

-- Enqueues one job that tells everybody who was told of these events that they were retracted. A job of its own: a worker of
-- 0.2.0 does not know it, and leaves it to the others.
create function enqueue_retractions(event_nos bigint[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if cardinality(event_nos) > 0 then
    perform graphile_worker.add_job('notify_retractions', json_build_object('event_nos', event_nos), priority => -10);
  end if;
end
$$;
revoke execute on function enqueue_retractions from public;
grant execute on function enqueue_retractions to tankwatch_writer, tankwatch_operator;

----------------------------------------------------------------------------------------------------- scores

-- The last result of `tankwatch alerts score` of each organization, which the console shows. Computing it evaluates a year of
-- readings, so nobody computes it to answer a request. It has names of places and no personal data.
create table alert_scores (
  organization_no int primary key references organizations on delete cascade,
  score           jsonb not null
);
grant select, insert, update on alert_scores to tankwatch_operator;
grant select on alert_scores to tankwatch_api;
grant select, delete on alert_scores to tankwatch_worker;
