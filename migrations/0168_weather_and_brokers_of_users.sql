-- Sources of weather, and brokers that get the levels of tanks. The kinds are checked by the program, which knows the settings of each.
-- It only adds rights and a column: the code before works with it.
alter table connectors drop constraint connectors_kind_check;

-- What a connector remembers between two rounds: the places of its weather, or the tanks that it has published.
alter table connector_states add column memory jsonb not null default '{}';

-- The role `connector`, which has the login of the worker, stores the temperatures that it reads.
grant execute on function store_temperatures to tankwatch_worker;
