-- Events may be about a source. 0.3.0 lists them like events of other types; `not valid`, because the stored types are of tanks and devices.
alter table events
  drop constraint events_type_check,
  add constraint events_type_check check (type ~ '^(tank|device|connector)\.[a-z_]+$') not valid;

-- Readings do not explain them. A re-evaluation by a writer of 0.3.0 would retract them.
create trigger keep_connector_event before update on events for each row
when (old.type like 'connector.%' and new.retracted_at is not null)
execute function keep_work_event();

-- Records that a source is down, or works again, as an event of the first of its tanks, and tells of it. If none of its devices is on a tank,
-- nobody waits for it.
create function record_connector_event(connector int, in_type text, since timestamptz, because text) returns void
language sql security definer set search_path = public, pg_temp as $$
  with told as (
    insert into events (id, organization_no, tank_no, type, occurred_at, data, readings, notify)
    select derive_event_id(t.id, in_type, now()), c.organization_no, t.no, in_type, now()::timestamptz(3),
           jsonb_build_object('connector_id', c.id, 'name', c.name, 'since', since, 'reason', because, 'tanks', t.tanks), '[]', true
    from connectors c
    cross join lateral (
      select t.no, t.id, count(*) over () as tanks from connector_devices d
      join tanks t on t.organization_no = c.organization_no and t.assigned_device_id = d.device_id and t.deleted_at is null
      where d.connector_no = c.no order by t.no limit 1
    ) as t
    where c.no = connector and in_type in ('connector.down', 'connector.up')
    on conflict do nothing
    returning no
  )
  select enqueue_events(array_agg(no)) from told having count(*) > 0;
$$;
revoke execute on function record_connector_event from public;
grant execute on function record_connector_event to tankwatch_worker;
