-- The office records what a driver wrote on paper as entries too, beside those of the phone. It only adds: 0.3.0 works with it, and
-- stores entries of phones as before. Locks driver_entries for a moment.
alter table driver_entries
  -- Who recorded the entry for the driver, as in the audit log. Null: the phone of the driver sent it.
  add column recorded_by text,
  -- True: it replaces the report on purpose, whoever made it.
  add column is_correction boolean not null default false;

-- Whether a note is one that entries of this round made: the first entry with its number at this tank is of the round. A driver could
-- otherwise write the number of a note of another day.
create function is_note_of_round(of_round int, of_tank int, of_series text, of_number text) returns boolean
stable language sql set search_path = public, pg_temp as $$
  select coalesce(of_round = (
    select e.round_no from driver_entries e
    where e.tank_no = of_tank and e.note_series = of_series and e.note_number = of_number
    order by e.no limit 1
  ), false)
$$;

-- Makes a stored entry the report of its stop, if it counts, and returns whether it does. Between the office and the driver the first
-- entry counts: a second, different one is kept and shown beside it. Each corrects itself: the office says that an entry is a
-- correction; of the driver the newest entry counts, and after a report of the office one that takes it back. The caller has locked
-- the round.
create function apply_stop_entry(entry driver_entries) returns boolean
language plpgsql set search_path = public, pg_temp as $$
declare
  happened timestamptz := time_of_driver_entry(entry);
  the_stop round_stops;
  held     driver_entries;
  newest   bigint;
  counts   boolean;
begin
  select * into the_stop from round_stops s
  where s.round_no = entry.round_no and (s.tank_no = entry.tank_no or (s.tank_no is null and s.number = entry.stop_number));
  if entry.recorded_by is not null then
    counts := entry.is_correction or the_stop.said is null;
  else
    -- The clock of a phone may be wrong by years, but it still gives the order of its entries if their plausible times
    -- are equal.
    select e.no into newest from driver_entries e
    where e.round_no = entry.round_no and e.stop_number = entry.stop_number and e.tank_no is not distinct from entry.tank_no
      and e.recorded_by is null
    order by time_of_driver_entry(e) desc, e.at desc, e.no desc limit 1;
    select * into held from driver_entries e
    where e.no = the_stop.said_entry_no and e.kind = the_stop.said and e.recorded_by is not null;
    -- What the office corrected stays: the link of a driver is valid for days.
    counts := newest = entry.no
      and (held.no is null or (not held.is_correction and entry.kind = 'reopened' and happened > held.received_at));
  end if;
  if counts then
    perform report_driver_entry(entry, happened);
  end if;
  perform store_note_of_entry(entry, happened, counts);
  if counts then
    perform cancel_notes_before_entry(entry);
  end if;
  if counts or entry.recorded_by is null then
    perform store_dip_of_entry(entry, happened);
  end if;
  update rounds set state = 'under_way', started_at = coalesce(started_at, happened), updated_at = now()
  where no = entry.round_no and state = 'planned';
  return counts;
end
$$;

-- Records an entry for the driver of a round, whose row the caller has locked. Returns whether it counts. No row is made, and the
-- result is null, if the office has recorded 2,000 entries. Those of the driver count apart: they must not lock the office out.
create function record_entry_for_driver(
  of_round int, of_stop int, of_id uuid, of_kind text, of_volume double precision, of_unit text, of_reason text, of_comment text,
  of_at timestamptz, of_series text, of_number text, of_filled_to real, of_correction boolean
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  entry driver_entries;
begin
  if (select count(*) from driver_entries where round_no = of_round and recorded_by is not null) >= 2000 then
    return null;
  end if;
  insert into driver_entries (id, organization_no, round_no, stop_number, tank_no, kind, volume, volume_unit, reason, comment, at,
                              note_series, note_number, filled_to, recorded_by, is_correction)
  select of_id, s.organization_no, s.round_no, s.number, s.tank_no, of_kind, of_volume, of_unit, of_reason, of_comment, of_at,
         of_series, of_number, of_filled_to, current_actor(), of_correction
  from round_stops s where s.round_no = of_round and s.number = of_stop
  returning * into entry;
  return apply_stop_entry(entry);
end
$$;

revoke execute on function is_note_of_round, apply_stop_entry, record_entry_for_driver from public;
grant execute on function is_note_of_round, record_entry_for_driver to tankwatch_manager;
