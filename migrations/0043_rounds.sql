-- Depots, trucks, drivers, delivery days and rounds. It only adds: 0.2.0 works with it. The references and the trigger lock
-- organizations for a moment.

-- Where trucks start and are loaded.
create table depots (
  no              int generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null references organizations,
  name            text not null check (length(name) between 1 and 200),
  latitude        double precision not null check (latitude between -90 and 90),
  longitude       double precision not null check (longitude between -180 and 180),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  archived_at     timestamptz(3),  -- not offered any more. The row stays, because rounds and delivery notes name it
  unique (organization_no, no)
);

create table trucks (
  no              int generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null references organizations,
  name            text not null check (length(name) between 1 and 200),  -- as people and delivery notes call it
  depot_no        int not null,
  capacity        double precision not null check (capacity > 0 and capacity < 'infinity'),
  capacity_unit   text not null check (capacity_unit in ('liters', 'gallons')),
  product         text check (length(product) between 1 and 100),
  -- Whether its meter converts to the volume at 15.6 degrees Celsius. Null: nobody knows.
  is_compensated  boolean,
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  archived_at     timestamptz(3),
  unique (organization_no, no),
  foreign key (organization_no, depot_no) references depots (organization_no, no)
);
-- Delivery notes name a truck by its name.
create unique index one_truck_per_name on trucks (organization_no, lower(name)) where archived_at is null;

create table drivers (
  no              int generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null references organizations,
  name            text check (length(name) between 1 and 200),
  phone           text check (length(phone) between 1 and 50),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  archived_at     timestamptz(3),
  deleted_at      timestamptz(3),  -- the name is erased; the number stays for rounds and totals
  unique (organization_no, no),
  constraint deleted_driver_is_empty check ((deleted_at is null) = (name is not null) and (deleted_at is null or phone is null))
);
create unique index one_driver_per_name on drivers (organization_no, lower(name)) where archived_at is null;

-- On which weekdays a truck comes, to all tanks of a city or to one tank. The tank's own days count before those of its city.
create table delivery_days (
  no              int generated always as identity primary key,
  organization_no int not null references organizations,
  city            text check (city <> ''),  -- as in tanks
  tank_no         int,                      -- no foreign key, as in tank_notes
  weekdays        smallint[] not null       -- 1 is Monday, 7 is Sunday. Empty: as if nothing was set
    check (weekdays <@ array[1, 2, 3, 4, 5, 6, 7]::smallint[] and cardinality(weekdays) <= 7),
  updated_at      timestamptz(3) not null default now(),
  constraint city_or_tank check (num_nonnulls(city, tank_no) = 1)
);
create unique index delivery_days_of_city on delivery_days (organization_no, city) where city is not null;
create unique index delivery_days_of_tank on delivery_days (tank_no) where tank_no is not null;

-- A round: the stops of one truck on one day.
create table rounds (
  no                 int generated always as identity primary key,
  id                 uuid not null unique,
  organization_no    int not null references organizations,
  -- The day by the clock of the organization, and when it begins and ends. Node computes the times: PostgreSQL may not know the
  -- name of the time zone.
  date               date not null,
  day_begins_at      timestamptz(3) not null,
  day_ends_at        timestamptz(3) not null,
  truck_no           int not null,
  driver_no          int,
  -- What was decided. A round whose stops are all closed is done too: see round_states.
  state              text not null default 'planned' check (state in ('planned', 'under_way', 'done', 'cancelled')),
  fill_to_percentage real not null check (fill_to_percentage between 1 and 100),
  chance_limit       real not null check (chance_limit between 0 and 1),  -- a chance above it made a tank a must
  -- Raised to end the links of the driver that were made before.
  link_generation    int not null default 0,
  -- Raised by each change of the plan by a person or a program. What a driver or a gauge says does not raise it.
  version            int not null default 1,
  last_stop_number   int not null default 0,  -- numbers of stops are not used again: a phone may still send what it knows of one
  started_at         timestamptz(3),
  ended_at           timestamptz(3),  -- done or cancelled
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now(),
  unique (organization_no, no),
  foreign key (organization_no, truck_no) references trucks (organization_no, no),
  foreign key (organization_no, driver_no) references drivers (organization_no, no),
  check (day_begins_at < day_ends_at),
  constraint ended_round_has_a_time check ((state in ('done', 'cancelled')) = (ended_at is not null))
);
create index rounds_by_date on rounds (organization_no, date, no);
create index open_rounds on rounds (day_ends_at) where state in ('planned', 'under_way');

