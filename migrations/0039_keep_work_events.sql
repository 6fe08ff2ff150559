-- Events that no reading has caused are not retracted. A migration of its own: writers lock events after fleet_tanks.
-- A re-evaluation compares recorded events with those that the readings explain. A writer of 0.2.0 would retract these.
create function keep_work_event() returns trigger language plpgsql as $$
begin
  return null;
end
$$;
create trigger keep_work_event before update on events for each row
when (old.type in ('tank.acknowledged', 'tank.acknowledgement_ended', 'tank.muted', 'tank.unmuted')
      and new.retracted_at is not null)
execute function keep_work_event();
