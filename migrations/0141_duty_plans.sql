-- Who is on duty. It only adds: 0.3.0 works with it.

-- One plan of an organization. Times are what a clock in the zone of the organization shows. The program checks the two lists.
create table duty_plans (
  no              int generated always as identity primary key,
  organization_no int not null unique references organizations,
  shifts          jsonb not null default '[]' check (octet_length(shifts::text) <= 65536),
  exceptions      jsonb not null default '[]' check (octet_length(exceptions::text) <= 65536),
  updated_at      timestamptz(3) not null default now()
);
create trigger audit_new_duty_plans after insert on duty_plans referencing new table as new_rows
for each statement execute function audit_creation('duty_plan', 'organization_no');
create trigger audit_changed_duty_plans after update on duty_plans referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('duty_plan', 'organization_no');

-- Who is on duty at a time, and who is next. No row: nobody is planned. A null: nobody, or a person who was removed.
-- Times are compared as the clock shows them. So a shift ends at its time also in the night of a clock change, and the hour that
-- comes twice belongs to the same person both times. A shift whose end is not after its beginning ends on the next day.
create function on_duty(organization int, at timestamptz)
returns table (contact_no int, next_contact_no int, is_exception boolean)
stable rows 1 language sql as $$
  with plan as (
    select p.shifts, p.exceptions, at at time zone o.time_zone as clock
    from duty_plans p join organizations o on o.no = p.organization_no where o.no = organization
  ), planned as (
    select 0 as rank, x.value, x.position from plan cross join jsonb_array_elements(exceptions) with ordinality as x (value, position)
    where clock >= (x.value ->> 'from')::timestamp and clock < (x.value ->> 'to')::timestamp
    union all
    select 1, x.value, x.position from plan cross join jsonb_array_elements(shifts) with ordinality as x (value, position)
    cross join (values (0), (1)) as began (days_ago)
    cross join lateral (select clock::date - days_ago as day) as first
    where x.value -> 'weekdays' @> to_jsonb(extract(isodow from day)::int)
      and clock >= day + (x.value ->> 'from')::time
      and clock < day + (x.value ->> 'to')::time + make_interval(days => case when x.value ->> 'to' <= x.value ->> 'from' then 1 else 0 end)
  )
  select c.no, n.no, rank = 0
  from (select * from planned order by rank, position limit 1) as one
  left join contacts c on c.organization_no = organization and c.id = (value ->> 'contact_id')::uuid and c.deleted_at is null
  left join contacts n on n.organization_no = organization and n.id = (value ->> 'next_contact_id')::uuid and n.deleted_at is null
$$;
revoke execute on function on_duty from public;
grant execute on function on_duty to tankwatch_worker, tankwatch_manager, tankwatch_operator;

grant select, insert on duty_plans to tankwatch_manager, tankwatch_operator;
grant update (shifts, exceptions, updated_at) on duty_plans to tankwatch_manager, tankwatch_operator;
grant select on duty_plans to tankwatch_worker;
