-- What a tank's readings mean so far (the fold's state, packed), beside its latest reading and saved with it.
alter table tank_states
  add column encoded_state     text,            -- null: nothing folded yet
  add column timer_at      timestamptz(3),  -- when the clock alone will have something to say: silence, an alert to confirm
  -- The day of it, which changes once a day. An index on the time itself would change with every reading, and with it
  -- every other index of the row.
  add column timer_on      date generated always as ((timer_at at time zone 'UTC')::date) stored,
  -- Something arrived out of order: everything from this time on is to be folded again, by a writer that has the time.
  add column reevaluate_from timestamptz(3);

create index tank_states_by_timer on tank_states (timer_on);
create index tank_states_to_reevaluate on tank_states (tank_no) where reevaluate_from is not null;

-- States of the last weeks to fold again from, four for each tank, overwritten in turn. What arrives later than those
-- reach is folded again from the tank's first reading.
create table tank_checkpoints (
  tank_no int not null,
  slot    smallint not null,  -- the week, modulo 4
  at      timestamptz(3) not null,
  encoded_state text not null,
  primary key (tank_no, slot)
) with (fillfactor = 70);

-- What a tank's settings were until each change of them, so that a late reading is judged by those of its time.
create table tank_settings_history (
  tank_no                   int not null,
  at                        timestamptz(3) not null,
  min_fill_alert_percentage smallint not null,
  capacity                  double precision not null,
  capacity_unit             text not null,
  primary key (tank_no, at)
);

create or replace view tank_settings as
select no as tank_no, organization_no, capacity, capacity_unit, deleted_at is not null as is_deleted,
       min_fill_alert_percentage
from tanks;

-- By trigger, so that no writer can forget it. The tank is to be judged at once by its new settings: what is marked
-- here, a writer folds within a second.
create function follow_settings() returns trigger language plpgsql as $$
begin
  -- Of two changes in one millisecond the first one knows what was before.
  insert into tank_settings_history (tank_no, at, min_fill_alert_percentage, capacity, capacity_unit)
  select o.no, now(), o.min_fill_alert_percentage, o.capacity, o.capacity_unit
  from old_rows o join new_rows n using (no)
  where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit)
    is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit)
  on conflict do nothing;

  update tank_states s set reevaluate_from = least(reevaluate_from, now())
  from (
    select no from old_rows o join new_rows n using (no)
    where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit)
      is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit)
    order by no
  ) as changed
  where s.tank_no = changed.no;
  return null;
end
$$;
create trigger changed_settings after update on tanks referencing old table as old_rows new table as new_rows
for each statement execute function follow_settings();

grant select, insert, update on tank_checkpoints to tankwatch_writer, tankwatch_operator;
grant select on tank_settings_history to tankwatch_writer;
grant select, insert on tank_settings_history to tankwatch_operator;
