-- The database roles. None of them can log in: an installation creates its own logins and puts each into one role
-- (create role my_api login password '...' in role tankwatch_api). So no password is part of a migration.
-- The login that runs the migrations owns every table.
--
-- Roles belong to the whole server, not to one database, so the migration of another database may have created them.
do $$
declare
  role_name text;
begin
  foreach role_name in array array[
    'tankwatch_api', 'tankwatch_gateway', 'tankwatch_writer', 'tankwatch_operator', 'tankwatch_worker'
  ] loop
    -- A login without the right to create roles can migrate if they exist.
    continue when exists (select from pg_roles where rolname = role_name);
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then null;
    end;
  end loop;
end
$$;

revoke create on schema public from public;
grant usage on schema public to tankwatch_api, tankwatch_gateway, tankwatch_writer, tankwatch_operator, tankwatch_worker;
