-- The measures of packed months, the gauges of tanks, and the queue of tanks whose levels must be computed again. It only adds: 0.3.0
-- works with it. Its `tankwatch doctor` knows no measures: after a return to 0.3.0, it reports wrong checksums for months that have them.

alter table packed_telemetry add column gauge_values int[];  -- parallel to times; null: none of the readings has one
do $$
begin
  alter table packed_telemetry alter gauge_values set compression lz4;
exception when feature_not_supported then null;
end
$$;

-- Equal to the checksum of 0005 if there are no measures.
create function packed_checksum(tank_no int, starts_at timestamptz, times int[], levels smallint[], gauge_values int[]) returns int
immutable language sql as $$
  select ('x' || encode(substring(sha256(
    int4send(tank_no) || timestamptz_send(starts_at) || array_send(times) || array_send(levels)
    || coalesce(array_send(gauge_values), '')) for 4), 'hex'))::bit(32)::int
$$;

-- Where a packed part has the reading of a time; null if it has none.
create function packed_position(times int[], at timestamptz) returns int immutable language plpgsql as $$
declare
  wanted int := packed_time(at, packed_origin(at));
  position int := width_bucket(wanted, times);
begin
  return case when times[position] = wanted then position end;
end
$$;

-- The first `size` readings from one time (inclusive) to another (exclusive) with what was measured, oldest first.
create function oldest_measures(in_tank_no int, from_at timestamptz, to_at timestamptz, size int)
returns table (created_at timestamptz, fill_percentage real, gauge_value int) stable rows 1000 language plpgsql as $$
declare
  month record;
  missing int := size;
  found_readings int;
begin
  for month in
    select m.month, greatest(m.month, oldest_measures.from_at) as from_at,
           least(next_utc_month(m.month), oldest_measures.to_at) as to_at, m.is_packed
    from telemetry_month_counters m
    where m.tank_no = in_tank_no and m.month >= utc_month(oldest_measures.from_at) and m.month < oldest_measures.to_at
    order by m.month
  loop
    if month.is_packed then
      return query
      select packed_origin(month.month) + r.ms * interval '1 millisecond', r.level::real / 100::real, r.value
      from packed_telemetry p cross join lateral unnest(p.times, p.levels, p.gauge_values) as r (ms, level, value)
      where p.tank_no = in_tank_no and p.starts_at >= month.month and p.starts_at < month.to_at
        and r.ms >= packed_time(month.from_at, packed_origin(month.month)) and r.ms < packed_time(month.to_at, packed_origin(month.month))
      order by r.ms limit missing;
    else
      return query
      select t.created_at::timestamptz, t.fill_percentage, t.gauge_value
      from telemetry t where t.tank_no = in_tank_no and t.created_at >= month.from_at and t.created_at < month.to_at
      order by t.created_at limit missing;
    end if;
    get diagnostics found_readings = row_count;
    missing := missing - found_readings;
    exit when missing <= 0;
  end loop;
end
$$;

-- The gauges of a tank over time: the measures from `from_at` on are read with a gauge, until the next one begins. A correction
-- changes the row of the gauge; another gauge is a new row.
create table tank_gauges (
  tank_no         int not null,  -- no foreign key, as in device_assignments: erase_tank deletes the gauges with the tank
  organization_no int not null,
  from_at         timestamptz(3) not null default '-infinity',
  -- TankGauge of src/gauges/gauge_schema.ts, checked by the program.
  definition      jsonb not null check (octet_length(definition::text) <= 32768),
  changed_at      timestamptz(3) not null default now(),
  changed_by      text not null default current_actor(),
  -- When the stored measures of its time were last read with it, and how many of them it cannot read.
  recomputed_at   timestamptz(3),
  unreadable      int not null default 0,
  primary key (tank_no, from_at)
);

-- The queue of tanks whose stored levels do not follow from their gauges. Organizations take turns, as in `reevaluations`.
create table gauge_recomputations (
  tank_no         int primary key,
  organization_no int not null,
  next_attempt_at timestamptz(3) not null default now(),
  attempts        smallint not null default 0,
  last_error      text,
  -- Up to where the levels are computed, and whether some of them have changed: those of a tank with very many readings are computed in
  -- several transactions.
  computed_to     timestamptz(3) not null default '-infinity',
  has_changed     boolean not null default false
);
create index gauge_recomputations_due on gauge_recomputations (organization_no, next_attempt_at, tank_no);

-- Puts tanks with changed gauges into the queue, and writes the change to the audit log, once for each tank and statement, also for
-- changes with psql. A row that waits after errors is due at once, and a computation that is under way begins again.
create function follow_changed_gauge() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  changed int[];
  organizations int[];
begin
  if tg_op = 'INSERT' then
    select array_agg(tank_no), array_agg(organization_no) into changed, organizations from new_rows;
  elsif tg_op = 'DELETE' then
    select array_agg(tank_no), array_agg(organization_no) into changed, organizations from old_rows;
  else
    select array_agg(coalesce(n.tank_no, o.tank_no)), array_agg(coalesce(n.organization_no, o.organization_no))
    into changed, organizations
    from new_rows n full join old_rows o on o.tank_no = n.tank_no and o.from_at = n.from_at
    where n.definition is distinct from o.definition;
  end if;
  -- The gauges of a deleted tank are deleted without a person, by erase_tank.
  with followed as (
    select distinct c.tank_no, c.organization_no from unnest(changed, organizations) as c (tank_no, organization_no)
    where not exists (select from tanks t where t.no = c.tank_no and t.deleted_at is not null)
  ), queued as (
    insert into gauge_recomputations as r (tank_no, organization_no)
    select tank_no, organization_no from followed order by tank_no
    on conflict (tank_no) do update set next_attempt_at = now(), attempts = 0, last_error = null, computed_to = '-infinity'
  )
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  select current_actor(), organization_no, 'tank', 'update', '{gauge}', array[tank_no] from followed order by tank_no;
  return null;