create table round_stops (
  no              int generated always as identity primary key,
  organization_no int not null,
  round_no        int not null references rounds on delete cascade,
  number          int not null check (number > 0),    -- of the stop in its round. It stays when the order changes
  position        int not null check (position > 0),  -- in the order of the round
  tank_no         int,  -- null: the tank was deleted, and nothing says which it was
  litres          double precision not null check (litres >= 0 and litres < 'infinity'),  -- that are planned
  kind            text not null check (kind in ('must', 'could', 'added')),
  chance          real check (chance between 0 and 1),  -- of being empty before the next visit, when it was planned
  -- What the driver or a person said. Null: nobody did. The word of the driver stays when a person says something else.
  said            text check (said in ('delivered', 'not_possible')),
  said_reason     text check (said_reason in ('no_access', 'refused', 'full', 'truck_empty', 'unsafe', 'other')),
  said_litres     double precision check (said_litres >= 0 and said_litres < 'infinity'),
  said_as         text check (said_as in ('driver', 'person')),
  said_by         text,            -- as in the audit log
  said_at         timestamptz(3),  -- when it happened, by the clock of the phone or of the server
  -- Both follow the round and `said`, by triggers.
  round_date      date not null,
  is_open         boolean not null,
  unique (round_no, number),
  unique (round_no, tank_no),
  constraint one_position_per_stop unique (round_no, position) deferrable initially deferred,
  constraint word_is_complete check (
    (said is null) = (said_as is null) and (said is null) = (said_at is null)
    and (said_reason is not null) = coalesce(said = 'not_possible', false)
    and (said_litres is null or said = 'delivered')
  )
);
-- Two trucks do not go to one tank on the same day.
create unique index one_open_stop_per_tank_and_day on round_stops (tank_no, round_date) where is_open;
create index round_stops_of_tank on round_stops (tank_no);

create function set_stop_openness() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  select r.date, r.state in ('planned', 'under_way') and new.said is null into new.round_date, new.is_open
  from rounds r where r.no = new.round_no;
  return new;
end
$$;
create trigger set_stop_openness before insert or update on round_stops for each row execute function set_stop_openness();

create function follow_changed_round() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update round_stops set round_date = new.date where round_no = new.no;  -- set_stop_openness does the rest
  return null;
end
$$;
create trigger follow_changed_round after update on rounds for each row
when ((old.date, old.state) is distinct from (new.date, new.state)) execute function follow_changed_round();

----------------------------------------------------------------------------------------------------- what is derived

-- The outcome of each stop: what the driver or a person said, or else the refill that the gauge saw, or else whether the round
-- is over. Nothing is stored of the gauge, so that a retracted refill opens the stop again. The refill happened between the first
-- two readings of its event, and this time must touch the day of the round: a gauge that reports once a day sees the delivery
-- of Tuesday on Wednesday. After 36 hours the round is over. A refill that may be a fault of the gauge is none.
create view round_stop_outcomes as
select s.no as stop_no, s.round_no,
       case when s.said is not null then s.said
            when seen.at is not null then 'delivered'
            when r.state in ('done', 'cancelled') then 'not_done'
            else 'open' end as outcome,
       case when s.said is not null then s.said_as when seen.at is not null then 'gauge' end as outcome_from,
       seen.at as seen_at, seen.litres as seen_litres,
       -- The gauge disagrees. It sees no delivery of a few percent, and has 12 hours after the day to report a larger one.
       case when s.said = 'not_possible' and seen.at is not null then 'refill_seen'
            when s.said = 'delivered' and seen.at is null and t.assigned_device_id not like 'MAN-%'
              and z.latest_at > greatest(s.said_at, r.day_ends_at) + interval '12 hours'
              and coalesce(s.said_litres, s.litres)
                > 0.1 * t.capacity * case t.capacity_unit when 'gallons' then 3.785411784 else 1 end
            then 'no_refill_seen' end as contradiction
