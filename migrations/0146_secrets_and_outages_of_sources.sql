-- Nobody reads the secret of a source but the connector, which asks it, and the operator, who may encrypt it again.
-- squawk-ignore adding-field-with-default
alter table connectors add column has_secret boolean not null generated always as (sealed_secret is not null) stored;
revoke select on connectors from tankwatch_manager;
grant select (no, id, organization_no, kind, name, settings, has_secret, paused_at, created_at, updated_at, deleted_at) on connectors
  to tankwatch_manager;

-- Nothing reads it.
-- squawk-ignore ban-drop-column
alter table connector_devices drop column latest_at;
revoke update on connector_devices from tankwatch_worker;

-- A tank has a row for each time in which one of its sources did not work, not only for the last one: a device that did not report since
-- an earlier outage would be called silent when the next one begins.
-- squawk-ignore adding-serial-primary-key-field, disallowed-unique-constraint, constraint-missing-not-valid
alter table tank_outages drop constraint tank_outages_pkey, add primary key (tank_no, connector_no, from_at);
