-- Creates a login for each role of Tankwatch, with passwords from the environment. Run it with psql 15 or newer after
-- `tankwatch migrate`. It can be run again: then it sets the passwords again.
\set ON_ERROR_STOP on
\getenv api_password API_PASSWORD
\getenv gateway_password GATEWAY_PASSWORD
\getenv writer_password WRITER_PASSWORD
\getenv worker_password WORKER_PASSWORD
\getenv operator_password OPERATOR_PASSWORD
\set manager_password ''
\getenv manager_password MANAGER_PASSWORD

select format('create role %I login in role %I', login, role)
from (values ('tw_api', 'tankwatch_api'), ('tw_gateway', 'tankwatch_gateway'), ('tw_writer', 'tankwatch_writer'),
             ('tw_worker', 'tankwatch_worker'), ('tw_operator', 'tankwatch_operator'),
             ('tw_manager', 'tankwatch_manager')) as wanted (login, role)
where not exists (select from pg_roles where rolname = login)
  and (login <> 'tw_manager' or :'manager_password' <> '') \gexec

alter role tw_api password :'api_password';
alter role tw_gateway password :'gateway_password';
alter role tw_writer password :'writer_password';
alter role tw_worker password :'worker_password';
alter role tw_operator password :'operator_password';
-- For changes over HTTP. Without MANAGER_PASSWORD there is no such login, and the api serves reads only.
select :'manager_password' <> '' as has_manager \gset
\if :has_manager
alter role tw_manager password :'manager_password';
\endif
