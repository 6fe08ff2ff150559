-- The steps of record_driver_word, which calls them with its own rights. `happened` is the time of the entry by
-- time_of_driver_entry. No table changes.

-- Makes the newest entry of a stop the report of the driver.
create function report_driver_entry(entry driver_entries, happened timestamptz) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  is_report boolean := entry.kind <> 'reopened';
begin
  update round_stops
  set said = case when is_report then entry.kind end,
      said_reason = entry.reason,
      said_litres = entry.volume * case entry.volume_unit when 'gallons' then 3.785411784 else 1 end,
      said_at = case when is_report then happened end,
      said_as = case when is_report then 'driver' end,
      said_by = case when is_report then current_actor() end,
      said_filled_to = entry.filled_to
  where round_no = entry.round_no and (tank_no = entry.tank_no or (tank_no is null and number = entry.stop_number));
exception when unique_violation then
  null;  -- taken back, and another round has the tank now: the stop stays closed here
end
$$;

-- Stores the note that the driver has written. A note that an import or a person has written stays as it is. It has an
-- id of its own, because the phone could choose that of another note.
create function store_note_of_entry(entry driver_entries, happened timestamptz, is_newest boolean) returns void
language sql set search_path = public, pg_temp as $$
  insert into delivery_notes as n (id, organization_no, series, number, customer_no, tank_no, truck_no, driver_no, at, precision,
                                   volume, unit, filled_to, is_cancelled, source)
  select gen_random_uuid(), r.organization_no, entry.note_series, entry.note_number, t.owner_no, t.no, r.truck_no, r.driver_no,
         happened, 'minute', entry.volume, entry.volume_unit, entry.filled_to, not is_newest, 'driver'
  from tanks t, rounds r where t.no = entry.tank_no and r.no = entry.round_no and entry.note_number is not null
  on conflict (organization_no, series, number) do update
  set volume = excluded.volume, unit = excluded.unit, at = excluded.at, filled_to = excluded.filled_to
  where n.source = 'driver' and n.tank_no = excluded.tank_no and is_newest
$$;

-- Cancels notes that the driver removed, or wrote again with another number. That of the newest entry counts again.
create function cancel_notes_before_entry(entry driver_entries) returns void
language sql set search_path = public, pg_temp as $$
  update delivery_notes n set is_cancelled = not is_cancelled
  from (
    select distinct note_series, note_number from driver_entries
    where round_no = entry.round_no and stop_number = entry.stop_number and tank_no = entry.tank_no and note_number is not null
  ) as e
  where n.organization_no = entry.organization_no and n.series = e.note_series and n.number = e.note_number
    and n.source = 'driver' and n.tank_no = entry.tank_no
    and n.is_cancelled <> ((n.series, n.number) is distinct from (entry.note_series, entry.note_number))
$$;

-- The level on the dial of a tank without a sensor is a dip. That of a note is stored by follow_notes_of_estimated_tanks.
create function store_dip_of_entry(entry driver_entries, happened timestamptz) returns void
language sql set search_path = public, pg_temp as $$
  insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
  select e.organization_no, e.tank_no, happened, entry.filled_to
  from estimated_tanks e
  where e.tank_no = entry.tank_no and e.manual_to = 'infinity' and entry.filled_to is not null
    and happened between e.manual_from and now() and happened >= '2000-01-01T00:00:00Z' and entry.note_number is null
$$;

revoke execute on function report_driver_entry, store_note_of_entry, cancel_notes_before_entry, store_dip_of_entry from public;
