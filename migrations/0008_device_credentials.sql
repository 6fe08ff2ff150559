-- A device's password is derived from the installation's secret, its organization, its serial and a generation, so
-- that it can be verified while the database is away. A device without a row here is of generation 1 and welcome.
create table device_credentials (
  no              int generated always as identity primary key,
  organization_no int not null references organizations,
  device_id       text not null check (length(device_id) between 1 and 64),
  generation      int not null check (generation > 0),
  revoked_at      timestamptz(3),
  changed_xid     xid8 not null default pg_current_xact_id(),  -- followed as keys are (see 0003)
  unique (organization_no, device_id)
);
create index device_credentials_by_change on device_credentials (changed_xid);

create trigger credential_changed before update on device_credentials for each row
when ((old.generation, old.revoked_at) is distinct from (new.generation, new.revoked_at))
execute function stamp_key_change();

create trigger audit_new_credentials after insert on device_credentials referencing new table as new_rows
for each statement execute function audit_creation('device', 'organization_no');
create trigger audit_changed_credentials after update on device_credentials
referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('device', 'organization_no');

grant select, insert, update on device_credentials to tankwatch_operator;
grant select on device_credentials to tankwatch_writer;
