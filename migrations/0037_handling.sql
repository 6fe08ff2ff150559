-- Acknowledgements ("I know, Pedro is there at 14:00") and mutes (a tank under maintenance): what is handled stays visible, has an
-- end, and returns by itself. It only adds: 0.2.0 works with it, and shows and mails handled tanks like all others.

-- First, because an import locks tanks before fleet_tanks too. What a deleted tank leaves: after follow_changed_tanks, by the order of names, which has deleted the row in fleet_tanks.
create function forget_handling() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  deleted int[] := array(
    select n.no from old_rows o join new_rows n using (no) where o.deleted_at is null and n.deleted_at is not null
  );
begin
  if cardinality(deleted) > 0 then
    update idempotency_keys set answer = null
    where object = 'acknowledgement' and object_no in (select no from acknowledgements where tank_no = any (deleted));
    update idempotency_keys set answer = null
    where object = 'mute' and object_no in (select no from mutes where tank_no = any (deleted));
    delete from acknowledgements where tank_no = any (deleted);
    delete from mutes where tank_no = any (deleted);
  end if;
  return null;
end
$$;
create trigger forget_handling after update on tanks referencing old table as old_rows new table as new_rows
for each statement execute function forget_handling();

-- Bits: 1 losing, 2 low, 4 gauge_unreliable, 8 silent are acknowledged since the condition began, 16 the tank is muted. A bit that
-- is set says "look at handled_conditions"; one that is not set is final. The row changes with it, so live pages learn of it.
alter table fleet_tanks add column handled smallint not null default 0;
-- Most tanks have no note, and a page of tanks then reads no table of notes.
alter table fleet_tanks add column has_notes boolean not null default false;

create table acknowledgements (
  no              int generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null,
  tank_no         int not null,  -- no foreign key, as in tank_notes
  condition       text not null check (condition in ('losing', 'low', 'gauge_unreliable', 'silent')),
  until           timestamptz(3) not null,
  comment         text check (length(comment) between 1 and 500),
  -- The believed level in whole percents when it was acknowledged. Null: the tank has none.
  fill            smallint,
  -- Of a low tank: it returns at this level. Null: the level does not count.
  returns_at      real,
  -- Of a loss: its event, its rate in percentage points an hour, and the time of the latest reading.
  loss_at         timestamptz(3),
  loss_per_hour   real,
  loss_reading_at timestamptz(3),
  acknowledged_by text not null default current_actor(),
  created_at      timestamptz(3) not null default now(),
  ended_at        timestamptz(3),
  ended_because   text check (ended_because in ('resolved', 'new_event', 'worse', 'expired', 'withdrawn', 'replaced')),
  check ((ended_at is null) = (ended_because is null)),
  check ((condition = 'losing') = (loss_at is not null))
);
create unique index one_acknowledgement_per_condition on acknowledgements (tank_no, condition) where ended_at is null;
create index acknowledgements_of_tank on acknowledgements (tank_no, no);
create index open_acknowledgements on acknowledgements (organization_no, condition, tank_no) where ended_at is null;

create table mutes (
  no              int generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null,
  tank_no         int not null,
  until           timestamptz(3) not null,
  reason          text check (length(reason) between 1 and 500),
  muted_by        text not null default current_actor(),
  created_at      timestamptz(3) not null default now(),
  ended_at        timestamptz(3),
  ended_because   text check (ended_because in ('expired', 'withdrawn')),
  check ((ended_at is null) = (ended_because is null))
);
create unique index one_mute_per_tank on mutes (tank_no) where ended_at is null;
create index mutes_of_tank on mutes (tank_no, no);
create index open_mutes on mutes (organization_no, tank_no) where ended_at is null;

create trigger audit_new_acknowledgements after insert on acknowledgements referencing new table as new_rows
for each statement execute function audit_creation('acknowledgement', 'organization_no');
create trigger audit_changed_acknowledgements after update on acknowledgements
referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('acknowledgement', 'organization_no');
create trigger audit_new_mutes after insert on mutes referencing new table as new_rows
for each statement execute function audit_creation('mute', 'organization_no');
create trigger audit_changed_mutes after update on mutes referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('mute', 'organization_no');

