-- How far each webhook that wants changes has followed the change feed. A worker moves the position in the statement that adds the
-- deliveries, so that a change is neither skipped nor doubled, whenever the worker is killed. Other webhooks have no row.
create table webhook_followers (
  endpoint_no   int primary key references webhook_endpoints on delete cascade,
  change_number bigint not null,
  -- The index of the source and the key in it, as in cursors of the feed.
  source        smallint not null default 0,
  key           text not null default '0'
);
grant select, update on webhook_followers to tankwatch_worker;
grant select on change_epochs to tankwatch_worker;

-- Following begins with the changes that are not final when the webhook wants them first, and ends with the last of its types of changes. A
-- trigger, because what is committed between the change of the types and the next look of a worker must not be missed.
create function follow_changes_of_webhook() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.deleted_at is null and exists (select from unnest(new.types) as wanted (type) where type like '%.changed') then
    insert into webhook_followers (endpoint_no, change_number) values (new.no, final_change_number(new.organization_no))
    on conflict do nothing;
  else
    delete from webhook_followers where endpoint_no = new.no;
  end if;
  return null;
end
$$;
revoke execute on function follow_changes_of_webhook from public;
create trigger follow_changes_of_webhook after insert or update of types, deleted_at on webhook_endpoints for each row
execute function follow_changes_of_webhook();
