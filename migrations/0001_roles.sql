-- Who may do what. These roles cannot log in: an installation makes its own logins and puts each into one of them
-- (create role my_api login password '...' in role tankwatch_api), so that a password is nobody's business here.
-- Whoever runs the migrations owns every table; that login is the migrator.
--
-- Roles belong to the whole server, not to a database, so another database's migration may have made them already.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['tankwatch_api', 'tankwatch_writer', 'tankwatch_operator'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then null;
    end;
  end loop;
end
$$;

revoke create on schema public from public;
grant usage on schema public to tankwatch_api, tankwatch_writer, tankwatch_operator;
