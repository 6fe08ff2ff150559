-- Events may be about a device. 0.3.0 lists them like events of other types; `not valid`, because all stored types begin with "tank.".
alter table events
  drop constraint events_type_check,
  add constraint events_type_check check (type ~ '^(tank|device)\.[a-z_]+$') not valid;

-- Readings do not explain them. A re-evaluation by a writer of 0.3.0 would retract them.
create trigger keep_device_event before update on events for each row
when (old.type like 'device.%' and new.retracted_at is not null)
execute function keep_work_event();
