-- without transaction
-- The list of devices finds those that a person put on a tank, and everybody who did so, also people who left.
create index concurrently devices_by_person on device_assignments (organization_no, assigned_by, tank_no)
  where to_at = 'infinity' and assigned_by like 'contact %' and device_id not like 'pending-%' and not is_manual_device(device_id);
