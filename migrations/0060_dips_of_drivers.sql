-- A driver who fills a tank without a sensor says which level the dial shows then: it is a dip. What drivers deliver without a
-- delivery note raises the estimate too. It only adds: 0.2.0 works with it.

alter table driver_entries add column filled_to real check (filled_to between 0 and 100);
-- What the word of the driver says. Of another word than `delivered` it means nothing.
alter table round_stops add column said_filled_to real check (said_filled_to between 0 and 100);

-- As record_driver_entry, with the level on the dial after filling; null: nobody looked. The dip waits for a writer.
create function record_driver_word(
  of_round uuid, of_generation int, of_id uuid, of_stop int, of_tank uuid, of_kind text, of_volume double precision,
  of_unit text, of_reason text, of_comment text, of_at timestamptz, of_series text, of_number text, of_filled_to real
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  outcome text := record_driver_entry(of_round, of_generation, of_id, of_stop, of_tank, of_kind, of_volume, of_unit, of_reason,
                                      of_comment, of_at, of_series, of_number);
  entry   driver_entries;
begin
  if outcome = 'same' and (select filled_to from driver_entries where id = of_id) is distinct from of_filled_to then
    return 'other';
  end if;
  if outcome <> 'stored' then
    return outcome;
  end if;
  update driver_entries set filled_to = of_filled_to where id = of_id returning * into entry;
  update round_stops s set said_filled_to = of_filled_to
  where s.round_no = entry.round_no and s.tank_no = entry.tank_no and s.said_at = entry.at
    and s.said_filled_to is distinct from of_filled_to;
  update delivery_notes n set filled_to = of_filled_to
  where n.organization_no = entry.organization_no and n.series = entry.note_series and n.number = entry.note_number
    and n.source = 'driver' and n.tank_no = entry.tank_no and n.filled_to is distinct from of_filled_to;
  insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
  select e.organization_no, e.tank_no, entry.at, of_filled_to
  from estimated_tanks e
  where e.tank_no = entry.tank_no and e.manual_to = 'infinity' and of_filled_to is not null
    and entry.at between e.manual_from and now()
    and entry.note_number is null;  -- else follow_notes_of_estimated_tanks does it
  return outcome;
end
$$;
revoke execute on function record_driver_word from public;
revoke execute on function record_driver_entry from tankwatch_api;
grant execute on function record_driver_word to tankwatch_api;

-- As in 0052, and what was said at a stop. A note of the tank within 36 hours is the same delivery.
create or replace function deliveries_of_tanks(tank_nos int[], after_ms double precision[])
returns table (tank_no int, at_ms double precision, points double precision, filled_to real)
stable language sql security definer set search_path = public, pg_temp as $$
  select t.no, round(date_part('epoch', d.at) * 1000),
         100 * d.litres / (t.capacity * case t.capacity_unit when 'gallons' then 3.785411784 else 1 end), d.filled_to
  from unnest(tank_nos, after_ms) as s (tank_no, after_ms)
  join tanks t on t.no = s.tank_no
  cross join lateral (
    select n.at, n.volume * case n.unit when 'gallons' then 3.785411784 else 1 end as litres, n.filled_to
    from delivery_notes n
    where n.tank_no = s.tank_no and n.at > to_timestamp(s.after_ms / 1000) and n.at <= now() and not n.is_cancelled
    union all
    select r.said_at, r.said_litres, r.said_filled_to
    from round_stops r
    where r.tank_no = s.tank_no and r.said_litres > 0 and r.said_at > to_timestamp(s.after_ms / 1000) and r.said_at <= now()
      and not exists (
        select from delivery_notes n
        where n.tank_no = r.tank_no and not n.is_cancelled
          and n.at between r.said_at - interval '36 hours' and r.said_at + interval '36 hours'
      )
  ) as d
$$;

-- The tank is evaluated again from the time at which somebody said that it was filled.
create function follow_stops_of_estimated_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select new.tank_no, new.organization_no, least(old.said_at, new.said_at), now()
  from estimated_tanks e
  where e.tank_no = new.tank_no and exists (select from tank_states s where s.tank_no = new.tank_no)
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
end
$$;
create trigger follow_stops_of_estimated_tanks after update on round_stops for each row
when (new.tank_no is not null and (old.said_at, old.said_litres, old.said_filled_to)
      is distinct from (new.said_at, new.said_litres, new.said_filled_to))
execute function follow_stops_of_estimated_tanks();

-- A note that comes after what the driver said replaces it, so the tank is evaluated again from before both.
create function reevaluate_before_notes() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update reevaluations r set settings_from = least(r.settings_from, s.said_at)
  from new_rows n join round_stops s on s.tank_no = n.tank_no and s.said_litres > 0
    and s.said_at between n.at - interval '36 hours' and n.at + interval '36 hours'
  where r.tank_no = n.tank_no and exists (select from estimated_tanks e where e.tank_no = n.tank_no);
  return null;
end
$$;
-- By name, they run after follow_new_notes_of_estimated_tanks and follow_changed_notes_of_estimated_tanks.
create trigger reevaluate_before_new_notes after insert on delivery_notes referencing new table as new_rows
for each statement execute function reevaluate_before_notes();
create trigger reevaluate_before_changed_notes after update on delivery_notes referencing new table as new_rows
for each statement execute function reevaluate_before_notes();
