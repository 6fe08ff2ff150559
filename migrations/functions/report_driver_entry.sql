-- Makes an entry the report of its stop: of the driver, or of the office if it was recorded there.
create or replace function report_driver_entry(entry driver_entries, happened timestamptz) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  is_report boolean := entry.kind <> 'reopened';
begin
  update round_stops
  set said = case when is_report then entry.kind end,
      said_reason = entry.reason,
      said_litres = entry.volume * case entry.volume_unit when 'gallons' then 3.785411784 else 1 end,
      said_at = case when is_report then happened end,
      said_as = case when is_report then case when entry.recorded_by is null then 'driver' else 'person' end end,
      said_by = case when is_report then current_actor() end,
      said_filled_to = entry.filled_to,
      said_entry_no = case when is_report then entry.no end
  where round_no = entry.round_no and (tank_no = entry.tank_no or (tank_no is null and number = entry.stop_number));
exception when unique_violation then
  null;  -- taken back, and another round has the tank now: the stop stays closed here
end
$$;
