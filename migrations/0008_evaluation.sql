-- Evaluation: the state of every tank, its checkpoints, the history of its alert settings, and the events.

-- One row for each tank that has ever reported. Writers lock this row before they change the tank's readings and
-- counters, in the order of tank_no, so that two writers neither deadlock nor count into a bucket that the other splits.
create table tank_states (
  tank_no                int primary key,
  latest_fill_percentage real not null,
  latest_at              timestamptz(3) not null,
  encoded_state          text,            -- the tank state; null: not evaluated yet
  -- When to look at the tank even without a reading. New readings move the time at which a device becomes silent, and
  -- timer_at stays: a writer looks at the tank at timer_at, and moves it then. If each reading changed it, PostgreSQL
  -- would have to update every index of the row.
  timer_at               timestamptz(3),
  -- A late reading arrived, or an evaluation failed: a writer evaluates the tank again from this time on.
  reevaluate_from        timestamptz(3)
) with (fillfactor = 70);

create index tank_states_by_timer on tank_states (timer_at, tank_no) where timer_at is not null;

-- The queue of tanks to re-evaluate: all tanks with tank_states.reevaluate_from, and those whose alert settings have
-- changed. A table of its own, so that updates of tank_states need no index for it, and so that organizations take turns.
create table reevaluations (
  tank_no           int primary key,
  organization_no   int not null,
  -- The first and the last change of the alert settings that the tank state does not include; null: none.
  settings_from     timestamptz(3),
  settings_to       timestamptz(3),
  next_attempt_at   timestamptz(3) not null default now(),
  -- Since the last success: the number of failed attempts, the time of the first one, and the last error.
  attempts          smallint not null default 0,
  failing_since     timestamptz(3),
  last_error        text,
  -- An older release wrote the tank state and recorded the events: nobody is notified of them again.
  is_after_upgrade  boolean not null default false,
  -- A newer release wrote the tank state. Only a release that reads this version evaluates the tank.
  waits_for_version smallint
);
create index reevaluations_due on reevaluations (organization_no, next_attempt_at, tank_no);
create index reevaluations_failing on reevaluations (failing_since) where failing_since is not null;
create index reevaluations_waiting on reevaluations (waits_for_version) where waits_for_version is not null;

-- States of the last four weeks, one a week, from which evaluation can restart. Weeks of different tanks begin at
-- different times, so that not all tanks write a checkpoint in the same hour. A reading that is older than all
-- checkpoints of its tank causes a re-evaluation from the tank's first reading, or from the base checkpoint if the readings
-- before it were dropped.
create table tank_checkpoints (
  tank_no       int not null,
  -- The number of the tank's own week modulo 4. 4: the base checkpoint, the state at the last reading that was dropped.
  week_index    smallint not null,
  at            timestamptz(3) not null,
  encoded_state text not null,
  primary key (tank_no, week_index)
) with (fillfactor = 70);

-- The columns of a tank that a writer needs, without personal data and location.
create view tank_settings as
select no as tank_no, id as tank_id, organization_no, capacity, capacity_unit, deleted_at is not null as is_deleted,
       min_fill_alert_percentage, settings_changed_at
from tanks;

-- The alert settings of a tank before each change, so that a late reading is evaluated with the settings of its time.
create table tank_settings_history (
  tank_no                   int not null,
  at                        timestamptz(3) not null,
  min_fill_alert_percentage smallint not null,
  capacity                  double precision not null,
  capacity_unit             text not null,
  primary key (tank_no, at)
);

-- A trigger, so that every writer is covered. It also adds the tank to the queue, and a writer re-evaluates it within a
-- second. It does not lock tank_states: a change of a million tanks must not stop their readings. Every transaction
-- that adds to the queue does so in the order of tank_no, so that two of them cannot deadlock.
create function record_settings_change() returns trigger language plpgsql as $$
begin
  -- Of two changes in one millisecond, the first has the settings that were in effect before.
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
create trigger record_settings_change after update on tanks referencing old table as old_rows new table as new_rows
for each statement execute function record_settings_change();

-- The id of an event is derived from its identity, as a UUID of version 8. A replay after a restore or a failover records
-- the same id again, and receivers recognize the event.
create function derive_event_id(tank_id uuid, type text, occurred_at timestamptz) returns uuid
immutable parallel safe language sql as $$
  select encode(set_byte(set_byte(digest, 6, (get_byte(digest, 6) & 15) | 128), 8, (get_byte(digest, 8) & 63) | 128), 'hex')::uuid
  from substring(sha256(convert_to(
    format('%s %s %s', tank_id, type, (extract(epoch from occurred_at) * 1000)::bigint), 'UTF8')) for 16) as digest
$$;

-- Changes of events are numbered by their transactions. A promoted standby and a restored server use transaction ids again
-- that the server before has used, so the timeline comes first: PostgreSQL raises it with each promotion and each restore
-- of its own backups. `tankwatch restore finish` raises the epoch for a restore from a dump.
create table change_epochs (
  is_only boolean primary key default true check (is_only),
  epoch   int not null
);
insert into change_epochs (epoch) values (0);

create function change_epoch() returns bigint stable language sql as $$
  select epoch + ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint from change_epochs
$$;

create function next_change_number() returns bigint volatile language sql as $$
  select (change_epoch() << 44) + pg_current_xact_id()::text::bigint
$$;

-- Events, with the readings that explain them. Tank, type and time identify an event, so that a repeated evaluation
-- records it once. Like telemetry, the table has no foreign keys: it is written in batches, and the rows of deleted tanks
-- stay.
create table events (
  no              bigint generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null,
  tank_no         int not null,
  type            text not null check (type ~ '^tank\.[a-z_]+$'),
  occurred_at     timestamptz(3) not null,
  recorded_at     timestamptz(3) not null default now(),
  data            jsonb not null,
  readings        jsonb not null,
  notify          boolean not null,
  -- A late reading showed that the event never happened. The row stays because a notification may have been sent.
  retracted_at    timestamptz(3),
  -- The transaction that recorded or last changed the event. A reader that has seen everything before the oldest running
  -- transaction continues from there and misses nothing, although transactions do not commit in the order of `no`.
  change_number   bigint not null default next_change_number(),
  unique (tank_no, type, occurred_at)
);
create index events_of_organization on events (organization_no, occurred_at, no);
create index events_by_change on events (organization_no, change_number, no);

-- All events below this number are final: no transaction that is still running can record one of them. A standby cannot
-- read its timeline, and takes that of the newest event.
create function final_change_number(in_organization_no int) returns bigint stable language sql as $$
  select (case when pg_is_in_recovery() then (
            select change_number >> 44 from events where organization_no = in_organization_no
            order by change_number desc limit 1)
          else change_epoch() end << 44) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint
$$;

-- After a restore into another server, whose timeline and transaction ids may begin again: numbers changes above all that
-- were given before. The margin is for failovers between the backup and the restore.
create function raise_change_epoch() returns void language sql as $$
  update change_epochs
  set epoch = greatest(epoch, epoch + (select coalesce(max(change_number), 0) >> 44 from events) + 16 - change_epoch())
$$;
