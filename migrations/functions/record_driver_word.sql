-- Stores an entry once, and makes it the driver's report. Returns what happened: `stored`, `same` (this entry is stored
-- already), `other` (another entry of the round has this id), `ended` (no such link) or `full` (the round has 2,000
-- entries, which no person makes). An entry for a stop that is no longer on the round is stored too, because gas was
-- delivered. The round is locked, so that the newer of two entries counts.
--
-- Which entry counts is decided by apply_stop_entry of 0092. A clock in the year 9999 is corrected by the next entry, and a report of
-- the office stays when an older entry arrives.
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
  if (select count(*) from driver_entries where round_no = the_round.no and recorded_by is null) >= 2000 then
    return 'full';
  end if;
  -- The tank must be or have been on the round: a driver knows the ids of tanks of earlier rounds. Otherwise the entry
  -- is stored without a tank, and creates neither a note nor a dip. The lock waits for a deletion of the tank, which would not
  -- erase a note that is stored after it.
  select t.no into the_tank from tanks t
  where t.id = of_tank and t.organization_no = the_round.organization_no and t.deleted_at is null
    and (exists (select from round_stops s where s.round_no = the_round.no and s.tank_no = t.no)
      or exists (select from former_stops f where f.round_no = the_round.no and f.tank_no = t.no))
  for share;
  insert into driver_entries (id, organization_no, round_no, stop_number, tank_no, kind, volume, volume_unit, reason, comment, at,
                              note_series, note_number, filled_to)
  values (of_id, the_round.organization_no, the_round.no, of_stop, the_tank, of_kind, of_volume, of_unit, of_reason,
          case when the_tank is not null then of_comment end, of_at, of_series, of_number, of_filled_to)
  returning * into entry;
  perform apply_stop_entry(entry);
  return 'stored';
end
$$;
