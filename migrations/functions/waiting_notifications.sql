-- Notifications that wait, by kind: webhooks, and mails in both tables of jobs.
create or replace function waiting_notifications() returns table (kind text, waiting bigint, oldest_at timestamptz)
stable language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
    select 'webhooks', count(*), min(d.created_at)
    from webhook_deliveries d join webhook_endpoints w on w.no = d.endpoint_no
    where d.status = 'pending' and w.disabled_at is null
    having count(*) > 0
    union all
    (select m.task, count(*), min(m.created_at)
     from (
       select j.task_identifier as task, j.created_at from graphile_worker.jobs j
       where j.task_identifier like 'mail\_%' and j.attempts < j.max_attempts
       union all
       select w.task, w.created_at from mail_jobs w where w.given_up_at is null
       union all
       select w.task, w.created_at from text_jobs w where w.given_up_at is null
       union all
       select w.task, w.created_at from push_jobs w where w.given_up_at is null
     ) as m
     group by m.task order by m.task);
end
$$;
