-- A link of a driver is for one round and one day. It only adds: 0.2.0 works with it.

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

-- As in 0053, and nothing once the day of the round is over: a link that was made for a later day may still be valid.
create or replace function driver_round(of_round uuid, of_generation int) returns table (round jsonb)
stable language sql security definer set search_path = public, pg_temp as $$
  select jsonb_build_object(
    'id', r.id, 'date', r.date, 'state', rs.state, 'truck', k.name, 'truck_capacity', k.capacity, 'unit', k.capacity_unit,
    'driver', d.name, 'organization', o.name, 'organization_phone', o.phone, 'language', o.language, 'time_zone', o.time_zone,
    'fill_to', r.fill_to_percentage,
    'stops', coalesce((
      select jsonb_agg(jsonb_build_object(
        'stop', s.number, 'position', s.position, 'why', s.kind, 'tank_id', t.id, 'tank', t.name, 'custom_id', t.custom_id,
        'city', t.city, 'volume', round((s.litres / u.litres)::numeric, 1), 'fill_percentage', ts.latest_fill_percentage,
        'is_dip', t.assigned_device_id like 'MAN-%',
        'level_at', to_char(ts.latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'state', x.outcome, 'closed_by', x.outcome_from, 'seen_by_gauge', x.seen_at is not null,
        'delivered_volume', round((s.said_litres / u.litres)::numeric, 1), 'reason', s.said_reason,
        'details', case when x.outcome = 'open' then jsonb_build_object(
          'customer', coalesce(c.name, ''), 'phone', c.phone, 'latitude', t.latitude, 'longitude', t.longitude,
          'address', concat_ws(', ', nullif(concat_ws(' ', t.street, t.street_number), ''), t.district,
                                     nullif(concat_ws(' ', t.postal_code, t.city), '')),
          'notes', coalesce((select jsonb_agg(n.text order by n.no) from tank_notes n
                             where n.tank_no = t.no and n.deleted_at is null and n.prints), '[]')
        ) end
      ) order by s.position)
      from round_stops s
      join round_stop_outcomes x on x.stop_no = s.no
      join tanks t on t.no = s.tank_no and t.deleted_at is null
      join customers c on c.no = t.owner_no
      left join tank_states ts on ts.tank_no = t.no
      where s.round_no = r.no
    ), '[]')
  )
  from rounds r
  join round_states rs on rs.round_no = r.no
  join organizations o on o.no = r.organization_no and o.deleted_at is null
  join trucks k on k.no = r.truck_no
  cross join lateral (select case k.capacity_unit when 'gallons' then 3.785411784 else 1 end as litres) as u
  left join drivers d on d.no = r.driver_no
  where r.id = of_round and r.link_generation = of_generation and r.state <> 'cancelled'
    and now() < r.day_ends_at + interval '3 hours'
$$;

-- As before. The tank must be or have been on the round: else the entry is stored without a tank, and makes neither a note nor
-- a dip.
create or replace function record_driver_entry(
  of_round uuid, of_generation int, of_id uuid, of_stop int, of_tank uuid, of_kind text, of_volume double precision,
  of_unit text, of_reason text, of_comment text, of_at timestamptz, of_series text, of_number text
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  the_round record;
  the_tank  int;
  known     driver_entries;
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
          case when the_tank is not null then of_comment end, of_at, of_series, of_number);

  select * into newest from driver_entries
  where round_no = the_round.no and stop_number = of_stop and tank_no is not distinct from the_tank
  order by at desc, no desc limit 1;
  begin
    update round_stops
    set said = case newest.kind when 'reopened' then null else newest.kind end,
        said_reason = newest.reason,
        said_litres = newest.volume * case newest.volume_unit when 'gallons' then 3.785411784 else 1 end,
        said_at = case newest.kind when 'reopened' then null else newest.at end,
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
           of_at, 'minute', of_volume, of_unit, 'driver'
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
  update rounds set state = 'under_way', started_at = coalesce(started_at, of_at), updated_at = now()
  where no = the_round.no and state = 'planned';
  return 'stored';
end
$$;

-- Who changes the note of a driver makes it a note of their own, which the phone does not change any more.
grant update (source) on delivery_notes to tankwatch_manager, tankwatch_operator;
