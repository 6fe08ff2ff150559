-- TEMPORARY: folded into the baseline when it is in.
drop index tank_states_by_timer;
drop index tank_states_to_reevaluate;
alter table tank_states drop column timer_on;
create index tank_states_by_timer on tank_states (timer_at, tank_no) where timer_at is not null;

alter table tanks add column settings_changed_at timestamptz(3);
create or replace view tank_settings as
select no as tank_no, organization_no, capacity, capacity_unit, deleted_at is not null as is_deleted,
       min_fill_alert_percentage, settings_changed_at
from tanks;

create function set_settings_changed_at() returns trigger language plpgsql as $$
begin
  new.settings_changed_at := now();
  return new;
end
$$;
create trigger set_settings_changed_at before update on tanks for each row
when ((old.min_fill_alert_percentage, old.capacity, old.capacity_unit)
  is distinct from (new.min_fill_alert_percentage, new.capacity, new.capacity_unit))
execute function set_settings_changed_at();

-- The tanks that a writer must re-evaluate. It is a table of its own, so that the many updates of tank_states by new
-- readings touch no index for it, and so that writers can take turns between organizations.
create table reevaluations (
  tank_no           int primary key,
  organization_no   int not null,
  -- The first and the last change of the alert settings that the tank state does not include; null: none.
  settings_from     timestamptz(3),
  settings_to       timestamptz(3),
  next_attempt_at   timestamptz(3) not null default now(),
  -- After a failure: the number of attempts, the time of the first one, and the last error.
  attempts          smallint not null default 0,
  failing_since     timestamptz(3),
  last_error        text,
  -- The tank state was written by a newer release. Only a release that reads this version re-evaluates the tank.
  waits_for_version smallint
);
create index reevaluations_due on reevaluations (organization_no, next_attempt_at, tank_no);
create index reevaluations_failing on reevaluations (failing_since) where failing_since is not null;
create index reevaluations_waiting on reevaluations (waits_for_version) where waits_for_version is not null;

create or replace function follow_settings() returns trigger language plpgsql as $$
begin
  insert into tank_settings_history (tank_no, at, min_fill_alert_percentage, capacity, capacity_unit)
  select o.no, now(), o.min_fill_alert_percentage, o.capacity, o.capacity_unit
  from old_rows o join new_rows n using (no)
  where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit)
    is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit)
  order by o.no
  on conflict do nothing;

  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select n.no, n.organization_no, now(), now()
  from old_rows o join new_rows n using (no)
  where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit)
    is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit)
    and exists (select from tank_states s where s.tank_no = n.no)
  order by n.no
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
end
$$;

grant select, insert, update, delete on reevaluations to tankwatch_writer, tankwatch_operator;

alter table event_mails alter column sent_at drop not null;
create index event_mails_to_group on event_mails (recipient_no, no) where sent_at is null;

-- When a contact last received a mail about several devices. The next one waits for ten minutes.
create table device_mails (
  contact_no int not null references contacts,
  type       text not null,
  sent_at    timestamptz(3) not null,
  primary key (contact_no, type)
);
grant select, insert, update on device_mails to tankwatch_worker;
grant update, delete on event_mails to tankwatch_worker;
