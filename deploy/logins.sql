-- A login for each part, in the role that `tankwatch migrate` made for it. Run after it, by psql 15 or newer, as often as
-- you like: passwords are set anew from the environment.
\set ON_ERROR_STOP on
\getenv api_password API_PASSWORD
\getenv gateway_password GATEWAY_PASSWORD
\getenv writer_password WRITER_PASSWORD
\getenv worker_password WORKER_PASSWORD
\getenv operator_password OPERATOR_PASSWORD

-- The gateway looks up keys and revoked devices, which the writer's role may see; it has no role of its own.
select format('create role %I login in role %I', login, role)
from (values ('tw_api', 'tankwatch_api'), ('tw_gateway', 'tankwatch_writer'), ('tw_writer', 'tankwatch_writer'),
             ('tw_worker', 'tankwatch_worker'), ('tw_operator', 'tankwatch_operator')) as wanted (login, role)
where not exists (select from pg_roles where rolname = login) \gexec

alter role tw_api password :'api_password';
alter role tw_gateway password :'gateway_password';
alter role tw_writer password :'writer_password';
alter role tw_worker password :'worker_password';
alter role tw_operator password :'operator_password';
