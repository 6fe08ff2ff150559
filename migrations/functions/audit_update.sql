-- Records which fields of a row were changed. The number of the change is left out, because the database sets it.
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
                          'erased_at', 'change_number', 'levels_changed_at', 'has_secret', 'code_at', 'code_tries')
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
