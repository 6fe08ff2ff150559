-- Least privilege: each role has the rights that its program needs and no others. `tankwatch migrate` also revokes TEMP on
-- the database from PUBLIC each time it runs, because a copy of a database does not inherit that.
-- src/doctor/privileges.ts lists the same rights, and `tankwatch doctor` compares.

-- api: reads what /v1 shows, writes nothing.
grant select on customers, tanks, catalog_month_counters, catalog_buckets to tankwatch_api;
grant select (no, prefix, secret_sha256, organization_no, customer_no, scopes, requests_per_second, burst, expires_at,
              revoked_at, changed_xid) on api_keys to tankwatch_api;
grant select on telemetry, packed_telemetry, telemetry_month_counters, telemetry_buckets to tankwatch_api;
grant execute on function record_key_use to tankwatch_api;
grant execute on function customer_of_link, verify_customer_of_link, unsubscribe_customer_of_link to tankwatch_api;

-- gateway: verifies keys and devices, and writes only to the stream. It is the role that strangers reach first, so it has
-- no right on a column that it does not read.
grant select (no, code, readings_per_second, deleted_at) on organizations to tankwatch_gateway;
grant select (organization_no, sealed_device_secret) on organization_secrets to tankwatch_gateway;
grant select (no, prefix, secret_sha256, organization_no, customer_no, scopes, requests_per_second, burst, expires_at,
              revoked_at, changed_xid) on api_keys to tankwatch_gateway;
grant select (organization_no, device_id, generation, revoked_at, changed_xid) on device_credentials to tankwatch_gateway;

-- writer: stores and evaluates readings, sees no personal data.
grant select on device_assignments, tank_settings, tank_settings_history, packed_telemetry to tankwatch_writer;
grant select, insert on telemetry to tankwatch_writer;
grant insert on rejected_readings to tankwatch_writer;
grant select, insert, update on stream_positions to tankwatch_writer;
grant select on change_epochs to tankwatch_writer, tankwatch_api, tankwatch_operator;
grant update on change_epochs to tankwatch_operator;
grant select, insert, update on telemetry_month_counters, telemetry_buckets, tank_states, tank_checkpoints, events
to tankwatch_writer;
grant select, insert, update, delete on reevaluations to tankwatch_writer;
grant execute on function ensure_telemetry_month, unpack_tank_months, enqueue_events to tankwatch_writer;

-- worker: sends webhooks and mails, creates partitions, packs months.
grant select on organizations, customers, tanks, tank_states, catalog_month_counters, events, contacts, reminder_unsubscribes
to tankwatch_worker;
grant select (organization_no, sealed_link_secret) on organization_secrets to tankwatch_worker;
grant select, update on webhook_endpoints to tankwatch_worker;
grant select, insert, update on webhook_deliveries to tankwatch_worker;
grant select, insert, update, delete on event_mails to tankwatch_worker;
grant select, insert, update on device_mails to tankwatch_worker;
grant select, insert, update, delete on digests to tankwatch_worker;
grant execute on function ensure_telemetry_month, pack_telemetry, drop_packed_partitions, drop_empty_packed_years
to tankwatch_worker;

-- operator: provisions, imports, diagnoses. Rows are marked as deleted and not deleted.
grant select, insert, update on organizations, customers, tanks, api_keys, device_credentials, device_password_issues
to tankwatch_operator;
grant select, insert on organization_secrets to tankwatch_operator;
grant select, insert, update on catalog_month_counters, catalog_buckets to tankwatch_operator;
grant select, insert, update, delete on device_assignments, reevaluations to tankwatch_operator;
grant select, insert on telemetry, tank_settings_history to tankwatch_operator;
grant select, insert, update on telemetry_month_counters, telemetry_buckets, tank_states, tank_checkpoints, events
to tankwatch_operator;
grant select, insert, update on rejected_readings, webhook_endpoints, webhook_deliveries, contacts to tankwatch_operator;
grant select on tank_settings, event_mails, digests, reminder_unsubscribes, audit_log, packed_telemetry to tankwatch_operator;
grant select, update on packed_months to tankwatch_operator;
grant execute on function ensure_telemetry_month, unpack_tank_months, pack_telemetry, unpack_telemetry, enqueue_events,
  enqueue_invitation, job_status, record_command
to tankwatch_operator;
