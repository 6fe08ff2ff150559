-- Least privilege: each role has the rights that its program needs and no others. `tankwatch migrate` also revokes TEMP on
-- the database from PUBLIC each time it runs, because a copy of a database does not inherit that.
-- src/doctor/privileges.ts lists the same rights, and `tankwatch doctor` compares.

-- api: reads what /v1 shows, writes nothing.
grant select on customers, tanks, api_keys, catalog_month_counters, catalog_buckets to tankwatch_api;
grant select on telemetry, telemetry_month_counters, telemetry_buckets to tankwatch_api;
grant execute on function record_key_use to tankwatch_api;
grant execute on function customer_of_link, verify_customer_of_link, unsubscribe_customer_of_link to tankwatch_api;

-- writer and gateway: store readings, see no personal data.
grant select on organizations, organization_secrets, device_assignments, api_keys, device_credentials, tank_settings, tank_settings_history
to tankwatch_writer;
grant select, insert on telemetry, rejected_readings to tankwatch_writer;
grant select, insert, update on telemetry_month_counters, telemetry_buckets, tank_states, tank_checkpoints, events
to tankwatch_writer;
grant execute on function ensure_telemetry_month, enqueue_events to tankwatch_writer;

-- worker: sends webhooks and mails, creates partitions.
grant select on organizations, organization_secrets, customers, tanks, tank_states, catalog_month_counters, events, contacts, reminder_unsubscribes
to tankwatch_worker;
grant select, update on webhook_endpoints to tankwatch_worker;
grant select, insert, update, delete on webhook_deliveries to tankwatch_worker;
grant select, insert on event_mails to tankwatch_worker;
grant execute on function ensure_telemetry_month to tankwatch_worker;

-- operator: provisions, imports, diagnoses. Rows are marked as deleted and not deleted.
grant select, insert, update on organizations, customers, tanks, api_keys, device_credentials to tankwatch_operator;
grant select, insert on organization_secrets to tankwatch_operator;
grant select, insert, update on catalog_month_counters, catalog_buckets to tankwatch_operator;
grant select, insert, update, delete on device_assignments to tankwatch_operator;
grant select, insert on telemetry, tank_settings_history to tankwatch_operator;
grant select, insert, update on telemetry_month_counters, telemetry_buckets, tank_states, tank_checkpoints, events
to tankwatch_operator;
grant select, insert, update on rejected_readings, webhook_endpoints, webhook_deliveries, contacts to tankwatch_operator;
grant select on tank_settings, event_mails, reminder_unsubscribes, audit_log to tankwatch_operator;
grant execute on function ensure_telemetry_month, enqueue_events, enqueue_invitation, overdue_jobs to tankwatch_operator;
