-- Stores the note that the driver has written, if the entry counts: otherwise numbers of notes that nobody wrote would be taken. A note
-- that an import, a person or another round has written stays as it is; one that entries at another tank have cancelled is
-- free, and becomes this one.
-- It has an id of its own, because the phone could choose that of another note.
create or replace function store_note_of_entry(entry driver_entries, happened timestamptz, is_newest boolean) returns void
language sql set search_path = public, pg_temp as $$
  -- What people said about the cancelled note was about another delivery.
  delete from note_pins p using delivery_notes n
  where n.organization_no = entry.organization_no and n.series = entry.note_series and n.number = entry.note_number and p.note_no = n.no
    and n.source = 'driver' and n.is_cancelled and n.tank_no is distinct from entry.tank_no and is_newest;

  insert into delivery_notes as n (id, organization_no, series, number, customer_no, tank_no, truck_no, driver_no, at, precision,
                                   volume, unit, filled_to, is_cancelled, source)
  select gen_random_uuid(), r.organization_no, entry.note_series, entry.note_number, t.owner_no, t.no, r.truck_no, r.driver_no,
         happened, 'minute', entry.volume, entry.volume_unit, entry.filled_to, false, 'driver'
  from tanks t, rounds r where t.no = entry.tank_no and r.no = entry.round_no and entry.note_number is not null and is_newest
  on conflict (organization_no, series, number) do update
  set customer_no = excluded.customer_no, tank_no = excluded.tank_no, truck_no = excluded.truck_no, driver_no = excluded.driver_no,
      volume = excluded.volume, unit = excluded.unit, at = excluded.at, filled_to = excluded.filled_to, is_cancelled = false
  where n.source = 'driver' and case when n.tank_no = excluded.tank_no
    then is_note_of_round(entry.round_no, entry.tank_no, entry.note_series, entry.note_number) else n.is_cancelled end
$$;