end
$$;
create trigger follow_new_gauge after insert on tank_gauges referencing new table as new_rows
for each statement execute function follow_changed_gauge();
create trigger follow_removed_gauge after delete on tank_gauges referencing old table as old_rows
for each statement execute function follow_changed_gauge();
create trigger follow_changed_gauge after update on tank_gauges referencing old table as old_rows new table as new_rows
for each statement execute function follow_changed_gauge();

-- Locks a tank of the queue, so that its levels can be computed again: the tank first, then its row of the catalog, whose change number
-- finish_gauge_recomputation sets, then its row of the queue. Skips a tank that another transaction has locked, so that it never waits
-- for a lock while it holds one. Returns whether it is locked.
create function lock_gauge_recomputation(in_tank_no int) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from tank_states where tank_no = in_tank_no) then
    -- A tank without readings has nothing to compute. But a writer may be storing its first reading, with the gauge from before the
    -- change: the insert waits for the end of that transaction.
    insert into tank_states (tank_no, latest_at, latest_fill_percentage) values (in_tank_no, '-infinity', 0) on conflict do nothing;
    if found then
      delete from tank_states where tank_no = in_tank_no;
      delete from gauge_recomputations where tank_no = in_tank_no;
      return false;
    end if;
  end if;
  perform from tank_states where tank_no = in_tank_no for no key update skip locked;
  if found then
    perform from tanks where no = in_tank_no and deleted_at is null for no key update skip locked;
  end if;
  if found then
    perform from gauge_recomputations where tank_no = in_tank_no for update skip locked;
  end if;
  return found;
end
$$;
revoke execute on function lock_gauge_recomputation from public;

-- Change levels that follow from a measure, of a tank in the queue only. Writers have no other way to change a stored level.
create function correct_levels(in_tank_no int, at_ms float8[], new_levels smallint[]) returns void
language sql security definer set search_path = public, pg_temp
set enable_seqscan = off  -- as in pack_telemetry
as $$
  update telemetry t set fill_percentage = r.level::real / 100::real
  from unnest(at_ms, new_levels) as r (ms, level)
  where t.tank_no = in_tank_no and t.created_at = to_timestamp(r.ms / 1000) and t.gauge_value is not null
    and exists (select from gauge_recomputations g where g.tank_no = in_tank_no)
$$;
revoke execute on function correct_levels from public;

create function correct_packed_levels(in_tank_no int, in_starts_at timestamptz, new_levels smallint[]) returns void
language sql security definer set search_path = public, pg_temp
set enable_seqscan = off
as $$
  update packed_telemetry p
  set levels = new_levels, checksum = packed_checksum(p.tank_no, p.starts_at, p.times, new_levels, p.gauge_values)
  where p.tank_no = in_tank_no and p.starts_at = in_starts_at and cardinality(p.levels) = cardinality(new_levels)
    and not exists (
      select from unnest(p.levels, new_levels, p.gauge_values) as r (level, new_level, measure)
      where r.measure is null and r.level <> r.new_level
    )
    and exists (select from gauge_recomputations g where g.tank_no = in_tank_no)
$$;
revoke execute on function correct_packed_levels from public;

-- Removes a tank from the queue, under its lock. If levels have changed, writers evaluate all its readings again and retract the events
-- that they do not find. All its checkpoints include old levels. The base checkpoint stays without its state: evaluation then begins there
-- as after an upgrade, and the events of the readings that retention has dropped stay.
create function finish_gauge_recomputation(in_tank_no int) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from gauge_recomputations r where r.tank_no = in_tank_no and r.has_changed) then
    update tank_states s
    set latest_fill_percentage = coalesce((
          select r.fill_percentage from newest_telemetry(in_tank_no, s.latest_at, s.latest_at + interval '1 millisecond', 1) as r
        ), s.latest_fill_percentage),
        reevaluate_from = to_timestamp(0)
    where s.tank_no = in_tank_no;
    delete from tank_checkpoints where tank_no = in_tank_no and week_index < 4;
    update tank_checkpoints set encoded_state = '' where tank_no = in_tank_no and week_index = 4;
    insert into reevaluations as r (tank_no, organization_no, retract_because)
    select no, organization_no, 'gauge_corrected' from tanks where no = in_tank_no
    on conflict (tank_no) do update set retract_because = coalesce(r.retract_because, excluded.retract_because);
    update tanks set levels_changed_at = now() where no = in_tank_no;
  end if;
  update tank_gauges set recomputed_at = now() where tank_no = in_tank_no;
  delete from gauge_recomputations where tank_no = in_tank_no;
end
$$;
revoke execute on function finish_gauge_recomputation from public;

----------------------------------------------------------------------------------------------------- rights

grant select on tank_gauges to tankwatch_manager, tankwatch_writer, tankwatch_operator;
grant insert, delete on tank_gauges to tankwatch_manager, tankwatch_operator;
grant update (definition, changed_at, changed_by) on tank_gauges to tankwatch_manager, tankwatch_operator;
grant update (unreadable) on tank_gauges to tankwatch_writer;
grant select on gauge_recomputations to tankwatch_manager, tankwatch_operator;
grant select, update (next_attempt_at, attempts, last_error, computed_to, has_changed) on gauge_recomputations to tankwatch_writer;
grant execute on function lock_gauge_recomputation, correct_levels, correct_packed_levels, finish_gauge_recomputation to tankwatch_writer;
