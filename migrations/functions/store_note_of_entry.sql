-- Stores the note that the driver has written. A note that an import, a person or another round has written stays as it is. It has an
-- id of its own, because the phone could choose that of another note.
create or replace function store_note_of_entry(entry driver_entries, happened timestamptz, is_newest boolean) returns void
language sql set search_path = public, pg_temp as $$
  insert into delivery_notes as n (id, organization_no, series, number, customer_no, tank_no, truck_no, driver_no, at, precision,
                                   volume, unit, filled_to, is_cancelled, source)
  select gen_random_uuid(), r.organization_no, entry.note_series, entry.note_number, t.owner_no, t.no, r.truck_no, r.driver_no,
         happened, 'minute', entry.volume, entry.volume_unit, entry.filled_to, not is_newest, 'driver'
  from tanks t, rounds r where t.no = entry.tank_no and r.no = entry.round_no and entry.note_number is not null
  on conflict (organization_no, series, number) do update
  set volume = excluded.volume, unit = excluded.unit, at = excluded.at, filled_to = excluded.filled_to
  where n.source = 'driver' and n.tank_no = excluded.tank_no and is_newest
    and is_note_of_round(entry.round_no, entry.tank_no, entry.note_series, entry.note_number)
$$;
