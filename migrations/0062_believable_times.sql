-- A wrong year on a delivery note, or in the clock of a phone, does no harm. Nor does a link of a driver to tanks of other
-- rounds. It only adds a table and replaces functions: 0.2.0 works with it.

-- As in 0052, and a dip has a time that a reading can have: since 2000. No partition of telemetry exists for the year 25.
create or replace function follow_notes_of_estimated_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
  select n.organization_no, n.tank_no, n.at, n.filled_to
  from new_rows n join estimated_tanks e on e.tank_no = n.tank_no and e.manual_to = 'infinity' and n.at >= e.manual_from
  where n.filled_to is not null and not n.is_cancelled and n.at between '2000-01-01T00:00:00Z' and now()
    -- The level of a note that was corrected in other fields is stored already.
    and not exists (
      select from newest_telemetry(n.tank_no, n.at, n.at + interval '1 millisecond', 1) as t where t.fill_percentage = n.filled_to
    );
  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select n.tank_no, min(n.organization_no), min(n.at), now()
  from new_rows n join estimated_tanks e on e.tank_no = n.tank_no
  where exists (select from tank_states s where s.tank_no = n.tank_no)
  group by n.tank_no order by n.tank_no
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
end
$$;

-- These would wait for ever, and all others behind them.
delete from waiting_dips where at < '2000-01-01T00:00:00Z' or at > now() + interval '10 minutes';

----------------------------------------------------------------------------------------------------- drivers

-- When something at a stop happened. The clock of a phone without network may say 1970 or any other year: then it was at the
-- beginning of what is possible, or now. The note, the dip and the word at the stop have this time. The entry keeps what the phone
-- said, because that tells its order among the entries of the phone, and whether it was sent twice.
create function time_of_driver_entry(entry driver_entries) returns timestamptz
stable language sql set search_path = public, pg_temp as $$
  -- received_at is rounded, perhaps up: a time in the future is no dip.
  select least(greatest(entry.at, r.day_begins_at - interval '2 days'), entry.received_at - interval '1 millisecond')
  from rounds r where r.no = entry.round_no
$$;
revoke execute on function time_of_driver_entry from public;

-- The tanks that were taken off a round. A phone without network may still send what was delivered there.
create table former_stops (
  round_no int not null references rounds on delete cascade,
  tank_no  int not null,  -- no foreign key, as in driver_entries
  primary key (round_no, tank_no)
);

create function keep_former_stops() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Of a round that is being deleted there is no row any more.
  insert into former_stops (round_no, tank_no) select no, old.tank_no from rounds where no = old.round_no
  on conflict do nothing;
  return null;
end
$$;
revoke execute on function keep_former_stops from public;
create trigger keep_former_stops after delete on round_stops for each row when (old.tank_no is not null)
execute function keep_former_stops();

