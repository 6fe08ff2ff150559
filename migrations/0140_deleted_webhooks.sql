-- The row of a deleted webhook stays, because its deliveries say who was told about an event. It has no address any more.
alter table webhook_endpoints add column deleted_at timestamptz(3);

-- The answer that created it has its secret.
create trigger erase_stored_answers after update on webhook_endpoints for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function erase_stored_answers('webhook');

grant select (deleted_at), update (deleted_at) on webhook_endpoints to tankwatch_manager;
