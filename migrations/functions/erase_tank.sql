-- Erases what other tables hold of a deleted tank: its notes and gauges, rejected readings and stored responses, for example.
create or replace function erase_tank() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from rejected_readings r using device_assignments a
  where a.tank_no = new.no and r.organization_no = a.organization_no and r.device_id = a.device_id
    and r.received_at >= a.from_at and r.received_at < a.to_at;
  -- Closes the open assignment as record_moved_assignments does, which fires later and finds none.
  delete from device_assignments where tank_no = new.no and from_at >= now()::timestamptz(3);
  update device_assignments set tank_no = null, to_at = least(to_at, now()) where tank_no = new.no;
  -- First the notes, then their stored responses, as when a single note is deleted.
  perform from tank_notes where tank_no = new.no order by no for update;
  update idempotency_keys set answer = null
  where object = 'note' and object_no in (select no from tank_notes where tank_no = new.no);
  delete from tank_notes where tank_no = new.no;
  delete from tank_gauges where tank_no = new.no;
  delete from gauge_recomputations where tank_no = new.no;
  update idempotency_keys set answer = null where object = 'tank' and object_no = new.no;
  delete from imported_rows where object = 'tank' and object_no = new.no;
  delete from device_health where tank_no = new.no;
  return null;
end
$$;