-- As in 0053, with this time. The tank must be or have been on the round: a driver knows the ids of tanks of earlier rounds. Else the
-- entry is stored without a tank, and makes neither a note nor a dip.
create or replace function record_driver_entry(
  of_round uuid, of_generation int, of_id uuid, of_stop int, of_tank uuid, of_kind text, of_volume double precision,
  of_unit text, of_reason text, of_comment text, of_at timestamptz, of_series text, of_number text
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  the_round record;
  the_tank  int;
  known     driver_entries;
  entry     driver_entries;
  newest    driver_entries;
begin
  perform set_config('tankwatch.actor', 'link of a driver', true);
  select r.no, r.organization_no, r.truck_no, r.driver_no into the_round
  from rounds r join organizations o on o.no = r.organization_no and o.deleted_at is null
  where r.id = of_round and r.link_generation = of_generation
  for no key update of r;
  if not found then
    return 'ended';
  end if;
  select * into known from driver_entries where id = of_id;
  if found then
    return case when (known.round_no, known.stop_number, known.kind, known.volume, known.volume_unit, known.reason, known.at,
                      known.note_series, known.note_number)
                     is not distinct from
                     (the_round.no, of_stop, of_kind, of_volume, of_unit, of_reason, of_at::timestamptz(3),
                      of_series, of_number)
                -- Erased with its tank.
                and (known.comment is not distinct from of_comment or known.tank_no is null) then 'same' else 'other' end;
  end if;
  if (select count(*) from driver_entries where round_no = the_round.no) >= 2000 then
    return 'full';
  end if;
  select t.no into the_tank from tanks t
  where t.id = of_tank and t.organization_no = the_round.organization_no and t.deleted_at is null
    and (exists (select from round_stops s where s.round_no = the_round.no and s.tank_no = t.no)
      or exists (select from former_stops f where f.round_no = the_round.no and f.tank_no = t.no));
  insert into driver_entries (id, organization_no, round_no, stop_number, tank_no, kind, volume, volume_unit, reason, comment, at,
                              note_series, note_number)
  values (of_id, the_round.organization_no, the_round.no, of_stop, the_tank, of_kind, of_volume, of_unit, of_reason,
          case when the_tank is not null then of_comment end, of_at, of_series, of_number)
  returning * into entry;

  select * into newest from driver_entries
  where round_no = the_round.no and stop_number = of_stop and tank_no is not distinct from the_tank
  order by at desc, no desc limit 1;
  begin
    update round_stops
    set said = case newest.kind when 'reopened' then null else newest.kind end,
        said_reason = newest.reason,
        said_litres = newest.volume * case newest.volume_unit when 'gallons' then 3.785411784 else 1 end,
        said_at = case newest.kind when 'reopened' then null else time_of_driver_entry(newest) end,
        said_as = case newest.kind when 'reopened' then null else 'driver' end,
        said_by = case newest.kind when 'reopened' then null else current_actor() end
    where round_no = the_round.no and (tank_no = the_tank or (tank_no is null and number = of_stop));
  exception when unique_violation then
    null;  -- taken back, and another round has the tank now: the stop stays closed here
  end;
  -- A note that an import or a person has written stays as it is.
  if of_number is not null and the_tank is not null then
    insert into delivery_notes as n (id, organization_no, series, number, customer_no, tank_no, truck_no, driver_no, at, precision,
                                     volume, unit, source)
    select of_id, the_round.organization_no, of_series, of_number, t.owner_no, the_tank, the_round.truck_no, the_round.driver_no,
           time_of_driver_entry(entry), 'minute', of_volume, of_unit, 'driver'
    from tanks t where t.no = the_tank
    on conflict (organization_no, series, number) do update
    set volume = excluded.volume, unit = excluded.unit, at = excluded.at, updated_at = now()
    where n.source = 'driver' and n.tank_no = excluded.tank_no and newest.id = of_id;
  end if;
  -- What the driver took back, or wrote again with another number, counts nowhere.
  update delivery_notes n set is_cancelled = not is_cancelled, updated_at = now()
  from (
    select distinct note_series, note_number from driver_entries
    where round_no = the_round.no and stop_number = of_stop and tank_no = the_tank and note_number is not null
  ) as e
  where n.organization_no = the_round.organization_no and n.series = e.note_series and n.number = e.note_number
    and n.source = 'driver' and n.tank_no = the_tank
    and n.is_cancelled <> ((n.series, n.number) is distinct from (newest.note_series, newest.note_number));
  update rounds set state = 'under_way', started_at = coalesce(started_at, time_of_driver_entry(entry)), updated_at = now()
  where no = the_round.no and state = 'planned';
  return 'stored';
end
$$;

-- As in 0060, with this time.
create or replace function record_driver_word(
  of_round uuid, of_generation int, of_id uuid, of_stop int, of_tank uuid, of_kind text, of_volume double precision,
  of_unit text, of_reason text, of_comment text, of_at timestamptz, of_series text, of_number text, of_filled_to real
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  outcome  text := record_driver_entry(of_round, of_generation, of_id, of_stop, of_tank, of_kind, of_volume, of_unit, of_reason,
                                      of_comment, of_at, of_series, of_number);
  entry    driver_entries;
  happened timestamptz;
begin
  if outcome = 'same' and (select filled_to from driver_entries where id = of_id) is distinct from of_filled_to then
    return 'other';
  end if;
  if outcome <> 'stored' then
    return outcome;
  end if;
  update driver_entries set filled_to = of_filled_to where id = of_id returning * into entry;
  happened := time_of_driver_entry(entry);
  update round_stops s set said_filled_to = of_filled_to
  where s.round_no = entry.round_no and s.tank_no = entry.tank_no and s.said_at = happened
    and s.said_filled_to is distinct from of_filled_to
    -- Two times that cannot be believed may become the same one.
    and not exists (
      select from driver_entries o
      where o.round_no = entry.round_no and o.stop_number = entry.stop_number and o.tank_no = entry.tank_no and o.at > entry.at
    );
  update delivery_notes n set filled_to = of_filled_to
  where n.organization_no = entry.organization_no and n.series = entry.note_series and n.number = entry.note_number
    and n.source = 'driver' and n.tank_no = entry.tank_no and n.filled_to is distinct from of_filled_to;
  insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
  select e.organization_no, e.tank_no, happened, of_filled_to
  from estimated_tanks e
  where e.tank_no = entry.tank_no and e.manual_to = 'infinity' and of_filled_to is not null
    and happened between e.manual_from and now() and happened >= '2000-01-01T00:00:00Z'
    and entry.note_number is null;  -- else follow_notes_of_estimated_tanks does it
  return outcome;
end
$$;
