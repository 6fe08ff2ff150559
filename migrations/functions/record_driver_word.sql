-- Stores an entry once, and makes it the driver's report. Returns what happened: `stored`, `same` (this entry is stored
-- already), `other` (another entry of the round has this id), `ended` (no such link) or `full` (the round has 2,000
-- entries, which no person makes). An entry for a stop that is no longer on the round is stored too, because gas was
-- delivered. The round is locked, so that the newer of two entries counts.
--
-- An entry changes the report of the stop and the notes only if it is the newest of its stop, by time_of_driver_entry. A clock in the
-- year 9999 is therefore corrected by the next entry, and a report of the office stays when an older entry arrives.
create or replace function record_driver_word(
  of_round uuid, of_generation int, of_id uuid, of_stop int, of_tank uuid, of_kind text, of_volume double precision,
  of_unit text, of_reason text, of_comment text, of_at timestamptz, of_series text, of_number text, of_filled_to real
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  the_round record;
  the_tank  int;
  known     driver_entries;
  entry     driver_entries;
  newest    driver_entries;
  happened  timestamptz;
begin
  perform set_config('tankwatch.actor', 'link of a driver', true);
  select r.no, r.organization_no, r.truck_no, r.driver_no into the_round
  from rounds r join organizations o on o.no = r.organization_no and o.deleted_at is null
  where r.id = of_round and r.link_generation = of_generation
  for no key update of r;
  if not found then
    return 'ended';
  end if;
  select * into known from driver_entries where round_no = the_round.no and id = of_id;
  if found then
    return case when (known.stop_number, known.kind, known.volume, known.volume_unit, known.reason, known.at,
                      known.note_series, known.note_number, known.filled_to)
                     is not distinct from
                     (of_stop, of_kind, of_volume, of_unit, of_reason, of_at::timestamptz(3), of_series, of_number, of_filled_to)
                -- The comment was erased with its tank.
                and (known.comment is not distinct from of_comment or known.tank_no is null) then 'same' else 'other' end;
  end if;
  if (select count(*) from driver_entries where round_no = the_round.no) >= 2000 then
    return 'full';
  end if;
  -- The tank must be or have been on the round: a driver knows the ids of tanks of earlier rounds. Otherwise the entry
  -- is stored without a tank, and creates neither a note nor a dip.
  select t.no into the_tank from tanks t
  where t.id = of_tank and t.organization_no = the_round.organization_no and t.deleted_at is null
    and (exists (select from round_stops s where s.round_no = the_round.no and s.tank_no = t.no)
      or exists (select from former_stops f where f.round_no = the_round.no and f.tank_no = t.no));
  insert into driver_entries (id, organization_no, round_no, stop_number, tank_no, kind, volume, volume_unit, reason, comment, at,
                              note_series, note_number, filled_to)
  values (of_id, the_round.organization_no, the_round.no, of_stop, the_tank, of_kind, of_volume, of_unit, of_reason,
          case when the_tank is not null then of_comment end, of_at, of_series, of_number, of_filled_to)
  returning * into entry;
  happened := time_of_driver_entry(entry);

  -- The clock of a phone may be wrong by years, but it still gives the order of its entries if their plausible times
  -- are equal.
  select * into newest from driver_entries e
  where e.round_no = the_round.no and e.stop_number = of_stop and e.tank_no is not distinct from the_tank
  order by time_of_driver_entry(e) desc, e.at desc, e.no desc limit 1;

  if newest.no = entry.no then
    begin
      update round_stops
      set said = case of_kind when 'reopened' then null else of_kind end,
          said_reason = of_reason,
          said_litres = of_volume * case of_unit when 'gallons' then 3.785411784 else 1 end,
          said_at = case of_kind when 'reopened' then null else happened end,
          said_as = case of_kind when 'reopened' then null else 'driver' end,
          said_by = case of_kind when 'reopened' then null else current_actor() end,
          said_filled_to = of_filled_to
      where round_no = the_round.no and (tank_no = the_tank or (tank_no is null and number = of_stop));
    exception when unique_violation then
      null;  -- taken back, and another round has the tank now: the stop stays closed here
    end;
  end if;
  -- A note that an import or a person has written stays as it is. It has an id of its own, because the phone could
  -- choose that of another note.
  if of_number is not null and the_tank is not null then
    insert into delivery_notes as n (id, organization_no, series, number, customer_no, tank_no, truck_no, driver_no, at, precision,
                                     volume, unit, filled_to, is_cancelled, source)
    select gen_random_uuid(), the_round.organization_no, of_series, of_number, t.owner_no, the_tank, the_round.truck_no,
           the_round.driver_no, happened, 'minute', of_volume, of_unit, of_filled_to, newest.no <> entry.no, 'driver'
    from tanks t where t.no = the_tank
    on conflict (organization_no, series, number) do update
    set volume = excluded.volume, unit = excluded.unit, at = excluded.at, filled_to = excluded.filled_to
    where n.source = 'driver' and n.tank_no = excluded.tank_no and newest.no = entry.no;
  end if;
  -- A note that the driver removed, or wrote again with another number, does not count.
  if newest.no = entry.no then
    update delivery_notes n set is_cancelled = not is_cancelled
    from (
      select distinct note_series, note_number from driver_entries
      where round_no = the_round.no and stop_number = of_stop and tank_no = the_tank and note_number is not null
    ) as e
    where n.organization_no = the_round.organization_no and n.series = e.note_series and n.number = e.note_number
      and n.source = 'driver' and n.tank_no = the_tank
      and n.is_cancelled <> ((n.series, n.number) is distinct from (of_series, of_number));
  end if;
  insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
  select e.organization_no, e.tank_no, happened, of_filled_to
  from estimated_tanks e
  where e.tank_no = the_tank and e.manual_to = 'infinity' and of_filled_to is not null
    and happened between e.manual_from and now() and happened >= '2000-01-01T00:00:00Z'
    and of_number is null;  -- otherwise follow_notes_of_estimated_tanks does it
  update rounds set state = 'under_way', started_at = coalesce(started_at, happened), updated_at = now()
  where no = the_round.no and state = 'planned';
  return 'stored';
end
$$;
