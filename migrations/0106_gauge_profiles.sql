-- Profiles of gauges that organizations have written, and what profiles are assigned to. It only adds: 0.3.0 works with it.

create table gauge_profiles (
  no              int generated always as identity primary key,
  organization_no int not null references organizations,
  profile         text not null check (length(profile) between 1 and 64),
  -- As it was given, checked by the program. Gateways keep all of them in memory.
  definition      jsonb not null check (octet_length(definition::text) <= 65536),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),  -- the row stays until gateways have seen it
  changed_xid     xid8 not null default pg_current_xact_id(),  -- as in api_keys
  unique (organization_no, profile)
);
create index gauge_profiles_by_change on gauge_profiles (changed_xid);
create trigger record_profile_change before update on gauge_profiles for each row execute function record_change_xid();
create trigger audit_new_profiles after insert on gauge_profiles referencing new table as new_rows
for each statement execute function audit_creation('gauge_profile', 'organization_no');
create trigger audit_changed_profiles after update on gauge_profiles referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('gauge_profile', 'organization_no');

create table profile_assignments (
  no              int generated always as identity primary key,
  organization_no int not null references organizations,
  -- device=A84041*, model=dragino/ldds75, application=tanks, topic=oil. No foreign key to the profile: most come with the program.
  selector        text not null check (length(selector) between 1 and 120),
  profile         text not null check (length(profile) between 1 and 64),
  settings        jsonb check (octet_length(settings::text) <= 1024),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),
  changed_xid     xid8 not null default pg_current_xact_id(),
  unique (organization_no, selector)
);
create index profile_assignments_by_change on profile_assignments (changed_xid);
create trigger record_assignment_change before update on profile_assignments for each row execute function record_change_xid();
create trigger audit_new_profile_assignments after insert on profile_assignments referencing new table as new_rows
for each statement execute function audit_creation('profile_assignment', 'organization_no');
create trigger audit_changed_profile_assignments after update on profile_assignments referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('profile_assignment', 'organization_no');

grant select on gauge_profiles, profile_assignments to tankwatch_gateway;
grant select, insert, delete on gauge_profiles, profile_assignments to tankwatch_manager, tankwatch_operator;
grant update (definition, updated_at, deleted_at) on gauge_profiles to tankwatch_manager, tankwatch_operator;
grant update (profile, settings, updated_at, deleted_at) on profile_assignments to tankwatch_manager, tankwatch_operator;

-- From now on, `#2` at the end of a device is the second tank of the device.
do $$
declare
  device record;
begin
  for device in select organization_no, assigned_device_id from tanks where assigned_device_id ~ '#[0-9]+$' and deleted_at is null loop
    raise warning 'the device % of organization % has a name that now means a channel of a device', device.assigned_device_id, device.organization_no;
  end loop;
end
$$;
