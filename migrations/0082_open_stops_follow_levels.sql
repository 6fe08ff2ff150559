-- What is needed to compute open stops again when they are read. It only adds: 0.3.0 works with it. Locks round_stops for a moment.

alter table round_stops
  -- True: a person chose the volume, so that it stays when the level changes.
  add column is_volume_typed boolean not null default false,
  -- The level when the stop was planned. Null: it was not known, or the stop is of an older release.
  add column planned_fill_percentage real,
  -- True: the tank was filled meanwhile, and a person keeps the stop all the same.
  add column is_kept boolean not null default false,
  -- The loss that the driver has read about, and when.
  add column block_read_since timestamptz,
  add column block_read_at timestamptz(3);

-- The stops that nobody may deliver at, because their tanks lose gas. Nothing of it is stored: a stop opens again when the loss is
-- over. 48 hours as in LOSING_HOURS of the service. A stop that the gauge has closed has a row too: see round_stop_outcomes.
create view round_stop_blocks as
select s.no as stop_no, s.round_no, b.since, case when s.block_read_since = b.since then s.block_read_at end as read_at
from round_stops s
join fleet_tanks f on f.tank_no = s.tank_no and f.losing_seen_at > '-infinity' and f.losing_seen_at > now() - interval '48 hours'
cross join lateral (
  select coalesce((
    select e.occurred_at from events e
    where e.tank_no = s.tank_no and e.type = 'tank.rapid_loss' and e.retracted_at is null
    order by e.occurred_at desc limit 1
  ), f.losing_seen_at) as since
) as b
where s.is_open;

-- Stores that the driver has read why a stop is blocked. Returns false if there is no such link. Another loss has to be read again.
create function record_block_read(of_round uuid, of_generation int, of_stop int, of_since timestamptz) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from rounds r join organizations o on o.no = r.organization_no and o.deleted_at is null
  where r.id = of_round and r.link_generation = of_generation;
  if not found then
    return false;
  end if;
  -- The first time counts. What was read about an earlier loss counts no more.
  update round_stops s set block_read_since = b.since, block_read_at = now()
  from rounds r join round_stop_blocks b on b.round_no = r.no
  where r.id = of_round and s.no = b.stop_no and s.number = of_stop and date_trunc('milliseconds', b.since) = of_since
    and s.block_read_since is distinct from b.since;
  return true;
end
$$;
revoke execute on function record_block_read from public;

grant select on round_stop_blocks to tankwatch_api, tankwatch_manager, tankwatch_operator;
grant execute on function record_block_read to tankwatch_api;
