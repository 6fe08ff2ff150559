-- Cancels notes that the driver removed, or wrote again with another number. That of the newest entry counts again. Notes of other
-- rounds stay as they are.
create or replace function cancel_notes_before_entry(entry driver_entries) returns void
language sql set search_path = public, pg_temp as $$
  update delivery_notes n set is_cancelled = not is_cancelled
  from (
    select distinct note_series, note_number from driver_entries
    where round_no = entry.round_no and stop_number = entry.stop_number and tank_no = entry.tank_no and note_number is not null
  ) as e
  where n.organization_no = entry.organization_no and n.series = e.note_series and n.number = e.note_number
    and n.source = 'driver' and n.tank_no = entry.tank_no
    and is_note_of_round(entry.round_no, entry.tank_no, e.note_series, e.note_number)
    and n.is_cancelled <> ((n.series, n.number) is distinct from (entry.note_series, entry.note_number))
$$;
