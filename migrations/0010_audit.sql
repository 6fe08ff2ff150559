-- The audit log: who changed which fields of which object, and when. It holds no values, so that deleting a person's data
-- deletes it everywhere. Statement-level triggers write it, so that every writer is covered and none can change it. Each
-- statement adds one row per organization and set of changed fields: an import of a thousand tanks is one row.
create table audit_log (
  no              bigint generated always as identity primary key,
  at              timestamptz(3) not null default now(),
  actor           text not null,
  -- The login of the connection. Anybody may choose a name for `actor`, but not for this.
  login           text not null default session_user,
  organization_no int,  -- null: the command concerns all organizations
  object          text not null,
  action          text not null check (action in ('create', 'update', 'delete', 'import', 'issue', 'replay', 'pack', 'unpack')),
  fields          text[] not null,
  object_nos      int[] not null
);
create index audit_log_by_organization on audit_log (organization_no, no);

-- The command line sets tankwatch.actor. Any other writer is recorded by its login.
create function current_actor() returns text stable language sql as $$
  select coalesce(nullif(current_setting('tankwatch.actor', true), ''), session_user)
$$;

-- Records commands that no trigger sees: an import of readings, a password that was shown, a replay of the stream, a month
-- that was packed. A null organization stands for all of them.
create function record_command(in_organization_no int, in_object text, in_action text, in_fields text[], in_object_nos int[])
returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if in_action not in ('import', 'issue', 'replay', 'pack', 'unpack') then
    raise exception 'the action % is recorded by triggers only', in_action;
  end if;
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), in_organization_no, in_object, in_action, in_fields, in_object_nos);
end
$$;
revoke execute on function record_command from public;

-- Trigger arguments: the kind of object, and the column with the organization's no.
create function audit_creation() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  execute format('insert into audit_log (actor, organization_no, object, action, fields, object_nos)
                  select current_actor(), %1$I, %2$L, %3$L, %4$L, array_agg(no) from new_rows group by %1$I',
                 tg_argv[1], tg_argv[0], 'create', '{}');
  return null;
end
$$;

-- Columns that change without a person are ignored: activity, and the health of an endpoint.
create function audit_update() returns trigger
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
          and key not in ('updated_at', 'settings_changed_at', 'last_seen_at', 'last_used_at', 'changed_xid', 'failing_since', 'erased_at')
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

create trigger audit_new_organizations after insert on organizations referencing new table as new_rows
for each statement execute function audit_creation('organization', 'no');
create trigger audit_changed_organizations after update on organizations
referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('organization', 'no');

create trigger audit_new_customers after insert on customers referencing new table as new_rows
for each statement execute function audit_creation('customer', 'organization_no');
create trigger audit_changed_customers after update on customers referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('customer', 'organization_no');

create trigger audit_new_tanks after insert on tanks referencing new table as new_rows
for each statement execute function audit_creation('tank', 'organization_no');
create trigger audit_changed_tanks after update on tanks referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('tank', 'organization_no');

create trigger audit_new_keys after insert on api_keys referencing new table as new_rows
for each statement execute function audit_creation('key', 'organization_no');
create trigger audit_changed_keys after update on api_keys referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('key', 'organization_no');

create trigger audit_new_credentials after insert on device_credentials referencing new table as new_rows
for each statement execute function audit_creation('device', 'organization_no');
create trigger audit_changed_credentials after update on device_credentials
referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('device', 'organization_no');

create trigger audit_new_endpoints after insert on webhook_endpoints referencing new table as new_rows
for each statement execute function audit_creation('webhook', 'organization_no');
create trigger audit_changed_endpoints after update on webhook_endpoints
referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('webhook', 'organization_no');

create trigger audit_new_contacts after insert on contacts referencing new table as new_rows
for each statement execute function audit_creation('contact', 'organization_no');
create trigger audit_changed_contacts after update on contacts referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('contact', 'organization_no');
