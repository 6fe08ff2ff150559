-- What happens if nobody takes care of a loss or of an empty tank. It only adds: 0.3.0 works with it.

alter table duty_plans
  add column escalates        boolean not null default true,
  add column first_minutes    real not null default 5 check (first_minutes between 0 and 120),    -- until the person on duty is told
  add column next_minutes     real not null default 5 check (next_minutes between 0 and 120),     -- from then until the next one is
  add column all_minutes      real not null default 5 check (all_minutes between 0 and 120),      -- from then until all are
  add column repeat_minutes   real check (repeat_minutes between 0 and 1440) default 10,          -- null: all are told once
  add column empty_percentage smallint default 5 check (empty_percentage between 0 and 50);       -- null: empty tanks are not told of

create table escalations (
  no              bigint generated always as identity primary key,
  id              uuid not null unique default gen_random_uuid(),
  organization_no int not null,
  tank_no         int not null,    -- no foreign key, as in tank_notes
  event_no        bigint not null unique,
  condition       text not null check (condition in ('losing', 'low')),
  stage           smallint not null default 0 check (stage between 0 and 2),  -- whom the next step tells: on duty, next, all
  step            int not null default 0,     -- how many steps were made
  next_at         timestamptz(3),             -- when the next one is made
  taken_at        timestamptz(3),             -- somebody handles it: no step is made until that ends
  began_at        timestamptz(3) not null default now(),
  ended_at        timestamptz(3),
  -- known: it was so before the plan was
  ended_because   text check (ended_because in ('over', 'told', 'unreachable', 'failed', 'known')),
  check ((ended_at is null) = (ended_because is null))
);
create unique index one_open_escalation on escalations (tank_no, condition) where ended_at is null;
create index escalations_by_time on escalations (organization_no, began_at);

create table escalation_jobs (like mail_jobs including all);

-- If no text of the last step can arrive any more, the next step is due at once. It is a trigger, because workers and reports of
-- providers both end texts. The first two steps only, if all were told: otherwise all would be told again and again.
create function hasten_escalation() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (
    select from texts where escalation_no = new.escalation_no and step = new.step and status in ('waiting', 'sent', 'delivered')
  ) then
    update escalation_jobs j
    set due_at = case when claimed_by is null then least(due_at, now()) else due_at end,
        due_again_at = case when claimed_by is not null then now() else due_again_at end
    from escalations e
    where e.no = new.escalation_no and e.step = new.step and e.ended_at is null and (e.stage < 2 or e.step <= 2) and e.taken_at is null
      and j.key = 'escalation:' || e.no and j.given_up_at is null;
  end if;
  return null;
end
$$;
create trigger hasten_escalation after update of status on texts
for each row when (new.status = 'failed' and old.status <> 'failed' and new.escalation_no is not null)
execute function hasten_escalation();
revoke execute on function hasten_escalation from public;

grant update (escalates, first_minutes, next_minutes, all_minutes, repeat_minutes, empty_percentage) on duty_plans
  to tankwatch_manager, tankwatch_operator;
grant select, insert on escalations to tankwatch_manager, tankwatch_operator;
grant select, insert, update, delete on escalations, escalation_jobs to tankwatch_worker;
