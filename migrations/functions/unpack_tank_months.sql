-- Makes packed months of tanks plain again, before new readings are added to them. The arrays are parallel. The caller
-- holds the locks of the tanks, and the partitions of the months exist. Plain rows that were not dropped yet are equal to
-- the packed ones, so they stay.
create or replace function unpack_tank_months(tank_nos int[], months timestamptz[]) returns void
language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off
as $$
declare
  target record;
begin
  for target in
    select c.tank_no, c.month::timestamptz as starts_at, next_utc_month(c.month) as ends_at
    from unnest(tank_nos, months) as t (tank_no, month) join telemetry_month_counters c using (tank_no, month)
    where c.is_packed order by 1, 2
  loop
    insert into telemetry (tank_no, created_at, fill_percentage, gauge_value)
    select target.tank_no, r.created_at, r.fill_percentage, r.gauge_value
    from oldest_measures(target.tank_no, target.starts_at, target.ends_at, 2147483647) as r
    on conflict do nothing;
    delete from packed_telemetry
    where tank_no = target.tank_no and starts_at >= target.starts_at and starts_at < target.ends_at;
    update telemetry_month_counters set is_packed = false
    where tank_no = target.tank_no and month = target.starts_at;
  end loop;
end
$$;
