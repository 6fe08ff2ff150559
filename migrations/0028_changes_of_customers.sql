-- The change feed (GET /fleet/v1/changes): customers and tanks in the order of their last changes. The rows themselves are the
-- feed. Deleted rows stay as tombstones, so no table of changes grows, and no retention cuts it off. 0031 does the same for
-- tanks, and 0033 adds the indexes. It only adds: 0.2.0 works with it.

-- Numbered as the events of the event feed: by the transaction. 0: not changed since this migration.
alter table customers add column change_number bigint not null default 0;

-- With the rights of the owner: the first change after a promotion writes change_epochs.
create function set_change_number() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.change_number := next_change_number();
  return new;
end
$$;
create trigger number_new_customer before insert on customers for each row execute function set_change_number();
create trigger number_changed_customer before update on customers for each row
when ((old.external_key, old.email, old.name, old.phone, old.is_verified, old.verified_at, old.created_at, old.deleted_at)
  is distinct from
      (new.external_key, new.email, new.name, new.phone, new.is_verified, new.verified_at, new.created_at, new.deleted_at))
execute function set_change_number();

-- As in 0010, and without the number of the change, which no person has set.
create or replace function audit_update() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  execute format($sql$
    insert into audit_log (actor, organization_no, object, action, fields, object_nos)
    select current_actor(), organization_no, %2$L,
           case when 'deleted_at' = any (fields) then 'delete' else 'update' end, fields, array_agg(no)
    from (
      select n.%1$I as organization_no, n.no, array(
        select key from jsonb_each(to_jsonb(o)) as before (key, value) join jsonb_each(to_jsonb(n)) as after (key, value)
        using (key)
        where before.value <> after.value
          and key not in ('updated_at', 'settings_changed_at', 'last_seen_at', 'last_used_at', 'changed_xid', 'failing_since',
                          'erased_at', 'change_number')
        order by key
      ) as fields
      from old_rows o join new_rows n using (no)
    ) as changed
    where fields <> '{}'
    group by organization_no, fields
  $sql$, tg_argv[1], tg_argv[0]);
  return null;
end
$$;