----------------------------------------------------------------------------------------------------- what is handled now

create function condition_bit(condition text) returns int immutable parallel safe language sql as $$
  select case condition when 'losing' then 1 when 'low' then 2 when 'gauge_unreliable' then 4 when 'silent' then 8 end
$$;

-- The conditions of tanks that are true now. 48 hours: LOSING_HOURS in src/fleet/sections.ts.
create view tank_conditions as
select f.organization_no, f.tank_no, c.condition
from fleet_tanks f
cross join lateral (values
  ('losing', f.losing_seen_at > '-infinity' and f.losing_seen_at > now() - interval '48 hours'),
  ('low', f.is_low),
  ('gauge_unreliable', f.is_gauge_unreliable),
  ('silent', f.is_silent)
) as c (condition, is_true)
where c.is_true;

-- The acknowledgements whose end is not recorded, and why they are over; null: they hold. All reads and mails use this view and
-- not the worker's record: a stopped worker hides nothing.
-- A loss is faster by half if the level fell by 1.5 times what its rate explains, and by 2 points more, because levels are rounded.
-- `case` reads levels, readings and events only for the conditions that need them. Joins would read them for all.
create view acknowledgement_ends as
select a.no, a.id, a.organization_no, a.tank_no, a.condition, a.until, a.comment, a.returns_at, a.acknowledged_by, a.created_at,
       case
         when (f.handled & condition_bit(a.condition)) is distinct from condition_bit(a.condition) then 'resolved'
         -- Time ends a loss. A bit of another condition is cleared with the condition.
         when a.condition = 'losing' and f.losing_seen_at <= now() - interval '48 hours' then 'resolved'
         when a.condition = 'losing' and exists (
             select from events e
             where e.tank_no = a.tank_no and e.type = 'tank.rapid_loss' and e.retracted_at is null and e.occurred_at > a.loss_at
           ) then 'new_event'
         when a.returns_at is not null
           and (select l.fill from fleet_levels l where l.tank_no = a.tank_no) <= a.returns_at then 'worse'
         when a.condition = 'losing'
           and (select l.fill from fleet_levels l where l.tank_no = a.tank_no)
             <= a.fill - 2 - 1.5 * coalesce(a.loss_per_hour, 0) * coalesce((
               select greatest(0, extract(epoch from s.latest_at - a.loss_reading_at)) from tank_states s
               where s.tank_no = a.tank_no and s.latest_at > '-infinity'  -- infinite times cannot be subtracted
             ), 0) / 3600 then 'worse'
         when a.until <= now() then 'expired'
       end as over_because
from acknowledgements a
-- `offset 0`: row by row. PostgreSQL would rather read a fleet of 200,000 tanks (600 ms) than look up 1,000 of them.
left join lateral (select handled, losing_seen_at from fleet_tanks where tank_no = a.tank_no offset 0) as f on true
where a.ended_at is null;

create view muted_tanks as
select m.no, m.id, m.organization_no, m.tank_no, m.until, m.reason, m.muted_by, m.created_at from mutes m
where m.ended_at is null and m.until > now();

-- The conditions that are handled now: acknowledged, or of a muted tank (then without an acknowledgement). A mute never covers a
-- loss: a tank that begins to leak during maintenance is reported.
create view handled_conditions as
select e.organization_no, e.tank_no, e.condition, e.id as acknowledgement_id, e.until, e.comment, e.returns_at, e.acknowledged_by,
       coalesce(c.name, c.email) as name, e.created_at
from acknowledgement_ends e
left join contacts c on c.id = case when e.acknowledged_by like 'contact %' then substr(e.acknowledged_by, 9)::uuid end
where e.over_because is null
union all
select m.organization_no, m.tank_no, c.condition, null, m.until, m.reason, null, m.muted_by, null, m.created_at
from muted_tanks m
cross join lateral (select condition from tank_conditions where tank_no = m.tank_no offset 0) as c
where c.condition <> 'losing';

