-- The jobs and mails that doctor and the metrics report. A lease of a mail that has expired is overdue as well.
create or replace function job_status()
returns table (overdue int, oldest_at timestamptz, given_up int, given_up_task text, has_worker boolean)
stable language plpgsql security definer set search_path = public, pg_temp as $$
declare
  is_held boolean;
  holds_all boolean;
  last_release timestamptz;
begin
  select coalesce(bool_or(released_at is null), false), coalesce(bool_or(released_at is null and holds_sign_in_mails), false),
         max(released_at)
  into is_held, holds_all, last_release
  from notification_holds;
  return query
    select (count(*) filter (where s.is_overdue))::int, min(j.run_at) filter (where s.is_overdue),
           (count(*) filter (where j.is_given_up))::int, min(j.task) filter (where j.is_given_up),
           exists (
             select from pg_locks
             where locktype = 'advisory' and granted and objsubid = 2
               and database = (select oid from pg_database where datname = current_database())
               and classid = (hashtext('tankwatch worker')::bigint & 4294967295)::oid
           )
    from (
      select q.task_identifier as task, q.run_at, q.attempts >= q.max_attempts as is_given_up, q.locked_at is not null as is_running
      from graphile_worker.jobs q
      union all
      -- A lease that has expired is overdue as well.
      select m.task, m.due_at, m.given_up_at is not null, false from mail_jobs m
      where m.given_up_at is not null or m.due_at < now() - interval '10 minutes'
      union all
      select 'mail_text', m.due_at, m.given_up_at is not null, false from text_jobs m
      where m.given_up_at is not null or m.due_at < now() - interval '10 minutes'
      union all
      select 'mail_push', m.due_at, m.given_up_at is not null, false from push_jobs m
      where m.given_up_at is not null or m.due_at < now() - interval '10 minutes'
      union all
      select 'mail_escalation', m.due_at, m.given_up_at is not null, false from escalation_jobs m
      where m.given_up_at is not null or m.due_at < now() - interval '10 minutes'
    ) as j
    cross join lateral (
      select not j.is_given_up and not j.is_running
               and greatest(j.run_at, case when j.task like 'mail\_%' then last_release end) < now() - interval '10 minutes'
               and not (j.task like 'mail\_%' and is_held and (holds_all or j.task <> 'mail_sign_in')) as is_overdue
    ) as s;
end
$$;
