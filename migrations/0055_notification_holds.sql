-- Holding notifications back and releasing them. It only adds: 0.2.0 works with it. A worker of 0.2.0 does not know a hold and
-- goes on sending, so hold after all workers are upgraded.

-- One row for each time that an operator held notifications. At most one is open.
create table notification_holds (
  no                  int generated always as identity primary key,
  held_at             timestamptz(3) not null default now(),
  held_by             text not null default current_actor(),
  reason              text not null check (length(reason) between 1 and 500),
  -- Mails with which people sign in: they ask for them, and a code is of no use 15 minutes later.
  holds_sign_in_mails boolean not null,
  released_at         timestamptz(3),
  released_by         text,
  check ((released_at is null) = (released_by is null)),
  check (released_at >= held_at)
);
create unique index one_open_hold on notification_holds ((true)) where released_at is null;
grant select on notification_holds to tankwatch_worker, tankwatch_operator;

-- Returns the open hold, and whether it is new. A second hold can only add the mails with which people sign in.
create function hold_notifications(in_reason text, in_holds_sign_in_mails boolean, out is_new boolean, out held_at timestamptz)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into notification_holds as h (reason, holds_sign_in_mails) values (in_reason, in_holds_sign_in_mails)
  on conflict ((true)) where released_at is null
  do update set holds_sign_in_mails = h.holds_sign_in_mails or excluded.holds_sign_in_mails
  returning xmax = 0, h.held_at into is_new, held_at;
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), null, 'notification hold', case when is_new then 'create' else 'update' end, '{}', '{}');
end
$$;
revoke execute on function hold_notifications from public;
grant execute on function hold_notifications to tankwatch_operator;

-- Ends the open hold. Returns when it began, or null if nothing was held.
--
-- Several jobs create deliveries at the same time, so their times are not in the order of the events. What was held gets times in
-- this order, a millisecond apart, which end now: workers claim it by these times. 100,000 deliveries take some seconds.
--
-- An endpoint that failed before the hold could not recover during it: that time does not count for the five days after which it
-- is disabled.
create function release_notifications() returns timestamptz
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
    select no, row_number() over (partition by endpoint_no order by event_no desc) as after_it
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
revoke execute on function release_notifications from public;
grant execute on function release_notifications to tankwatch_operator;

-- What waits to be sent: webhooks of enabled endpoints, and mails by task. Given up jobs do not wait.
create function waiting_notifications() returns table (kind text, waiting bigint, oldest_at timestamptz)
stable language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
    select 'webhooks', count(*), min(d.created_at)
    from webhook_deliveries d join webhook_endpoints w on w.no = d.endpoint_no
    where d.status = 'pending' and w.disabled_at is null
    having count(*) > 0
    union all
    (select j.task_identifier, count(*), min(j.created_at)
     from graphile_worker.jobs j
     where j.task_identifier like 'mail\_%' and j.attempts < j.max_attempts
     group by j.task_identifier order by j.task_identifier);
end
$$;
revoke execute on function waiting_notifications from public;
grant execute on function waiting_notifications to tankwatch_operator;

-- As in 0009, but a mail that is held is not overdue, and one that was held is overdue ten minutes after the release.
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
    select (count(*) filter (where is_overdue))::int, min(j.run_at) filter (where is_overdue),
           (count(*) filter (where is_given_up))::int, min(j.task_identifier) filter (where is_given_up),
           exists (
             select from pg_locks
             where locktype = 'advisory' and granted and objsubid = 2
               and database = (select oid from pg_database where datname = current_database())
               and classid = (hashtext('tankwatch worker')::bigint & 4294967295)::oid
           )
    from graphile_worker.jobs j
    cross join lateral (
      select j.attempts >= j.max_attempts as is_given_up,
             j.attempts < j.max_attempts and j.locked_at is null
               and greatest(j.run_at, case when j.task_identifier like 'mail\_%' then last_release end)
                   < now() - interval '10 minutes'
               and not (j.task_identifier like 'mail\_%' and is_held and (holds_all or j.task_identifier <> 'mail_sign_in'))
               as is_overdue
    ) as s;
end
$$;
