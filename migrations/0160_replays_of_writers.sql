-- Writers store what was rejected because the gauge of a tank was missing or wrong, when it is described. They have inserted these rows.
grant select (no, organization_no, device_id, code, raw, format, received_at, settled_at) on rejected_readings to tankwatch_writer;
grant update (settled_at, settlement, settled_by) on rejected_readings to tankwatch_writer;