from round_stops s
join rounds r on r.no = s.round_no
left join tanks t on t.no = s.tank_no
left join tank_states z on z.tank_no = s.tank_no
left join lateral (
  select e.occurred_at as at,
         (e.data ->> 'delivered_volume')::double precision
           * case e.data ->> 'volume_unit' when 'gallons' then 3.785411784 else 1 end as litres
  from events e
  where e.tank_no = s.tank_no and e.type = 'tank.refilled' and e.retracted_at is null
    and e.occurred_at >= r.day_begins_at and e.occurred_at < r.day_ends_at + interval '36 hours'
    and coalesce((e.readings -> 1 ->> 'created_at')::timestamptz, e.occurred_at) >= r.day_begins_at
    and coalesce((e.readings -> 0 ->> 'created_at')::timestamptz, e.occurred_at) < r.day_ends_at
    and e.data -> 'maybe_gauge_fault' is null
  order by e.occurred_at limit 1
) as seen on true;

-- The state of each round. It is done when all its stops are closed, also by the gauge alone.
create view round_states as
select r.no as round_no, r.organization_no,
       case when r.state in ('planned', 'under_way') and c.stops > 0 and c.open = 0 then 'done' else r.state end as state,
       c.stops, c.open, c.delivered, c.not_possible, c.not_done
from rounds r
cross join lateral (
  select count(*)::int as stops, count(*) filter (where x.outcome = 'open')::int as open,
         count(*) filter (where x.outcome = 'delivered')::int as delivered,
         count(*) filter (where x.outcome = 'not_possible')::int as not_possible,
         count(*) filter (where x.outcome = 'not_done')::int as not_done
  from round_stop_outcomes x where x.round_no = r.no
) as c;

----------------------------------------------------------------------------------------------------- audit and erasure

create trigger audit_new_depots after insert on depots referencing new table as new_rows
for each statement execute function audit_creation('depot', 'organization_no');
create trigger audit_changed_depots after update on depots referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('depot', 'organization_no');
create trigger audit_new_trucks after insert on trucks referencing new table as new_rows
for each statement execute function audit_creation('truck', 'organization_no');
create trigger audit_changed_trucks after update on trucks referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('truck', 'organization_no');
create trigger audit_new_drivers after insert on drivers referencing new table as new_rows
for each statement execute function audit_creation('driver', 'organization_no');
create trigger audit_changed_drivers after update on drivers referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('driver', 'organization_no');
create trigger audit_new_delivery_days after insert on delivery_days referencing new table as new_rows
for each statement execute function audit_creation('delivery_days', 'organization_no');
create trigger audit_changed_delivery_days after update on delivery_days referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('delivery_days', 'organization_no');
-- Each change of the stops of a round also changes its version.
create trigger audit_new_rounds after insert on rounds referencing new table as new_rows
for each statement execute function audit_creation('round', 'organization_no');
create trigger audit_changed_rounds after update on rounds referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('round', 'organization_no');

create function erase_driver() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update idempotency_keys set answer = null where object = 'driver' and object_no = new.no;
  return null;
end
$$;
create trigger erase_driver after update on drivers for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function erase_driver();

create function delete_rounds() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from rounds where organization_no = new.no;
  delete from delivery_days where organization_no = new.no;
  delete from drivers where organization_no = new.no;
  delete from trucks where organization_no = new.no;
  delete from depots where organization_no = new.no;
  return null;
end
$$;
create trigger delete_rounds after update on organizations for each row
when (old.erased_at is null and new.erased_at is not null) execute function delete_rounds();

----------------------------------------------------------------------------------------------------- rights

grant select on depots, trucks, drivers, delivery_days, rounds, round_stops, round_stop_outcomes, round_states
to tankwatch_api, tankwatch_manager, tankwatch_worker, tankwatch_operator;
-- A proposal of a round is computed from the states and the weather of tanks.
grant select on fleet_tanks, tank_weather, places to tankwatch_manager;
grant select (tank_no, latest_at, latest_fill_percentage, encoded_state) on tank_states to tankwatch_manager;
grant select (no, time_zone) on organizations to tankwatch_manager;
grant insert, update on depots, trucks, drivers, delivery_days, rounds, round_stops to tankwatch_manager, tankwatch_operator;
grant delete on round_stops to tankwatch_manager, tankwatch_operator;
-- What a driver must know is read with the round.
grant select (no, tank_no, text, prints, deleted_at) on tank_notes to tankwatch_api;
-- The worker ends rounds 36 hours after their day.
grant update (state, ended_at, updated_at) on rounds to tankwatch_worker;
