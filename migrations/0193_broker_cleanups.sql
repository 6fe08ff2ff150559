-- What a removed connector has published to a broker, with what is needed to take it back. A row is deleted when that is done, or after a
-- day. It only adds: the code before works with it.
create table broker_cleanups (
  connector_no    int primary key references connectors on delete cascade,
  settings        jsonb not null,
  sealed_secret   text,
  published       jsonb not null,  -- ids of tanks
  -- Until then, the process that publishes has noticed that its connector is removed.
  next_attempt_at timestamptz(3) not null default now() + interval '15 seconds',
  created_at      timestamptz(3) not null default now()
);

-- A function, because nobody who removes a connector may read its secret.
create function plan_broker_cleanup(connector int) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into broker_cleanups (connector_no, settings, sealed_secret, published)
  select c.no, c.settings, c.sealed_secret, s.memory -> 'published'
  from connectors c join connector_states s on s.connector_no = c.no
  where c.no = connector and c.kind = 'home_assistant' and c.deleted_at is null and jsonb_typeof(s.memory -> 'published') = 'array'
$$;
revoke execute on function plan_broker_cleanup from public;
grant execute on function plan_broker_cleanup to tankwatch_manager, tankwatch_operator;
grant select, delete, update (next_attempt_at) on broker_cleanups to tankwatch_worker;
