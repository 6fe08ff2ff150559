-- Mails wait in a table of their own. In graphile-worker's table, 200,000 waiting mails made every search for another job read all
-- of them (60 to 98 ms). It only adds a table and replaces two functions: 0.3.0 works with it, and a worker of 0.3.0 goes on with
-- the mails in graphile-worker's table. Workers of this release move what waits there (src/mail/mail_jobs.ts).
create table mail_jobs (
  no              bigint generated always as identity primary key,
  organization_no int not null,  -- organizations take turns; 0: unknown
  task            text not null,
  payload         jsonb not null,  -- numbers of rows only, so that no queue holds personal data
  key             text not null unique,
  tries           smallint not null default 0,
  -- While an attempt is in progress, the end of its lease, which its worker extends.
  due_at          timestamptz(3) not null default now(),
  claimed_by      uuid,            -- the process with the lease
  due_again_at    timestamptz(3),  -- it was enqueued again during the attempt: then it is due at this time once more
  given_up_at     timestamptz(3),
  last_error      text,
  created_at      timestamptz(3) not null default now()
);
-- The next mail of each organization.
create index mail_jobs_of_organization on mail_jobs (organization_no, due_at) where given_up_at is null;
-- Whether any mail is due: if none is, no organization is looked at.
create index mail_jobs_due on mail_jobs (due_at) where given_up_at is null;
-- The few that are not waiting for their first attempt, for metrics.
create index mail_jobs_tried on mail_jobs (created_at) where tries > 0;
grant select, insert, update, delete on mail_jobs to tankwatch_worker;

-- As in 0055, with the mails of this table.
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
     ) as m
     group by m.task order by m.task);
end
$$;

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
    ) as j
    cross join lateral (
      select not j.is_given_up and not j.is_running
               and greatest(j.run_at, case when j.task like 'mail\_%' then last_release end) < now() - interval '10 minutes'
               and not (j.task like 'mail\_%' and is_held and (holds_all or j.task <> 'mail_sign_in')) as is_overdue
    ) as s;
end
$$;
