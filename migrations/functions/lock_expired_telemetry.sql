-- Locks the next tanks of an organization that have readings of months before `before`, and returns from which month on each
-- keeps its readings. A tank keeps the month of its latest reading however old it is. Tanks that wait for a re-evaluation,
-- or whose levels must be computed again, are left for the next run: it may need the old readings.
create or replace function lock_expired_telemetry(organization int, before timestamptz, after_no int, max_tanks int)
returns table (tank_no int, kept_from timestamptz, readings int)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
  with locked as materialized (
    select s.tank_no, least(utc_month(before), utc_month(s.latest_at)) as kept_from
    from tanks t join tank_states s on s.tank_no = t.no
    where t.organization_no = organization and t.no > after_no and t.deleted_at is null
      and s.reevaluate_from is null and not exists (select from reevaluations r where r.tank_no = t.no)
      and not exists (select from gauge_recomputations g where g.tank_no = t.no)
      and exists (
        select from telemetry_month_counters c
        where c.tank_no = t.no and c.month < least(utc_month(before), utc_month(s.latest_at))
      )
    order by t.no limit max_tanks for no key update of s skip locked
  )
  select locked.tank_no, next_utc_month(expired.month), expired.total
  from locked cross join lateral (
    -- As many months as fit into memory, and at least one. The next run continues.
    select m.month, m.total::int
    from (
      select c.month, sum(c.n) over (order by c.month) as total, row_number() over (order by c.month) as position
      from telemetry_month_counters c where c.tank_no = locked.tank_no and c.month < locked.kept_from
    ) as m
    where m.total <= 500000 or m.position = 1
    order by m.month desc limit 1
  ) as expired
  order by locked.tank_no;
end
$$;
