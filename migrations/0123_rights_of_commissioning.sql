-- Rights for putting a device on a tank and for calibrating its gauge. It only adds: 0.3.0 works with it.

-- What was measured last, and when somebody read the dial.
grant select on telemetry, packed_telemetry to tankwatch_manager;
-- The model of a device: by its health or, while it is on no tank, by what it sent in vain.
grant select on device_health to tankwatch_manager;
grant select (no, organization_no, device_id, code, detail, raw, format, received_at, settled_at) on rejected_readings to tankwatch_manager;
-- Deliveries against measures, by a command.
grant select on seen_refills to tankwatch_operator;