-- The same as functions, for statements that are already large: PostgreSQL plans a view again in each place of each statement
-- (a page of tanks took 70 ms instead of 5), and a function once for each connection.
-- The tanks of an organization with a handled condition.
create function handled_tanks(in_organization_no int) returns table (tank_no int, bits int)
stable rows 100 language plpgsql as $$
#variable_conflict use_column
begin
  return query select h.tank_no, bit_or(condition_bit(h.condition)) from handled_conditions h
    where h.organization_no = in_organization_no group by h.tank_no;
end
$$;
-- What is handled of one tank: the bits of its conditions, the acknowledgements, and the end of its mute. Without a tank (null) it
-- is not called. Times have the form of
-- the API, because to_json writes them with an offset and without trailing zeros.
create function handling_of(in_tank_no int) returns table (bits int, handled json, muted_until timestamptz)
stable strict rows 1 language plpgsql as $$
#variable_conflict use_column
begin
  return query select bit_or(condition_bit(h.condition)),
      json_agg(json_build_object(
        'condition', h.condition, 'acknowledgement_id', h.acknowledgement_id,
        'until', to_char(h.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'comment', h.comment, 'name', h.name,
        'since', to_char(h.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'returns_at_percentage', h.returns_at
      ) order by h.condition) filter (where h.acknowledgement_id is not null),
      (select m.until::timestamptz from muted_tanks m where m.tank_no = in_tank_no)
    from handled_conditions h where h.tank_no = in_tank_no;
end
$$;
revoke execute on function handled_tanks, handling_of from public;

-- Everything whose end has come and is not recorded, for the worker.
create view tanks_to_end as
select tank_no from acknowledgement_ends where over_because is not null
union
select tank_no from mutes where ended_at is null and until <= now();

----------------------------------------------------------------------------------------------------- bits

-- A condition that ends takes its bit with it, in the transaction of the reading: if it begins again before the worker has
-- recorded the end, it is not handled. For a tank without a bit this costs a comparison.
create function end_resolved_conditions() returns trigger language plpgsql as $$
begin
  new.handled := new.handled & (16
    | case when new.losing_seen_at > '-infinity' then 1 else 0 end
    | case when new.is_low then 2 else 0 end
    | case when new.is_gauge_unreliable then 4 else 0 end
    | case when new.is_silent then 8 else 0 end);
  return new;
end
$$;
create trigger end_resolved_conditions before update on fleet_tanks for each row
when ((new.handled & 15) <> 0) execute function end_resolved_conditions();

create function mark_acknowledged() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    update fleet_tanks set handled = handled | condition_bit(new.condition) where tank_no = new.tank_no;
  else
    update fleet_tanks set handled = handled & ~condition_bit(new.condition) where tank_no = new.tank_no;
  end if;
  return null;
end
$$;
create trigger mark_acknowledged after insert on acknowledgements for each row execute function mark_acknowledged();
create trigger mark_ended after update on acknowledgements for each row
when (old.ended_at is null and new.ended_at is not null) execute function mark_acknowledged();

-- Writes the row also if only the end of the mute has moved.
create function mark_muted() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update fleet_tanks set handled = case when new.ended_at is null then handled | 16 else handled & ~16 end
  where tank_no = new.tank_no;
  return null;
end
$$;
create trigger mark_muted after insert or update on mutes for each row execute function mark_muted();

create function mark_noted() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update fleet_tanks
  set has_notes = exists (select from tank_notes n where n.tank_no = new.tank_no and n.deleted_at is null)
  where tank_no = new.tank_no;
  return null;
end
$$;
create trigger mark_noted after insert or update on tank_notes for each row execute function mark_noted();
update fleet_tanks set has_notes = true where tank_no in (select tank_no from tank_notes where deleted_at is null);

-- Whoever changes acknowledgements or mutes locks the row of the tank in fleet_tanks first, so that nobody waits in a circle.
create function lock_handled_tank(in_tank_no int) returns void
language sql security definer set search_path = public, pg_temp as $$
  select from fleet_tanks where tank_no = in_tank_no for no key update
$$;
revoke execute on function lock_handled_tank from public;

----------------------------------------------------------------------------------------------------- events

-- Records what somebody did, or that it ended, as an event that no reading has caused. Two within a millisecond have different
-- times, because tank, type and time identify an event. The data has ids only: a comment and a name are joined when it is sent.
create function record_work_event(in_tank_no int, in_type text, in_data jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  at timestamptz(3) := now();
  event_no bigint;
  tank record;
begin
  if in_type not in ('tank.acknowledged', 'tank.acknowledgement_ended', 'tank.muted', 'tank.unmuted') then
    raise exception 'events of the type % are recorded by evaluation only', in_type;
  end if;
  select id, organization_no into tank from tanks where no = in_tank_no and deleted_at is null;
  if tank.id is null then
    return;
  end if;
  loop
    insert into events (id, organization_no, tank_no, type, occurred_at, data, readings, notify)
    values (derive_event_id(tank.id, in_type, at), tank.organization_no, in_tank_no, in_type, at, in_data, '[]', true)
    on conflict do nothing returning no into event_no;
    exit when event_no is not null;
    at := at + interval '1 millisecond';
  end loop;
  perform enqueue_events(array[event_no]);
end
$$;
revoke execute on function record_work_event from public;

-- Records the ends that have come, with one event for each tank. Returns the number of tanks with an end.
create function end_handling(in_tank_nos int[]) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ended record;
  tank_nos int[] := '{}';
begin
  perform from fleet_tanks where tank_no = any (in_tank_nos) order by tank_no for no key update;
  for ended in
    with recorded as (
      update acknowledgements a set ended_at = now(), ended_because = e.over_because
      from acknowledgement_ends e
      where e.no = a.no and e.tank_no = any (in_tank_nos) and e.over_because is not null and a.ended_at is null
      returning a.no, a.id, a.tank_no, a.condition, a.ended_because
    )
    select tank_no, jsonb_agg(jsonb_build_object('acknowledgement_id', id, 'condition', condition, 'because', ended_because)
                              order by no) as list
    from recorded group by tank_no order by tank_no
  loop
    perform record_work_event(ended.tank_no, 'tank.acknowledgement_ended', jsonb_build_object('ended', ended.list));
    tank_nos := tank_nos || ended.tank_no;
  end loop;
  for ended in
    update mutes set ended_at = now(), ended_because = 'expired'
    where tank_no = any (in_tank_nos) and ended_at is null and until <= now()
    returning tank_no, id
  loop
    perform record_work_event(ended.tank_no, 'tank.unmuted', jsonb_build_object('mute_id', ended.id, 'because', 'expired'));
    tank_nos := tank_nos || ended.tank_no;
  end loop;
  return (select count(distinct no) from unnest(tank_nos) as no);
end
$$;
revoke execute on function end_handling from public;

----------------------------------------------------------------------------------------------------- rights

grant select on handled_conditions, muted_tanks to tankwatch_api, tankwatch_worker, tankwatch_operator, tankwatch_manager;
grant execute on function handled_tanks to tankwatch_api;
grant execute on function handling_of to tankwatch_api, tankwatch_worker, tankwatch_operator;
grant select (no, id, tank_no, text, prints, written_by, created_at, deleted_at) on tank_notes to tankwatch_api;
grant select on tank_conditions, tanks_to_end to tankwatch_worker;
grant select on acknowledgements, mutes to tankwatch_worker;
grant execute on function end_handling to tankwatch_worker, tankwatch_manager;
-- For `tankwatch audit`.
grant select (no, id) on acknowledgements, mutes to tankwatch_operator;

grant select, insert on acknowledgements, mutes to tankwatch_manager;
grant update (ended_at, ended_because) on acknowledgements to tankwatch_manager;
grant update (until, reason, ended_at, ended_because) on mutes to tankwatch_manager;
grant select on tank_conditions, acknowledgement_ends, fleet_tanks, fleet_levels to tankwatch_manager;
grant select (tank_no, type, occurred_at, retracted_at, readings) on events to tankwatch_manager;
grant select (tank_no, latest_at, latest_fill_percentage) on tank_states to tankwatch_manager;
grant execute on function lock_handled_tank, record_work_event to tankwatch_manager;
