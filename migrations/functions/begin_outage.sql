-- Called again and again while a source is down, because tanks may get its devices meanwhile. The last 50 outages of a tank are kept.
create or replace function begin_outage(connector int, since timestamptz) returns int
language sql security definer set search_path = public, pg_temp as $$
  with begun as (
    insert into tank_outages (tank_no, connector_no, from_at)
    select t.no, connector, since
    from connectors c
    join connector_devices d on d.connector_no = c.no
    join tanks t on t.organization_no = c.organization_no and t.assigned_device_id = d.device_id and t.deleted_at is null
    where c.no = connector
      and not exists (select from tank_outages o where o.tank_no = t.no and o.connector_no = connector and o.to_at is null)
    order by t.no
    on conflict do nothing  -- two at once
    returning tank_no
  ), forgotten as (
    delete from tank_outages o using begun b
    where o.tank_no = b.tank_no and o.to_at is not null
      and o.from_at < (select x.from_at from tank_outages x where x.tank_no = b.tank_no order by x.from_at desc offset 49 limit 1)
  )
  select count(*)::int from begun;
$$;
