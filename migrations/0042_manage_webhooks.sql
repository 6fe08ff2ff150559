-- Webhook endpoints over /manage/v1. It only adds functions and rights: 0.2.0 works with it.

-- Keeps the old secret for a while. A function, so that whoever rotates a secret cannot read one.
create function rotate_webhook_secret(in_endpoint_no int, in_sealed_secret text, in_overlap_hours int) returns void
language sql security definer set search_path = public, pg_temp as $$
  update webhook_endpoints set secret = in_sealed_secret,
    previous_secret = case when in_overlap_hours > 0 then secret end,
    previous_secret_until = case when in_overlap_hours > 0 then now() + make_interval(hours => in_overlap_hours) end
  where no = in_endpoint_no
$$;
revoke execute on function rotate_webhook_secret from public;

-- The worker sends the message, because the api reaches no foreign addresses. One job an endpoint, however often it is asked for.
create function enqueue_webhook_test(in_endpoint_no int) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into webhook_tests (endpoint_no) values (in_endpoint_no)
  on conflict (endpoint_no) do update set requested_at = now();
  perform graphile_worker.add_job('test_webhook', json_build_object('endpoint_no', in_endpoint_no),
                                  max_attempts => 3, job_key => 'test_webhook:' || in_endpoint_no);
end
$$;
revoke execute on function enqueue_webhook_test from public;

grant execute on function rotate_webhook_secret to tankwatch_operator, tankwatch_manager;
grant execute on function enqueue_webhook_test to tankwatch_manager;
grant select on webhook_tests to tankwatch_manager;
grant select, update on webhook_tests to tankwatch_worker;

grant select (no, id, organization_no, url, types, previous_secret_until, failing_since, disabled_at, disabled_because, created_at)
on webhook_endpoints to tankwatch_manager;
grant insert on webhook_endpoints to tankwatch_manager;
grant update (url, types, failing_since, disabled_at, disabled_because) on webhook_endpoints to tankwatch_manager;
-- A disabled endpoint cancels its deliveries, and a replay enqueues them again.
grant select on webhook_deliveries to tankwatch_manager;
grant insert (endpoint_no, event_no) on webhook_deliveries to tankwatch_manager;
grant update (status, tries, next_attempt_at, finished_at) on webhook_deliveries to tankwatch_manager;
grant select (no, id, organization_no) on events to tankwatch_manager;
