-- Packs one month of tanks that the caller has locked, with what was measured. Returns how many were packed.
create or replace function pack_tank_months(tank_nos int[], in_month timestamptz) returns int language plpgsql as $$
declare
  ends_at timestamptz := next_utc_month(in_month);
  origin timestamptz := packed_origin(in_month);
  packed int;
begin
  if in_month >= first_hot_month() then
    raise exception 'the month % is hot', in_month;
  end if;
  with part as (
    select c.tank_no, coalesce(b.starts_at, c.month) as starts_at,
           lead(b.starts_at, 1, ends_at) over (partition by c.tank_no order by b.starts_at) as to_at
    from telemetry_month_counters c
    left join telemetry_buckets b on b.tank_no = c.tank_no and b.starts_at >= in_month and b.starts_at < ends_at
    where c.tank_no = any (tank_nos) and c.month = in_month and not c.is_packed and not exists (
      -- a wrong counter must not stop the other tanks
      select from packed_telemetry p where p.tank_no = c.tank_no and p.starts_at >= in_month and p.starts_at < ends_at
    )
  ), packing as materialized (
    select part.tank_no, part.starts_at, r.times, r.levels, r.gauge_values
    from part cross join lateral (
      select array_agg(packed_time(t.created_at, origin)) as times,
             array_agg(round(t.fill_percentage * 100)::smallint) as levels,
             case when count(t.gauge_value) > 0 then array_agg(t.gauge_value) end as gauge_values
      from (
        select t.created_at, t.fill_percentage, t.gauge_value from telemetry t
        where t.tank_no = part.tank_no and t.created_at >= part.starts_at and t.created_at < part.to_at
          and t.created_at >= in_month and t.created_at < ends_at
        order by t.created_at
      ) as t
    ) as r
  ), exact as (
    select p.tank_no from packing p
    join telemetry_month_counters c on c.tank_no = p.tank_no and c.month = in_month
    group by p.tank_no, c.n having sum(coalesce(cardinality(p.times), 0)) = c.n
  ), stored as (
    insert into packed_telemetry (tank_no, starts_at, times, levels, gauge_values, checksum)
    select p.tank_no, p.starts_at, p.times, p.levels, p.gauge_values,
           packed_checksum(p.tank_no, p.starts_at, p.times, p.levels, p.gauge_values)
    from packing p join exact using (tank_no)
    where p.times is not null
    order by p.tank_no, p.starts_at
  )
  update telemetry_month_counters c set is_packed = true
  from exact where c.tank_no = exact.tank_no and c.month = in_month;
  get diagnostics packed = row_count;

  insert into packed_months (month, packed_at) values (in_month, clock_timestamp())
  on conflict (month) do update set packed_at = excluded.packed_at;
  return packed;
end
$$;
