-- Records a command in the audit log where no trigger does: imports, issued credentials and links, replays, packing, and the weather.
-- The tables of the weather have no such trigger, because the worker makes most of their changes.
create or replace function record_command(
  in_organization_no int, in_object text, in_action text, in_fields text[], in_object_nos int[]
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if in_action not in ('import', 'issue', 'replay', 'pack', 'unpack') and in_object <> 'weather' then
    raise exception 'the action % is recorded by triggers only', in_action;
  end if;
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), in_organization_no, in_object, in_action, in_fields, in_object_nos);
end
$$;
