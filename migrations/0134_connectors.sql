-- Sources that must be asked: clouds of makers, other JSON APIs, and brokers of users. It only adds: 0.3.0 works with it.

create table connectors (
  no              int generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null references organizations,
  kind            text not null check (kind in ('otodata', 'tank_utility', 'json', 'mqtt')),
  name            text not null check (length(name) between 1 and 100),
  -- Checked by the program.
  settings        jsonb not null check (octet_length(settings::text) <= 16384),
  sealed_secret   text,  -- of the account at the source, sealed with SECRETS_KEY
  paused_at       timestamptz(3),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),
  check (deleted_at is null or sealed_secret is null)
);
create unique index connectors_by_name on connectors (organization_no, lower(name)) where deleted_at is null;
create trigger audit_new_connectors after insert on connectors referencing new table as new_rows
for each statement execute function audit_creation('connector', 'organization_no');
create trigger audit_changed_connectors after update on connectors referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('connector', 'organization_no');

-- What the role `connector` knows about a source. In a table of its own, so that people's changes and its own do not wait for each
-- other, and the audit log has only those of people.
create table connector_states (
  connector_no    int primary key references connectors on delete cascade,
  next_attempt_at timestamptz(3) not null default now(),
  leased_by       uuid,            -- the process that asks the source now
  leased_until    timestamptz(3),
  cursor_at       timestamptz(3),  -- everything before is read and stored in the stream
  backfill_at     timestamptz(3),  -- the same for what was before the connector; null: nothing is left
  backfill_to     timestamptz(3),
  looked_back_at  timestamptz(3),  -- when readings that came late to the source were last looked for
  window_seconds  int,             -- what fits into one page
  after_device    text,            -- of a source that is asked for one device after another: the last one of a round that goes on
  failures        int not null default 0,
  slowness        int not null default 1,  -- the time between two requests is multiplied by this after 429
  failing_since   timestamptz(3),
  down_since      timestamptz(3),  -- after 15 minutes of failures
  refused_at      timestamptz(3),  -- the key was refused: it is not tried again before somebody has changed it
  last_error      text,
  attempted_at    timestamptz(3),
  worked_at       timestamptz(3),
  try_at          timestamptz(3),  -- somebody wants to know whether it works
  trial           jsonb            -- what the last try found
);
create index connectors_due on connector_states (next_attempt_at);

-- The devices that a source has reported.
create table connector_devices (
  connector_no int not null references connectors on delete cascade,
  device_id    text not null check (length(device_id) <= 64),
  latest_at    timestamptz(3) not null,
  primary key (connector_no, device_id)
);

-- The last time in which the source of a tank did not work. Its device is not called silent because of it.
create table tank_outages (
  tank_no      int primary key,  -- no foreign key, which would lock tanks
  connector_no int not null,
  from_at      timestamptz(3) not null,
  to_at        timestamptz(3)
);
create index tank_outages_of_connector on tank_outages (connector_no) where to_at is null;

-- Called again and again while a source is down, because tanks may get its devices meanwhile.
create function begin_outage(connector int, since timestamptz) returns int
language sql security definer set search_path = public, pg_temp as $$
  with begun as (
    insert into tank_outages as o (tank_no, connector_no, from_at)
    select t.no, connector, since
    from connectors c
    join connector_devices d on d.connector_no = c.no
    join tanks t on t.organization_no = c.organization_no and t.assigned_device_id = d.device_id and t.deleted_at is null
    where c.no = connector
    order by t.no
    on conflict (tank_no) do update set connector_no = excluded.connector_no, from_at = excluded.from_at, to_at = null
    where o.to_at is not null
    returning 1
  )
  select count(*)::int from begun;
$$;
create function end_outage(connector int) returns void
language sql security definer set search_path = public, pg_temp as $$
  update tank_outages set to_at = now() where connector_no = connector and to_at is null;
$$;
revoke execute on function begin_outage, end_outage from public;
grant execute on function begin_outage, end_outage to tankwatch_worker, tankwatch_manager, tankwatch_operator;

grant select, insert on connectors to tankwatch_manager, tankwatch_operator;
grant update (name, settings, sealed_secret, paused_at, updated_at, deleted_at) on connectors to tankwatch_manager, tankwatch_operator;
grant select, insert, delete on connector_states to tankwatch_manager, tankwatch_operator;
grant update (next_attempt_at, failures, slowness, refused_at, try_at, backfill_at, backfill_to) on connector_states
  to tankwatch_manager, tankwatch_operator;
grant select, delete on connector_devices to tankwatch_manager, tankwatch_operator;
-- The role `connector` has the login of the worker, which also sends requests to addresses that others chose.
grant select on connectors, gauge_profiles, profile_assignments to tankwatch_worker;
grant select, update on connector_states to tankwatch_worker;
grant select, insert, update on connector_devices to tankwatch_worker;
grant select on tank_outages to tankwatch_writer, tankwatch_worker, tankwatch_operator;
