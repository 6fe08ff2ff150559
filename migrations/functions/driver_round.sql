-- The round of a driver link. Returns no row later than 3 hours after the day of the round: a link that was made before the
-- round was moved to an earlier day is valid for longer.
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
        'product', coalesce(t.product, o.default_product), 'fill_limit', t.fill_limit_percentage,
        'level_at', to_char(ts.latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'state', x.outcome, 'closed_by', x.outcome_from, 'seen_by_gauge', x.seen_at is not null,
        'delivered_volume', round((s.said_litres / u.litres)::numeric, 1), 'reason', s.said_reason,
        'block', case when x.outcome = 'open' and b.stop_no is not null then jsonb_build_object(
          'since', to_char(b.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'is_read', b.read_at is not null
        ) end,
        -- Nobody goes to a tank that loses gas.
        'details', case when x.outcome = 'open' and b.stop_no is null then jsonb_build_object(
          'customer', coalesce(c.name, ''), 'phone', c.phone,
          'phones', phones_of(c.phone, c.phone_whose, c.is_phone_texted, c.other_phones), 'latitude', t.latitude, 'longitude', t.longitude,
          'address', concat_ws(', ', nullif(concat_ws(' ', t.street, t.street_number), ''), t.district,
                                     nullif(concat_ws(' ', t.postal_code, t.city), '')),
          'notes', coalesce((select jsonb_agg(n.text order by n.no) from tank_notes n
                             where n.tank_no = t.no and n.deleted_at is null and n.prints), '[]')
        ) end
      ) order by s.position)
      from round_stops s
      join round_stop_outcomes x on x.stop_no = s.no
      left join round_stop_blocks b on b.stop_no = s.no
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
