-- Changes statements that run so often that their cost matters. It only adds: 0.3.0 works with it.

-- Gateways poll for secrets that have changed. Reading and decrypting all of them took 30 % of a core with 20,000 organizations.
alter table organization_secrets add column changed_xid xid8;  -- as in api_keys; null: before this migration
alter table organization_secrets alter column changed_xid set default pg_current_xact_id();
create trigger record_secret_change before update on organization_secrets for each row execute function record_change_xid();
grant select (changed_xid) on organization_secrets to tankwatch_gateway;

-- Jobs of notifications are inserted without NOTIFY: PostgreSQL lets transactions that notify commit one after the other (0.55 of
-- the commits per second with 8 writers). Workers look for these jobs several times a second, a worker of 0.3.0 once a second.
-- add_job has no way to leave the notification out, so this writes the row that add_job would write.
create function enqueue_quietly(in_task text, in_event_nos bigint[]) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  in_task_id int;
begin
  if cardinality(in_event_nos) = 0 then
    return;
  end if;
  select id into in_task_id from graphile_worker._private_tasks where identifier = in_task;
  if in_task_id is null then
    insert into graphile_worker._private_tasks (identifier) values (in_task) on conflict do nothing;
    select id into in_task_id from graphile_worker._private_tasks where identifier = in_task;
  end if;
  insert into graphile_worker._private_jobs (task_id, payload, priority)
  values (in_task_id, json_build_object('event_nos', in_event_nos), -10);
end
$$;
revoke execute on function enqueue_quietly from public;
