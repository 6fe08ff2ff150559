-- The deliveries to tanks without a sensor: delivery notes, and reported stops. A note of the tank within 36 hours of a stop is the
-- same delivery.
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
