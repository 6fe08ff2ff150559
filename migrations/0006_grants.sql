-- Least privilege. The api reads what /v1 shows and can write nothing; writers see no personal data; operators
-- provision. `tankwatch migrate` also takes TEMP on the database away from PUBLIC each time it runs, since a copy of
-- a database does not inherit that.
grant select on customers, tanks, api_keys, catalog_month_counters, catalog_buckets to tankwatch_api;
grant select on telemetry, telemetry_month_counters, telemetry_buckets to tankwatch_api;
grant execute on function record_key_use to tankwatch_api;

grant select on organizations, device_assignments, api_keys to tankwatch_writer;
grant select, insert on telemetry to tankwatch_writer;
grant select, insert, update on telemetry_month_counters, telemetry_buckets, tank_states to tankwatch_writer;
grant execute on function ensure_telemetry_month to tankwatch_writer;

grant select, insert, update on organizations, customers, tanks, api_keys, catalog_month_counters, catalog_buckets
to tankwatch_operator;
grant select, insert, update, delete on device_assignments to tankwatch_operator;
grant select, insert on telemetry to tankwatch_operator;
grant select, insert, update on telemetry_month_counters, telemetry_buckets, tank_states to tankwatch_operator;
grant execute on function ensure_telemetry_month to tankwatch_operator;
