-- The bit of a condition in fleet_tanks.handled. The trouble of a device has none: its tank is handled like all others.
create or replace function condition_bit(condition text) returns int immutable parallel safe language sql as $$
  select case condition
    when 'losing' then 1 when 'low' then 2 when 'gauge_unreliable' then 4 when 'silent' then 8 when 'device' then 0
  end
$$;
